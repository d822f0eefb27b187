package clean

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// escapes are what terminals take for orders: those that set colors and move about,
// and those that set titles, links and the clipboard.
var escapes = lazy.Regexp("\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[ -/]*[0-~])")

// Strip returns s without what [Visible] would write out: terminal escapes,
// control and invisible characters, and bytes that are not UTF-8. It is for what a
// model wrote, of which nobody has to see such things.
func Strip(s string) (string, Counts) {
	var c Counts
	for {
		plain := escapes().ReplaceAllString(s, "")
		if len(plain) != len(s) {
			c.Hidden += len(escapes().FindAllStringIndex(s, -1))
		}
		t := visible(plain, lines)
		if len(t.odd) == 0 && len(plain) == len(s) {
			return t.s, c
		}
		c.Add(t.Changed())
		s = t.withoutOdd() // what was apart may be an escape together
	}
}

// withoutOdd returns the text without the characters that cleaning changed.
func (t Text) withoutOdd() string {
	var b strings.Builder
	at := 0
	for _, o := range t.odd {
		b.WriteString(t.s[at:o.at()])
		at = o.at()
		if o&1 == 1 {
			at += len("\uFFFD")
		} else {
			at += strings.IndexByte(t.s[at:], '}') + 1
		}
	}
	b.WriteString(t.s[at:])
	return b.String()
}
