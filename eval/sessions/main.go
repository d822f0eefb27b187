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
//	sessions -dir DIR -mode gather -mirror DIR -repos "OWNER/NAME …" -out DIR  # more to train on
//	sessions -dir DIR -mode cv -gaps 0.1          # which names are lost at a tenth of the tokens
//	sessions -dir DIR -knows names,phrases,lines  # what perfect prediction would keep
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

// settings are the flags.
type settings struct {
	dir, split, cases string
	mode, out         string
	mirror, repos     string
	shape, l2, knows  string
	every             int
	gaps              float64
	by                bool
}

func main() {
	var f settings
	flag.StringVar(&f.dir, "dir", "", "folder of sessions, with index.jsonl")
	flag.StringVar(&f.split, "split", "dev", "sessions to take, or to train on; several are divided by commas")
	flag.StringVar(&f.cases, "cases", "", "file of moments to score, instead of those that are chosen here")
	flag.StringVar(&f.mode, "mode", "score", "score, check, cv, fit or gather")
	flag.StringVar(&f.out, "out", "", "file for the weights, or folder for what is gathered")
	flag.StringVar(&f.mirror, "mirror", "", "folder of bare repositories OWNER+NAME/repo, to gather from")
	flag.StringVar(&f.repos, "repos", "", "repositories to gather from")
	flag.StringVar(&f.shape, "shape", "", "JSON that changes the shape; several are divided by semicolons")
	flag.IntVar(&f.every, "every", 2, "train on one in so many answers")
	flag.StringVar(&f.l2, "l2", "3000", "penalty on large weights, or one each for names, phrases and lines; check takes several, divided by semicolons")
	flag.BoolVar(&f.by, "by", false, "scores by session too, or every name that is lost")
	flag.StringVar(&f.knows, "knows", "", "tell the packer what the future holds of these: names, phrases, lines")
	flag.Float64Var(&f.gaps, "gaps", 0, "instead of scores, tell what a trim to this share of the context loses")
	flag.Parse()
	if err := run(&f); err != nil {
		fmt.Fprintln(os.Stderr, "sessions:", err)
		os.Exit(1)
	}
}

func run(f *settings) error {
	if f.mode == "gather" {
		return gather(f)
	}
	ss, err := readSessions(f.dir, f.split)
	if err != nil {
		return err
	}
	var sets []map[string]*rows
	if f.mode != "score" {
		for _, s := range ss {
			sets = append(sets, examples(s, f.every))
		}
	}
	models := map[string]*reuse.Model{}
	if f.mode == "check" {
		for one := range strings.SplitSeq(f.l2, ";") {
			l2, err := parsePenalties(one)
			if err != nil {
				return err
			}
			check(ss, sets, l2)
		}
		return nil
	}
	l2, err := parsePenalties(f.l2)
	if err != nil {
		return err
	}
	switch f.mode {
	case "fit":
		return writeWeights(f.out, train(sets, l2))
	case "cv":
		models = folds(ss, sets, l2)
	}
	var moments []sample
	if f.cases != "" {
		if moments, err = readCases(f.cases); err != nil {
			return err
		}
	} else {
		for _, s := range ss {
			moments = append(moments, s.samples(0)...)
		}
	}
	qs := questions(moments)
	if f.gaps > 0 {
		gaps(qs, models, f.gaps, f.by)
		return nil
	}
	ts := make([]*trim.Trimmer, len(qs))
	for _, one := range strings.Split(f.shape, ";") {
		sh := trim.DefaultShape
		if one != "" {
			if err := json.Unmarshal([]byte(one), &sh); err != nil {
				return err
			}
		}
		fmt.Printf("%-30s", one)
		report(qs, ts, models, &sh, f.by, f.knows)
	}
	return nil
}

// questions returns what is scored.
func questions(moments []sample) []*question {
	var qs []*question
	for _, m := range moments {
		if q, ok := ask(m); ok {
			qs = append(qs, q)
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
func report(qs []*question, ts []*trim.Trimmer, models map[string]*reuse.Model, sh *trim.Shape, by bool, knows string) {
	rows := make([][]graded, len(qs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				if ts[i] == nil {
					ts[i] = trim.New(qs[i].past(), trim.Options{Model: oracle(qs[i], models[qs[i].s.Repo], knows)})
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
