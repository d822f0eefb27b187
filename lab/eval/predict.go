package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// predict runs the tasks of each repository in turn, as many repositories at once
// as there are processors.
func predict(ctx context.Context, list []tasks.Task, o options, out *output) {
	next := make(chan []tasks.Task)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for repo := range next {
				predictRepo(ctx, repo, o, out)
				fmt.Fprintf(os.Stderr, "%s: %d tasks\n", repo[0].Repo, len(repo))
			}
		})
	}
	for _, repo := range tasks.ByRepo(list) {
		next <- repo
	}
	close(next)
	wg.Wait()
}

// A packer packs a repository for a task, and returns the files by rank too.
type packer func(t tasks.Task) (*satchel.Pack, []string, error)

// predictRepo runs the tasks of one repository. If it cannot be opened, each of
// them fails for that reason.
func predictRepo(ctx context.Context, list []tasks.Task, o options, out *output) {
	pack, repo, err := open(ctx, list[0].Repo, o)
	if err != nil {
		for _, t := range list {
			out.fail(t.ID, err)
		}
		return
	}
	defer repo.Close()

	for _, t := range list {
		start := time.Now()
		packed, order, err := pack(t)
		if err != nil {
			out.fail(t.ID, err)
			continue
		}
		p := predicted(t.ID, packed, order)
		p.Millis = float64(time.Since(start).Microseconds()) / 1000
		out.add(p)
	}
}

// open opens a repository for its tasks.
func open(ctx context.Context, name string, o options) (pack packer, repo io.Closer, err error) {
	dir, err := tasks.Repository(o.mirror, name)
	if err != nil {
		return nil, nil, err
	}
	cache := cacheOf(o.cache, name)
	if o.order != "" {
		b, err := openBaseline(ctx, dir, cache, o.order)
		if err != nil {
			return nil, nil, err
		}
		return func(t tasks.Task) (*satchel.Pack, []string, error) { return b.pack(ctx, t, o.budget, o.detail) }, b, nil
	}

	opts := &engine.Options{Dir: dir, CacheDir: cache}
	if o.models != "" {
		if opts.Models, err = tasks.LoadModels(o.models, name); err != nil {
			return nil, nil, err
		}
	}
	e, err := engine.Open(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	return func(t tasks.Task) (*satchel.Pack, []string, error) {
		req := satchel.Request{Task: t.Query, Rev: t.Base, Budget: o.budget, Detail: o.detail}
		if o.whole {
			req.Task = ""
		}
		return e.PackRanked(ctx, req)
	}, e, nil
}

// ranked is how many files a prediction names.
const ranked = 100

// predicted says what a pack shows.
func predicted(id string, packed *satchel.Pack, order []string) prediction {
	p := prediction{
		ID: id, Files: []string{}, Shown: []string{}, Ranges: []tasks.Range{}, Outlined: []string{}, Named: []string{},
		Tokens: packed.Used,
	}
	p.Files = append(p.Files, order[:min(len(order), ranked)]...)
	seen := map[string]bool{}
	once := func(list *[]string, path string) {
		if !seen[path] {
			seen[path] = true
			*list = append(*list, path)
		}
	}
	for _, e := range packed.Entries {
		for _, l := range e.Lines {
			once(&p.Shown, e.Ref.Path)
			p.Ranges = append(p.Ranges, tasks.Range{Path: e.Ref.Path, From: l.From, To: l.To})
		}
	}
	for _, e := range packed.Entries {
		if e.Detail == satchel.Outline {
			once(&p.Outlined, e.Ref.Path)
		}
	}
	for _, e := range packed.Entries {
		once(&p.Named, e.Ref.Path)
	}
	for _, l := range packed.Paths {
		once(&p.Named, l.Path)
	}
	for _, path := range packed.Named {
		once(&p.Named, path)
	}
	return p
}
