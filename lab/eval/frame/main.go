// Command frame says how many tokens of packs are not the repository's text:
// frame, headings, fences and receipt. The list of likely files is counted apart.
//
//	cd lab && go run ./eval/frame -tasks dev.jsonl -mirror DIR -repo pallets/flask
//	cd lab && go run ./eval/frame -dir ~/src/flask "teardown order of contexts" "session cookie path"
//
// It prints a line for each task: the tokens of the pack, of the list, of what is
// around the text, and its share of the pack; the lines whose text is shown, and of
// the lines that the task changed, where they are known, how many. The last line is
// the sum. It fails if the share of all packs together is above -most.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/lab/train/tasks"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/tokens"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "frame: %v\n", err)
		os.Exit(1)
	}
}

// options are the flags that say what is packed.
type options struct {
	mirror, dir, cache string
	format             string
	limit, budget      int
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("frame", flag.ContinueOnError)
	file := fs.String("tasks", "", "tasks, JSON lines")
	only := fs.String("repo", "", "only tasks of this repository (OWNER/NAME)")
	most := fs.Float64("most", 0, "fail above this share; 0 means never")
	var o options
	fs.StringVar(&o.mirror, "mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	fs.StringVar(&o.dir, "dir", "", "repository of the tasks in the arguments, instead of -tasks")
	fs.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "satchel-eval"), "folder for indexes")
	fs.IntVar(&o.limit, "limit", 0, "at most so many tasks of each repository; 0 means all")
	fs.IntVar(&o.budget, "budget", 8000, "tokens of a pack")
	fs.StringVar(&o.format, "format", "md", "md, xml, json or plain")
	if err := fs.Parse(args); err != nil {
		return err
	}

	list, err := tasksOf(*file, *only, o.dir, fs.Args())
	if err != nil {
		return err
	}
	fmt.Println("tokens  list  around  share  lines  changed  task")
	var sum measured
	for _, some := range tasks.ByRepo(list) {
		if err := measureRepo(ctx, some, o, &sum); err != nil {
			return err
		}
	}
	fmt.Println(sum.String(), "all")
	if s := sum.share(); *most > 0 && s > *most {
		return fmt.Errorf("%.2f %% of the tokens are around the text, more than %.2f %%", 100*s, 100**most)
	}
	return nil
}

// tasksOf makes a task of each argument, and reads those of a file.
func tasksOf(file, only, dir string, args []string) ([]tasks.Task, error) {
	var list []tasks.Task
	for _, words := range args {
		list = append(list, tasks.Task{ID: words, Repo: dir, Query: words})
	}
	if file != "" {
		all, err := tasks.Load(file)
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			if only == "" || strings.EqualFold(t.Repo, only) {
				list = append(list, t)
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("there is no task: -tasks and -mirror, or -dir and words")
	}
	return list, nil
}

// measureRepo packs for the tasks of one repository, prints their lines and adds
// them up.
func measureRepo(ctx context.Context, list []tasks.Task, o options, sum *measured) (err error) {
	if o.limit > 0 && len(list) > o.limit {
		list = list[:o.limit]
	}
	opts := &engine.Options{Dir: o.dir, NoCache: o.dir != ""}
	if o.dir == "" {
		if opts.Dir, err = tasks.Repository(o.mirror, list[0].Repo); err != nil {
			return err
		}
		opts.CacheDir = filepath.Join(o.cache, strings.ReplaceAll(list[0].Repo, "/", "+"))
	}
	e, err := engine.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()

	for _, t := range list {
		p, err := e.Pack(ctx, satchel.Request{Task: t.Query, Rev: t.Base, Budget: o.budget, Format: o.format})
		if err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
		m := measure(p, &t)
		fmt.Println(m.String(), t.ID)
		sum.add(m)
	}
	return nil
}

// measured is what one pack, or all together, show.
type measured struct {
	used, list, around   int // tokens
	lines, shown, wanted int // lines of text; of the wanted ones, those shown
}

func measure(p *satchel.Pack, t *tasks.Task) measured {
	m := measured{used: p.Used, around: p.Used}
	for _, s := range p.Sections {
		if s.Name == "paths" {
			m.list = s.Tokens
			m.around -= s.Tokens
		}
	}
	shown := map[string]map[int]bool{}
	for i := range p.Entries {
		x := &p.Entries[i]
		m.around -= x.Tokens
		if !pack.IsText(x.Ref.Kind, x.Detail) && x.Ref.From > 0 { // a line of an outline says where the definition stands
			m.around -= tokens.O200k().Count(fmt.Sprintf("%d-%d ", x.Ref.From, x.Ref.To))
		}
		if shown[x.Ref.Path] == nil {
			shown[x.Ref.Path] = map[int]bool{}
		}
		for _, l := range x.Lines {
			m.lines += l.To - l.From + 1
			for n := l.From; n <= l.To; n++ {
				shown[x.Ref.Path][n] = true
			}
		}
	}
	for _, r := range t.Ranges {
		for n := r.From; n <= r.To; n++ {
			m.wanted++
			if shown[r.Path][n] {
				m.shown++
			}
		}
	}
	return m
}

func (m *measured) add(n measured) {
	m.used += n.used
	m.list += n.list
	m.around += n.around
	m.lines += n.lines
	m.shown += n.shown
	m.wanted += n.wanted
}

func (m *measured) share() float64 {
	return float64(m.around) / float64(max(m.used-m.list, 1))
}

func (m *measured) String() string {
	changed := "-"
	if m.wanted > 0 {
		changed = fmt.Sprintf("%d/%d", m.shown, m.wanted)
	}
	return fmt.Sprintf("%6d  %4d  %6d  %4.1f%%  %5d  %7s ", m.used, m.list, m.around, 100*m.share(), m.lines, changed)
}
