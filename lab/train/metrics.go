package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/measure/ranking"
)

// metrics sums the quality of rankings over tasks. Acc@k is strict: every gold
// file among the first k.
type metrics struct {
	n, several              float64
	hit1, acc1, acc5, acc10 float64
	several5                float64
	mrr                     float64
	ranged                  float64
	recall                  [len(budgets)]float64
}

// budgets at which the recall of gold ranges is estimated, in tokens at four
// bytes each and 12 for a heading.
var budgets = [...]float64{2000, 4000, 8000, 16000, 32000}

const header = "                              hit@1  Acc@1  Acc@5 Acc@10 multi5    MRR | ranges   2k    4k    8k   16k   32k"

func (m *metrics) add(s *sample, r *ranking.Ranking, chunks bool) {
	m.n++
	within := func(k int) (n int) {
		for _, i := range r.Order[:min(k, len(r.Order))] {
			if s.gold[int(i)] {
				n++
			}
		}
		return n
	}
	all := len(s.gold) + s.missed
	b := func(ok bool) float64 {
		if ok {
			return 1
		}
		return 0
	}
	m.hit1 += b(within(1) > 0)
	m.acc1 += b(within(1) == all)
	m.acc5 += b(within(5) == all)
	m.acc10 += b(within(10) == all)
	if len(s.task.Gold) > 1 {
		m.several++
		m.several5 += b(within(5) == all)
	}
	for p, i := range r.Order {
		if s.gold[int(i)] {
			m.mrr += 1 / float64(p+1)
			break
		}
	}
	if chunks && len(s.task.Ranges) > 0 {
		m.ranged++
		for k, v := range rangeRecall(s, r) {
			m.recall[k] += v
		}
	}
}

// rangeRecall packs chunks greedily by score into each budget and returns the
// share of gold ranges that are shown.
func rangeRecall(s *sample, r *ranking.Ranking) (out [len(budgets)]float64) {
	files, all, docs := r.View.Files(), r.View.Chunks(), r.View.Docs()
	list := r.Chunks(ranking.CandidateFiles)
	slices.SortStableFunc(list, func(a, b ranking.Chunk) int { return cmp.Compare(b.Score, a.Score) })
	for k, budget := range budgets {
		used := 0.0
		hit := make([]bool, len(s.task.Ranges))
		for _, c := range list {
			d := docs[files[c.File].Doc]
			x := all[c.Index]
			tok := 12 + float64(d.Bytes)*float64(x.To-x.From+1)/math.Max(1, float64(d.Lines))/4
			if used+tok > budget {
				continue
			}
			used += tok
			for i, g := range s.task.Ranges {
				hit[i] = hit[i] || g.Path == files[c.File].Path && g.From <= int(x.To) && int(x.From) <= g.To
			}
		}
		for _, h := range hit {
			if h {
				out[k] += 1 / float64(len(hit))
			}
		}
	}
	return out
}

func (m *metrics) print(name string) {
	p := func(x, n float64) float64 { return 100 * x / max(n, 1) }
	fmt.Printf("%-28s %6.1f %6.1f %6.1f %6.1f %6.1f %6.3f |      ", name,
		p(m.hit1, m.n), p(m.acc1, m.n), p(m.acc5, m.n), p(m.acc10, m.n), p(m.several5, m.several), m.mrr/max(m.n, 1))
	for _, v := range m.recall {
		fmt.Printf(" %5.1f", p(v, m.ranged))
	}
	fmt.Println()
}

// printRanks prints where each file that a task needed stands, and what stands
// first.
func printRanks(s *sample, r *ranking.Ranking) {
	var ranks []string
	for p, i := range r.Order {
		if s.gold[int(i)] {
			ranks = append(ranks, fmt.Sprintf("%d=%s", p+1, r.View.Files()[i].Path))
		}
	}
	first := ""
	if len(r.Order) > 0 {
		first = r.View.Files()[r.Order[0]].Path
	}
	title, _, _ := strings.Cut(s.task.Query, "\n")
	fmt.Printf("%s\t%s\t%s\t%s\n", s.task.ID, strings.Join(ranks, " "), first, title)
}
