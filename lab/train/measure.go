package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/learn"
	"github.com/satchel-dev/satchel/lab/tasks"
	"github.com/satchel-dev/satchel/rank"
)

// A sample is one task, measured.
type sample struct {
	task   tasks.Task
	m      *signal.Measurement
	first  *rank.Features
	gold   map[int]bool // rows of the table
	missed int          // gold files that are no row of it
	rows   []int        // rows to train on
	weight float64

	// Of a task that is only trained on: what is left of it when its view is
	// let go.
	one, two *learn.List
}

const workers = 2

// parallel runs fn(0) … fn(n-1), all at once.
func parallel(n int, fn func(k int)) {
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() { fn(k) })
	}
	wg.Wait()
}

// measure measures all tasks in the repositories of the mirror, two
// repositories at a time. The samples come in the order of the tasks.
func measure(ctx context.Context, all []tasks.Task, mirror, cache string) ([]*sample, error) {
	repos := tasks.ByRepo(all)
	out := make([][]*sample, len(repos))
	errs := make([]error, len(repos))
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range repos {
			next <- i
		}
	}()
	parallel(workers, func(int) {
		for i := range next {
			out[i], errs[i] = measureRepo(ctx, repos[i], mirror, cache, func(*sample) {})
			fmt.Fprintf(os.Stderr, "measured %s: %d tasks\n", repos[i][0].Repo, len(out[i]))
		}
	})
	var flat []*sample
	for i := range out {
		if errs[i] != nil {
			return nil, errs[i]
		}
		flat = append(flat, out[i]...)
	}
	return flat, nil
}

func measureRepo(ctx context.Context, list []tasks.Task, mirror, cache string, done func(*sample)) ([]*sample, error) {
	dir, err := tasks.Repository(mirror, list[0].Repo)
	if err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	x, err := index.Open(index.Options{Dir: filepath.Join(cache, strings.ReplaceAll(list[0].Repo, "/", "+"))})
	if err != nil {
		return nil, err
	}
	var out []*sample
	for _, t := range list {
		v, err := x.View(ctx, repo, t.Base)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		s := &sample{task: t, m: signal.First(v, ranking.Analyze(ctx, v, t.Query)), gold: map[int]bool{}, weight: 1}
		s.first = s.m.Table.Scale()
		for _, g := range t.Gold {
			i, ok := slices.BinarySearchFunc(v.Files(), g, func(f index.File, p string) int { return cmp.Compare(f.Path, p) })
			if ok {
				s.gold[i] = true
			} else {
				s.missed++
			}
		}
		s.rows = trainingRows(s)
		done(s)
		out = append(out, s)
	}
	return out, nil
}

// trainingRows are the rows among the first 20 of any signal, and the gold.
func trainingRows(s *sample) []int {
	in := map[int]bool{}
	for _, col := range s.first.Rank {
		for i, v := range col {
			if v >= 0.1879 && s.m.Table.Primary[i] { // 1/(1+log2(20)), rounded down
				in[i] = true
			}
		}
	}
	for i := range s.gold {
		in[i] = true
	}
	rows := make([]int, 0, len(in))
	for i := range in {
		rows = append(rows, i)
	}
	slices.Sort(rows)
	return rows
}

// A model has three columns for every signal.
const (
	perSignal = 3
	columns   = perSignal * int(rank.NumSignals)
)

// hard is how many rows of a commit the second pass learns from, besides the right
// ones: the likeliest after the first. The others are kept of the tasks alone.
const hard = 70

