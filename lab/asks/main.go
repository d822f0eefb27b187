// Command asks measures what a model would be shown of a change, without a model.
//
//	cd lab && go run ./asks -mirror DIR -kind commit                # facts of people's messages that are in the prompt
//	cd lab && go run ./asks -mirror DIR -kind review                # lines that a later fix removed that are in the prompt
//	cd lab && go run ./asks -mirror DIR -kind commit -collect -repos repos.txt > asks/commits.tsv
//	cd lab && go run ./asks -mirror DIR -kind commit -show REPO@COMMIT -budget 4000
//
// A fact is a code-like word, path, flag or number of the message that people wrote
// for a commit, if it stands in a changed line or a path of the commit: what a
// message is made of. It is found again if the prompt holds it as a word.
//
// A line that a small later fix removed, as git blame -w tells, is where a reviewer
// might have seen a defect. Tests, documents, comments and fixes of more than 12
// hunks do not count. It is found again if the prompt holds the line. Many such lines
// were right when they were written, and a fix often removes one of several: the
// numbers compare ways to fill a prompt, and say nothing about findings.
//
// Both measures are means over commits. Beside the contexts of package ask stand the
// orders of others, cut to as many tokens. The lists of commits are beside this file.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "asks: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	mirror, cache string
	review        bool
	methods       []string
	budgets       []int
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("asks", flag.ContinueOnError)
	var o options
	fs.StringVar(&o.mirror, "mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	fs.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "satchel-asks"), "folder for indexes")
	kind := fs.String("kind", "commit", "commit or review")
	collect := fs.Bool("collect", false, "write the list of commits instead of measuring")
	repos := fs.String("repos", "", "with -collect: list of repositories, a pass, a tab and OWNER/NAME a line")
	each := fs.Int("each", 20, "with -collect: commits of a repository at most")
	file := fs.String("list", "", "list of commits; empty means the one beside this program")
	methods := fs.String("methods", "", "which to measure, with commas between; empty means all")
	budgets := fs.String("budget", "2000,4000,8000,16000", "tokens, with commas between")
	show := fs.String("show", "", "write the prompt for OWNER/NAME@COMMIT instead of measuring")
	only := fs.String("repo", "", "only this repository")
	verbose := fs.Bool("v", false, "a line for each commit")
	if err := fs.Parse(args); err != nil {
		return err
	}
	switch {
	case *kind != "commit" && *kind != "review":
		return fmt.Errorf("kind %q: want commit or review", *kind)
	case o.mirror == "":
		return errors.New("-mirror is missing")
	}
	o.review = *kind == "review"
	for b := range strings.SplitSeq(*budgets, ",") {
		n, err := strconv.Atoi(b)
		if err != nil {
			return err
		}
		o.budgets = append(o.budgets, n)
	}
	if *methods != "" {
		o.methods = strings.Split(*methods, ",")
	}
	if *collect {
		return collectAll(ctx, o, *repos, *each)
	}
	if name, id, ok := strings.Cut(*show, "@"); ok {
		return showOne(ctx, o, name, id)
	}
	if *file == "" {
		*file = filepath.Join("asks", *kind+"s.tsv")
	}
	list, err := load(*file, *only)
	if err != nil {
		return err
	}
	return measure(ctx, o, list, *verbose)
}

// A sample is a commit, and what of it is to be found in a prompt.
type sample struct {
	repo, id string
	fix      string // that removed the lines, of a review
	lines    []place
}

// A place is a line that a commit added.
type place struct {
	path string
	line int
}

// load reads a list: repository, commit and, of reviews, the fix and the lines.
func load(name, only string) (list []sample, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		w := strings.Split(s.Text(), "\t")
		if len(w) < 2 || only != "" && w[0] != only {
			continue
		}
		c := sample{repo: w[0], id: w[1]}
		if len(w) > 3 {
			c.fix = w[2]
			for _, at := range w[3:] {
				k := strings.LastIndexByte(at, ':')
				n, err := strconv.Atoi(at[k+1:])
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				c.lines = append(c.lines, place{at[:k], n})
			}
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no commits", name)
	}
	return list, nil
}
