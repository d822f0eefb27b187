// Command train learns the weights of package rank from tasks whose answers are
// known, and cross-validates them by repository.
//
//	go run ./eval/train -tasks dev.jsonl -mirror DIR -mode cv
//	go run ./eval/train -tasks dev.jsonl -mirror DIR -mode fit -out rank/weights.go
//
// The same tasks and repositories give the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"

	"github.com/satchel-dev/satchel/eval/tasks"
	"github.com/satchel-dev/satchel/internal/outline"
	"github.com/satchel-dev/satchel/rank"
)

type options struct {
	l2     float64
	chunks bool
	drop   map[rank.Signal]bool
}

func (o options) active(col int) bool { return !o.drop[rank.Signal(col/2)] }

func main() {
	if outline.WorkerMain() {
		return
	}
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "train: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("train", flag.ContinueOnError)
	file := fs.String("tasks", "", "tasks with known answers, JSON lines")
	extra := fs.String("extra", "", "more tasks to train on, never tested: see -extra-weight")
	extraWeight := fs.Float64("extra-weight", 0.15, "weight of a task of -extra")
	mirror := fs.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	cache := fs.String("cache", filepath.Join(os.TempDir(), "satchel-train"), "folder for indexes")
	mode := fs.String("mode", "cv", "cv, ablate or fit")
	out := fs.String("out", "", "with -mode fit: the Go file to write")
	o := options{chunks: true}
	fs.Float64Var(&o.l2, "l2", 0.01, "L2 penalty")
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
	samples, err := measure(ctx, list, *mirror, *cache)
	if err != nil {
		return err
	}
	if *extra != "" {
		list, err := tasks.Load(*extra)
		if err != nil {
			return err
		}
		more, err := measure(ctx, list, *mirror, *cache)
		if err != nil {
			return err
		}
		for _, s := range more {
			s.weight = *extraWeight
		}
		samples = append(samples, more...)
	}
	tested := len(list)
	switch *mode {
	case "cv":
		fmt.Println(header)
		crossValidate(samples, tested, o).print("all signals")
	case "ablate":
		o.chunks = false
		fmt.Println(header)
		crossValidate(samples, tested, o).print("all signals")
		for sig := range rank.NumSignals {
			o.drop = map[rank.Signal]bool{sig: true}
			crossValidate(samples, tested, o).print("without " + sig.String())
		}
	case "fit":
		t := train(samples, o)
		src := weightsSource(t, *file, samples, o)
		if *out == "" {
			_, err = os.Stdout.Write(src)
			return err
		}
		return os.WriteFile(*out, src, 0o644)
	default:
		return fmt.Errorf("-mode %s: want cv, ablate or fit", *mode)
	}
	return nil
}

const folds = 5

func fold(repo string) int {
	h := fnv.New32a()
	h.Write([]byte(repo))
	return int(h.Sum32()>>3) % folds
}

// crossValidate tests each repository with models that never saw it. Only the
// first `tested` samples are tested.
func crossValidate(samples []*sample, tested int, o options) *metrics {
	total := new(metrics)
	for f := range folds {
		var in, out []*sample
		for i, s := range samples {
			switch {
			case fold(s.task.Repo) != f:
				in = append(in, s)
			case i < tested:
				out = append(out, s)
			}
		}
		t := train(in, o)
		feats := second(out, t.first)
		for i, s := range out {
			total.add(s, ranking(s, feats[i], t), o.chunks)
		}
	}
	return total
}
