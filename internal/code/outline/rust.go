package outline

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// rustGrammar reads items, wherever they stand. What a macro is given is tokens,
// not items, and holds no definitions.
var rustGrammar = &grammarOf{
	file:   members,
	breaks: func(*codeScanner, int) bool { return false },
	modes: map[mode]func(*codeScanner, int) int{
		members: rustToken,
		code:    rustToken,
	},
}

var (
	rustHolders   = keywords("struct", "struct", "enum", "enum", "union", "union", "trait", "trait", "module", "mod")
	rustModifiers = setOf("pub default const async unsafe extern auto safe")
)

// rustToken reads the item that begins at i, or passes a token.
func rustToken(s *codeScanner, i int) int {
	if s.kind(i) == '#' {
		if j := s.rustAttributes(i); j < s.top().end && !s.closes(j) && s.rustBegins(j) {
			if next := s.rustItem(i, j); next > 0 {
				return next
			}
			return j
		}
	}
	if s.kind(i) == word && s.rustBegins(i) {
		if next := s.rustItem(i, i); next > 0 {
			return next
		}
	}
	if s.kind(i) == word && s.kind(i+1) == '!' { // a macro's arguments
		j := i + 2
		if s.kind(j) == word {
			j++
		}
		switch s.kind(j) {
		case '(', '[', '{':
			return s.after(j)
		}
	}
	return i + 1
}

// rustBegins reports whether an item may begin at i.
func (s *codeScanner) rustBegins(i int) bool {
	return s.begins(i) || s.kind(i-1) == ']' || s.kind(i-1) == ')'
}

// rustAttributes passes #[…] and #![…].
func (s *codeScanner) rustAttributes(i int) int {
	for s.kind(i) == '#' {
		j := i + 1
		if s.kind(j) == '!' {
			j++
		}
		if s.kind(j) != '[' {
			return i
		}
		i = s.after(j)
	}
	return i
}

// rustItem reads the item whose attributes begin at from and whose words begin at
// sig; 0 if there is none.
func (s *codeScanner) rustItem(from, sig int) int {
	for s.kind(from) == '#' && s.kind(from+1) == '!' && s.kind(from+2) == '[' { // of what encloses it
		from = s.after(from + 2)
	}
	i := sig
	for s.any(i, rustModifiers) {
		if s.is(i, "const") && s.isName(i+1) && !s.any(i+1, rustModifiers) && !s.is(i+1, "fn") {
			break
		}
		i++
		if k := s.kind(i); k == '(' && s.is(i-1, "pub") || k == literal && s.is(i-1, "extern") {
			i = s.after(i)
			for s.kind(i) == literal { // the ends of a string that has blanks in it
				i++
			}
		}
	}
	if i >= s.top().end || s.kind(i) != word {
		return 0
	}
	d := defined{from: from, sig: sig, local: true}
	switch w := string(s.text(i)); w {
	case "fn":
		return s.rustFunction(d, i+1)
	case "struct", "enum", "union", "trait", "mod":
		return s.rustHolder(d, rustHolders[w], i+1)
	case "impl":
		return s.rustImpl(d, i+1)
	case "type", "const", "static":
		return s.rustValue(d, w, i+1)
	case "macro_rules":
		if s.kind(i+1) != '!' || !s.isName(i+2) {
			return 0
		}
		d.kind, d.name, d.at, d.body = "macro", s.name(i+2), i+2, i+3
		d.end = s.after(i + 3)
		if s.kind(i+3) != '{' && s.kind(d.end) == ';' {
			d.end++
		}
		s.define(d)
		return d.end
	case "use":
		return s.rustUse(i + 1)
	case "crate": // extern crate name
		s.Import(s.name(i + 1))
		return s.until(i, s.top().end, ';') + 1
	}
	return 0
}

// rustName returns the name at i, which may be r#name, and the index behind it.
func (s *codeScanner) rustName(i int) (string, int) {
	if s.is(i, "r") && s.kind(i+1) == '#' && s.toks[i].end == s.toks[i+1].at && s.kind(i+2) == word {
		return "r#" + s.name(i+2), i + 3
	}
	if !s.isName(i) {
		return "", i
	}
	return s.name(i), i + 1
}

func (s *codeScanner) rustFunction(d defined, i int) int {
	name, next := s.rustName(i)
	if name == "" {
		return 0
	}
	d.kind, d.name, d.at, d.mode = "func", name, i, code
	open := s.until(next, s.top().end, '{', ';')
	return s.rustBody(d, open)
}

