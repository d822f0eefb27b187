// Command working measures what the working set does to ranks.
//
//	cd lab && go run ./working -tasks dev.jsonl -mirror DIR
//
// Of each task that needs several files, the agent has just edited the first of
// them, as it does in the middle of a task: where do the others rank, with the
// working set and without it? And when it has read and edited files that have
// nothing to do with the task, because the user has changed the subject: what does
// that cost?
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

	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/tasks"
	"github.com/satchel-dev/satchel/rank"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintf(os.Stderr, "working: %v\n", err)
		os.Exit(1)
	}
}

// A score sums up ranks, over the wanted files.
type score struct {
	files, first, five, twenty int
	reciprocal                 float64
}

func (s *score) add(rank int) {
	s.files++
	s.reciprocal += 1 / float64(rank+1)
	if rank < 1 {
		s.first++
	}
	if rank < 5 {
		s.five++
	}
	if rank < 20 {
		s.twenty++
	}
}

func (s *score) print(what string) {
	of := func(n int) float64 { return 100 * float64(n) / float64(max(s.files, 1)) }
	fmt.Printf("%-34s %4d files, first %4.1f %%, in 5 %4.1f %%, in 20 %4.1f %%, MRR %.3f\n", what, s.files, of(s.first), of(s.five), of(s.twenty), s.reciprocal/float64(max(s.files, 1)))
}

func run(ctx context.Context) error {
	file := flag.String("tasks", "", "tasks, JSON lines")
	mirror := flag.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	cache := flag.String("cache", filepath.Join(os.TempDir(), "satchel-eval"), "folder for indexes")
	each := flag.Int("each", 4, "tasks of each repository that need several files")
	flag.Parse()
	if *file == "" || *mirror == "" {
		return errors.New("-tasks and -mirror are needed")
	}
	all, err := tasks.Load(*file)
	if err != nil {
		return err
	}
	var without, edited, astray score
	for _, list := range tasks.ByRepo(all) {
		list = slices.DeleteFunc(list, func(t tasks.Task) bool { return len(t.Gold) < 2 })
		list = list[:min(*each, len(list))]
		if len(list) == 0 {
			continue
		}
		if err := measure(ctx, list, *mirror, *cache, &without, &edited, &astray); err != nil {
			return err
		}
	}
	without.print("nothing was used")
	edited.print("another file of the task was edited")
	astray.print("five unrelated files were used")
	return nil
}

func measure(ctx context.Context, list []tasks.Task, mirror, cache string, without, edited, astray *score) error {
	dir, err := tasks.Repository(mirror, list[0].Repo)
	if err != nil {
		return err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	x, err := index.Open(index.Options{Dir: filepath.Join(cache, strings.ReplaceAll(list[0].Repo, "/", "+"))})
	if err != nil {
		return err
	}
	defer x.Close()
	now := time.Unix(1_700_000_000, 0)
	for _, t := range list {
		v, err := x.View(ctx, repo, t.Base)
		if err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
		ranks := func(uses []rank.Use, s *score) {
			q := ranking.Analyze(ctx, v, t.Query)
			q.Used = rank.Gains(uses, now)
			r := ranking.Rank(v, q, rank.Models{})
			for _, want := range t.Gold[1:] {
				k := 0 // the file that is known to matter is not in the way of others
				for _, i := range r.Order {
					p := v.Files()[i].Path
					if p == want {
						s.add(k)
						break
					}
					if p != t.Gold[0] {
						k++
					}
				}
			}
		}
		fresh := rank.Fresh(now)
		ranks(nil, without)
		ranks([]rank.Use{{Path: t.Gold[0], Edited: true, Trace: fresh}}, edited)
		var other []rank.Use
		files := v.Files()
		for k := range 5 { // spread over the repository
			p := files[(k*2+1)*len(files)/10%len(files)].Path
			if !slices.Contains(t.Gold, p) {
				other = append(other, rank.Use{Path: p, Edited: k%2 == 0, Trace: fresh})
			}
		}
		ranks(other, astray)
	}
	return nil
}
