package render

import (
	"strings"
	"unicode/utf16"

	"github.com/satchel-dev/satchel"
)

// Brief returns p as it is put beside a prompt that nobody asked to have
// answered by satchel: the Markdown of [Pack] with the most relevant files
// first, since a client may cut the text, and without a receipt but for what the
// agent has seen.
func Brief(p *satchel.Pack) string {
	v := arrange(p)
	v.ranked = false // the list names what is not shown
	v.receipt = receipt{}
	var b strings.Builder
	b.WriteString(briefIntro)
	for _, part := range markdown(v) {
		b.WriteString(part.text)
	}
	if seen := seenLines(p); seen != "" {
		b.WriteString(seen + "\n")
	}
	b.WriteString(briefEnd)
	return b.String()
}

// What stands around a brief: who gives it, and where more is.
const (
	briefIntro = "Context that satchel chose for this prompt; the user did not write it. "
	briefEnd   = "satchel show PATH:FROM-TO prints more of a file.\n"
)

// Characters returns the length of a text as clients that run on JavaScript
// count it, in UTF-16 units: never less than the number of its runes.
func Characters(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
