package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/jsontext"
)

// The readers pick a few fields out of records that are mostly text which
// nobody asked for, so they walk the bytes instead of decoding them: a value is
// a slice of its record until somebody wants it as a string. The walk keeps a
// depth, not a stack, so nesting costs nothing; a record whose brackets do not
// match in number is malformed, and whatever ends up in [Block.Input] is checked
// with [json.Valid].

// space returns the index of the first byte of b from i on that is not white
// space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skip returns the index after the value that begins at b[i], or -1 if there is
// no whole value.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return jsontext.StringEnd(b, i)
	case c == '{' || c == '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				if i = jsontext.StringEnd(b, i); i < 0 || i < len(b) && strings.IndexByte(",:}] \t\r\n", b[i]) < 0 {
					return -1 // it ends at the first quote of another record
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	case c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		j := i
		for j < len(b) && (b[j] == '-' || b[j] == '+' || b[j] == '.' || b[j] >= '0' && b[j] <= '9' ||
			b[j] >= 'a' && b[j] <= 'z' || b[j] >= 'A' && b[j] <= 'Z') {
			j++
		}
		return j
	}
	return -1
}

// An iter walks the members of an object or the elements of an array:
//
//	for it := walk(raw); it.next(); {
//		switch string(it.key) {
//		case "id":
//			id = str(it.val)
//		}
//	}
//
// Key and val are slices of raw; val keeps its quotes. The walk ends early at
// the first malformed member, and then bad is set.
type iter struct {
	key, val []byte // key is empty in an array
	bad      bool

	b       []byte
	i       int
	started bool
	object  bool
}

// walk begins a walk over raw, a JSON object or array. Anything else has no
// members.
func walk(raw []byte) iter {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' && raw[i] != '[' {
		return iter{i: len(raw), started: true, bad: i < len(raw)}
	}
	return iter{b: raw, i: i + 1, object: raw[i] == '{'}
}

func (it *iter) next() bool {
	if it.bad || it.i >= len(it.b) {
		return false
	}
	i := space(it.b, it.i)
	if i < len(it.b) && (it.b[i] == '}' || it.b[i] == ']') {
		it.i = len(it.b)
		return false
	}
	if it.started {
		if i >= len(it.b) || it.b[i] != ',' {
			it.bad = true
			return false
		}
		i = space(it.b, i+1)
	}
	it.started = true
	if it.object {
		if i >= len(it.b) || it.b[i] != '"' {
			it.bad = true
			return false
		}
		end := jsontext.StringEnd(it.b, i)
		if end < 0 {
			it.bad = true
			return false
		}
		it.key = it.b[i+1 : end-1]
		if bytes.IndexByte(it.key, '\\') >= 0 {
			it.key = []byte(str(it.b[i:end]))
		}
		if i = space(it.b, end); i >= len(it.b) || it.b[i] != ':' {
			it.bad = true
			return false
		}
		i = space(it.b, i+1)
	}
	end := skip(it.b, i)
	if end < 0 {
		it.bad = true
		return false
	}
	it.val, it.i = it.b[i:end], end
	return true
}

// field returns the value of one member of an object, or nil. Of members of the
// same name it returns the first.
func field(raw []byte, key string) []byte {
	for it := walk(raw); it.next(); {
		if string(it.key) == key {
			return it.val
		}
	}
	return nil
}

// A member is the key of a member of an object, and where its value goes.
type member struct {
	key  string
	into *[]byte
}

// read sets the values of those members that an object has. Of members of the same
// name it takes the last.
func read(raw []byte, members ...member) {
	for it := walk(raw); it.next(); {
		for _, m := range members {
			if string(it.key) == m.key {
				*m.into = it.val
				break
			}
		}
	}
}

// A number is the key of a member of an object, and where its number goes.
type number struct {
	key  string
	into *int
}

// readNumbers is read for members that are numbers.
func readNumbers(raw []byte, numbers ...number) {
	for it := walk(raw); it.next(); {
		for _, n := range numbers {
			if string(it.key) == n.key {
				*n.into = num(it.val)
				break
			}
		}
	}
}

// path returns the value that the keys lead to, or nil.
func path(raw []byte, keys ...string) []byte {
	for _, k := range keys {
		if raw = field(raw, k); raw == nil {
			return nil
		}
	}
	return raw
}

// isNull reports that there is nothing in a value: it is absent or null.
func isNull(v []byte) bool { return len(v) == 0 || v[0] == 'n' }

func isString(v []byte) bool { return len(v) > 1 && v[0] == '"' }
func isObject(v []byte) bool { return len(v) > 1 && v[0] == '{' }
func isArray(v []byte) bool  { return len(v) > 1 && v[0] == '[' }
func isTrue(v []byte) bool   { return string(v) == "true" }

