package main

import (
	"bytes"
	"sort"
	"strings"

	"github.com/satchel-dev/satchel"
)

// settled says what is left out of the counts, once for all languages.
const settled = `
Left out of all counts: definitions, of either outliner, that stand on lines which
tree-sitter could not parse (its ERROR nodes), and files that it gave up on.
Settled, and counted as agreed: a signature does not begin with a comment; lines
with annotations before a declaration belong to it (tree-sitter takes some of
Kotlin's for expressions); a definition does not last into the comment after it, nor
by indentation into the line after that (tree-sitter's do in Scala). Left out: functions in the arguments of a decorator.
`

// sameSignature reports whether two signatures say the same: that of tree-sitter
// holds the comment between an annotation and what is annotated.
func sameSignature(want, got string) bool {
	comment := strings.HasPrefix(want, "//") || strings.HasPrefix(want, "/*") || strings.HasPrefix(want, "#")
	return want == got || comment && (strings.HasSuffix(want, got) || strings.HasSuffix(want, "…"))
}

// annotated reports whether a definition begins on an earlier line for the line
// outliner only because of annotations.
func annotated(source [][]byte, want, got *satchel.Symbol) bool {
	for line := got.From; line < want.From; line++ {
		if text := bytes.TrimSpace(source[line-1]); len(text) > 0 && text[0] == '@' {
			return true
		}
	}
	return false
}

// trailed reports whether a definition lasts longer for tree-sitter only because of
// comments and blank lines behind it, in Scala also the line after those.
func trailed(path string, source [][]byte, want, got *satchel.Symbol) bool {
	last := want.To
	if strings.HasSuffix(path, ".scala") {
		last--
	}
	for line := got.To + 1; line <= last; line++ {
		text := bytes.TrimSpace(source[line-1])
		if len(text) > 0 && text[0] != '*' && !bytes.HasPrefix(text, []byte("/*")) && !bytes.HasPrefix(text, []byte("//")) {
			return false
		}
	}
	return got.To < want.To
}

// decorator is how many lines the arguments of a decorator may have.
const decorator = 30

// decorates reports whether a line lies in the arguments of a decorator, to judge by
// the brackets since the last line that begins with one.
func decorates(source [][]byte, line int) bool {
	open := 0
	for i := line - 1; i >= 0 && i > line-decorator; i-- {
		text := bytes.TrimSpace(source[i])
		begins := len(text) > 0 && text[0] == '@'
		if i < line-1 || begins {
			open += bytes.Count(text, []byte("(")) - bytes.Count(text, []byte(")"))
		}
		if begins {
			return i == line-1 || open > 0
		}
	}
	return false
}

// within reports whether a line lies in one of the ranges, which are ordered by
// their last lines.
func within(broken []satchel.Range, line int) bool {
	i := sort.Search(len(broken), func(i int) bool { return broken[i].To >= line })
	return i < len(broken) && broken[i].From <= line
}
