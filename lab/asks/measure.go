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

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/lab/train/tasks"
	"github.com/satchel-dev/satchel/tokens"
)

// A score is how well one method does at each budget, summed over commits.
type score struct {
	found  []float64 // shares, summed
	large  []float64 // of commits that are larger than all budgets
	blind  []int     // commits of which no changed line is shown
	failed []int
	over   []int // prompts that are larger than their budget
}

// A table holds the scores of all methods.
type table struct {
	sync.Mutex
	methods []method
	budgets []int
	scores  []score
	n, big  int
	sizes   []int // tokens of the patches
}

// measure measures all samples, as many repositories at once as there are
// processors.
func measure(ctx context.Context, o options, list []sample, verbose bool) error {
	all := commitMethods
	if o.review {
		all = reviewMethods
	}
	t := &table{budgets: o.budgets}
	for _, m := range all {
		if len(o.methods) == 0 || slices.Contains(o.methods, m.name) {
			t.methods = append(t.methods, m)
			t.scores = append(t.scores, score{make([]float64, len(o.budgets)), make([]float64, len(o.budgets)), make([]int, len(o.budgets)), make([]int, len(o.budgets)), make([]int, len(o.budgets))})
		}
	}
	byRepo := map[string][]sample{}
	var names []string
	for _, s := range list {
		if byRepo[s.repo] == nil {
			names = append(names, s.repo)
		}
		byRepo[s.repo] = append(byRepo[s.repo], s)
	}
	next := make(chan string)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for name := range next {
				if err := t.repository(ctx, o, name, byRepo[name], verbose); err != nil {
					fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
				}
			}
		})
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	wg.Wait()
	t.print(len(names))
	return nil
}

// open opens a repository of the mirror.
func open(ctx context.Context, o options, name string) (*engine.Engine, repository, error) {
	dir, err := tasks.Repository(o.mirror, name)
	if err != nil {
		return nil, repository{}, err
	}
	e, err := engine.Open(ctx, &engine.Options{Dir: dir, CacheDir: filepath.Join(o.cache, strings.ReplaceAll(name, "/", "+"))})
	return e, repository{ctx, dir}, err
}

func (t *table) repository(ctx context.Context, o options, name string, list []sample, verbose bool) error {
	e, git, err := open(ctx, o, name)
	if err != nil {
		return err
	}
	defer e.Close()
	for _, c := range list {
		r, err := e.Change(ctx, engine.DiffRequest{Commit: c.id})
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s@%s: %v\n", name, c.id, err)
			continue
		}
		s := &subject{ctx: ctx, e: e, git: git, id: c.id, report: r, patch: git.patch(c.id)}
		want := wanted(s, c, o.review)
		if want == nil {
			fmt.Fprintf(os.Stderr, "%s@%s: nothing to look for\n", name, c.id)
			continue
		}
		t.subject(s, want, name, verbose)
	}
	return nil
}

// wanted returns what is looked for in the prompts of a commit.
func wanted(s *subject, c sample, review bool) func(prompt string) float64 {
	if !review {
		facts := factsOf(s.git.git("log", "-1", "--format=%B", c.id), changedText(s.patch))
		if len(facts) == 0 {
			return nil
		}
		return func(prompt string) float64 {
			n := 0
			for _, f := range facts {
				if hasWord(prompt, f) {
					n++
				}
			}
			return float64(n) / float64(len(facts))
		}
	}
	gold := s.linesAt(c.lines)
	if len(gold) == 0 {
		return nil
	}
	return func(prompt string) float64 {
		has := linesOf(prompt)
		n := 0
		for _, l := range gold {
			if has[l] {
				n++
			}
		}
		return float64(n) / float64(len(gold))
	}
}

// linesAt returns the lines that stand at places, if the commit added them.
func (s *subject) linesAt(places []place) (list []string) {
	for i := range s.report.Files {
		f := &s.report.Files[i]
		for k := range f.Hunks {
			n := f.Hunks[k].NewFrom
			for line := range strings.Lines(f.Hunks[k].Body) {
				if line[0] == '+' && slices.Contains(places, place{f.Path, n}) {
					list = append(list, strings.TrimSpace(line[1:]))
				}
				if line[0] != '-' && line[0] != '\\' {
					n++
				}
			}
		}
	}
	return list
}

