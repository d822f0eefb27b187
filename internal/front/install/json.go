package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// A node is one JSON value and its position in the text, so that an edit changes
// nothing else.
type node struct {
	kind       byte // one of { [ " 0 t f n
	start, end int  // text[start:end]
	text       string
	members    []member // of an object or an array
}

// A member is a key with its value, or an element of an array.
type member struct {
	key   string
	start int // of the key, or of the element
	value *node
	comma int // the position of the comma after it, or -1
}

// A syntaxError says where a settings file cannot be read. Such a file is never
// changed.
type syntaxError struct {
	Line, Column int // from 1; columns count characters
	Why          string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Why)
}

// maxDepth is how deep values may be nested. Settings of people have a depth of
// about eight.
const maxDepth = 100

// A scanner reads JSON with comments and final commas, as most agents write and
// read it.
type scanner struct {
	text  []byte
	at    int
	plain string // who reads the file as JSON without them; "" if nobody is that strict
}

// parseJSON returns the value that the text holds. An empty text, or one of
// nothing but comments, gives nil.
func parseJSON(text []byte) (root *node, err error) {
	return (&scanner{text: text}).document()
}

// checkPlain returns an error at a comment or a final comma, because the agent called
// plain rejects such a file.
func checkPlain(text []byte, plain string) error {
	_, err := (&scanner{text: text, plain: plain}).document()
	return err
}

func (s *scanner) document() (root *node, err error) {
	text := s.text
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		s.at = len(byteOrderMark)
	}
	if err := s.skip(); err != nil {
		return nil, err
	}
	if s.at == len(text) {
		return nil, nil
	}
	if root, err = s.value(0); err != nil {
		return nil, err
	}
	if err := s.skip(); err != nil {
		return nil, err
	}
	if s.at < len(text) {
		return nil, s.fail(s.at, "unexpected text after the value")
	}
	return root, nil
}

func (s *scanner) fail(at int, format string, args ...any) error {
	return &syntaxError{Line: lineOf(s.text, at), Column: columnOf(s.text, at), Why: fmt.Sprintf(format, args...)}
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// skip passes over white space and comments.
func (s *scanner) skip() error {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.at++
		case c == '/':
			end, err := s.comment()
			if err != nil {
				return err
			}
			s.at = end
		default:
			return nil
		}
	}
	return nil
}

// comment returns the end of the comment that begins here: of one to the end of
// the line, the newline.
func (s *scanner) comment() (end int, err error) {
	rest := s.text[s.at:]
	if len(rest) >= 2 && (rest[1] == '/' || rest[1] == '*') && s.plain != "" {
		return 0, s.fail(s.at, "comment: %s ignores a file with comments", s.plain)
	}
	if len(rest) >= 2 && rest[1] == '/' {
		for i, c := range rest {
			if c == '\n' {
				return s.at + i, nil
			}
		}
		return len(s.text), nil
	}
	if len(rest) >= 2 && rest[1] == '*' {
		for i := 2; i+1 < len(rest); i++ {
			if rest[i] == '*' && rest[i+1] == '/' {
				return s.at + i + 2, nil
			}
		}
		return 0, s.fail(s.at, "unterminated comment")
	}
	return 0, s.fail(s.at, "unexpected '/'")
}

func (s *scanner) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, s.fail(s.at, "nested more than %d deep", maxDepth)
	}
	switch c := s.peek(); {
	case c == '{' || c == '[':
		return s.container(depth)
	case c == '"':
		return s.str()
	case c == 0 && s.at == len(s.text):
		return nil, s.fail(s.at, "unexpected end: want a value")
	}
	n := &node{start: s.at}
	for s.at < len(s.text) && wordByte(s.text[s.at]) {
		s.at++
	}
	n.end = s.at
	word := s.text[n.start:n.end]
	if len(word) == 0 || !json.Valid(word) {
		s.at = n.start
		if len(word) > 0 {
			return nil, s.fail(n.start, "%q is not a value", clip(word))
		}
		r, _ := utf8.DecodeRune(s.text[n.start:])
		return nil, s.fail(n.start, "unexpected %q", r)
	}
	if n.kind = word[0]; n.kind == '-' || n.kind <= '9' {
		n.kind = '0'
	}
	return n, nil
}

// wordByte reports whether c may be in a number, true, false or null.
func wordByte(c byte) bool {
	return c == '+' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

func clip(b []byte) string {
	if len(b) > 20 {
		return string(b[:20]) + "…"
	}
	return string(b)
}

func (s *scanner) str() (*node, error) {
	n := &node{kind: '"', start: s.at}
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\':
			i++
		case c == '"':
			n.end, s.at = i+1, i+1
			if err := json.Unmarshal(s.text[n.start:n.end], &n.text); err != nil {
				return nil, s.fail(n.start, "invalid escape in a string")
			}
			return n, nil
		case c < ' ':
			return nil, s.fail(i, "invalid byte 0x%02x in a string", c)
		}
	}
	return nil, s.fail(s.at, "unterminated string")
}

func (s *scanner) container(depth int) (*node, error) {
	n := &node{kind: s.text[s.at], start: s.at}
	closing := map[byte]byte{'{': '}', '[': ']'}[n.kind]
	s.at++
	for {
		if err := s.skip(); err != nil {
			return nil, err
		}
		if s.peek() == closing {
			if k := len(n.members); k > 0 && n.members[k-1].comma >= 0 && s.plain != "" {
				return nil, s.fail(n.members[k-1].comma, "comma before %q: %s ignores a file with one", closing, s.plain)
			}
			s.at++
			n.end = s.at
			return n, nil
		}
		if k := len(n.members); k > 0 && n.members[k-1].comma < 0 {
			if s.at == len(s.text) {
				return nil, s.fail(s.at, "unexpected end: want %q for line %d", closing, lineOf(s.text, n.start))
			}
			return nil, s.fail(s.at, "want ',' or %q", closing)
		}
		m := member{start: s.at, comma: -1}
		if n.kind == '{' {
			if s.peek() != '"' {
				if s.at == len(s.text) {
					return nil, s.fail(s.at, "unexpected end: want %q for line %d", closing, lineOf(s.text, n.start))
				}
				return nil, s.fail(s.at, "want a name in quotes")
			}
			key, err := s.str()
			if err != nil {
				return nil, err
			}
			m.key = key.text
			if err := s.skip(); err != nil {
				return nil, err
			}
			if s.peek() != ':' {
				return nil, s.fail(s.at, "want ':' after the name %q", clip([]byte(m.key)))
			}
			s.at++
			if err := s.skip(); err != nil {
				return nil, err
			}
		}
		var err error
		if m.value, err = s.value(depth + 1); err != nil {
			return nil, err
		}
		if err := s.skip(); err != nil {
			return nil, err
		}
		if s.peek() == ',' {
			m.comma = s.at
			s.at++
		}
		n.members = append(n.members, m)
	}
}

// find returns the value of a key; of several, the last, which is the one that
// counts for whoever reads the file.
func (n *node) find(key string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return n.members[i].value
		}
	}
	return nil
}

// kindName is what a person calls a value of the kind.
func (n *node) kindName() string {
	switch n.kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "true or false"
}

// lineOf and columnOf return the position of a byte, counted from 1.
func lineOf(text []byte, at int) int {
	line := 1
	for _, c := range text[:at] {
		if c == '\n' {
			line++
		}
	}
	return line
}

func columnOf(text []byte, at int) int {
	start := at
	for start > 0 && text[start-1] != '\n' {
		start--
	}
	return utf8.RuneCount(text[start:at]) + 1
}
