// Command gather makes tasks from the history of repositories: a commit's message
// is what was asked for, the source files that it changes are what was needed.
//
//	cd lab && go run ./train/gather -repos REPOS -mirror DIR > train/tasks/history.jsonl
//
// REPOS has a line a repository: a word, OWNER/NAME, the language. The same commits
// are taken each time. Only facts are written; queries are rebuilt from the commits.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/satchel-dev/satchel/lab/train/tasks"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "gather: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("gather", flag.ContinueOnError)
	repos := fs.String("repos", "", "file with the repositories")
	mirror := fs.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	each := fs.Int("each", 40, "tasks of a repository")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *repos == "" || *mirror == "" {
		return errors.New("-repos and -mirror are needed")
	}
	f, err := os.Open(*repos)
	if err != nil {
		return err
	}
	defer f.Close()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for s := bufio.NewScanner(f); s.Scan(); {
		w := strings.Fields(s.Text())
		if len(w) != 3 {
			return fmt.Errorf("%s: %q: want a word, OWNER/NAME and a language", *repos, s.Text())
		}
		list, err := tasks.FromHistory(ctx, *mirror, w[1], w[2], *each)
		if err != nil {
			return err
		}
		for _, t := range list {
			t.Query = ""
			if err := out.Encode(t); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "%-30s %-12s %d\n", w[1], w[2], len(list))
	}
	return nil
}