// linesOf returns the lines of a prompt, without numbers and marks.
func linesOf(prompt string) map[string]bool {
	has := map[string]bool{}
	for line := range strings.Lines(prompt) {
		l := strings.TrimSpace(line)
		has[l] = true
		l = strings.TrimSpace(strings.TrimLeft(l, "0123456789"))
		has[l] = true
		if l != "" && (l[0] == '+' || l[0] == '-') {
			has[strings.TrimSpace(l[1:])] = true
		}
	}
	return has
}

// shows reports whether a prompt has a changed line of a patch, or its beginning.
func shows(prompt, patch string) bool {
	any, inHunk := false, false
	for line := range strings.Lines(patch) {
		if strings.HasPrefix(line, "@@ ") || strings.HasPrefix(line, "diff --git ") {
			inHunk = line[0] == '@'
			continue
		}
		line = strings.TrimRight(line, "\r\n")
		if inHunk && len(line) > 4 && (line[0] == '+' || line[0] == '-') {
			any = true
			if strings.Contains(prompt, line[:min(len(line), 60)]) {
				return true
			}
		}
	}
	return !any
}

func (t *table) subject(s *subject, found func(string) float64, name string, verbose bool) {
	count := tokens.O200k()
	size := count.Count(s.patch)
	big := size > slices.Max(t.budgets)
	var row strings.Builder
	for m := range t.methods {
		for b, budget := range t.budgets {
			text, err := t.methods[m].text(s, budget)
			share := found(text)
			fmt.Fprintf(&row, " %.2f", share)
			t.Lock()
			x := &t.scores[m]
			x.found[b] += share
			if big {
				x.large[b] += share
			}
			if err != nil {
				x.failed[b]++
				fmt.Fprintf(os.Stderr, "%s@%s %s %d: %v\n", name, s.id, t.methods[m].name, budget, err)
			} else if !shows(text, s.patch) {
				x.blind[b]++
				fmt.Fprintf(&row, "!")
			}
			if count.Count(text) > budget {
				x.over[b]++
			}
			t.Unlock()
		}
		row.WriteString(" |")
	}
	t.Lock()
	defer t.Unlock()
	t.n++
	t.sizes = append(t.sizes, size)
	if big {
		t.big++
	}
	if verbose {
		fmt.Printf("%s@%.10s %7d %3d files%s\n", name, s.id, size, len(s.report.Files), row.String())
	}
}

func (t *table) print(repos int) {
	slices.Sort(t.sizes)
	median := 0
	if len(t.sizes) > 0 {
		median = t.sizes[len(t.sizes)/2]
	}
	fmt.Printf("%d commits of %d repositories, median %d tokens, %d of more than all budgets\n%-14s", t.n, repos, median, t.big, "")
	for _, b := range t.budgets {
		fmt.Printf(" %7d", b)
	}
	fmt.Println("   large ones                       no line shown, failed, too long")
	for m := range t.methods {
		x := &t.scores[m]
		fmt.Printf("%-14s", t.methods[m].name)
		for b := range t.budgets {
			fmt.Printf("   %.3f", x.found[b]/float64(max(1, t.n)))
		}
		fmt.Print("  ")
		for b := range t.budgets {
			fmt.Printf("   %.3f", x.large[b]/float64(max(1, t.big)))
		}
		fmt.Printf("   %v %v %v\n", x.blind, x.failed, x.over)
	}
}

// showOne writes the prompts of one commit.
func showOne(ctx context.Context, o options, name, id string) error {
	e, git, err := open(ctx, o, name)
	if err != nil {
		return err
	}
	defer e.Close()
	r, err := e.Change(ctx, engine.DiffRequest{Commit: id})
	if err != nil {
		return err
	}
	s := &subject{ctx: ctx, e: e, git: git, id: id, report: r, patch: git.patch(id)}
	m := commitMethods[0]
	if o.review {
		m = reviewMethods[0]
	}
	fmt.Printf("%s\n", git.git("log", "-1", "--format=%B", id))
	for _, b := range o.budgets {
		text, err := m.text(s, b)
		if err != nil {
			return err
		}
		fmt.Println(text)
	}
	return nil
}
