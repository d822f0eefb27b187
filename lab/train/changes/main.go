// Command changes measures how well package rank orders the files of a change,
// and learns the weights of its default profile.
//
//	cd lab && go run ./train/changes -repos repos.txt -mirror DIR -pass dev            # the measure
//	cd lab && go run ./train/changes -repos repos.txt -mirror DIR -pass train -mode fit -out ../rank/changes_weights.go
//
// The measure takes ordinary commits of 2 to 50 files. Right are those files
// whose name, or the name of a definition in them, stands in the subject of the
// commit, which the ranking does not see; commits of which no file or every
// file is right are left out. It reports how often a right file comes first
// (hit@1) and the mean reciprocal rank of the first right one, for the default
// profile, for iris, and for order by size.
//
// The list of repositories has lines of a pass, a tab and OWNER/NAME. The same
// repositories give the same numbers, and the same bytes of weights.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "changes: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("changes", flag.ContinueOnError)
	repos := fs.String("repos", "", "list of repositories by pass")
	mirror := fs.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	pass := fs.String("pass", "dev", "which lines of the list to take")
	mode := fs.String("mode", "measure", "measure or fit")
	each := fs.Int("each", 20, "commits of a repository at most")
	total := fs.Int("n", 500, "commits in all at most; 0 means no limit")
	out := fs.String("out", "", "with -mode fit: the Go file to write")
	l2 := fs.Float64("l2", 0, "with -mode fit: L2 penalty; 0 means the best in cross-validation")
	if err := fs.Parse(args); err != nil {
		return err
	}
	names, err := passOf(*repos, *pass)
	if err != nil {
		return err
	}
	samples, err := collect(ctx, *mirror, names, *each, *total)
	if err != nil {
		return err
	}
	switch *mode {
	case "measure":
		report(samples)
		return nil
	case "fit":
		return fitWeights(samples, names, *l2, *out)
	}
	return fmt.Errorf("mode %q: want measure or fit", *mode)
}

// passOf returns the repositories of one pass, in the order of the list.
func passOf(list, pass string) ([]string, error) {
	if list == "" {
		return nil, errors.New("-repos is missing")
	}
	f, err := os.Open(list)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if w := strings.Fields(s.Text()); len(w) >= 2 && w[0] == pass {
			names = append(names, w[1])
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no repository of pass %s", list, pass)
	}
	return names, nil
}
