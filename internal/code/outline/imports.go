package outline

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// importsOf compiles expressions when they are first needed.
func importsOf(expressions ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() []*regexp.Regexp {
		var out []*regexp.Regexp
		for _, e := range expressions {
			out = append(out, regexp.MustCompile(e))
		}
		return out
	})
}

// importHints are what a line must contain to be worth a regular expression.
var importHints = []string{"import", "include", "require", "use", "using", "from", "open", "load", "library", "source", "alias", "mod", "\"", "part", "Imports", ". "}

// imports notes what the lines import.
func (l *lines) imports(ps []*regexp.Regexp) {
	for row := range l.starts {
		s, e := l.line(row)
		text := string(l.src[s:min(e, s+matchedPart)])
		if !hinted(text) {
			continue
		}
		if len(l.masked) > s && l.commented(s, e) {
			continue
		}
		for _, p := range ps {
			for _, m := range p.FindAllStringSubmatch(text, 8) {
				for _, path := range m[1:] {
					l.Import(path)
				}
			}
		}
	}
}

// commented reports whether a line is blank once comments are blanked, and was
// not before. Preprocessor lines are blanked too, and are not comments.
func (l *lines) commented(s, e int) bool {
	for i := s; i < e; i++ {
		if l.masked[i] > ' ' {
			return false
		}
	}
	for i := s; i < e; i++ {
		switch c := l.src[i]; {
		case c <= ' ':
		case c == '#':
			return false
		default:
			return true
		}
	}
	return true
}

func hinted(line string) bool {
	return slices.ContainsFunc(importHints, func(h string) bool { return strings.Contains(line, h) })
}
