package outline

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// scriptAssignment makes symbols of exports.f = …, A.prototype.m = function … and
// f = function …
func (s *codeScanner) scriptAssignment(i int) int {
	at := i - 1
	if !s.isName(at) || s.kind(at-1) == ':' || s.kind(at-1) == '?' {
		return i + 1
	}
	first := at
	for s.kind(first-1) == '.' && s.kind(first-2) == word {
		first -= 2
	}
	if s.kind(first-1) == '.' {
		return i + 1
	}
	path := ""
	if first < at {
		path = string(s.masked[s.toks[first].at:s.toks[at-2].end])
	}
	name := s.name(at)
	exported := path == "exports" || path == "module.exports"
	if exported || path == "module" && name == "exports" || path == "this" {
		path = ""
	}
	path = strings.TrimSuffix(path, ".prototype")
	if strings.ContainsAny(path, " \n") {
		return i + 1
	}
	end := s.valueEnd(i+1, s.top().end)
	d := defined{name: name, at: at, path: path, from: s.outermost(first), body: -1, end: end, mode: code}
	d.sig = d.from
	v := s.valueOf(i+1, end)
	switch {
	case v.kind == aFunction && name != "exports":
		if s.top().body && s.rowOf(end-1) < s.rowOf(first)+2 {
			return i + 1
		}
		d.kind, d.body, d.local = "func", s.functionBody(v), true
		s.define(d)
	case v.kind == aClass && name != "exports":
		d.kind, d.body, d.local, d.box = "class", v.body, true, true
		s.define(d)
	case v.kind == anObject && !s.top().body && (name == "exports" || name == "prototype"):
		t := *s.top()
		s.push(scope{end: end, sym: t.sym, path: symbols.Join(t.path, path), typ: true, mode: code})
	case exported && !s.assigns(i+1, end):
		d.kind = "var"
		s.define(d)
	}
	return i + 1
}

// outermost returns the first token of a = b = c = …, whose last left side begins
// at i.
func (s *codeScanner) outermost(i int) int {
	for range 8 {
		k := i - 1
		if s.kind(k) != '=' || s.kind(k-1) != word {
			break
		}
		for k--; s.kind(k-1) == '.' && s.kind(k-2) == word; {
			k -= 2
		}
		if s.top().mode == declarators || s.any(k-1, scriptKeywords) {
			break // the name of a declaration
		}
		i = k
	}
	return i
}

// assigns reports whether the value from i to end is again an assignment.
func (s *codeScanner) assigns(i, end int) bool {
	for ; i < end && (s.kind(i) == word || s.kind(i) == '.' || s.kind(i) == '['); i = s.after(i) {
	}
	return i < end && s.kind(i) == '='
}
