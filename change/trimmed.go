package change

import (
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// What is kept of the lines of a hunk.
const (
	trimContext = 1  // lines around a change
	trimRun     = 12 // longer runs of changed lines lose their middle
	trimEnd     = 5  // lines kept at both ends of such a run
	trimLeast   = 10 // shorter hunks are not trimmed
)

// A Trimmed is what is left of the lines of a hunk.
type Trimmed struct {
	Text                         satchel.Text // with marks where lines are left out
	Lines, Bytes, Added, Removed int          // that are kept
}

// Trim returns the lines of a hunk that say most: the changed ones, the middle of
// long runs left out, with little around them. ok is false if that is hardly less
// than all.
func Trim(body satchel.Text) (t Trimmed, ok bool) {
	all := textLines(body)
	if len(all) < trimLeast {
		return t, false
	}
	keep := saying(all)

	var b clean.Builder
	for i := 0; i < len(all); {
		if keep[i] {
			b.Write(all[i])
			t.Lines++
			t.Bytes += all[i].Len()
			switch all[i].String()[0] {
			case '+':
				t.Added++
			case '-':
				t.Removed++
			}
			i++
			continue
		}
		to := i
		for to < len(all) && !keep[to] {
			to++
		}
		b.Say("⋮ ")
		b.Write(clean.Count(to-i, "line"))
		b.Say("\n")
		i = to
	}
	t.Text = b.Text()
	return t, 10*t.Lines <= 7*len(all)
}

// textLines is [bodyLines] of a text.
func textLines(body satchel.Text) []satchel.Text {
	var lines []satchel.Text
	for _, line := range body.Split() {
		if n := len(lines); n > 0 && line.String()[0] == '\\' {
			lines[n-1] = clean.Concat(lines[n-1], line)
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// saying tells of each line of a hunk whether it is kept.
func saying(all []satchel.Text) []bool {
	mark := func(i int) byte { return all[i].String()[0] }
	keep := make([]bool, len(all))
	for i := 0; i < len(all); {
		to := i + 1
		for to < len(all) && mark(to) == mark(i) {
			to++
		}
		if mark(i) != ' ' {
			for k := i; k < to; k++ {
				keep[k] = to-i <= trimRun || k-i < trimEnd || to-k <= trimEnd
			}
			for k := max(0, i-trimContext); k < i; k++ {
				keep[k] = true
			}
			for k := to; k < min(len(all), to+trimContext); k++ {
				keep[k] = true
			}
		}
		i = to
	}
	return keep
}
