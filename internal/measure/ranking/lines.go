package ranking

import (
	"cmp"
	"slices"

	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A lineFinder finds the lines of a text that the task's words hit hardest.
type lineFinder struct {
	weights map[uint64]float32
	a       terms.Analyzer
}

// newLineFinder returns a finder for terms of these weights. It is used by one
// goroutine.
func newLineFinder(weights map[uint64]float32) *lineFinder { return &lineFinder{weights: weights} }

// keptLines is how many lines a trimmed form is built around.
const keptLines = 3

// best returns the lines of from..to with the most weight, at most keptLines,
// ascending, of those that skip does not refuse.
func (q *lineFinder) best(t *fileText, from, to int, skip func(line int) bool) []int {
	type scored struct {
		line int
		s    float32
	}
	var list []scored
	for n := from; n <= to; n++ {
		if skip(n) {
			continue
		}
		var s float32
		q.a.Each(bytesOf(t.Between(n, n)), func(h uint64) { s += q.weights[h] })
		if s > 0 {
			list = append(list, scored{n, s})
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.s, a.s), a.line-b.line) })
	var out []int
	for _, x := range list[:min(len(list), keptLines)] {
		out = append(out, x.line)
	}
	slices.Sort(out)
	return out
}
