package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// budgets are shares of the context, or tokens.
var budgets = []float64{0.1, 0.2, 0.4, 20000, 60000}

// A graded is one trim of one question.
type graded struct {
	file   string
	budget float64
	row    row
}

// gradeAll trims every question to every budget. ts keeps what the trims of a
// question have in common for the next call.
func gradeAll(qs []*question, ts []*trim.Trimmer, models map[string]*reuse.Model, sh *trim.Shape, knows string) []graded {
	rows := make([][]graded, len(qs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wg.Go(func() {
			for i := range next {
				if ts[i] == nil {
					ts[i] = trim.New(qs[i].past(), trim.Options{Model: oracle(qs[i], models[qs[i].s.Repo], knows)})
				}
				rows[i] = answer(qs[i], ts[i], sh)
			}
		})
	}
	for i := range qs {
		next <- i
	}
	close(next)
	wg.Wait()
	return slices.Concat(rows...)
}

func answer(q *question, t *trim.Trimmer, sh *trim.Shape) []graded {
	var out []graded
	for _, b := range budgets {
		limit := b
		if b <= 1 {
			limit = max(1500, b*q.tokens)
		} else if q.tokens <= 1.25*b {
			continue
		}
		res, err := t.Trim(trim.Options{Budget: int(limit), Shape: sh})
		g := graded{q.s.File, b, row{invalid: "error"}}
		if err == nil {
			g.row = q.grade(res.Messages, limit)
		} else {
			fmt.Println(q.s.File, err)
		}
		out = append(out, g)
	}
	return out
}

// A measure reads a number from a row, if it has it.
type measure func(*row) (float64, bool)

// The numbers of a row.
var (
	measureS    measure = func(r *row) (float64, bool) { return r.S, true }
	measureCtx  measure = func(r *row) (float64, bool) { return r.Ctx, true }
	measureR2   measure = func(r *row) (float64, bool) { return r.R2, true }
	measureFar  measure = func(r *row) (float64, bool) { return r.Far, r.hasFar }
	measureEdit measure = func(r *row) (float64, bool) { return r.Edit, r.hasEdit }
	measureU    measure = func(r *row) (float64, bool) { return r.U, r.hasU }
	measureFill measure = func(r *row) (float64, bool) { return r.fill, true }
)

// mean is the mean of a number over the trims to keep, in percent: of a session
// first, then over the sessions.
func mean(all []graded, keep func(g *graded) bool, f measure) float64 {
	sums := map[string][2]float64{}
	for i := range all {
		if g := &all[i]; keep(g) {
			if v, ok := f(&g.row); ok {
				s := sums[g.file]
				sums[g.file] = [2]float64{s[0] + v, s[1] + 1}
			}
		}
	}
	t := 0.0
	for _, n := range slices.Sorted(maps.Keys(sums)) {
		t += sums[n][0] / sums[n][1]
	}
	return 100 * t / float64(max(1, len(sums)))
}

// printMeans prints the means over the sessions.
func printMeans(all []graded) {
	every := func(*graded) bool { return true }
	at := func(b float64) func(*graded) bool { return func(g *graded) bool { return g.budget == b } }
	bad, over, gr, ngr := 0, 0, 0.0, 0.0
	for i := range all {
		r := &all[i].row
		if r.invalid != "" {
			bad++
		}
		if r.over {
			over++
		}
		if all[i].budget == 0.2 && r.hasGrams {
			gr += r.Grams
			ngr++
		}
	}
	fmt.Printf("S %.2f  Rctx %.2f R2 %.2f Rfar %.2f Redit %.2f U %.2f | S10 %.2f S20 %.2f S40 %.2f | grams20 %.2f | n %d bad %d over %d fill %.1f\n",
		mean(all, every, measureS), mean(all, every, measureCtx), mean(all, every, measureR2), mean(all, every, measureFar),
		mean(all, every, measureEdit), mean(all, every, measureU),
		mean(all, at(0.1), measureS), mean(all, at(0.2), measureS), mean(all, at(0.4), measureS),
		100*gr/max(1, ngr), len(all), bad, over, mean(all, every, measureFill))
}

// printSessions prints each session at each budget.
func printSessions(all []graded) {
	files := map[string]bool{}
	for _, g := range all {
		files[g.file] = true
	}
	for _, f := range slices.Sorted(maps.Keys(files)) {
		for _, b := range budgets {
			in := func(g *graded) bool { return g.file == f && g.budget == b }
			fmt.Printf("%s %g S %.1f Rctx %.1f R2 %.1f Redit %.1f U %.1f\n", f, b, mean(all, in, measureS), mean(all, in, measureCtx),
				mean(all, in, measureR2), mean(all, in, measureEdit), mean(all, in, measureU))
		}
	}
}
