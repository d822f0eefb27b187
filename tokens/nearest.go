package tokens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// mostNear is how many names an error lists.
const mostNear = 5

// unknownModel is the error for a name that no model has.
func unknownModel(name string, models []Model) error {
	type near struct {
		name     string
		distance int
	}
	want := strings.ToLower(strings.TrimSpace(name))
	want = want[strings.LastIndexByte(want, '/')+1:]
	want = want[:min(len(want), longestName)]
	var found []near
	for _, m := range models {
		n := strings.ToLower(m.Name)
		d := distance(want, n)
		if d <= max(len(want), len(n))/2 {
			found = append(found, near{m.Name, d})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	found = slices.Compact(found)
	var names []string
	for _, n := range found[:min(len(found), mostNear)] {
		names = append(names, n.name)
	}
	if len(names) == 0 {
		return fmt.Errorf("unknown model %.*q", longestName, name)
	}
	return fmt.Errorf("unknown model %.*q, near: %s", longestName, name, strings.Join(names, ", "))
}

// longestName bounds the work, and the message, for a hostile name.
const longestName = 100

// distance is the number of bytes to insert, delete or replace to get from a
// to b.
func distance(a, b string) int {
	a, b = a[:min(len(a), longestName)], b[:min(len(b), longestName)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
