package outline

import "strings"

// A braceLanguage says what defines things in a language with braces.
type braceLanguage struct {
	keywords map[string]string // keyword → kind
	cLike    bool              // functions are declared as type name(…)
	newline  bool              // a line break may end a statement
	bare     map[string]bool   // definitions without a keyword or type, within a type: init, constructor
	first    bool              // a keyword stands first
	labels   bool              // blocks are named by their words: resource "a" "b" { … }
}

func keywords(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		for _, w := range strings.Fields(pairs[i+1]) {
			m[w] = pairs[i]
		}
	}
	return m
}
