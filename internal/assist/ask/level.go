package ask

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/satchel-dev/satchel/internal/text/licence"
	"github.com/satchel-dev/satchel/pack"
)

// level returns how high water stands in vessels of these sizes, if there is room
// for so much of it: the largest number for which the sum of min(size, number) is
// within the room.
func level(sizes []int, room int) int {
	if len(sizes) == 0 || room <= 0 {
		return 0
	}
	most := slices.Max(sizes)
	l, _, _ := pack.Within(room, pack.Range{First: room / len(sizes), Most: most}, func(limit int) (pack.Layout[int], error) {
		sum := 0
		for _, n := range sizes {
			sum += min(n, limit)
		}
		return pack.Layout[int]{Shown: limit, Size: sum, Done: sum == room}, nil
	})
	return l
}

// A run is some rows of a sheet with one mark, without others between them.
type run struct{ from, to, size int }

// leastRun is how many tokens of a run are worth showing: the line above it, and
// one line.
const leastRun = 16

// fill shows about as many tokens of the changed rows as share says: a level of
// each run of them, so that what was removed does not stand for what came in its
// place. Where there are more runs than that gives a line each, the longer ones
// are shown.
func (s *sheet) fill(share int) mask {
	if share >= s.size {
		return s.all(false)
	}
	runs := s.runs()
	share -= s.above
	if n := max(1, share/leastRun); len(runs) > n {
		slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(b.size, a.size) })
		runs = runs[:n]
	}
	sizes := make([]int, len(runs))
	for i, r := range runs {
		sizes[i] = r.size
	}
	l := level(sizes, share)
	m := make(mask, len(s.rows))
	for k, r := range runs {
		left := l - aboveRun
		from := r.from
		if r.size > l {
			from = s.begins(r)
		}
		for i := from; i < r.to; i++ {
			left -= int(s.rows[i].tokens)
			if left < 0 && (i > from || k > 0 && left < -leastRun) {
				break
			}
			m[i] = true
		}
	}
	return m
}

// begins returns the first row of a run that says something: what stands before may
// be blank, or the licence at the top of a file.
func (s *sheet) begins(r run) int {
	from := r.from
	if s.rows[from].number() == 1 {
		var top strings.Builder
		for _, row := range s.rows[from:min(r.to, from+licence.Longest)] {
			top.WriteString(row.text + "\n")
		}
		from += licence.Lines(top.String())
	}
	for i := from; i < r.to; i++ {
		if strings.ContainsFunc(s.rows[i].text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
			return i
		}
	}
	return r.from
}

// runs returns the runs of changed rows that are loaded.
func (s *sheet) runs() (list []run) {
	for i := 0; i < s.loaded; {
		if !s.rows[i].changes() {
			i++
			continue
		}
		r := run{from: i, to: i, size: aboveRun}
		for r.to < s.loaded && s.rows[r.to].mark == s.rows[i].mark && s.rows[r.to].hunk == s.rows[i].hunk {
			r.size += int(s.rows[r.to].tokens)
			r.to++
		}
		list = append(list, r)
		i = r.to
	}
	return list
}
