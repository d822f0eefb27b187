package index

import (
	"slices"
)

const writerEnv = "SATCHEL_INDEX_TEST_WRITER"

func writerMain(string) int { return 0 }

func sortedTerms(v *View, all map[uint64]bool) []uint64 {
	for _, p := range v.parts {
		for i := range p.seg.nterms {
			if t := p.seg.term(i); len(v.Postings(nil, t)) > 0 {
				all[t] = true
			}
		}
	}
	var ts []uint64
	for t := range all {
		ts = append(ts, t)
	}
	slices.Sort(ts)
	return ts
}
