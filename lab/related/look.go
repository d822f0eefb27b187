package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
)

// A seen is a case with what was measured of it.
type seen struct {
	*Case
	Files []string // that may belong to the change
	Rows  []rank.RelatedRow
	Grep  []float64 // how many of the changed names git grep finds in each

	Listed  []satchel.Related // what satchel lists for the change
	Surplus []satchel.Related // what it lists for the whole commit, of which nothing is right

	Pack  map[string]bool // files in a pack of 8,000 tokens: true if some of their text is
	Used  int             // its tokens
	Ended bool            // nothing was left out for want of room
}

// look measures all cases, as many repositories at once as there are processors.
func look(ctx context.Context, o options, cases []Case) ([]seen, error) {
	byRepo := map[string][]int{}
	for i := range cases {
		byRepo[cases[i].Repo] = append(byRepo[cases[i].Repo], i)
	}
	out := make([]seen, len(cases))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	done := 0
	for repo, list := range byRepo {
		g.Go(func() error {
			if err := lookAt(ctx, o, repo, cases, list, out); err != nil {
				return fmt.Errorf("%s: %w", repo, err)
			}
			mu.Lock()
			defer mu.Unlock()
			done += len(list)
			fmt.Fprintf(os.Stderr, "%d of %d: %s\n", done, len(cases), repo)
			return nil
		})
	}
	return out, g.Wait()
}

// opened is a project on a borrowed repository.
func opened(ctx context.Context, o options, repo string) (dir string, p *project.Project, err error) {
	if dir, err = borrow(ctx, o, repo); err != nil {
		return "", nil, err
	}
	r, err := git.Open(ctx, dir)
	if err != nil {
		return "", nil, err
	}
	x, err := index.Open(index.Options{Dir: filepath.Join(o.cache, strings.ReplaceAll(repo, "/", "+"), "index"), Tree: r})
	if err != nil {
		r.Close()
		return "", nil, err
	}
	return dir, &project.Project{Tree: r, Index: x, Models: rank.Models{}.OrDefault(), Largest: project.DefaultFileBytes}, nil
}

func lookAt(ctx context.Context, o options, repo string, cases []Case, list []int, out []seen) error {
	dir, p, err := opened(ctx, o, repo)
	if err != nil {
		return err
	}
	defer p.Tree.Close()
	defer p.Index.Close()
	e, err := engine.Open(ctx, &engine.Options{Dir: dir, CacheDir: filepath.Join(o.cache, strings.ReplaceAll(repo, "/", "+"), "engine")})
	if err != nil {
		return err
	}
	defer e.Close()
	for _, i := range list {
		c := &cases[i]
		id, err := commitQuery(ctx, dir, c)
		if err != nil {
			return err
		}
		if _, err := output(command(ctx, dir, "update-ref", "HEAD", id)); err != nil {
			return err
		}
		run, err := changeset.Measure(ctx, p, &changeset.Request{From: c.Base, To: id})
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		grep, err := grepNames(ctx, dir, id, run)
		if err != nil {
			return err
		}
		whole, err := changeset.Measure(ctx, p, &changeset.Request{From: c.Base, To: c.Commit})
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		s := seen{Case: c, Listed: run.Report.Tests, Surplus: whole.Report.Tests}
		if c.Kind == "ripples" { // tests among them
			s.Listed, s.Surplus = append(s.Listed, run.Report.Related...), append(s.Surplus, whole.Report.Related...)
		}
		files := run.View.Files()
		for _, rel := range signal.Related(run.View, run.Report.Files, run.Before()).List {
			f := &files[rel.File]
			if c.Kind == "tests" && f.Class != outline.Test {
				continue
			}
			s.Files, s.Rows, s.Grep = append(s.Files, f.Path), append(s.Rows, rel.Row), append(s.Grep, float64(grep[f.Path]))
		}
		if !o.pack {
			out[i] = s
			continue
		}
		if err := pack(ctx, e, c.Base+".."+id, &s); err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		out[i] = s
	}
	return nil
}

// pack makes the pack of a change that an agent would get, in 8,000 tokens.
func pack(ctx context.Context, e *engine.Engine, changes string, s *seen) error {
	p, err := e.Pack(ctx, satchel.Request{Changes: changes, Budget: 8000})
	if err != nil {
		return err
	}
	s.Pack, s.Used, s.Ended = map[string]bool{}, p.Used, true
	for _, r := range slices.Concat(p.Tests, p.Related) {
		s.Pack[r.Path] = false
	}
	for i := range p.Entries {
		s.Pack[p.Entries[i].Ref.Path] = true
	}
	for i := range p.Omitted {
		s.Ended = s.Ended && p.Omitted[i].Why != satchel.WhyNoRoom
	}
	return nil
}

// grepNames counts the changed names that git grep finds in each file.
func grepNames(ctx context.Context, dir, id string, run *changeset.Run) (map[string]int, error) {
	var names []string
	for i := range run.Report.Files {
		for k := range run.Report.Files[i].Edits {
			if n := run.Report.Files[i].Edits[k].Name; n != "" && !slices.Contains(names, n) && len(names) < 30 {
				names = append(names, n)
			}
		}
	}
	found := map[string]int{}
	if len(names) == 0 {
		return found, nil
	}
	args := []string{"grep", "-w", "-F", "-o", "-I"}
	for _, n := range names {
		args = append(args, "-e", n)
	}
	b, _ := command(ctx, dir, append(args, id, "--")...).Output() // exit code 1: nothing found
	seen := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), id+":")
		if name, _, ok := strings.Cut(line, ":"); ok && !seen[line] {
			seen[line] = true
			found[name]++
		}
	}
	return found, nil
}
