package main

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/lab/train/tasks"
	"github.com/satchel-dev/satchel/rank"
)

// measuring asks every repository.
type measuring struct {
	mirror, cache string
	repos         []string
	tasks         map[string][]tasks.Task
	foreign       map[string][]tasks.Task // tasks of other repositories
	shorts        map[string][]string     // short prompts about other repositories, each after its name and a tab

	mu      sync.Mutex
	terms   map[uint64]*spread
	counted [learn.Folds]int               // repositories
	against map[folds]func(uint64) float64 // the background by the folds that are left out
	full    func(term uint64) float64      // of all
	samples []sample
}

// folds are those of the repository that is asked and of the one that a prompt is
// about, the lower first. A model and a background that judge the prompt saw neither.
type folds [2]int

func foldsOf(a, b string) folds {
	f := folds{learn.Fold(a), learn.Fold(b)}
	slices.Sort(f[:])
	return f
}

func (f folds) has(fold int) bool { return f[0] == fold || f[1] == fold }

// spread is how often a term is found.
type spread struct {
	rate  [learn.Folds]float32 // sum over the repositories of a fold of the share of chunks that hold it
	repos [learn.Folds]uint8   // that hold it
}

// leastRepos is how many repositories must hold a term that is in the background.
const leastRepos = 3

// elsewhere is the number of other repositories that are asked each task.
const elsewhere = 3

// newMeasuring has each task asked of other repositories of its language, in turn.
// Further are more repositories, by language.
func newMeasuring(list [][]tasks.Task, further map[string][]string) *measuring {
	m := &measuring{tasks: map[string][]tasks.Task{}, foreign: map[string][]tasks.Task{}, shorts: map[string][]string{}, terms: map[uint64]*spread{}}
	speaking := map[string][]string{}
	for _, l := range list {
		name := l[0].Repo
		m.repos, m.tasks[name] = append(m.repos, name), l
		speaking[l[0].Language] = append(speaking[l[0].Language], name)
	}
	for _, language := range slices.Sorted(maps.Keys(further)) {
		speaking[language] = append(speaking[language], further[language]...)
		m.repos = append(m.repos, further[language]...)
	}

	for at, name := range slices.Sorted(maps.Keys(m.tasks)) {
		language := m.tasks[name][0].Language
		others := slices.DeleteFunc(slices.Clone(speaking[language]), func(o string) bool { return o == name })
		for i, t := range m.tasks[name] {
			for k := range min(elsewhere, len(others)) {
				other := others[(at+i*elsewhere+k)%len(others)]
				m.foreign[other] = append(m.foreign[other], t)
			}
		}
		for i, l := range shortsOf(name) {
			other := others[(at+i)%len(others)]
			m.shorts[other] = append(m.shorts[other], name+"\t"+l)
		}
	}
	for _, name := range asked {
		if !slices.Contains(m.repos, name) {
			m.repos = append(m.repos, name)
		}
	}
	return m
}

// shortsOf returns the short prompts about a repository.
func shortsOf(name string) (list []string) {
	for l := range strings.Lines(shorts) {
		if of, prompt, _ := strings.Cut(strings.TrimSpace(l), "\t"); of == name {
			list = append(list, prompt)
		}
	}
	return list
}

// everywhere calls fn with every repository.
func (m *measuring) everywhere(ctx context.Context, fn func(context.Context, *place) error) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range m.repos {
		g.Go(func() error { return m.at(ctx, name, fn) })
	}
	return g.Wait()
}

// A place is an opened repository.
type place struct {
	name string
	repo *git.Repo
	x    *index.Index
}

