// Command eval runs the engine on tasks whose answers are known and writes what
// it ranked and packed, for a scorer.
//
//	cd lab && go run ./eval -tasks dev.jsonl -mirror DIR -out preds.jsonl -budget 8000
//
// Each line of the output is {"id", "files": the files by rank, "included_files"
// and "included_ranges": the files and lines whose text the pack shows,
// "outlined_files" and "named_files": those of which it shows an outline, or no
// more than the path, "context_tokens": o200k tokens of the whole rendered pack,
// "ms"}. Repositories are read at each task's base commit, without a checkout;
// their indexes are kept in -cache.
//
// Lines are written as tasks end, those of several repositories among each other. A
// task that fails is a line {"id", "error"}, and the others go on; then the exit
// code is 6, and -resume tries again what failed or was not reached.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// incomplete is the exit code when tasks failed.
const incomplete = 6

// errIncomplete says that tasks failed, each of which has its line.
var errIncomplete = errors.New("some tasks failed")

func main() {
	err := run(context.Background(), os.Args[1:])
	switch {
	case errors.Is(err, errIncomplete):
		os.Exit(incomplete)
	case err != nil:
		fmt.Fprintf(os.Stderr, "eval: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	mirror, cache string
	models        string
	budget        int
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("eval", flag.ContinueOnError)
	file := fs.String("tasks", "", "tasks, JSON lines")
	name := fs.String("out", "", "predictions to write")
	resume := fs.Bool("resume", false, "keep the predictions that -out holds, and add the missing ones")
	limit := fs.Int("limit", 0, "stop after this many tasks; 0 means all")
	only := fs.String("repo", "", "only tasks of this repository (OWNER/NAME)")
	var o options
	fs.StringVar(&o.mirror, "mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	fs.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "satchel-eval"), "folder for indexes")
	fs.IntVar(&o.budget, "budget", 8000, "o200k tokens of the rendered pack")
	fs.StringVar(&o.models, "models", "", "folder of models saved by a cross-validation; empty means the committed weights")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *file == "" || o.mirror == "" || *name == "" {
		return errors.New("-tasks, -mirror and -out are needed")
	}

	list, err := choose(*file, *only, *limit)
	if err != nil {
		return err
	}
	out, err := openOutput(*name, *resume)
	if err != nil {
		return err
	}
	predict(ctx, out.missing(list), o, out)
	fmt.Fprintf(os.Stderr, "eval: %d tasks: %d done, %d failed, %d done before\n", len(list), out.done, out.failed, out.kept)
	if err := out.Close(); err != nil {
		return err
	}
	if out.failed > 0 {
		return errIncomplete
	}
	return nil
}

// choose reads a task file: at most limit tasks, if that is not 0, of one
// repository, if one is named.
func choose(file, only string, limit int) ([]tasks.Task, error) {
	all, err := tasks.Load(file)
	if err != nil {
		return nil, err
	}
	var list []tasks.Task
	for _, t := range all {
		if only == "" || strings.EqualFold(t.Repo, only) {
			list = append(list, t)
		}
	}
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no tasks to run", file)
	}
	return list, nil
}
