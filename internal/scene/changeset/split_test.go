package changeset

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/satchel-dev/satchel/change"
)

func FuzzSplit(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint8(1+seed%12))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) {
		rng := rand.New(rand.NewPCG(seed, 5))
		tasks := 1 + int(n)%MostTasks
		var files []change.Scored
		var costs []int
		for i := range 1 + rng.IntN(120) {
			name := fmt.Sprintf("d%d/e%d/f%d.go", rng.IntN(5), rng.IntN(4), i)
			files = append(files, change.Scored{File: change.File{Path: name}})
			costs = append(costs, 1+rng.IntN(1+rng.IntN(2000)))
		}
		var links []link
		for range rng.IntN(200) {
			links = append(links, link{rng.IntN(len(files)), rng.IntN(len(files)), rng.Float64() * 3})
		}
		groups := splitFiles(files, costs, tasks, links)
		if len(groups) != min(tasks, len(files)) {
			t.Errorf("%d groups of %d files, want %d", len(groups), len(files), tasks)
		}
		seen := make([]int, len(files))
		for _, g := range groups {
			if len(g) == 0 {
				t.Error("an empty group")
			}
			for _, i := range g {
				seen[i]++
			}
		}
		for i, k := range seen {
			if k != 1 {
				t.Errorf("file %d is in %d groups", i, k)
			}
		}
		again := splitFiles(files, costs, tasks, links)
		if fmt.Sprint(again) != fmt.Sprint(groups) {
			t.Errorf("two results:\n%v\n%v", groups, again)
		}
	})
}
