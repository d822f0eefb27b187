// Command relevance measures how well the engine tells prompts about a
// repository from others, and fits the weights of rank.Evidence.
//
//	go run ./eval/relevance -tasks dev.jsonl -mirror DIR
//
// Relevant prompts are the tasks, whole and their first lines alone, since people
// write short ones. Others are those of prompts.txt, the same in every
// repository: thanks, orders to go on, questions about the world. The table that
// is printed is cross-validated: each repository is judged by weights that were
// fitted to the others.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/eval/tasks"
	"github.com/satchel-dev/satchel/internal/git"
	"github.com/satchel-dev/satchel/internal/index"
	"github.com/satchel-dev/satchel/internal/outline"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/rank"
)

//go:embed prompts.txt
var prompts string

// Unseen prompts were written after the list of small talk was closed.
//
//go:embed unseen.txt
var unseenPrompts string

// Prompts to judge by are never fitted to. Those on odd lines chose the
// threshold, those on even lines say what it is worth.
//
//go:embed judge.txt
var judgePrompts string

// The kinds of prompts.
const (
	whole = "task"
	title = "first line of a task"
	other = "other"

	unseen = "unseen"
	chosen = "odd"
	judge  = "even"
)

// A sample is what was measured of one prompt in one repository.
type sample struct {
	repo, kind, prompt string
	evidence           rank.Evidence
}

func main() {
	if outline.WorkerMain() {
		return
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintf(os.Stderr, "relevance: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	file := flag.String("tasks", "", "tasks, JSON lines")
	mirror := flag.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	cache := flag.String("cache", filepath.Join(os.TempDir(), "satchel-eval"), "folder for indexes")
	each := flag.Int("each", 6, "tasks of each repository")
	list := flag.Bool("list", false, "print the others that are taken for relevant, and the tasks that are not")
	flag.Parse()
	if *file == "" || *mirror == "" {
		return errors.New("-tasks and -mirror are needed")
	}
	all, err := tasks.Load(*file)
	if err != nil {
		return err
	}
	samples, err := measure(ctx, tasks.ByRepo(all), *mirror, *cache, *each)
	if err != nil {
		return err
	}
	report("the committed weights", samples, func(s *sample) float64 { return s.evidence.Relevance() }, *list)
	held := make(map[string]logistic)
	for f := range tasks.Folds {
		held[fmt.Sprint(f)] = fit(samples, func(s *sample) bool { return tasks.Fold(s.repo) != f })
	}
	report("cross-validated", samples, func(s *sample) float64 {
		m := held[fmt.Sprint(tasks.Fold(s.repo))]
		return m.of(&s.evidence)
	}, false)
	m := fit(samples, func(*sample) bool { return true })
	fmt.Printf("fitted to all: bias %.2f, weights %.2f\n", m.bias, m.weights)
	return nil
}

func measure(ctx context.Context, repos [][]tasks.Task, mirror, cache string, each int) ([]sample, error) {
	var mu sync.Mutex
	var out []sample
	var failed []error
	next := make(chan []tasks.Task)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for list := range next {
				s, err := measureRepo(ctx, list[:min(each, len(list))], mirror, cache)
				mu.Lock()
				out, failed = append(out, s...), append(failed, err)
				mu.Unlock()
			}
		})
	}
	for _, list := range repos {
		next <- list
	}
	close(next)
	wg.Wait()
	slices.SortStableFunc(out, func(a, b sample) int { return strings.Compare(a.repo, b.repo) })
	return out, errors.Join(failed...)
}

func measureRepo(ctx context.Context, list []tasks.Task, mirror, cache string) (out []sample, err error) {
	name := list[0].Repo
	dir, err := tasks.Repository(mirror, name)
	if err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	parser := outline.New(nil)
	defer parser.Close()
	x, err := index.Open(index.Options{Dir: filepath.Join(cache, strings.ReplaceAll(name, "/", "+")), Parser: parser})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	// Tasks of other commits are as much about the repository at this one.
	v, err := x.View(ctx, repo, list[0].Base)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", list[0].ID, err)
	}
	for _, t := range list {
		add := func(kind, prompt string) {
			r := source.Rank(v, rank.Analyze(prompt), rank.Models{})
			out = append(out, sample{name, kind, prompt, r.Evidence(r.Order, r.Scores)})
		}
		first, _, _ := strings.Cut(t.Query, "\n")
		add(whole, t.Query)
		add(title, first)
		if t.ID == list[0].ID {
			for p := range strings.Lines(strings.TrimSpace(prompts)) {
				add(other, strings.TrimSpace(p))
			}
			for p := range strings.Lines(strings.TrimSpace(unseenPrompts)) {
				add(unseen, strings.TrimSpace(p))
			}
			for i, p := range strings.Split(strings.TrimSpace(judgePrompts), "\n") {
				add([]string{chosen, judge}[i%2], strings.TrimSpace(p))
			}
		}
	}
	return out, nil
}

