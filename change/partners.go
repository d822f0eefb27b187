package change

import (
	"cmp"
	"slices"
	"strings"
)

// A History is past commits, the newest first.
type History struct {
	Paths   []string // that Commits name, each once
	Commits [][]int32
	// Commits hold the files that each commit changed, as indices into Paths.
}

// Constants of what is usual. The last two were chosen on the histories that
// lab/train/changes calls train: of commits with one file hidden, more than half of
// the warnings name it.
const (
	focusedFiles = 20   // a commit that changes more says nothing about what belongs together
	seldom       = 2    // commits added to the number that changed a file, so that two of two are no habit
	usualTimes   = 3    // commits that changed both, for a warning
	usualShare   = 0.65 // of the commits that changed the one, for a warning
	recent       = 20   // newest commits of a file that count: older habits mislead
	maxMissing   = 5    // warnings at most
)

// Partners says how the files of a changeset belong together by history: for
// each of paths, how usual it is that it changes with one of the others (0..1),
// how many commits changed it before, and which other files usually change with
// one of paths, the most usual first. Only missing files that exist says yes to
// are named; nil means all.
//
// How usual b is beside a is n/(m+2), where m commits changed a and n of them b
// too: the newest 20 that changed a, those of more than 20 files left out.
func Partners(h *History, paths []string, exists func(string) bool) (usual []float64, churn []int, missing []Partner) {
	usual, churn = make([]float64, len(paths)), make([]int, len(paths))
	at := make(map[string]int32, len(paths))
	for i, p := range paths {
		at[p] = int32(i)
	}
	index := make([]int32, len(h.Paths)) // of paths, plus one
	for k, p := range h.Paths {
		if i, ok := at[p]; ok {
			index[k] = i + 1
		}
	}
	focused := make([]int, len(paths)) // commits that changed the file, among few
	together := make([]map[int32]int, len(paths))
	for _, c := range h.Commits {
		for _, f := range c {
			i := index[f] - 1
			if i < 0 {
				continue
			}
			churn[i]++
			if len(c) > focusedFiles || focused[i] == recent {
				continue
			}
			focused[i]++
			if together[i] == nil {
				together[i] = map[int32]int{}
			}
			for _, g := range c {
				if g != f {
					together[i][g]++
				}
			}
		}
	}
	best := map[int32]Partner{}
	for i := range paths {
		for g, n := range together[i] {
			share := float64(n) / float64(focused[i]+seldom)
			if j := index[g] - 1; j >= 0 {
				usual[j] = max(usual[j], share)
				continue
			}
			if n < usualTimes || share < usualShare {
				continue
			}
			p := Partner{Path: h.Paths[g], With: paths[i], Times: n, Of: focused[i], Share: share}
			if have, ok := best[g]; !ok || comparePartners(p, have) < 0 {
				best[g] = p
			}
		}
	}
	for _, p := range best {
		if exists == nil || exists(p.Path) {
			missing = append(missing, p)
		}
	}
	slices.SortFunc(missing, comparePartners)
	return usual, churn, missing[:min(len(missing), maxMissing)]
}

// comparePartners orders the most usual first.
func comparePartners(a, b Partner) int {
	return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Times, a.Times), strings.Compare(a.Path, b.Path), strings.Compare(a.With, b.With))
}
