// Command eval runs the engine on tasks whose answers are known and writes what
// it ranked and packed, for a scorer.
//
//	go run ./eval -tasks dev.jsonl -mirror DIR -out preds.jsonl -budget 8000
//
// Each line of the output is {"id", "files": the files by rank, "included_files"
// and "included_ranges": the files and lines whose text the pack shows,
// "outlined_files" and "named_files": those of which it shows an outline, or no
// more than the path, "context_tokens": o200k tokens of the whole rendered pack,
// "ms"}. Repositories are read at each task's base commit, without a checkout;
// their indexes are kept in -cache.
//
// With -no-task the repository is packed without the task; -order packs it in an
// order that others use instead of by importance, for comparison.
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
	ID       string        `json:"id"`
	Files    []string      `json:"files"`
	Shown    []string      `json:"included_files"`
	Ranges   []tasks.Range `json:"included_ranges"`
	Outlined []string      `json:"outlined_files"`
	Named    []string      `json:"named_files"`
	Tokens   int           `json:"context_tokens"`
	Millis   float64       `json:"ms"`
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
	order         string
	detail        satchel.Detail
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
	fs.StringVar(&o.order, "order", "", "pack without the task in this order: size (largest first), smallest or repomix; empty means by importance")
	fs.TextVar(&o.detail, "detail", satchel.Full, "the most that is shown of a file: full or outline")
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
	cache := cacheOf(o.cache, list[0].Repo)
	if o.order != "" {
		b, err := openBaseline(ctx, dir, cache, o.order)
		if err != nil {
			return err
		}
		defer b.Close()
		return predictTasks(list, done, func(t tasks.Task) (*satchel.Pack, []string, error) {
			return b.pack(ctx, t, o.budget, o.detail)
		})
	}
	opts := &engine.Options{Dir: dir, CacheDir: cache}
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
	return predictTasks(list, done, func(t tasks.Task) (*satchel.Pack, []string, error) {
		req := satchel.Request{Task: t.Query, Rev: t.Base, Budget: o.budget, Detail: o.detail}
		if o.whole {
			req.Task = ""
		}
		return e.PackRanked(ctx, req)
	})
}

func predictTasks(list []tasks.Task, done func(prediction), pack func(tasks.Task) (*satchel.Pack, []string, error)) error {
	for _, t := range list {
		start := time.Now()
		packed, order, err := pack(t)
		if err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
		p := predicted(t.ID, packed, order)
		p.Millis = float64(time.Since(start).Microseconds()) / 1000
		done(p)
	}
	return nil
}

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
