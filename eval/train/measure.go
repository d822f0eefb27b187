package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/eval/tasks"
	"github.com/satchel-dev/satchel/internal/git"
	"github.com/satchel-dev/satchel/internal/index"
	"github.com/satchel-dev/satchel/internal/outline"
	"github.com/satchel-dev/satchel/internal/signal"
	"github.com/satchel-dev/satchel/internal/source"
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
	one, two *group
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
	parser := outline.New(nil)
	defer parser.Close()
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
			out[i], errs[i] = measureRepo(ctx, repos[i], mirror, cache, parser, func(*sample) {})
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

func measureRepo(ctx context.Context, list []tasks.Task, mirror, cache string, parser *outline.Parser, done func(*sample)) ([]*sample, error) {
	dir, err := tasks.Repository(mirror, list[0].Repo)
	if err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	x, err := index.Open(index.Options{Dir: filepath.Join(cache, strings.ReplaceAll(list[0].Repo, "/", "+")), Parser: parser})
	if err != nil {
		return nil, err
	}
	var out []*sample
	for _, t := range list {
		v, err := x.View(ctx, repo, t.Base)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		s := &sample{task: t, m: signal.First(v, rank.Analyze(t.Query)), gold: map[int]bool{}, weight: 1}
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

// columns of a model: the maximum and the rank column of every signal.
const columns = 2 * int(rank.NumSignals)

// rowsOf returns the training rows of a sample as features.
func rowsOf(s *sample, f *rank.Features) group {
	g := group{weight: s.weight}
	if f == nil {
		return g
	}
	for _, i := range s.rows {
		r := make([]float32, columns)
		for sig := range rank.NumSignals {
			if c := f.Max[sig]; c != nil {
				r[2*sig] = c[i]
			}
			if c := f.Rank[sig]; c != nil {
				r[2*sig+1] = c[i]
			}
		}
		g.rows = append(g.rows, r)
		g.gold = append(g.gold, s.gold[i])
	}
	return g
}

func modelOf(w []float64) *rank.Model {
	m := new(rank.Model)
	for sig := range rank.NumSignals {
		m.Max[sig], m.Rank[sig] = float32(w[2*sig]), float32(w[2*sig+1])
	}
	return m
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
	groups := make([]group, len(samples))
	for i, s := range samples {
		if groups[i] = rowsOf(s, s.first); s.one != nil {
			groups[i] = *s.one
		}
	}
	secondPass := func(col int) bool { return rank.Signal(col/2) < rank.Imports || rank.Signal(col/2) > rank.FirstPass }
	t.first = modelOf(fit(groups, columns, o.l2, func(c int) bool { return secondPass(c) && o.active(c) }))
	feats := second(samples, t.first)
	for i, s := range samples {
		if s.two != nil {
			groups[i] = *s.two
			continue
		}
		groups[i] = rowsOf(s, feats[i])
	}
	t.files = modelOf(fit(groups, columns, o.l2, o.active))
	if o.chunks {
		t.chunks = trainChunks(samples, t, o)
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
			seeds, weights := rank.Seeds(scores, source.Seeds)
			s.m.Second(seeds, weights, scores)
			out[i] = s.m.Table.Scale()
		}
	})
	return out
}

// ranking completes a sample whose second pass was made.
func ranking(s *sample, f *rank.Features, t trained) *source.Ranking {
	return source.NewRanking(s.m, f, t.models())
}

// chunkL2 divides the penalty for chunks, which have fewer signals and more
// examples.
const chunkL2 = 2

func trainChunks(samples []*sample, t trained, o options) *rank.ChunkModel {
	groups := make([]group, len(samples))
	feats := second(samples, t.first)
	parallel(workers, func(k int) {
		for i := k; i < len(samples); i += workers {
			if feats[i] != nil {
				groups[i] = chunkGroup(samples[i], ranking(samples[i], feats[i], t))
			}
		}
	})
	kept := groups[:0]
	for _, g := range groups {
		if g.weight > 0 {
			kept = append(kept, g)
		}
	}
	w := fit(kept, int(rank.NumChunkSignals), o.l2/chunkL2, nil)
	m := new(rank.ChunkModel)
	for i := range m {
		m[i] = float32(w[i])
	}
	return m
}

// chunkGroup is a sample's chunks; right are those that the change touched.
func chunkGroup(s *sample, r *source.Ranking) group {
	g := group{}
	if len(s.task.Ranges) == 0 {
		return g
	}
	files, all := r.View.Files(), r.View.Chunks()
	for _, c := range r.Chunks(source.CandidateFiles) {
		row := c.Row
		g.rows = append(g.rows, row[:])
		hit := false
		for _, x := range s.task.Ranges {
			hit = hit || x.Path == files[c.File].Path && x.From <= int(all[c.Index].To) && int(all[c.Index].From) <= x.To
		}
		g.gold = append(g.gold, hit)
		if hit {
			g.weight = s.weight
		}
	}
	return g
}

// bootstrap makes the seeds of commit tasks, whose second pass is measured once
// and before anything is learned.
var bootstrap = rank.Model{Max: [rank.NumSignals]float32{
	rank.BM25F: 2, rank.ChunkBest: 1, rank.PathWords: 1.4, rank.BaseCover: .6, rank.FileNamed: 2,
	rank.InTraceback: 2, rank.NameDefined: 1.2, rank.CommitSum: .8, rank.ModuleNamed: 1, rank.Secondary: -1.5,
}}

// reduce measures the second pass and keeps only the rows to train on.
func (s *sample) reduce() {
	one := rowsOf(s, s.first)
	scores := bootstrap.Scores(s.m.Table, s.first)
	seeds, weights := rank.Seeds(scores, source.Seeds)
	s.m.Second(seeds, weights, scores)
	two := rowsOf(s, s.m.Table.Scale())
	s.one, s.two = &one, &two
	s.m, s.first, s.rows = nil, nil, nil
}

// measureCommits measures the commits of repositories as tasks.
func measureCommits(ctx context.Context, repos, mirror, cache string, weight float64) ([]*sample, error) {
	parser := outline.New(nil)
	defer parser.Close()
	names := strings.Split(repos, ",")
	out := make([][]*sample, len(names))
	errs := make([]error, len(names))
	parallel(workers, func(k int) {
		for i := k; i < len(names); i += workers {
			list, err := commitTasks(ctx, mirror, names[i])
			if err == nil && len(list) > 0 {
				out[i], err = measureRepo(ctx, list, mirror, cache, parser, func(s *sample) {
					s.weight = weight
					s.reduce()
				})
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
		for _, s := range out[i] {
			if len(s.gold) > 0 {
				flat = append(flat, s)
			}
		}
	}
	return flat, nil
}
