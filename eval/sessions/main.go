// Command sessions trains and scores what package reuse predicts and package
// trim keeps.
//
// It reads recorded sessions, cuts each at several moments, trims what was
// there, and looks how much of what the agent did in its next ten answers was
// kept. The scores are those of the harness for session packers, faster; a score that is
// reported comes from the harness and the satchel command.
//
//	sessions -dir DIR -mode score    # with the committed weights
//	sessions -dir DIR -mode check    # how well each repository is predicted by weights of the others
//	sessions -dir DIR -mode cv       # each repository by weights of the others
//	sessions -dir DIR -mode fit -out internal/reuse/weights.go
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/internal/reuse"
	"github.com/satchel-dev/satchel/trim"
)

func main() {
	dir := flag.String("dir", "", "folder of sessions, with index.jsonl")
	split := flag.String("split", "dev", "sessions to take")
	mode := flag.String("mode", "score", "score, check, cv or fit")
	out := flag.String("out", "", "file for the weights")
	shape := flag.String("shape", "", "JSON that changes the shape")
	every := flag.Int("every", 2, "train on one in so many answers")
	l2 := flag.Float64("l2", 1000, "penalty on large weights")
	by := flag.Bool("by", false, "scores by session too")
	flag.Parse()
	if err := run(*dir, *split, *mode, *out, *shape, *every, *by, *l2); err != nil {
		fmt.Fprintln(os.Stderr, "sessions:", err)
		os.Exit(1)
	}
}

func run(dir, split, mode, out, shape string, every int, by bool, l2 float64) error {
	ss, err := readSessions(dir, split)
	if err != nil {
		return err
	}
	var sets []map[string]*rows
	if mode != "score" {
		for _, s := range ss {
			sets = append(sets, examples(s, every))
		}
	}
	models := map[string]*reuse.Model{}
	switch mode {
	case "fit":
		return writeWeights(out, train(sets, l2))
	case "check":
		check(ss, sets, l2)
		return nil
	case "cv":
		models = folds(ss, sets, l2)
	}
	qs := questions(ss)
	ts := make([]*trim.Trimmer, len(qs))
	for _, one := range strings.Split(shape, ";") {
		sh := trim.DefaultShape
		if one != "" {
			if err := json.Unmarshal([]byte(one), &sh); err != nil {
				return err
			}
		}
		fmt.Printf("%-30s", one)
		report(qs, ts, models, &sh, by)
	}
	return nil
}

// questions returns what is scored.
func questions(ss []*session) []*question {
	var qs []*question
	for _, s := range ss {
		for _, m := range s.samples(0) {
			if q, ok := ask(m); ok {
				qs = append(qs, q)
			}
		}
	}
	return qs
}

// budgets are shares of the context, or tokens.
var budgets = []float64{0.1, 0.2, 0.4, 20000, 60000}

type graded struct {
	file   string
	budget float64
	row    row
}

// report trims every question to every budget, and prints the means: of a
// session first, then over the sessions.
func report(qs []*question, ts []*trim.Trimmer, models map[string]*reuse.Model, sh *trim.Shape, by bool) {
	rows := make([][]graded, len(qs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				if ts[i] == nil {
					ts[i] = trim.New(qs[i].past(), trim.Options{Model: models[qs[i].s.Repo]})
				}
				rows[i] = answer(qs[i], ts[i], sh)
			}
		}()
	}
	for i := range qs {
		next <- i
	}
	close(next)
	wg.Wait()
	var all []graded
	for _, r := range rows {
		all = append(all, r...)
	}
	mean := func(keep func(g *graded) bool, f func(*row) (float64, bool)) float64 {
		sums := map[string][2]float64{}
		for i := range all {
			if g := &all[i]; keep(g) {
				if v, ok := f(&g.row); ok {
					s := sums[g.file]
					sums[g.file] = [2]float64{s[0] + v, s[1] + 1}
				}
			}
		}
		names := make([]string, 0, len(sums))
		for n := range sums {
			names = append(names, n)
		}
		sort.Strings(names)
		t := 0.0
		for _, n := range names {
			t += sums[n][0] / sums[n][1]
		}
		return 100 * t / float64(max(1, len(names)))
	}
	every := func(*graded) bool { return true }
	at := func(b float64) func(*graded) bool { return func(g *graded) bool { return g.budget == b } }
	s := func(r *row) (float64, bool) { return r.S, true }
	bad, over, gr, ngr := 0, 0, 0.0, 0.0
	for i := range all {
		if all[i].row.invalid != "" {
			bad++
		}
		if all[i].row.over {
			over++
		}
		if all[i].budget == 0.2 && all[i].row.hasGrams {
			gr += all[i].row.Grams
			ngr++
		}
	}
	fmt.Printf("S %.2f  Rctx %.2f R2 %.2f Rfar %.2f Redit %.2f U %.2f | S10 %.2f S20 %.2f S40 %.2f | grams20 %.2f | n %d bad %d over %d fill %.1f\n",
		mean(every, s), mean(every, func(r *row) (float64, bool) { return r.Ctx, true }), mean(every, func(r *row) (float64, bool) { return r.R2, true }),
		mean(every, func(r *row) (float64, bool) { return r.Far, r.hasFar }), mean(every, func(r *row) (float64, bool) { return r.Edit, r.hasEdit }),
		mean(every, func(r *row) (float64, bool) { return r.U, r.hasU }), mean(at(0.1), s), mean(at(0.2), s), mean(at(0.4), s),
		100*gr/max(1, ngr), len(all), bad, over, mean(every, func(r *row) (float64, bool) { return r.fill, true }))
	if !by {
		return
	}
	files := map[string]bool{}
	for _, g := range all {
		files[g.file] = true
	}
	var sorted []string
	for f := range files {
		sorted = append(sorted, f)
	}
	sort.Strings(sorted)
	for _, f := range sorted {
		for _, b := range budgets {
			in := func(g *graded) bool { return g.file == f && g.budget == b }
			fmt.Printf("%s %g S %.1f Rctx %.1f R2 %.1f Redit %.1f U %.1f\n", f, b, mean(in, s), mean(in, func(r *row) (float64, bool) { return r.Ctx, true }),
				mean(in, func(r *row) (float64, bool) { return r.R2, true }), mean(in, func(r *row) (float64, bool) { return r.Edit, r.hasEdit }), mean(in, func(r *row) (float64, bool) { return r.U, r.hasU }))
		}
	}
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
