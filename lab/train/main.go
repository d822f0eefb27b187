// Command train learns the weights of package rank from tasks whose answers are
// known, and cross-validates them by repository.
//
//	cd lab && go run ./train -tasks dev.jsonl -mirror DIR -mode cv
//	cd lab && go run ./train -tasks dev.jsonl -mirror DIR -mode fit -out ../rank/weights.go
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
	"strings"
	"time"

	"github.com/satchel-dev/satchel/lab/learn"
	"github.com/satchel-dev/satchel/lab/tasks"
	"github.com/satchel-dev/satchel/rank"
)

type options struct {
	l2      float64
	chunks  bool
	verbose bool
	save    string
	drop    map[rank.Signal]bool
}

func (o options) active(col int) bool { return !o.drop[signalOf(col)] }

// firstPass reports whether the first pass knows a column.
func (o options) firstPass(col int) bool {
	sig := signalOf(col)
	return o.active(col) && (sig < rank.Imports || sig > rank.FirstPass)
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "train: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("train", flag.ContinueOnError)
	file := fs.String("tasks", "", "tasks with known answers, JSON lines")
	commits := fs.String("commits", "", "repositories, comma-separated, whose commits are trained on too, never tested")
	commitWeight := fs.Float64("commit-weight", 0.15, "weight of a commit as a task")
	mirror := fs.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	cache := fs.String("cache", filepath.Join(os.TempDir(), "satchel-train"), "folder for indexes")
	mode := fs.String("mode", "cv", "cv, l2, signals, ablate or fit")
	out := fs.String("out", "", "with -mode fit: the Go file to write")
	o := options{chunks: true}
	fs.Float64Var(&o.l2, "l2", 0.1, "L2 penalty for files")
	fs.BoolVar(&o.verbose, "v", false, "print the ranks of each task's files")
	fs.StringVar(&o.save, "save", "", "with -mode cv: folder for the models of each fold, which eval -models reads")
	fs.BoolVar(&o.chunks, "chunks", true, "train and test chunks too")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *file == "" || *mirror == "" {
		return errors.New("-tasks and -mirror are needed")
	}
	list, err := tasks.Load(*file)
	if err != nil {
		return err
	}
	start := time.Now()
	samples, err := measure(ctx, list, *mirror, *cache)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "measured %d tasks in %.0f s\n", len(samples), time.Since(start).Seconds())
	tested := len(samples)
	if *commits != "" {
		more, err := measureCommits(ctx, strings.Split(*commits, ","), *mirror, *cache, *commitWeight, o)
		if err != nil {
			return err
		}
		samples = append(samples, more...)
	}

	switch *mode {
	case "cv":
		fmt.Println(header)
		crossValidate(samples, tested, o).print("all signals")
	case "l2":
		fmt.Println(header)
		for _, o.l2 = range []float64{0.05, 0.1, 0.2} {
			crossValidate(samples, tested, o).print(fmt.Sprint("l2 ", o.l2))
		}
	case "signals":
		eachAlone(samples, tested)
	case "ablate":
		ablate(samples, tested, o)
	case "fit":
		return writeWeights(*out, train(samples, o), *file, samples, tested, o)
	default:
		return fmt.Errorf("-mode %s: want cv, l2, signals, ablate or fit", *mode)
	}
	return nil
}

// eachAlone prints how each signal alone ranks files.
func eachAlone(samples []*sample, tested int) {
	fmt.Println(header)
	feats := second(samples, &rank.First)
	for sig := range rank.NumSignals {
		m := new(metrics)
		alone := trained{first: &rank.First, files: &rank.Model{}, chunks: &rank.Chunks}
		alone.files.Max[sig] = 1
		for i, s := range samples[:tested] {
			m.add(s, ranked(s, feats[i], alone), false)
		}
		m.print(sig.String())
	}
}

// ablate prints how files are ranked without each signal.
func ablate(samples []*sample, tested int, o options) {
	o.chunks = false
	fmt.Println(header)
	crossValidate(samples, tested, o).print("all signals")
	for sig := range rank.NumSignals {
		o.drop = map[rank.Signal]bool{sig: true}
		crossValidate(samples, tested, o).print("without " + sig.String())
	}
}

// crossValidate tests each repository with models that never saw it. Only the
// first `tested` samples are tested.
func crossValidate(samples []*sample, tested int, o options) *metrics {
	total := new(metrics)
	repos := make([]string, len(samples))
	for i, s := range samples {
		repos[i] = s.task.Repo
	}
	for f, part := range learn.Parts(repos) {
		var in, out []*sample
		for _, i := range part.Learn {
			in = append(in, samples[i])
		}
		for _, i := range part.Test {
			if i < tested {
				out = append(out, samples[i])
			}
		}
		t := train(in, o)
		if o.save != "" {
			if err := tasks.SaveModels(o.save, f, t.models()); err != nil {
				fmt.Fprintf(os.Stderr, "train: %v\n", err)
				os.Exit(1) // stale models would be tested without a word
			}
		}
		feats := second(out, t.first)
		for i, s := range out {
			r := ranked(s, feats[i], t)
			total.add(s, r, o.chunks)
			if o.verbose {
				printRanks(s, r)
			}
		}
	}
	return total
}