func (m *measuring) at(ctx context.Context, name string, fn func(context.Context, *place) error) error {
	dir, err := tasks.Repository(m.mirror, name)
	if err != nil {
		return err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	x, err := index.Open(index.Options{Dir: filepath.Join(m.cache, strings.ReplaceAll(name, "/", "+"))})
	if err != nil {
		return err
	}
	defer x.Close()
	return fn(ctx, &place{name, repo, x})
}

// view is the repository as it was at its first task.
func (m *measuring) view(ctx context.Context, p *place) (*index.View, error) {
	rev := "HEAD"
	if l := m.tasks[p.name]; len(l) > 0 {
		rev = l[0].Base
	}
	return p.x.View(ctx, p.repo, rev)
}

// rates adds the terms of a repository to the background.
func (m *measuring) rates(ctx context.Context, p *place) error {
	v, err := m.view(ctx, p)
	if err != nil {
		return err
	}
	holding := map[uint64]int{}
	var list []index.TermCount
	for d := range v.Docs() {
		list = v.DocTerms(list[:0], int32(d))
		for _, t := range list {
			holding[t.Term] = 0
		}
		for _, y := range v.Symbols(int32(d)) {
			holding[terms.Def(y.Name)] = 0
		}
	}
	var postings []index.Posting
	for t := range holding {
		postings = v.Postings(postings[:0], t)
		holding[t] = len(postings)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f := learn.Fold(p.name)
	m.counted[f]++
	for t, n := range holding {
		s := m.terms[t]
		if s == nil {
			s = new(spread)
			m.terms[t] = s
		}
		s.rate[f] += float32(n) / float32(len(v.Chunks()))
		s.repos[f]++
	}
	return nil
}

// background returns the mean rate of each term in several repositories. It leaves out
// the repositories of some folds.
func (m *measuring) background(without folds) map[uint64]float64 {
	n := 0
	for f, k := range m.counted {
		if !without.has(f) {
			n += k
		}
	}
	out := map[uint64]float64{}
	for t, s := range m.terms {
		rate, repos := 0.0, 0
		for f := range s.rate {
			if !without.has(f) {
				rate += float64(s.rate[f])
				repos += int(s.repos[f])
			}
		}
		if repos >= leastRepos {
			out[t] = rate / float64(n)
		}
	}
	return out
}

// backgrounds makes the tables that judge prompts: one of all repositories, and one for
// each pair of folds.
func (m *measuring) backgrounds() (full []byte) {
	full, m.full = rank.EncodeBackground(m.background(folds{notGiven, notGiven}))
	m.against = map[folds]func(uint64) float64{}
	for a := range learn.Folds {
		for b := a; b < learn.Folds; b++ {
			_, m.against[folds{a, b}] = rank.EncodeBackground(m.background(folds{a, b}))
		}
	}
	return full
}

// ask measures all prompts in one repository.
func (m *measuring) ask(ctx context.Context, p *place) error {
	v, err := m.view(ctx, p)
	if err != nil {
		return err
	}
	var out []sample
	add := func(v *index.View, home, kind, prompt string, gold ...string) {
		r := ranking.Rank(v, ranking.Analyze(ctx, v, prompt), rank.Models{})
		if len(gold) > 0 && !slices.ContainsFunc(r.Order[:min(firstFiles, len(r.Order))], func(i int32) bool { return slices.Contains(gold, v.Files()[i].Path) }) {
			kind += missed
		}
		out = append(out, sample{
			repo: p.name, home: home, kind: kind,
			full: r.EvidenceAgainst(m.full),
			held: r.EvidenceAgainst(m.against[foldsOf(p.name, home)]),
		})
	}
	lines := func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
	for _, t := range m.foreign[p.name] {
		first, _, _ := strings.Cut(t.Query, "\n")
		add(v, t.Repo, foreign, t.Query)
		add(v, t.Repo, topic, first)
	}
	for _, l := range m.shorts[p.name] {
		home, prompt, _ := strings.Cut(l, "\t")
		add(v, home, shortly, prompt)
	}
	if slices.Contains(asked, p.name) {
		for _, l := range lines(unrelated) {
			kind, prompt, _ := strings.Cut(l, "\t")
			add(v, p.name, nowhere+" "+kind, strings.TrimSpace(prompt))
		}
	}
	if len(m.tasks[p.name]) > 0 {
		for _, o := range []struct{ kind, text string }{{other, fitted}, {chooses, choosing}, {judges, judging}, {general, programming}} {
			for _, prompt := range lines(o.text) {
				add(v, p.name, o.kind, strings.TrimSpace(prompt))
			}
		}
		for _, prompt := range shortsOf(p.name) {
			add(v, p.name, short, prompt)
		}
	}
	for _, t := range m.tasks[p.name] {
		v, err := p.x.View(ctx, p.repo, t.Base)
		if err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
		first, _, _ := strings.Cut(t.Query, "\n")
		add(v, p.name, whole, t.Query, t.Gold...)
		add(v, p.name, title, first, t.Gold...)
		if len(t.Symbols) > 0 {
			s := t.Symbols[0]
			add(v, p.name, named, fmt.Sprintf(askSymbol[len(out)%len(askSymbol)], s[1+strings.LastIndexAny(s, ":."):]))
		}
		if len(t.Gold) > 0 {
			add(v, p.name, named, fmt.Sprintf(askFile[len(out)%len(askFile)], path.Base(t.Gold[0])))
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.samples = append(m.samples, out...)
	return nil
}
