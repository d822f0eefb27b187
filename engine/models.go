package engine

import (
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/rank"
)

type models = source.Models

// weigh multiplies the committed weights by the user's.
func weigh(by map[string]float64) (models, error) {
	if len(by) == 0 {
		return models{}, nil
	}
	names := make([]string, 0, len(by))
	for n := range by {
		names = append(names, n)
	}
	slices.Sort(names)
	first, files := rank.First, rank.Files
	for _, n := range names {
		s, ok := rank.SignalByName(n)
		if !ok {
			return models{}, fmt.Errorf("weight %s: no such signal; signals are %v", n, rank.SignalNames())
		}
		for _, m := range []*rank.Model{&first, &files} {
			m.Max[s] *= float32(by[n])
			m.Rank[s] *= float32(by[n])
		}
	}
	return models{First: &first, Files: &files}, nil
}