// is reports whether v is the string s.
func is(v []byte, s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}

// str returns the text of a JSON string, with what is not UTF-8 replaced by
// U+FFFD. Of anything but a string it returns "".
func str(v []byte) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	v = v[1 : len(v)-1]
	if bytes.IndexByte(v, '\\') < 0 {
		return strings.ToValidUTF8(string(v), "\uFFFD")
	}
	var b strings.Builder
	b.Grow(len(v))
	for len(v) > 0 {
		i := bytes.IndexByte(v, '\\')
		if i < 0 || i+1 == len(v) {
			b.Write(v)
			break
		}
		b.Write(v[:i])
		c := v[i+1]
		v = v[i+2:]
		switch c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			r, ok := hex4(v)
			if !ok {
				b.WriteString("\uFFFD")
				continue
			}
			v = v[4:]
			if utf16.IsSurrogate(r) {
				pair := utf8.RuneError
				if len(v) >= 6 && v[0] == '\\' && v[1] == 'u' {
					if low, ok := hex4(v[2:]); ok {
						pair = utf16.DecodeRune(r, low)
					}
				}
				if pair != utf8.RuneError {
					v = v[6:]
				}
				r = pair
			}
			b.WriteRune(r)
		default: // the escaped byte itself: a quote, a slash, a backslash
			b.WriteByte(c)
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

func hex4(v []byte) (rune, bool) {
	if len(v) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(v[:4]), 16, 32)
	return rune(n), err == nil
}

// strLen returns the number of bytes between the quotes of a JSON string: of
// signatures and encrypted reasoning, which are base64 and need no decoding. Of
// anything but a string it is 0.
func strLen(v []byte) int {
	if !isString(v) {
		return 0
	}
	return len(v) - 2
}

// num returns a number as an int, and 0 for anything that is not one or does
// not fit.
func num(v []byte) int {
	n, err := strconv.Atoi(string(v))
	if err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(string(v), 64); err == nil && f > -1e15 && f < 1e15 {
		return int(f)
	}
	return 0
}

// clock returns a time recorded as RFC 3339 text or as milliseconds since 1970,
// and the zero time for anything else.
func clock(v []byte) time.Time {
	if isString(v) {
		t, err := time.Parse(time.RFC3339Nano, string(v[1:len(v)-1]))
		if err != nil {
			return time.Time{}
		}
		return t.UTC()
	}
	// Milliseconds of the years 1970 to 9999; beyond them a time has no text.
	if ms := num(v); ms > 0 && ms < 253402300800000 {
		return time.UnixMilli(int64(ms)).UTC()
	}
	return time.Time{}
}

// input returns a tool's input as valid JSON of its own. Arguments recorded as
// text that holds a JSON object or array become that; any other text becomes
// {"input": text}.
func input(v []byte) json.RawMessage {
	if isString(v) {
		s := str(v)
		t := strings.TrimSpace(s)
		if t == "" {
			return json.RawMessage("{}")
		}
		if (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
			return json.RawMessage(t)
		}
		return wrap("input", s)
	}
	if isNull(v) {
		return json.RawMessage("{}")
	}
	if !json.Valid(v) {
		return wrap("input", strings.ToValidUTF8(string(v), "\uFFFD"))
	}
	return bytes.Clone(v)
}

// wrap returns an input with one member, a text.
func wrap(key, s string) json.RawMessage {
	b, err := json.Marshal(map[string]string{key: s})
	if err != nil { // a map of strings has no error
		return json.RawMessage("{}")
	}
	return b
}

// content returns the text of a message's or result's content, and how many
// images it holds. Content is a string or an array of parts; parts are joined
// with newlines. A part of an unknown type is shown as its JSON.
func content(v []byte) (text string, images int) {
	switch {
	case isString(v):
		return str(v), 0
	case isObject(v):
		return part(v)
	case !isArray(v):
		return "", 0
	}
	var parts []string
	for it := walk(v); it.next(); {
		t, n := part(it.val)
		images += n
		parts = append(parts, t)
	}
	return strings.Join(parts, "\n"), images
}

func part(v []byte) (text string, images int) {
	if isString(v) {
		return str(v), 0
	}
	var kind, body []byte
	read(v, member{"type", &kind}, member{"text", &body})
	switch {
	case is(kind, "image"), is(kind, "input_image"), is(kind, "image_url"):
		return "[image]", 1
	case body != nil:
		return str(body), 0
	case is(kind, "tool_reference"):
		return "[tool_reference " + str(field(v, "tool_name")) + "]", 0
	}
	return shown(v), 0
}