// rustBody defines what has its body at open, or ends there, and returns where
// to go on: within it.
func (s *codeScanner) rustBody(d defined, open int) int {
	d.body, d.end = open, min(s.after(open), s.top().end)
	if s.kind(open) != '{' {
		d.body = -1
		s.define(d)
		return d.end
	}
	s.define(d)
	return open + 1
}

func (s *codeScanner) rustHolder(d defined, kind string, i int) int {
	name, next := s.rustName(i)
	if name == "" {
		return 0
	}
	open := s.until(next, s.top().end, '{', ';', '(')
	if kind == "union" && s.kind(open) != '{' || s.kind(next) == '!' {
		return 0
	}
	d.kind, d.name, d.at, d.box, d.mode = kind, name, i, true, members
	switch {
	case kind == "module" && s.kind(open) != '{': // another file
		s.Import("self::" + name)
		return open + 1
	case kind == "trait" || kind == "module":
		return s.rustBody(d, open)
	}
	d.body, d.end = open, s.after(open)
	switch s.kind(open) {
	case '(':
		d.end = s.until(open, s.top().end, ';') + 1
	case ';':
		d.body = -1
	}
	s.define(d)
	return d.end
}

// rustImpl reads impl<T> Trait for a::Type<T> where …: its name is Type.
func (s *codeScanner) rustImpl(d defined, i int) int {
	if s.kind(i) == '<' {
		i = s.after(i)
	}
	end := s.top().end
	at, stop := i, end
	for j := i; j < end && !s.closes(j); j = s.after(j) {
		if s.is(j, "for") && s.kind(j+1) != '<' {
			at = j + 1
		}
		if s.is(j, "where") || s.kind(j) == '{' || s.kind(j) == ';' {
			stop = j
			break
		}
	}
	if at >= stop {
		return 0
	}
	for s.kind(at) == '&' || s.kind(at) == operator || s.kind(at) == literal || s.is(at, "mut") || s.kind(at-1) == literal && at > i {
		at++
	}
	from, to := at, stop
	if s.kind(at) == word && !s.any(at, setOfTypes) {
		for s.kind(at+1) == scoping && s.kind(at+2) == word {
			at += 2
		}
		from, to = at, at+1
	}
	if from >= to || to > len(s.toks) {
		return 0
	}
	d.kind, d.at, d.box, d.mode = "impl", from, true, members
	d.name = strings.TrimSpace(symbols.Signature(s.src[s.toks[from].at:s.toks[to-1].end]))
	return s.rustBody(d, s.until(stop, end, '{', ';'))
}

// setOfTypes are words that a type begins with and is not named by.
var setOfTypes = setOf("dyn fn unsafe extern impl for")

func (s *codeScanner) rustValue(d defined, w string, i int) int {
	kind := w
	if w == "static" {
		kind = "var"
		if s.is(i, "mut") {
			i++
		}
	}
	name, next := s.rustName(i)
	if name == "" {
		return 0
	}
	d.end = min(s.until(next, s.top().end, ';')+1, s.top().end)
	if s.top().body {
		return next
	}
	d.kind, d.name, d.at, d.body, d.mode = kind, name, i, -1, s.top().mode
	s.define(d)
	return next
}

// rustUse spells out use a::{b, c::*}; which ends at a semicolon.
func (s *codeScanner) rustUse(i int) int {
	prefixes := []string{""}
	path := ""
	end := s.until(i, s.top().end, ';')
	add := func() {
		prefix := prefixes[len(prefixes)-1]
		switch {
		case path == "self" && prefix != "":
			s.Import(strings.TrimSuffix(prefix, "::"))
		case path != "":
			s.Import(prefix + path)
		}
		path = ""
	}
	for ; i < end; i++ {
		switch s.kind(i) {
		case word, scoping, '*':
			if s.is(i, "as") {
				i++
				continue
			}
			path += s.name(i)
		case '{':
			if len(path)+len(prefixes[len(prefixes)-1]) > symbols.MaxImport {
				return end + 1
			}
			prefixes = append(prefixes, prefixes[len(prefixes)-1]+path)
			path = ""
		case ',':
			add()
		case '}':
			add()
			prefixes = prefixes[:max(1, len(prefixes)-1)]
		}
	}
	add()
	return end + 1
}