// report prints the share of each kind that is taken for relevant from some
// probabilities on.
func report(what string, samples []sample, relevance func(*sample) float64, list bool) {
	kinds := []string{whole, title, other, unseen, chosen, judge}
	fmt.Printf("%s\nfrom ", what)
	for _, k := range kinds {
		fmt.Printf("  %6s", k)
	}
	fmt.Println()
	for _, from := range []float64{0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9} {
		fmt.Printf("%.2f ", from)
		for _, k := range kinds {
			n, hits := 0, 0
			for i := range samples {
				if s := &samples[i]; s.kind == k {
					n++
					if relevance(s) >= from {
						hits++
					}
				}
			}
			fmt.Printf("  %*.1f%%", max(len(k), 6)-1, 100*float64(hits)/float64(max(n, 1)))
		}
		fmt.Println()
	}
	for i := range samples {
		s := &samples[i]
		if got := relevance(s); list && (got >= rank.RelevantFrom) == (s.kind != whole && s.kind != title) {
			prompt := []rune(strings.Join(strings.Fields(s.prompt), " "))
			fmt.Printf("%.2f %-22s %-20s %s %+v\n", got, s.repo, s.kind, string(prompt[:min(len(prompt), 70)]), s.evidence)
		}
	}
}

// A logistic is a logistic regression over the features of an Evidence.
type logistic struct {
	bias    float64
	weights [rank.EvidenceFeatures]float64
}

func (m *logistic) of(e *rank.Evidence) float64 {
	if e.None() {
		return 0
	}
	z := m.bias
	for i, x := range e.Features() {
		z += m.weights[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}

const (
	rounds = 15   // of Newton's method, which settles in eight
	ridge  = 1e-3 // small: there are hundreds of samples for each weight
)

// fit finds the weights by Newton's method. Relevant prompts and others weigh the
// same in total, whatever their numbers. Prompts to judge by are left out.
func fit(samples []sample, in func(*sample) bool) logistic {
	const size = 1 + rank.EvidenceFeatures
	type point struct {
		x [size]float64
		y float64
	}
	var n [2]float64
	var points []point
	for i := range samples {
		s := &samples[i]
		if !in(s) || s.kind == chosen || s.kind == judge {
			continue
		}
		p := point{}
		if s.kind == whole || s.kind == title {
			p.y = 1
		}
		n[int(p.y)]++
		if s.evidence.None() {
			continue
		}
		p.x[0] = 1
		f := s.evidence.Features()
		copy(p.x[1:], f[:])
		points = append(points, p)
	}
	var w [size]float64
	for range rounds {
		var m [size][size + 1]float64 // the Hessian, and beside it the gradient
		for _, p := range points {
			z := 0.0
			for i, x := range p.x {
				z += w[i] * x
			}
			q := 1 / (1 + math.Exp(-z))
			share := 1 / (2 * n[int(p.y)])
			for i, x := range p.x {
				m[i][size] += share * (p.y - q) * x
				for j, y := range p.x {
					m[i][j] += share * q * (1 - q) * x * y
				}
			}
		}
		for i := range size {
			m[i][i] += ridge
			if i > 0 {
				m[i][size] -= ridge * w[i]
			}
		}
		// The Hessian is positive definite, so that no pivot is needed.
		for i := range size {
			for k := range size {
				if k == i {
					continue
				}
				by := m[k][i] / m[i][i]
				for j := range size + 1 {
					m[k][j] -= by * m[i][j]
				}
			}
		}
		for i := range size {
			w[i] += m[i][size] / m[i][i]
		}
	}
	out := logistic{bias: w[0]}
	copy(out.weights[:], w[1:])
	return out
}
