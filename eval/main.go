// Command eval runs the engine on tasks whose answers are known and writes what
// it ranked and packed, for a scorer.
//
//	go run ./eval -tasks dev.jsonl -mirror DIR -out preds.jsonl -budget 8000
//
// Each line of the output is {"id", "files": the files by rank, "included_files"
// and "included_ranges": what the pack shows, "context_tokens": o200k tokens of
// the whole rendered pack, "ms"}. Repositories are read at each task's base
// commit, without a checkout; their indexes are kept in -cache.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/eval/tasks"
	"github.com/satchel-dev/satchel/internal/outline"
)

// A prediction is one line of the output.
type prediction struct {
	ID     string        `json:"id"`
	Files  []string      `json:"files"`
	Shown  []string      `json:"included_files"`
	Ranges []tasks.Range `json:"included_ranges"`
	Tokens int           `json:"context_tokens"`
	Millis float64       `json:"ms"`
}

// ranked is how many files a prediction names.
const ranked = 100

func main() {
	if outline.WorkerMain() {
		return
	}
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "eval: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	mirror, cache string
	models        string
	budget        int
	whole         bool
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("eval", flag.ContinueOnError)
	file := fs.String("tasks", "", "tasks, JSON lines")
	out := fs.String("out", "", "predictions to write")
	limit := fs.Int("limit", 0, "stop after this many tasks; 0 means all")
	only := fs.String("repo", "", "only tasks of this repository (OWNER/NAME)")
	var o options
	fs.StringVar(&o.mirror, "mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	fs.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "satchel-eval"), "folder for indexes")
	fs.IntVar(&o.budget, "budget", 8000, "o200k tokens of the rendered pack")
	fs.StringVar(&o.models, "models", "", "folder of models saved by a cross-validation; empty means the committed weights")
	fs.BoolVar(&o.whole, "no-task", false, "pack the repository without its task")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *file == "" || o.mirror == "" || *out == "" {
		return errors.New("-tasks, -mirror and -out are needed")
	}
	all, err := tasks.Load(*file)
	if err != nil {
		return err
	}
	var list []tasks.Task
	for _, t := range all {
		if *only == "" || strings.EqualFold(t.Repo, *only) {
			list = append(list, t)
		}
	}
	if *limit > 0 && len(list) > *limit {
		list = list[:*limit]
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: no tasks to run", *file)
	}
	preds, err := predict(ctx, list, o)
	if err != nil {
		return err
	}
	return write(*out, preds)
}

// predict runs the tasks of each repository in turn, as many repositories at
// once as there are processors. Predictions come in the order of the tasks.
func predict(ctx context.Context, list []tasks.Task, o options) ([]prediction, error) {
	at := map[string]int{}
	for i, t := range list {
		at[t.ID] = i
	}
	out := make([]prediction, len(list))
	repos := tasks.ByRepo(list)
	errs := make([]error, len(repos))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for k := range next {
				errs[k] = predictRepo(ctx, repos[k], o, func(p prediction) { out[at[p.ID]] = p })
				fmt.Fprintf(os.Stderr, "%s: %d tasks\n", repos[k][0].Repo, len(repos[k]))
			}
		})
	}
	for k := range repos {
		next <- k
	}
	close(next)
	wg.Wait()
	return out, errors.Join(errs...)
}

func predictRepo(ctx context.Context, list []tasks.Task, o options, done func(prediction)) error {
	dir, err := tasks.Repository(o.mirror, list[0].Repo)
	if err != nil {
		return err
	}
	opts := &engine.Options{Dir: dir, CacheDir: filepath.Join(o.cache, strings.ReplaceAll(list[0].Repo, "/", "+"))}
	if o.models != "" {
		if opts.Models, err = tasks.LoadModels(o.models, list[0].Repo); err != nil {
			return err
		}
	}
	e, err := engine.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer e.Close()
	for _, t := range list {
		start := time.Now()
		p, err := predictTask(ctx, e, t, o)
		if err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
		p.Millis = float64(time.Since(start).Microseconds()) / 1000
		done(p)
	}
	return nil
}

func predictTask(ctx context.Context, e *engine.Engine, t tasks.Task, o options) (prediction, error) {
	p := prediction{ID: t.ID, Files: []string{}, Shown: []string{}, Ranges: []tasks.Range{}}
	req := satchel.Request{Task: t.Query, Rev: t.Base, Budget: o.budget}
	if o.whole {
		req.Task = ""
	}
	packed, order, err := e.PackRanked(ctx, req)
	if err != nil {
		return p, err
	}
	p.Files = append(p.Files, order[:min(len(order), ranked)]...)
	seen := map[string]bool{}
	for _, entry := range packed.Entries {
		for _, l := range entry.Lines {
			if !seen[entry.Ref.Path] {
				seen[entry.Ref.Path] = true
				p.Shown = append(p.Shown, entry.Ref.Path)
			}
			p.Ranges = append(p.Ranges, tasks.Range{Path: entry.Ref.Path, From: l.From, To: l.To})
		}
	}
	p.Tokens = packed.Used
	return p, nil
}

func write(name string, preds []prediction) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, p := range preds {
		if err := enc.Encode(p); err != nil {
			f.Close()
			return err
		}
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
