// Command related measures how well satchel finds what belongs to a change, the tests
// that cover it and the other files that must change with it, and learns the weights.
//
//	cd lab && go run ./related -mirror DIR -mode make -cases related/cases.jsonl
//	cd lab && go run ./related -mirror DIR -mode fit -out ../rank/related_weights.go
//	cd lab && go run ./related -mirror DIR                # the measure
//
// A case is a commit. Of kind tests, it changes code and tests that existed before: the
// change is that of the code alone, and right are those tests. Of kind ripples, it
// changes three to twelve existing files of code: the change is that of the first by
// path, and right are the others. The change is applied to the commit's parent, in a
// repository of our own beside the mirror.
//
// Half of the repositories (repos.txt: test) are never learned from. Commits that another
// table of weights has learned from are left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "related: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	mirror, cache string
	pack          bool
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("related", flag.ContinueOnError)
	var o options
	repos := fs.String("repos", "related/repos.txt", "lines of a half (learn or test), OWNER/NAME and a language")
	known := fs.String("learned", "train/tasks/history.jsonl", "tasks whose commits are left out")
	file := fs.String("cases", "related/cases.jsonl", "the cases; with -mode make, the file to write")
	mode := fs.String("mode", "measure", "make, fit or measure")
	out := fs.String("out", "", "with -mode fit: the Go file to write")
	show := fs.Bool("show", false, "print the answers of every case")
	fs.StringVar(&o.mirror, "mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	fs.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "satchel-related"), "folder for indexes and changed trees")
	fs.BoolVar(&o.pack, "pack", false, "also measure packs of 8,000 tokens, which takes minutes")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if o.mirror == "" {
		return errors.New("-mirror is needed")
	}
	if *mode == "make" {
		return makeCases(ctx, o, *repos, *known, *file)
	}
	cases, err := loadCases(*file)
	if err != nil {
		return err
	}
	found, err := look(ctx, o, cases)
	if err != nil {
		return err
	}
	switch *mode {
	case "fit":
		return fitWeights(found, *file, *out)
	case "measure":
		report(os.Stdout, found, *show)
		return nil
	}
	return fmt.Errorf("-mode %s: want make, fit or measure", *mode)
}
