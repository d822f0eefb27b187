package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/lab/train/tasks"
	"github.com/satchel-dev/satchel/rank"
)

// A model has two columns for every signal.
const (
	perSignal = 2
	columns   = perSignal * int(rank.NumSignals)
)

// What is kept of a task when its view is let go.
const (
	kept    = 100 // files: the likeliest after the first pass
	learned = 70  // of source, which the second pass learns from; the right ones besides
)

// A sample is one task, measured.
type sample struct {
	task   tasks.Task
	weight float64
	files  []file // in the order of the repository
	missed int    // files that the change needed and the repository has not
	chunks []chunk
}

// A file is one of a sample's, as a model sees it.
type file struct {
	row      []float32
	demotion float32
	right    bool
	learned  bool
}

// A chunk is one of a sample's files.
type chunk struct {
	file  int // of the sample
	row   rank.ChunkRow
	leads float32 // its discounted rank within the file
	right bool
}

// workers is how many repositories are measured at once.
const workers = 2

// eachTask calls fn for all tasks, those of two repositories at a time, and returns
// what it made of them in the order of the tasks.
func eachTask[T any](ctx context.Context, all []tasks.Task, o options, fn func(*index.View, tasks.Task) T) ([]T, error) {
	at := make(map[string]int, len(all))
	for i, t := range all {
		at[t.ID] = i
	}
	out := make([]T, len(all))
	var g errgroup.Group
	g.SetLimit(workers)
	for _, list := range tasks.ByRepo(all) {
		g.Go(func() error {
			err := eachOf(ctx, list, o, func(v *index.View, t tasks.Task) { out[at[t.ID]] = fn(v, t) })
			fmt.Fprintf(os.Stderr, "measured %s: %d tasks\n", list[0].Repo, len(list))
			return err
		})
	}
	return out, g.Wait()
}

// eachOf calls fn for the tasks of one repository.
func eachOf(ctx context.Context, list []tasks.Task, o options, fn func(*index.View, tasks.Task)) error {
	dir, err := tasks.Repository(o.mirror, list[0].Repo)
	if err != nil {
		return err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	x, err := index.Open(index.Options{Dir: filepath.Join(o.cache, strings.ReplaceAll(list[0].Repo, "/", "+"))})
	if err != nil {
		return err
	}
	for _, t := range list {
		v, err := x.View(ctx, repo, t.Base)
		if err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
		fn(v, t)
	}
	return nil
}

// rightOf returns which files of a view the task needed.
func rightOf(v *index.View, t tasks.Task) (right map[int]bool, missed int) {
	right = map[int]bool{}
	for _, g := range t.Gold {
		if i, ok := v.File(g); ok {
			right[i] = true
		} else {
			missed++
		}
	}
	return right, missed
}

// learnFirst learns the first pass.
func learnFirst(ctx context.Context, all []tasks.Task, o options) (*rank.Model, error) {
	lists, err := eachTask(ctx, all, o, func(v *index.View, t tasks.Task) learn.List {
		m := signal.First(v, ranking.Analyze(ctx, v, t.Query))
		right, _ := rightOf(v, t)
		f := m.Table.Scale()
		l := learn.List{Weight: o.weight(t)}
		for i := range m.Table.Rows {
			if right[i] || m.Table.Primary[i] && standsOut(f, i) {
				l.Rows = append(l.Rows, rowOf(f, i))
				l.Right = append(l.Right, right[i])
			}
		}
		return l
	})
	if err != nil {
		return nil, err
	}
	return fitFiles(lists, o, func(col int) bool { return o.active(col) && !needsSeeds(signalOf(col)) }), nil
}

// standsOut reports whether a file is among the first 20 of any signal.
func standsOut(f *rank.Features, i int) bool {
	for _, col := range f.Rank {
		if col != nil && col[i] >= 0.1879 { // 1/(1+log2(20)), rounded down
			return true
		}
	}
	return false
}

func needsSeeds(s rank.Signal) bool { return s >= rank.Imports && s <= rank.FirstPass }

// measure measures the tasks after a first pass.
func measure(ctx context.Context, all []tasks.Task, first *rank.Model, o options) ([]*sample, error) {
	return eachTask(ctx, all, o, func(v *index.View, t tasks.Task) *sample {
		m := signal.First(v, ranking.Analyze(ctx, v, t.Query))
		f := m.Table.Scale()
		scores := first.Scores(m.Table, f)
		seeds, weights := rank.Seeds(scores, ranking.Seeds)
		m.Second(seeds, weights, scores)
		m.Table.Rescale(f, rank.Imports)

		s := &sample{task: t, weight: o.weight(t)}
		right, missed := rightOf(v, t)
		s.missed = missed
		files := keptFiles(scores, m.Table.Primary, right)
		order := make([]int32, len(files))
		for k, x := range files {
			order[k] = int32(x.index)
			s.files = append(s.files, file{rowOf(f, x.index), m.Table.Demotion[x.index].By, right[x.index], x.learned})
		}
		if len(t.Ranges) > 0 {
			s.chunks = chunksOf(ranking.NewRanking(m, f, rank.Models{First: first, Files: first}), order, t)
		}
		return s
	})
}

type keptFile struct {
	index   int
	learned bool
}

// keptFiles returns the likeliest files and the right ones, in the order of the
// repository.
func keptFiles(scores []float32, primary []bool, right map[int]bool) (out []keptFile) {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	source := 0
	for n, i := range order {
		x := keptFile{i, right[i]}
		if primary[i] && source < learned {
			source++
			x.learned = true
		}
		if n < kept || x.learned {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b keptFile) int { return cmp.Compare(a.index, b.index) })
	return out
}

// chunksOf returns the chunks of files; right are those that the change touched.
func chunksOf(r *ranking.Ranking, files []int32, t tasks.Task) (out []chunk) {
	at := make(map[int32]int, len(files))
	for k, i := range files {
		at[i] = k
	}
	all := r.View.Chunks()
	for _, c := range r.ChunksOf(files) {
		k := at[c.File]
		x := chunk{file: k, row: c.Row, leads: c.Row[rank.ChunkLeads] / discount(k)}
		for _, g := range t.Ranges {
			x.right = x.right || g.Path == r.View.Files()[c.File].Path && g.From <= int(all[c.Index].To) && int(all[c.Index].From) <= g.To
		}
		out = append(out, x)
	}
	return out
}

// rowOf returns the columns of a file.
func rowOf(f *rank.Features, i int) []float32 {
	r := make([]float32, columns)
	for sig := range rank.NumSignals {
		for k, c := range [perSignal][]float32{f.Max[sig], f.Rank[sig]} {
			if c != nil {
				r[perSignal*int(sig)+k] = c[i]
			}
		}
	}
	return r
}
