package outline

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// A shell script is read word by word. A word where a command may begin opens or
// closes a block, names a function, or assigns; what a block may be is known by
// the word that opens it.

// A shellBlock is what a word has opened and another will close.
type shellBlock struct {
	open    string // if, case, do, { or (
	sym     int    // of the function whose body this is, or -1
	path    string // of the innermost function
	body    bool   // in a function or a subshell
	pattern bool   // of a case: up to the ) that ends the pattern
}

// closers are the words that end a block, by what opened it.
var closers = map[string]string{"fi": "if", "esac": "case", "done": "do", "}": "{"}

type shellLines struct {
	*lines
	text  []byte // masked
	at    int
	stack []shellBlock

	command  bool // a command may begin here
	joined   bool // by || and the like, to a command before
	function int  // that waits for its body, or -1
	once     map[string]bool
}

func (l *lines) shell() {
	s := &shellLines{lines: l, command: true, function: -1, once: map[string]bool{}}
	s.text = maskShell(l.src, l.noteComment)
	s.stack = []shellBlock{{sym: -1}}
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r':
			s.at++
		case '\n', ';', '&', '|':
			s.separator(c)
		case '(':
			s.at++
			if t := s.top(); t.pattern {
				break
			}
			s.openBlock("(")
		case ')':
			s.bracket()
		case '<', '>':
			s.redirect()
		default:
			from := s.at
			s.at = s.wordEnd(from)
			s.word(from, s.at)
		}
	}
	for _, b := range s.stack[1:] {
		s.ended(b, len(s.text)-1)
	}
}

func (s *shellLines) top() *shellBlock { return &s.stack[len(s.stack)-1] }

func (s *shellLines) wordEnd(i int) int {
	for i < len(s.text) && bytes.IndexByte([]byte(" \t\r\n;&|()<>"), s.text[i]) < 0 {
		i++
	}
	return i
}

func (s *shellLines) skipBlank(i int) int {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t' || s.text[i] == '\r') {
		i++
	}
	return i
}

func (s *shellLines) separator(c byte) {
	s.at++
	if c == ';' && s.at < len(s.text) && s.text[s.at] == ';' && s.top().open == "case" {
		s.top().pattern = true
	}
	s.joined = c == '|' || c == '&' || c == '\n' && s.joined && s.command
	s.command = true
}

// redirect passes over > file, so that what follows still begins a command.
func (s *shellLines) redirect() {
	for s.at < len(s.text) && bytes.IndexByte([]byte("<>&|"), s.text[s.at]) >= 0 {
		s.at++
	}
	if at := s.skipBlank(s.at); at < len(s.text) && s.text[at] != '(' {
		s.at = s.wordEnd(at)
	}
}

// bracket reads ), which ends a pattern or a subshell.
func (s *shellLines) bracket() {
	at := s.at
	s.at++
	switch t := s.top(); {
	case t.pattern:
		t.pattern, s.command = false, true
	default:
		s.closeBlock("(", at)
		s.command = false
	}
}

func (s *shellLines) openBlock(word string) {
	t := s.top()
	b := shellBlock{open: word, sym: -1, path: t.path, body: t.body || word == "("}
	if s.function >= 0 {
		f := s.At(s.function)
		b.sym, b.path, b.body = s.function, symbols.Join(f.Parent, f.Name), true
		s.function = -1
	}
	s.stack = append(s.stack, b)
	s.command = true
}

// closeBlock ends the innermost block that word opened, and what was left open
// within it; nothing, if there is none.
func (s *shellLines) closeBlock(word string, at int) {
	for n := len(s.stack) - 1; n > 0 && n >= len(s.stack)-maxUnclosed; n-- {
		if s.stack[n].open != word {
			continue
		}
		for _, b := range s.stack[n:] {
			s.ended(b, at)
		}
		s.stack = s.stack[:n]
		return
	}
}

// maxUnclosed is how many blocks one word may end.
const maxUnclosed = 20

func (s *shellLines) ended(b shellBlock, at int) {
	if b.sym >= 0 {
		s.At(b.sym).To = s.row(at) + 1
	}
}

