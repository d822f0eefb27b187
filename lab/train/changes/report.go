package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/dialect/iris"
	"github.com/satchel-dev/satchel/rank"
)

// An ordering gives the files of a commit in order: indices, best first.
type ordering struct {
	name  string
	order func(files []change.Scored) []int
}

var orderings = []ordering{
	{"default", func(files []change.Scored) []int { return byProfile(files, &rank.Changes, change.Measure) }},
	{"iris", func(files []change.Scored) []int {
		return byProfile(files, iris.Document.Weights, iris.Document.Measure)
	}},
	{"iris-v2", func(files []change.Scored) []int { return byProfile(files, iris.Source.Weights, iris.Source.Measure) }},
	{"size", bySize},
}

func byProfile(files []change.Scored, p *rank.Profile, measure func([]change.Scored)) []int {
	files = slices.Clone(files)
	for i := range files {
		files[i].Signals = nil
	}
	measure(files)
	for i := range files {
		f := &files[i]
		f.Score = p.Score(f.Signals)
		f.Relevance, f.Order = p.Relevance(f.Score)
	}
	return sorted(len(files), func(a, b int) int {
		return cmp.Or(cmp.Compare(files[b].Order, files[a].Order), strings.Compare(files[a].Path, files[b].Path))
	})
}

func bySize(files []change.Scored) []int {
	lines := func(i int) int { return files[i].File.Added + files[i].File.Removed }
	return sorted(len(files), func(a, b int) int {
		return cmp.Or(cmp.Compare(lines(b), lines(a)), strings.Compare(files[a].Path, files[b].Path))
	})
}

func sorted(n int, compare func(a, b int) int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, compare)
	return at
}

// firstRight is the rank of the first right file, from 0.
func firstRight(order []int, gold []bool) int {
	return slices.IndexFunc(order, func(i int) bool { return gold[i] })
}

// report prints the measure.
func report(samples []sample) {
	hits := make([][]bool, len(orderings))
	files, gold, chance := 0, 0, 0.0
	for _, s := range samples {
		n := 0
		for _, g := range s.Gold {
			if g {
				n++
			}
		}
		files += len(s.Files)
		gold += n
		chance += float64(n) / float64(len(s.Files))
	}
	n := float64(len(samples))
	fmt.Printf("%d commits of %d repositories, %.1f files each, %.1f right; chance hit@1 %.3f\n", len(samples), repositories(samples), float64(files)/n, float64(gold)/n, chance/n)
	for k, o := range orderings {
		hit, mrr := 0, 0.0
		hits[k] = make([]bool, len(samples))
		for i, s := range samples {
			r := firstRight(o.order(s.Files), s.Gold)
			mrr += 1 / float64(r+1)
			if r == 0 {
				hit++
				hits[k][i] = true
			}
		}
		fmt.Printf("%-8s hit@1 %.3f (%d)  MRR %.3f", o.name, float64(hit)/n, hit, mrr/n)
		if k > 0 {
			more, fewer := discordant(hits[0], hits[k])
			fmt.Printf("  default alone right %d, %s alone %d, McNemar p %.2g", more, o.name, fewer, mcnemar(more, fewer))
		}
		fmt.Println()
	}
}

func repositories(samples []sample) int {
	seen := map[string]bool{}
	for _, s := range samples {
		seen[s.Repo] = true
	}
	return len(seen)
}

// discordant counts what only one of two got right.
func discordant(a, b []bool) (onlyA, onlyB int) {
	for i := range a {
		switch {
		case a[i] && !b[i]:
			onlyA++
		case b[i] && !a[i]:
			onlyB++
		}
	}
	return onlyA, onlyB
}

// mcnemar is the exact two-sided probability of so uneven a split by chance.
func mcnemar(a, b int) float64 {
	n, k := a+b, min(a, b)
	sum := 0.0
	for i := 0; i <= k; i++ {
		c, _ := math.Lgamma(float64(n + 1))
		x, _ := math.Lgamma(float64(i + 1))
		y, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(c - x - y - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}
