// Command train learns the weights of package rank from tasks whose answers are
// known, and cross-validates them by repository.
//
//	cd lab && go run ./train -tasks dev.jsonl,train/tasks/history.jsonl -commits REPOS -mirror DIR -mode cv
//	cd lab && go run ./train -tasks dev.jsonl,train/tasks/history.jsonl -commits REPOS -mirror DIR -mode fit -out ../rank/weights.go
//
// Commits of other repositories are learned from in all folds, and never tested. In a
// cross-validation they alone teach the first pass, which is therefore the same in all
// folds and has seen no repository that is tested; the committed one learns from all.
//
// The same tasks and repositories give the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/lab/train/tasks"
	"github.com/satchel-dev/satchel/rank"
)

type options struct {
	mirror, cache string
	l2            float64
	history       float64 // weight of a task that is a commit
	commit        float64 // weight of a commit that is never tested
	save          string
	drop          map[rank.Signal]bool
}

// weight is what a task counts: commits of other repositories have no language.
func (o options) weight(t tasks.Task) float64 {
	switch {
	case t.Language == "":
		return o.commit
	case t.Commit != "":
		return o.history
	}
	return 1
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "train: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("train", flag.ContinueOnError)
	files := fs.String("tasks", "", "files of tasks with known answers, JSON lines, comma-separated")
	commits := fs.String("commits", "", "repositories, comma-separated, whose commits are trained on, never tested")
	mode := fs.String("mode", "cv", "cv, ablate or fit")
	out := fs.String("out", "", "with -mode fit: the Go file to write")
	var o options
	fs.StringVar(&o.mirror, "mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	fs.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "satchel-train"), "folder for indexes")
	fs.Float64Var(&o.l2, "l2", 0.1, "L2 penalty for files")
	fs.Float64Var(&o.history, "history-weight", 0.5, "weight of a task that is a commit")
	fs.Float64Var(&o.commit, "commit-weight", 0.3, "weight of a commit of -commits")
	fs.StringVar(&o.save, "save", "", "with -mode cv: folder for the models of each fold, which eval -models reads")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *files == "" || o.mirror == "" || *commits == "" {
		return errors.New("-tasks, -commits and -mirror are needed")
	}

	from := strings.Split(*files, ",")
	list, err := load(ctx, from, o.mirror)
	if err != nil {
		return err
	}
	others, err := commitTasks(ctx, strings.Split(*commits, ","), o.mirror)
	if err != nil {
		return err
	}
	start := time.Now()
	tested, all := len(list), slices.Concat(list, others)
	taught := others // what is tested must not teach
	if *mode == "fit" {
		taught = all
	}
	first, err := learnFirst(ctx, taught, o)
	if err != nil {
		return err
	}
	samples, err := measure(ctx, all, first, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "measured %d tasks in %.0f s\n", len(samples), time.Since(start).Seconds())

	switch *mode {
	case "cv":
		m, err := crossValidate(samples, tested, first, o)
		if err != nil {
			return err
		}
		m.print("all signals", true)
	case "ablate":
		return ablate(samples, tested, first, o)
	case "fit":
		return writeWeights(*out, train(samples, first, o), from, samples, tested, o)
	default:
		return fmt.Errorf("-mode %s: want cv, ablate or fit", *mode)
	}
	return nil
}

// load reads files of tasks, and rebuilds the queries of commits.
func load(ctx context.Context, files []string, mirror string) ([]tasks.Task, error) {
	var all []tasks.Task
	for _, f := range files {
		list, err := tasks.Load(f)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, tasks.Rebuild(ctx, mirror, all)
}

// perRepo is how many commits of each repository are trained on.
const perRepo = 60

func commitTasks(ctx context.Context, repos []string, mirror string) ([]tasks.Task, error) {
	var all []tasks.Task
	for _, r := range repos {
		list, err := tasks.FromHistory(ctx, mirror, r, "", perRepo)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// ablate prints how files are ranked without each signal.
func ablate(samples []*sample, tested int, first *rank.Model, o options) error {
	for sig := rank.Signal(-1); sig < rank.NumSignals; sig++ {
		name := "all signals"
		if sig >= 0 {
			name, o.drop = "without "+sig.String(), map[rank.Signal]bool{sig: true}
		}
		m, err := crossValidate(samples, tested, first, o)
		if err != nil {
			return err
		}
		m.print(name, false)
	}
	return nil
}

// crossValidate tests each repository with models that never saw it. Only the
// first `tested` samples are tested.
func crossValidate(samples []*sample, tested int, first *rank.Model, o options) (*metrics, error) {
	total := newMetrics()
	repos := make([]string, len(samples))
	for i, s := range samples {
		repos[i] = s.task.Repo
	}
	for f, part := range learn.Parts(repos) {
		in := make([]*sample, 0, len(samples))
		for _, i := range part.Learn {
			in = append(in, samples[i])
		}
		for _, i := range part.Test {
			if i >= tested {
				in = append(in, samples[i])
			}
		}
		t := train(in, first, o)
		if o.save != "" {
			if err := tasks.SaveModels(o.save, f, t); err != nil {
				return nil, err // stale models would be tested without a word
			}
		}
		for _, i := range part.Test {
			if i < tested {
				total.add(samples[i], t.Files)
			}
		}
	}
	return total, nil
}
