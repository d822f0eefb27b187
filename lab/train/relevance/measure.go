package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

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
	others        map[string][]string     // the other repositories of its fold
	foreign       map[string][]tasks.Task // what a repository is asked besides its own

	mu      sync.Mutex
	terms   map[uint64]*spread
	counted [learn.Folds]int                       // repositories
	against [learn.Folds]func(term uint64) float64 // by the fold that is left out
	full    func(term uint64) float64              // of all
	samples []sample
}

// spread is how often a term is found.
type spread struct {
	rate  [learn.Folds]float32 // sum over the repositories of a fold of the share of chunks that hold it
	repos [learn.Folds]uint8   // that hold it
}

// leastRepos is how many repositories must hold a term that is in the background.
const leastRepos = 3

// newMeasuring has each task asked of another repository of its fold, in turn:
// neither the weights nor the background that judge it saw either of them.
func newMeasuring(list [][]tasks.Task, each int) *measuring {
	m := &measuring{tasks: map[string][]tasks.Task{}, others: map[string][]string{}, foreign: map[string][]tasks.Task{}, terms: map[uint64]*spread{}}
	for _, l := range list {
		name := l[0].Repo
		if each > 0 {
			l = l[:min(each, len(l))]
		}
		m.repos, m.tasks[name] = append(m.repos, name), l
	}
	for _, name := range m.repos {
		for _, other := range m.repos {
			if other != name && learn.Fold(other) == learn.Fold(name) {
				m.others[name] = append(m.others[name], other)
			}
		}
		for i, t := range m.tasks[name] {
			if others := m.others[name]; len(others) > 0 {
				other := others[i%len(others)]
				m.foreign[other] = append(m.foreign[other], t)
			}
		}
	}
	for _, name := range asked {
		if !slices.Contains(m.repos, name) {
			m.repos = append(m.repos, name)
		}
	}
	return m
}

// everywhere calls fn with every repository.
func (m *measuring) everywhere(ctx context.Context, fn func(context.Context, *place) error) error {
	var mu sync.Mutex
	var failed []error
	next := make(chan string)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for name := range next {
				err := m.at(ctx, name, fn)
				mu.Lock()
				failed = append(failed, err)
				mu.Unlock()
			}
		})
	}
	for _, name := range m.repos {
		next <- name
	}
	close(next)
	wg.Wait()
	for f := range m.against {
		_, m.against[f] = rank.EncodeBackground(m.background(f))
	}
	return errors.Join(failed...)
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

// background is the mean rate of each term that several repositories hold, those
// of one fold left out.
func (m *measuring) background(fold int) map[uint64]float64 {
	n := 0
	for f, k := range m.counted {
		if f != fold {
			n += k
		}
	}
	out := map[uint64]float64{}
	for t, s := range m.terms {
		rate, repos := 0.0, 0
		for f := range s.rate {
			if f != fold {
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

// ask measures all prompts in one repository.
func (m *measuring) ask(ctx context.Context, p *place) error {
	v, err := m.view(ctx, p)
	if err != nil {
		return err
	}
	var out []sample
	add := func(v *index.View, kind, prompt string) {
		r := ranking.Rank(v, ranking.Analyze(ctx, v, prompt), rank.Models{})
		out = append(out, sample{
			repo: p.name, kind: kind, prompt: prompt,
			full: r.EvidenceAgainst(r.Order, r.Scores, m.full),
			held: r.EvidenceAgainst(r.Order, r.Scores, m.against[learn.Fold(p.name)]),
		})
	}
	lines := func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
	for _, o := range []struct{ kind, text string }{{other, fitted}, {chooses, choosing}, {judges, judging}, {general, programming}} {
		for _, prompt := range lines(o.text) {
			add(v, o.kind, strings.TrimSpace(prompt))
		}
	}
	if slices.Contains(asked, p.name) {
		for _, l := range lines(unrelated) {
			kind, prompt, _ := strings.Cut(l, "\t")
			add(v, nowhere+" "+kind, strings.TrimSpace(prompt))
		}
	}
	for _, l := range lines(shorts) {
		switch of, prompt, _ := strings.Cut(strings.TrimSpace(l), "\t"); {
		case of == p.name:
			add(v, short, prompt)
		case slices.Contains(m.others[p.name], of):
			add(v, shortly, prompt)
		}
	}
	for _, t := range m.foreign[p.name] {
		first, _, _ := strings.Cut(t.Query, "\n")
		add(v, foreign, t.Query)
		add(v, topic, first)
	}
	for _, t := range m.tasks[p.name] {
		v, err := p.x.View(ctx, p.repo, t.Base)
		if err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
		first, _, _ := strings.Cut(t.Query, "\n")
		add(v, whole, t.Query)
		add(v, title, first)
		if len(t.Symbols) > 0 {
			s := t.Symbols[0]
			add(v, named, fmt.Sprintf(askSymbol[len(out)%len(askSymbol)], s[1+strings.LastIndexAny(s, ":."):]))
		}
		if len(t.Gold) > 0 {
			add(v, named, fmt.Sprintf(askFile[len(out)%len(askFile)], path.Base(t.Gold[0])))
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.samples = append(m.samples, out...)
	return nil
}
