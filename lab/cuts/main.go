// Command cuts counts where packs cut what they show in part: how many of the borders
// between a line that is shown and one that is left out stand inside a statement.
//
//	cd lab && go run ./cuts -tasks dev.jsonl -mirror DIR -repos pallets/flask,gin-gonic/gin -each 5
//
// It prints a line for each repository: packs, entries that are shown in part, borders,
// those inside a statement, those inside a comment that is shortened; and of Go, which
// go/parser reads without our outliner, borders and those inside a statement once more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/lab/tasks"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "cuts: %v\n", err)
		os.Exit(1)
	}
}

// A tally is what was counted in the packs of one repository.
type tally struct {
	packs, parts, borders, inside, remarks int
	parsed, parsedInside                   int // of Go
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("cuts", flag.ContinueOnError)
	file := fs.String("tasks", "", "tasks, JSON lines")
	mirror := fs.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	cache := fs.String("cache", filepath.Join(os.TempDir(), "satchel-eval"), "folder for indexes")
	only := fs.String("repos", "", "repositories (OWNER/NAME), with commas; empty means all")
	each := fs.Int("each", 5, "tasks of each repository")
	budget := fs.Int("budget", 8000, "tokens of a pack")
	show := fs.Bool("show", false, "print each border inside a statement")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *file == "" || *mirror == "" {
		return errors.New("-tasks and -mirror are needed")
	}
	all, err := tasks.Load(*file)
	if err != nil {
		return err
	}
	for _, list := range tasks.ByRepo(all) {
		repo := list[0].Repo
		if *only != "" && !slices.Contains(strings.Split(*only, ","), repo) {
			continue
		}
		dir, err := tasks.Repository(*mirror, repo)
		if err != nil {
			return err
		}
		e, err := engine.Open(ctx, &engine.Options{Dir: dir, CacheDir: filepath.Join(*cache, strings.ReplaceAll(repo, "/", "+"))})
		if err != nil {
			return err
		}
		var t tally
		for _, x := range list[:min(len(list), *each)] {
			p, err := e.Pack(ctx, satchel.Request{Task: x.Query, Rev: x.Base, Budget: *budget})
			if err != nil {
				return fmt.Errorf("%s: %w", x.ID, err)
			}
			if err := t.pack(ctx, dir, x.Base, p, *show); err != nil {
				return fmt.Errorf("%s: %w", x.ID, err)
			}
		}
		e.Close()
		fmt.Printf("%-32s %3d packs %4d parts %4d borders %4d inside a statement %4d in comments; go/parser: %4d borders %4d inside\n",
			repo, t.packs, t.parts, t.borders, t.inside, t.remarks, t.parsed, t.parsedInside)
	}
	return nil
}

// pack counts the borders of one pack.
func (t *tally) pack(ctx context.Context, dir, rev string, p *satchel.Pack, show bool) error {
	t.packs++
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Detail != satchel.Trimmed || e.Ref.Kind != satchel.KindSnippet {
			continue
		}
		t.parts++
		text, err := exec.CommandContext(ctx, "git", "-C", dir, "cat-file", "blob", rev+":"+e.Ref.Path).Output()
		if err != nil {
			return fmt.Errorf("%s: %w", e.Ref.Path, err)
		}
		places := outline.Places(e.Lang, text)
		var judge *goFile
		if e.Lang == "go" {
			judge = parseGo(text)
		}
		for _, line := range borders(e) {
			if line < 1 || line > len(places) {
				continue
			}
			t.borders++
			place := places[line-1]
			inComment := place&outline.Remark != 0
			switch {
			case place&outline.Begins != 0:
			case inComment, line > 1 && places[line-2]&outline.Remark != 0:
				t.remarks++
				inComment = true
			default:
				t.inside++
				if show {
					fmt.Printf("  %s:%d (%s)\n", e.Ref.Path, line, e.Ref)
				}
			}
			if judge != nil && !inComment {
				t.parsed++
				if judge.inside(line) {
					t.parsedInside++
					if show {
						fmt.Printf("  go/parser: %s:%d (%s)\n", e.Ref.Path, line, e.Ref)
					}
				}
			}
		}
	}
	return nil
}

// borders returns the lines of an entry before which a cut stands.
func borders(e *satchel.Entry) (at []int) {
	for i, l := range e.Lines {
		if l.From > e.Ref.From {
			at = append(at, l.From)
		}
		if l.To < e.Ref.To && (i+1 == len(e.Lines) || e.Lines[i+1].From > l.To+1) {
			at = append(at, l.To+1)
		}
	}
	return at
}