// word reads a word that stands from from to to.
func (s *shellLines) word(from, to int) {
	w := string(s.text[from:min(to, from+symbols.MaxName)])
	t := s.top()
	if t.open == "case" && t.pattern {
		if w == "esac" {
			s.closeBlock("case", from)
			s.command = false
		}
		return
	}
	if t.open == "case" && w == "in" && !s.command {
		t.pattern = true
		return
	}
	if !s.command {
		return
	}
	switch w {
	case "if", "case", "{":
		s.openBlock(w)
		s.command = w != "case"
	case "for", "while", "until", "select":
		s.openBlock("do")
		s.command = w == "while" || w == "until"
	case "then", "else", "elif", "do", "!", "time", "coproc":
	case "fi", "esac", "done", "}":
		s.closeBlock(closers[w], from)
		s.command = false
	case "function":
		name := s.skipBlank(to)
		end := s.wordEnd(name)
		s.at = s.brackets(end)
		s.define(from, name, end)
	case "export", "declare", "typeset", "readonly", "local":
		s.declares(from)
	case "source", ".":
		s.command = false
		if arg := s.skipBlank(to); arg < len(s.text) && s.text[arg] != '\n' {
			s.Import(strings.Trim(string(s.src[arg:s.wordEnd(arg)]), `"'`))
		}
	default:
		s.simple(from, to)
	}
}

// brackets returns the index after () from at, or at.
func (s *shellLines) brackets(at int) int {
	if i := s.skipBlank(at); i < len(s.text) && s.text[i] == '(' {
		if i = s.skipBlank(i + 1); i < len(s.text) && s.text[i] == ')' {
			return i + 1
		}
	}
	return at
}

// define adds a function whose signature ends where the next word is to be read.
func (s *shellLines) define(from, name, end int) {
	s.command = true
	if name == end || s.text[name] == filled || s.text[name] == '$' {
		return
	}
	up := -1
	for i := len(s.stack) - 1; i > 0 && up < 0; i-- {
		up = s.stack[i].sym
	}
	before := s.Len()
	sym := s.lines.define("func", string(s.src[name:end]), s.top().path, from, s.at, s.at, name, up)
	if s.Len() > before {
		s.function = sym
	}
}

// simple reads the first word of a command: a function's name, an assignment, or
// neither.
func (s *shellLines) simple(from, to int) {
	if at := s.brackets(to); at > to && s.text[to-1] != '=' {
		s.at = at
		s.define(from, from, to)
		return
	}
	name, ok := s.assigns(from, to)
	if !ok {
		s.command = false
		return
	}
	end := s.value(to)
	s.at = end
	if next := s.skipBlank(end); next < len(s.text) && s.text[next] != '\n' && (s.text[next] != ';' || bytes.HasPrefix(s.text[next:], []byte(";;"))) {
		for s.at < len(s.text) && name != "" { // A=1 B=2 command
			at := s.skipBlank(s.at)
			to := s.wordEnd(at)
			if name, ok = s.assigns(at, to); !ok {
				return
			}
			s.at = s.value(to)
		}
		return
	}
	if len(s.stack) == 1 && !s.joined {
		s.variable(name, from, end)
	}
}

// assigns returns the name of NAME=… or NAME+=…
func (s *shellLines) assigns(from, to int) (name string, ok bool) {
	end := wordEnd(s.text[:to], from)
	if end == from || s.text[from] >= '0' && s.text[from] <= '9' {
		return "", false
	}
	name = string(s.src[from:end])
	if end < to && s.text[end] == '+' {
		end++
	}
	return name, end < to && s.text[end] == '='
}

// value returns the end of an assigned value, which may be a list in brackets.
func (s *shellLines) value(end int) int {
	if end == len(s.text) || s.text[end] != '(' || s.text[end-1] != '=' {
		return end
	}
	depth := 0
	for ; end < len(s.text); end++ {
		switch s.text[end] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return end + 1
			}
		}
	}
	return end
}

// declares reads the words after export and the like.
func (s *shellLines) declares(from int) {
	s.command = false
	for {
		at := s.skipBlank(s.at)
		end := s.wordEnd(at)
		if at == end {
			return
		}
		s.at = end
		if name, ok := s.assigns(at, end); ok {
			s.at = s.value(end)
			s.variable(name, from, s.at)
		}
	}
}

func (s *shellLines) variable(name string, from, end int) {
	if s.top().body || s.once[name] {
		return
	}
	s.once[name] = true
	kind := "var"
	if name == strings.ToUpper(name) {
		kind = "const"
	}
	s.lines.define(kind, name, "", from, end, end, from, -1)
}
