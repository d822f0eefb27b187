package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/clip"
)

// A node is one JSON value and its position in the text, so that an edit changes
// nothing else.
type node struct {
	kind       byte     // one of { [ " 0 t f n
	start, end int      // text[start:end]
	text       string   // of a string
	members    []member // of an object or an array
	comments   bool     // an object or an array has a comment in it
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

// maxShown is how many bytes of a name or a word an error shows.
const maxShown = 20

// A scanner reads JSON with comments and final commas, as most agents write and
// read it.
type scanner struct {
	text     []byte
	at       int
	plain    string // the agent that rejects comments and final commas, or ""
	comments int    // number of comments so far
	err      error  // the first error; at is then the end of the text
}

// parseJSON returns the value of the text, or nil if the text has only white space
// and comments.
func parseJSON(text []byte) (root *node, err error) { return parsePlain(text, "") }

// parsePlain is like parseJSON. If an agent is named, a comment or a final comma is an
// error, because the agent ignores such a file.
func parsePlain(text []byte, agent string) (root *node, err error) {
	s := &scanner{text: text, plain: agent}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		s.at = len(byteOrderMark)
	}
	if s.skip(); s.at < len(text) {
		root = s.value(0)
	}
	if s.skip(); s.at < len(text) {
		s.fail(s.at, "unexpected text after the value")
	}
	return root, s.err
}

// fail records the first error and moves to the end of the text, so that the scan ends.
func (s *scanner) fail(at int, format string, args ...any) {
	if s.err == nil {
		s.err = errorAt(s.text, at, format, args...)
	}
	s.at = len(s.text)
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// skip passes over white space and comments. It stops at the newline that ends a
// line comment.
func (s *scanner) skip() {
	for {
		rest := bytes.TrimLeft(s.text[s.at:], " \t\r\n")
		s.at = len(s.text) - len(rest)
		if s.peek() != '/' {
			return
		}
		line, block := bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*"))
		end := bytes.IndexByte(rest, '\n')
		if block {
			end = bytes.Index(rest[2:], []byte("*/")) + 4
		}
		switch {
		case !line && !block:
			s.fail(s.at, "unexpected '/'")
		case s.plain != "":
			s.fail(s.at, "comment: %s ignores a file with comments", s.plain)
		case block && end < 4:
			s.fail(s.at, "unterminated comment")
		case end < 0:
			s.at = len(s.text)
		default:
			s.at += end
		}
		s.comments++
	}
}

func (s *scanner) value(depth int) *node {
	n := &node{kind: s.peek(), start: s.at}
	switch {
	case depth > maxDepth:
		s.fail(s.at, "nested more than %d deep", maxDepth)
	case n.kind == '{' || n.kind == '[':
		s.container(n, depth)
	case n.kind == '"':
		n.text = s.str()
	case s.at == len(s.text):
		s.fail(s.at, "unexpected end: want a value")
	default:
		s.word(n)
	}
	n.end = s.at
	return n
}

// word reads a number, true, false or null.
func (s *scanner) word(n *node) {
	rest := s.text[s.at:]
	word := rest[:len(rest)-len(bytes.TrimLeftFunc(rest, inWord))]
	if len(word) == 0 {
		r, _ := utf8.DecodeRune(rest)
		s.fail(s.at, "unexpected %q", r)
		return
	}
	if !json.Valid(word) {
		s.fail(s.at, "%q is not a value", clip.Cut(string(word), maxShown))
		return
	}
	if n.kind <= '9' { // a digit or '-'
		n.kind = '0'
	}
	s.at += len(word)
}

// inWord reports whether c may be in a number, true, false or null.
func inWord(c rune) bool {
	return c == '+' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

func (s *scanner) str() (text string) {
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\':
			i++
		case c == '"':
			if json.Unmarshal(s.text[s.at:i+1], &text) != nil {
				s.fail(s.at, "invalid escape in a string")
				return ""
			}
			s.at = i + 1
			return text
		case c < ' ':
			s.fail(i, "invalid byte 0x%02x in a string", c)
			return ""
		}
	}
	s.fail(s.at, "unterminated string")
	return ""
}

// container reads an object or an array.
func (s *scanner) container(n *node, depth int) {
	closing, comments := closingOf(n.kind), s.comments
	s.at++
	for s.skip(); s.err == nil; s.skip() {
		k := len(n.members)
		separated := k == 0 || n.members[k-1].comma >= 0
		switch {
		case s.peek() == closing && k > 0 && separated && s.plain != "":
			s.fail(n.members[k-1].comma, "comma before %q: %s ignores a file with one", closing, s.plain)
		case s.peek() == closing:
			s.at++
			n.comments = s.comments > comments
			return
		case s.at == len(s.text) && (n.kind == '{' || !separated):
			s.fail(s.at, "unexpected end: want %q for line %d", closing, lineOf(s.text, n.start))
		case !separated:
			s.fail(s.at, "want ',' or %q", closing)
		default:
			n.members = append(n.members, s.member(n.kind, depth))
		}
	}
}

// closingOf returns the bracket that closes the object or array.
func closingOf(kind byte) byte { return kind + 2 } // in ASCII

// member reads a member or an element with the comma after it.
func (s *scanner) member(of byte, depth int) member {
	m := member{start: s.at, comma: -1}
	if of == '{' {
		if s.peek() != '"' {
			s.fail(s.at, "want a name in quotes")
		}
		m.key = s.str()
		if s.skip(); s.peek() == ':' {
			s.at++
		} else {
			s.fail(s.at, "want ':' after the name %q", clip.Cut(m.key, maxShown))
		}
		s.skip()
	}
	m.value = s.value(depth + 1)
	if s.skip(); s.peek() == ',' {
		m.comma = s.at
		s.at++
	}
	return m
}

// find returns the value of a key; of several, the last, which is the one that
// counts for whoever reads the file.
func (n *node) find(key string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for _, m := range slices.Backward(n.members) {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// walk returns the value at a path of names, or nil.
func (n *node) walk(path []string) *node {
	for _, name := range path {
		n = n.find(name)
	}
	return n
}

// kindNames are the names of the kinds in messages.
var kindNames = map[byte]string{
	'{': "an object",
	'[': "an array",
	'"': "a string",
	'0': "a number",
	'n': "null",
	't': "true or false",
	'f': "true or false",
}

// errorAt returns an error at a byte of the text.
func errorAt(text []byte, at int, format string, args ...any) *syntaxError {
	column := utf8.RuneCount(text[lineStart(text, at):at]) + 1
	return &syntaxError{Line: lineOf(text, at), Column: column, Why: fmt.Sprintf(format, args...)}
}

// lineOf returns the line of a byte, counted from 1.
func lineOf(text []byte, at int) int { return bytes.Count(text[:at], []byte("\n")) + 1 }

// lineStart returns the beginning of the line of a byte.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }
