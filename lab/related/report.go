package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/rank"
)

// A ranker gives each file of a case a score.
type ranker struct {
	name  string
	score func(s *seen, i int) float64
}

func rankers() []ranker {
	return []ranker{
		{"satchel", func(s *seen, i int) float64 {
			if s.Kind == "tests" {
				return float64(rank.TestsOf.Value(&s.Rows[i]))
			}
			return float64(rank.RipplesOf.Value(&s.Rows[i]))
		}},
		{"pairing", func(s *seen, i int) float64 {
			return float64(s.Rows[i][rank.Paired] * (1 + s.Rows[i][rank.PairedFolder]))
		}},
		{"co-change", func(s *seen, i int) float64 { return float64(s.Rows[i][rank.Together]) }},
		{"git grep", func(s *seen, i int) float64 { return s.Grep[i] }},
	}
}

// numbers are the sums of one ranker over cases.
type numbers struct{ n, r5, r20, hit20, mrr float64 }

func (x *numbers) add(order, gold []string) {
	x.n++
	found5, found20 := 0.0, 0.0
	first := 0
	for i, p := range order {
		if !slices.Contains(gold, p) {
			continue
		}
		if first == 0 {
			first = i + 1
			x.mrr += 1 / float64(first)
		}
		if i < 5 {
			found5++
		}
		if i < 20 {
			found20++
		}
	}
	x.r5 += found5 / float64(len(gold))
	x.r20 += found20 / float64(len(gold))
	if first > 0 && first <= 20 {
		x.hit20++
	}
}

// order returns the files that a ranker gives a score, best first.
func (r *ranker) order(s *seen) []string {
	type scored struct {
		path  string
		score float64
	}
	var list []scored
	for i := range s.Files {
		if x := r.score(s, i); x != 0 || r.name == "satchel" {
			list = append(list, scored{s.Files[i], x})
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path)) })
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].path
	}
	return out
}

// report prints recall, hits and MRR by kind, half and language.
func report(w io.Writer, all []seen, show bool) {
	for _, kind := range []string{"tests", "ripples"} {
		fmt.Fprintf(w, "\n%-28s %4s  %6s %6s %6s %6s\n", kind, "n", "R@5", "R@20", "hit@20", "MRR")
		groups := map[string]map[string]*numbers{}
		for _, r := range rankers() {
			for i := range all {
				s := &all[i]
				if s.Kind != kind {
					continue
				}
				order := r.order(s)
				for _, g := range []string{" all", " " + s.Half, s.Language} {
					if groups[g] == nil {
						groups[g] = map[string]*numbers{}
					}
					if groups[g][r.name] == nil {
						groups[g][r.name] = &numbers{}
					}
					groups[g][r.name].add(order, s.Gold)
				}
				if show && r.name == "satchel" {
					fmt.Fprintf(w, "%s\n  change %v\n  right  %v\n  found  %v\n", s.ID, s.Query, s.Gold, order[:min(len(order), 8)])
				}
			}
		}
		var n, rows, found, named, read, filled, right, gold, surplus, quiet, likely, likelyRight float64
		for i := range all {
			if s := &all[i]; s.Kind == kind && s.Half == "test" {
				n++
				rows += float64(len(s.Listed))
				surplus += float64(len(s.Surplus))
				for k := range s.Listed {
					if r := &s.Listed[k]; r.Likely() {
						likely++
						if slices.Contains(s.Gold, r.Path) {
							likelyRight++
						}
					}
				}
				if full := float64(s.Used) >= 0.9*8000; full || s.Ended {
					filled++
				}
				for _, p := range s.Gold {
					if text, ok := s.Pack[p]; ok {
						named += 1 / float64(len(s.Gold))
						if text {
							read += 1 / float64(len(s.Gold))
						}
					}
				}
				if len(s.Surplus) == 0 {
					quiet++
				}
				for _, p := range s.Gold {
					gold += 1 / float64(len(s.Gold))
					if slices.ContainsFunc(s.Listed, func(r satchel.Related) bool { return r.Path == p }) {
						found++
						right += 1 / float64(len(s.Gold))
					}
				}
			}
		}
		fmt.Fprintf(w, "of the half test: listed %.1f, %.3f of them right, %.3f of what is right; %.1f for the whole commit, none for %.3f\n", rows/n, found/rows, right/gold, surplus/n, quiet/n)
		fmt.Fprintf(w, "likely %.1f, %.3f of them right\n", likely/n, likelyRight/likely)
		if named > 0 {
			fmt.Fprintf(w, "of what is right, a pack of 8,000 tokens names %.3f and has text of %.3f; full, or nothing left to show: %.3f\n", named/n, read/n, filled/n)
		}
		for _, g := range slices.Sorted(func(yield func(string) bool) {
			for g := range groups {
				if !yield(g) {
					return
				}
			}
		}) {
			for _, r := range rankers() {
				x := groups[g][r.name]
				fmt.Fprintf(w, "%-28s %4.0f  %6.3f %6.3f %6.3f %6.3f\n", g+" "+r.name, x.n, x.r5/x.n, x.r20/x.n, x.hit20/x.n, x.mrr/x.n)
			}
		}
	}
}
