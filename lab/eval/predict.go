package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// predict runs the tasks of each repository in turn, as many repositories at once
// as there are processors.
func predict(ctx context.Context, list []tasks.Task, o options, out *output) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, repo := range tasks.ByRepo(list) {
		g.Go(func() error {
			predictRepo(ctx, repo, o, out)
			fmt.Fprintf(os.Stderr, "%s: %d tasks\n", repo[0].Repo, len(repo))
			return nil
		})
	}
	_ = g.Wait() // failures are in the output
}

// predictRepo runs the tasks of one repository. If it cannot be opened, each of
// them fails for that reason.
func predictRepo(ctx context.Context, list []tasks.Task, o options, out *output) {
	e, err := open(ctx, list[0].Repo, o)
	if err != nil {
		for _, t := range list {
			out.fail(t.ID, err)
		}
		return
	}
	defer e.Close()

	for _, t := range list {
		start := time.Now()
		packed, order, err := e.PackRanked(ctx, satchel.Request{Task: t.Query, Rev: t.Base, Budget: o.budget, Detail: satchel.Full})
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
func open(ctx context.Context, name string, o options) (*engine.Engine, error) {
	dir, err := tasks.Repository(o.mirror, name)
	if err != nil {
		return nil, err
	}
	opts := &engine.Options{Dir: dir, CacheDir: filepath.Join(o.cache, strings.ReplaceAll(name, "/", "+"))}
	if o.models != "" {
		if opts.Models, err = tasks.LoadModels(o.models, name); err != nil {
			return nil, err
		}
	}
	return engine.Open(ctx, opts)
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
