package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/satchel-dev/satchel/rank"
)

// weigh multiplies the models' weights by the user's. Names that only changed
// files are measured by are left to [Engine.Diff].
func weigh(m rank.Models, by map[string]float64) (rank.Models, error) {
	m = m.OrDefault()
	if len(by) == 0 {
		return m, nil
	}
	first, files := *m.First, *m.Files
	for _, n := range slices.Sorted(maps.Keys(by)) {
		s, ok := rank.SignalByName(n)
		if !ok {
			if changes := rank.ChangeSignalNames(); !slices.Contains(changes, n) {
				return m, fmt.Errorf("weight %s: no such signal; signals are %v, and of changes %v", n, rank.SignalNames(), changes)
			}
			continue
		}
		for _, m := range []*rank.Model{&first, &files} {
			m.Max[s] *= float32(by[n])
			m.Rank[s] *= float32(by[n])
		}
	}
	m.First, m.Files = &first, &files
	return m, nil
}
