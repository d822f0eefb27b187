package reuse

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/transcript"
)

// A Field is one leaf of a call's input. An element of a list has the key of the
// list.
type Field struct{ Key, Value string }

// Fields returns the scalar values of a call's input, in the order in which they
// are written.
func Fields(call *transcript.Block) []Field { return leaves(call.Input) }

// leaves flattens the input of a call to its scalar values, in the order in
// which they are written. An element of a list has the key of the list. Of
// input that is no JSON it is what stands before the first mistake.
func leaves(input json.RawMessage) []Field {
	s := scanner{text: input, fields: make([]Field, 0, 4)}
	if s.value("", 0); !s.bad {
		return s.fields
	}
	var fs []Field
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	decode(dec, "", 0, &fs)
	return fs
}

// maxDepth is how deep values may be nested; nothing is looked at from the first
// that is deeper.
const maxDepth = 100

// A scanner takes JSON apart as decode does, several times as fast. At the first
// mistake it gives up.
type scanner struct {
	text   []byte
	at     int
	fields []Field
	bad    bool
}

// next moves to the next byte that is not white space, and returns it; 0 at the
// end.
func (s *scanner) next() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// fail gives up.
func (s *scanner) fail() bool {
	s.bad = true
	return false
}

// value reads a value, and reports whether to go on.
func (s *scanner) value(key string, depth int) bool {
	first := s.next()
	if depth > maxDepth {
		return false
	}
	switch first {
	case '{', '[':
		return s.members(key, depth, first)
	case '"':
		text, ok := s.str()
		s.fields = append(s.fields, Field{key, text})
		return ok
	}
	from := s.at
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n,]}", s.text[s.at]) < 0 {
		s.at++
	}
	switch word := string(s.text[from:s.at]); {
	case word == "null":
	case word == "true", word == "false", isNumber(word):
		s.fields = append(s.fields, Field{key, word})
	default:
		return s.fail()
	}
	return true
}

// members reads what is in brackets.
func (s *scanner) members(key string, depth int, open byte) bool {
	closing := open + 2 // in ASCII
	s.at++
	for n := 0; ; n++ {
		c := s.next()
		if c == closing {
			s.at++
			return true
		}
		if n > 0 {
			if c != ',' {
				return s.fail()
			}
			s.at++
			if c = s.next(); c == closing {
				return s.fail()
			}
		}
		if open == '{' {
			if c != '"' {
				return s.fail()
			}
			name, ok := s.str()
			if !ok || s.next() != ':' {
				return s.fail()
			}
			s.at++
			key = name
		}
		if !s.value(key, depth+1) {
			return false
		}
	}
}

// str reads a string.
func (s *scanner) str() (text string, ok bool) {
	from, plain := s.at, true
	for s.at++; ; s.at++ {
		if s.at >= len(s.text) || s.text[s.at] < ' ' {
			return "", s.fail()
		}
		if s.text[s.at] == '"' {
			break
		}
		if s.text[s.at] == '\\' {
			plain = false
			s.at++
		}
	}
	s.at++
	body := s.text[from+1 : s.at-1]
	if utf8.Valid(body) {
		if plain {
			return string(body), true
		}
		if text, ok = unescape(body); ok {
			return text, true
		}
	}
	if json.Unmarshal(s.text[from:s.at], &text) != nil {
		return "", s.fail()
	}
	return text, true
}

// unescape returns what a string says, if it has no surrogates in escapes.
func unescape(body []byte) (text string, ok bool) {
	var b strings.Builder
	b.Grow(len(body))
	for {
		n := bytes.IndexByte(body, '\\')
		if n < 0 {
			b.Write(body)
			return b.String(), true
		}
		b.Write(body[:n])
		letter := body[n+1]
		body = body[n+2:]
		if letter == 'u' && len(body) >= 4 {
			r, err := strconv.ParseUint(string(body[:4]), 16, 16)
			if err != nil || utf16.IsSurrogate(rune(r)) {
				return "", false
			}
			b.WriteRune(rune(r))
			body = body[4:]
			continue
		}
		at := strings.IndexByte(`"\/bfnrt`, letter)
		if at < 0 {
			return "", false
		}
		b.WriteByte("\"\\/\b\f\n\r\t"[at])
	}
}

// isNumber reports whether a word is a number of JSON.
func isNumber(word string) bool {
	digits := func() bool {
		n := 0
		for n < len(word) && '0' <= word[n] && word[n] <= '9' {
			n++
		}
		word = word[n:]
		return n > 0
	}
	word = strings.TrimPrefix(word, "-")
	if rest, ok := strings.CutPrefix(word, "0"); ok {
		word = rest
	} else if !digits() {
		return false
	}
	if rest, ok := strings.CutPrefix(word, "."); ok {
		if word = rest; !digits() {
			return false
		}
	}
	if word != "" && (word[0] == 'e' || word[0] == 'E') {
		word = word[1:]
		if word != "" && (word[0] == '+' || word[0] == '-') {
			word = word[1:]
		}
		return digits() && word == ""
	}
	return word == ""
}

// decode takes JSON apart by the standard library, up to the first mistake. The
// scanner says the same of JSON without one.
func decode(dec *json.Decoder, key string, depth int, fs *[]Field) bool {
	tok, err := dec.Token()
	if err != nil || depth > maxDepth {
		return false
	}
	switch v := tok.(type) {
	case json.Delim:
		for dec.More() {
			k := key
			if v == '{' {
				t, err := dec.Token()
				if err != nil {
					return false
				}
				k, _ = t.(string)
			}
			if !decode(dec, k, depth+1, fs) {
				return false
			}
		}
		_, err = dec.Token()
		return err == nil
	case string:
		*fs = append(*fs, Field{key, v})
	case json.Number:
		*fs = append(*fs, Field{key, v.String()})
	case bool:
		*fs = append(*fs, Field{key, strconv.FormatBool(v)})
	}
	return true
}