// hardRows returns the rows with the highest scores, and the gold.
func (s *sample) hardRows(scores []float32) []int {
	rows := slices.Clone(s.rows)
	slices.SortFunc(rows, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	kept := slices.Clip(rows[:min(len(rows), hard)])
	for _, i := range rows[len(kept):] {
		if s.gold[i] {
			kept = append(kept, i)
		}
	}
	slices.Sort(kept)
	return kept
}

// rowsOf returns rows of a sample as features.
func rowsOf(s *sample, f *rank.Features, rows []int) learn.List {
	l := learn.List{Weight: s.weight}
	for _, i := range rows {
		r := make([]float32, columns)
		for sig := range rank.NumSignals {
			for k, c := range [perSignal][]float32{f.Max[sig], f.Log[sig], f.Rank[sig]} {
				if c != nil {
					r[perSignal*int(sig)+k] = c[i]
				}
			}
		}
		l.Rows = append(l.Rows, r)
		l.Right = append(l.Right, s.gold[i])
	}
	return l
}

func signalOf(col int) rank.Signal { return rank.Signal(col / perSignal) }

func modelOf(w []float64) *rank.Model {
	m := new(rank.Model)
	for sig := range rank.NumSignals {
		k := perSignal * int(sig)
		m.Max[sig], m.Log[sig], m.Rank[sig] = float32(w[k]), float32(w[k+1]), float32(w[k+2])
	}
	return m
}

// fit learns the weights of a linear scorer that puts right rows first. The penalty
// is of a list; a column that active says no to stays 0.
func fit(lists learn.Lists, l2 float64, active func(col int) bool) []float64 {
	weight := 0.0
	for i := range lists {
		if lists[i].Learned() {
			weight += lists[i].Weight
		}
	}
	penalty := learn.Ridge(l2*weight, lists.Deviations())
	for col := range penalty {
		if !active(col) {
			penalty[col] = math.Inf(1)
		}
	}
	return learn.Fit(lists, penalty)
}

// trained holds what one training gives.
type trained struct {
	first, files *rank.Model
	chunks       *rank.ChunkModel
}

func (t trained) models() rank.Models {
	return rank.Models{First: t.first, Files: t.files, Chunks: t.chunks}
}

// train learns the three models from samples.
func train(samples []*sample, o options) trained {
	var t trained
	lists := make(learn.Lists, len(samples))
	for i, s := range samples {
		if s.one != nil {
			lists[i] = *s.one
			continue
		}
		lists[i] = rowsOf(s, s.first, s.rows)
	}
	t.first = modelOf(fit(lists, o.l2, o.firstPass))
	feats := second(samples, t.first)
	for i, s := range samples {
		if s.two != nil {
			lists[i] = *s.two
			continue
		}
		lists[i] = rowsOf(s, feats[i], s.rows)
	}
	t.files = modelOf(fit(lists, o.l2, o.active))
	if o.chunks {
		t.chunks = trainChunks(samples, t)
	}
	return t
}

// second makes the second pass of every sample with the seeds of a first-pass
// model, and returns the scaled features.
func second(samples []*sample, first *rank.Model) []*rank.Features {
	out := make([]*rank.Features, len(samples))
	parallel(workers, func(k int) {
		for i := k; i < len(samples); i += workers {
			s := samples[i]
			if s.two != nil {
				continue
			}
			scores := first.Scores(s.m.Table, s.first)
			seeds, weights := rank.Seeds(scores, ranking.Seeds)
			s.m.Second(seeds, weights, scores)
			out[i] = s.m.Table.Scale()
		}
	})
	return out
}

// ranked completes a sample whose second pass was made.
func ranked(s *sample, f *rank.Features, t trained) *ranking.Ranking {
	return ranking.NewRanking(s.m, f, t.models())
}

// chunkL2 is the L2 penalty for chunks.
const chunkL2 = 0.03

func trainChunks(samples []*sample, t trained) *rank.ChunkModel {
	lists := make(learn.Lists, len(samples))
	feats := second(samples, t.first)
	parallel(workers, func(k int) {
		for i := k; i < len(samples); i += workers {
			if feats[i] != nil {
				lists[i] = chunkList(samples[i], ranked(samples[i], feats[i], t))
			}
		}
	})
	kept := slices.DeleteFunc(lists, func(l learn.List) bool { return l.Weight == 0 })
	w := fit(kept, chunkL2, func(int) bool { return true })
	m := new(rank.ChunkModel)
	for i, v := range w {
		m[i] = float32(v)
	}
	return m
}

// chunkList is a sample's chunks; right are those that the change touched.
func chunkList(s *sample, r *ranking.Ranking) learn.List {
	var l learn.List
	if len(s.task.Ranges) == 0 {
		return l
	}
	files, all := r.View.Files(), r.View.Chunks()
	for _, c := range r.Chunks(ranking.CandidateFiles) {
		row := c.Row
		l.Rows = append(l.Rows, row[:])
		hit := false
		for _, x := range s.task.Ranges {
			hit = hit || x.Path == files[c.File].Path && x.From <= int(all[c.Index].To) && int(all[c.Index].From) <= x.To
		}
		l.Right = append(l.Right, hit)
		if hit {
			l.Weight = s.weight
		}
	}
	return l
}

// reduce measures the second pass after the first model's, and keeps only the
// rows to train on.
func (s *sample) reduce(first *rank.Model) {
	scores := first.Scores(s.m.Table, s.first)
	one := rowsOf(s, s.first, s.rows)
	seeds, weights := rank.Seeds(scores, ranking.Seeds)
	s.m.Second(seeds, weights, scores)
	two := rowsOf(s, s.m.Table.Scale(), s.hardRows(scores))
	s.one, s.two = &one, &two
	s.m, s.first, s.rows = nil, nil, nil
}

// measureCommits measures the commits of repositories as tasks. Their second pass
// is measured once, for they are too many to be held. So they teach a first pass
// of their own, of which it takes its seeds: the scores are on the scale of the
// model's to come, and know no answer that is tested.
func measureCommits(ctx context.Context, names []string, mirror, cache string, weight float64, o options) ([]*sample, error) {
	some, err := eachCommit(ctx, names, mirror, cache, learned, func(s *sample) {
		one := rowsOf(s, s.first, s.rows)
		s.one, s.m, s.first, s.rows = &one, nil, nil, nil
	})
	if err != nil {
		return nil, err
	}
	lists := make(learn.Lists, len(some))
	for i, s := range some {
		lists[i] = *s.one
	}
	first := modelOf(fit(lists, o.l2, o.firstPass))
	all, err := eachCommit(ctx, names, mirror, cache, perRepo, func(s *sample) { s.reduce(first) })
	of := map[string]int{}
	for _, s := range all {
		if of[s.task.Repo]++; of[s.task.Repo] <= learned {
			s.weight, s.one.Weight, s.two.Weight = weight, weight, weight
		} else {
			s.weight, s.one.Weight, s.two.Weight = 0, 0, 0
		}
	}
	return all, err
}

// eachCommit measures at most n commits of each repository, and has done reduce
// each of them at once.
func eachCommit(ctx context.Context, names []string, mirror, cache string, n int, done func(*sample)) ([]*sample, error) {
	out := make([][]*sample, len(names))
	errs := make([]error, len(names))
	parallel(workers, func(k int) {
		for i := k; i < len(names); i += workers {
			list, err := commitTasks(ctx, mirror, names[i])
			if err == nil && len(list) > 0 {
				out[i], err = measureRepo(ctx, list[:min(len(list), n)], mirror, cache, done)
				out[i] = slices.DeleteFunc(out[i], func(s *sample) bool { return len(s.gold) == 0 }) // all its files are new
			}
			errs[i] = err
			fmt.Fprintf(os.Stderr, "measured commits of %s: %d\n", names[i], len(out[i]))
		}
	})
	var flat []*sample
	for i := range out {
		if errs[i] != nil {
			return nil, errs[i]
		}
		flat = append(flat, out[i]...)
	}
	return flat, nil
}
