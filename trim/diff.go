package trim

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// Texts are compared line by line, without line numbers, where no more than
// mostDiffer lines stand between the first and the last difference; more are no
// longer nearly the same. A diff has to be shorter than a quarter of the text.
const (
	mostDiffer = 200
	diffShare  = 4
)

// diff returns what makes the text was of the text is, as a unified diff without
// context, or false if that is not much shorter than was. Lines are without
// their numbers and the white space at their ends.
func diff(is, was string) (string, bool) {
	a, b := bodies(is), bodies(was)
	from, toA, toB := differing(a, b)
	x, y := a[from:toA], b[from:toB]
	if len(x) > mostDiffer || len(y) > mostDiffer {
		return "", false
	}
	var out strings.Builder
	i, j := 0, 0
	steps := lineSteps(x, y)
	for at := 0; at < len(steps); {
		if steps[at] == ' ' {
			i, j, at = i+1, j+1, at+1
			continue
		}
		i0, j0 := i, j
		for ; at < len(steps) && steps[at] != ' '; at++ {
			if steps[at] == '-' {
				i++
			} else {
				j++
			}
		}
		fmt.Fprintf(&out, "\n@@ -%s +%s @@", hunkRange(from+i0, i-i0), hunkRange(from+j0, j-j0))
		for _, l := range x[i0:i] {
			out.WriteString("\n-" + l)
		}
		for _, l := range y[j0:j] {
			out.WriteString("\n+" + l)
		}
		if out.Len()*diffShare > len(was) {
			return "", false
		}
	}
	return out.String(), true
}

// differing returns where the lines of two texts begin to differ, and where in each
// they are the same again up to the end.
func differing(a, b []string) (from, toA, toB int) {
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	toA, toB = len(a), len(b)
	for toA > from && toB > from && a[toA-1] == b[toB-1] {
		toA, toB = toA-1, toB-1
	}
	return from, toA, toB
}

// lineSteps returns the steps from x to y: a blank for a line of both, a minus for one of x
// and a plus for one of y.
func lineSteps(x, y []string) (steps []byte) {
	same := common(x, y)
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			steps = append(steps, ' ')
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && same[i+1][j] >= same[i][j+1]:
			steps = append(steps, '-')
			i++
		default:
			steps = append(steps, '+')
			j++
		}
	}
	return steps
}

// common returns the lengths of the longest common subsequences of x[i:] and y[j:],
// as far as eight bits hold them.
func common(x, y []string) [][]uint8 {
	same := make([][]uint8, len(x)+1)
	for i := range same {
		same[i] = make([]uint8, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				same[i][j] = same[i+1][j+1] + 1
			} else {
				same[i][j] = max(same[i+1][j], same[i][j+1])
			}
		}
	}
	return same
}

// Lines around a change that tell where it is.
const (
	linesBefore = 4
	linesAfter  = 2
)

// compared returns the lines that a change took out, each behind a minus, and the
// text as it stands, its new lines behind a plus and the others behind a blank, with
// few of those around the change.
func compared(old, now string) (gone, stands []string) {
	a, b := splitLines(old), splitLines(now)
	from, toA, toB := differing(a, b)
	for _, l := range b[max(0, from-linesBefore):from] {
		stands = append(stands, " "+l)
	}
	x, y := a[from:toA], b[from:toB]
	if len(x) > mostDiffer || len(y) > mostDiffer {
		for _, l := range x {
			gone = append(gone, "-"+l)
		}
		for _, l := range y {
			stands = append(stands, "+"+l)
		}
	} else {
		i, j := 0, 0
		for _, step := range lineSteps(x, y) {
			if step != '+' {
				i++
			}
			if step == '-' {
				gone = append(gone, "-"+x[i-1])
				continue
			}
			stands = append(stands, string(step)+y[j])
			j++
		}
	}
	for _, l := range b[toB:min(len(b), toB+linesAfter)] {
		stands = append(stands, " "+l)
	}
	return gone, stands
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// hunkRange writes where n lines stand behind the first at lines, as a unified
// diff does.
func hunkRange(at, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", at)
	}
	if n == 1 {
		return fmt.Sprint(at + 1)
	}
	return fmt.Sprintf("%d,%d", at+1, n)
}

func bodies(text string) []string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = reuse.Body(l)
	}
	return lines
}
