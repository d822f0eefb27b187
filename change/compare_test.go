package change_test

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// show prints edits, exported ones with a star, those that break with an exclamation mark.
func show(edits []change.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		mark := " "
		if e.Exported {
			mark = "*"
		}
		if e.Breaks() {
			mark = "!"
		}
		b.WriteString(mark)
		if e.Lines != (satchel.Range{}) {
			side := ""
			if e.OldSide {
				side = "old "
			}
			fmt.Fprintf(&b, " %s%d-%d", side, e.Lines.From, e.Lines.To)
		}
		fmt.Fprintf(&b, " %s", e.Label())
		for _, m := range e.Added {
			fmt.Fprintf(&b, " +%s", m)
		}
		for _, m := range e.Removed {
			fmt.Fprintf(&b, " -%s", m)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
