// Command relevance measures how well the engine tells prompts about a
// repository from others, and fits the weights of rank.Evidence and the relevance
// from which on a prompt is answered.
//
//	go run ./eval/relevance -tasks dev.jsonl -mirror DIR -out rank/relevance_weights.go
//
// Relevant prompts are the tasks, whole and their first lines alone; short ones
// that people who know the repositories might type, of short.txt; and a few words
// around the name of a function or a file of the task, such as "fix resolve_redirects".
// Others are thanks, orders to go on, questions about the world, and questions
// about programming in general: the same in every repository.
//
// Nothing is judged by what it was fitted to. The weights come from tasks, their
// first lines, short.txt and prompts.txt, and every repository is judged by those
// of the others. The threshold is chosen by choose.txt alone, as the lowest that
// lets no more than one in a hundred of those through. What it is worth say
// judge.txt, general.txt and the names, which chose and fitted nothing.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path"
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

// What people say to an agent that is not about the repository, a line each.
var (
	//go:embed prompts.txt
	fitted string
	//go:embed choose.txt
	choosing string
	//go:embed judge.txt
	judging string
	//go:embed general.txt
	programming string
)

// Short prompts about a repository: its name, a tab, the prompt.
//
//go:embed short.txt
var shorts string

// The kinds of prompts.
const (
	whole   = "task"
	title   = "first line"
	short   = "short"
	named   = "named"
	other   = "other"
	chooses = "chooses"
	judges  = "judges"
	general = "general"
)

var kinds = []string{whole, title, short, named, other, chooses, judges, general}

// relevant are the kinds that the weights are fitted to, besides other.
var relevant = []string{whole, title, short}

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
	list := flag.Bool("list", false, "print the prompts that are taken for what they are not")
	out := flag.String("out", "", "the Go `file` to write the fitted weights and the threshold to")
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
	report("the committed weights", samples, func(s *sample) float64 { return s.evidence.Relevance() }, rank.RelevantFrom, *list)
	held := make([]logistic, tasks.Folds)
	for f := range held {
		held[f] = fit(samples, func(s *sample) bool { return tasks.Fold(s.repo) != f })
	}
	relevance := func(s *sample) float64 { return held[tasks.Fold(s.repo)].of(&s.evidence) }
	from := threshold(samples, relevance)
	report("cross-validated", samples, relevance, from, false)
	m := fit(samples, func(*sample) bool { return true })
	fmt.Printf("fitted to all: bias %.2f, weights %.2f, from %.2f\n", m.bias, m.weights, from)
	if *out == "" {
		return nil
	}
	return m.write(*out, from)
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
	add := func(kind, prompt string) {
		r := source.Rank(v, source.Analyze(ctx, v, prompt), rank.Models{})
		out = append(out, sample{name, kind, prompt, r.Evidence(r.Order, r.Scores)})
	}
	for _, o := range []struct{ kind, text string }{{other, fitted}, {chooses, choosing}, {judges, judging}, {general, programming}} {
		for p := range strings.Lines(strings.TrimSpace(o.text)) {
			add(o.kind, strings.TrimSpace(p))
		}
	}
	for p := range strings.Lines(strings.TrimSpace(shorts)) {
		if of, p, _ := strings.Cut(strings.TrimSpace(p), "\t"); of == name {
			add(short, p)
		}
	}
	for _, t := range list {
		first, _, _ := strings.Cut(t.Query, "\n")
		add(whole, t.Query)
		add(title, first)
		if len(t.Symbols) > 0 {
			s := t.Symbols[0]
			add(named, fmt.Sprintf(askSymbol[len(out)%len(askSymbol)], s[1+strings.LastIndexAny(s, ":."):]))
		}
		if len(t.Gold) > 0 {
			add(named, fmt.Sprintf(askFile[len(out)%len(askFile)], path.Base(t.Gold[0])))
		}
	}
	return out, nil
}

// How people ask about a name in a few words.
var (
	askSymbol = []string{"fix %s", "how does %s work?", "explain %s to me", "where is %s called"}
	askFile   = []string{"open %s", "what does %s do?", "clean up %s", "tests for %s please"}
)

// mostAnswered is the share of the prompts which choose that may be answered.
const mostAnswered = 0.01

// threshold returns the lowest relevance, in hundredths, from which on no more
// prompts of those which choose are answered.
func threshold(samples []sample, relevance func(*sample) float64) float64 {
	for i := range 100 {
		from := float64(i) / 100
		if answered(samples, chooses, relevance, from) <= mostAnswered {
			return from
		}
	}
	return 1
}

// answered is the share of a kind that is relevant from some relevance on.
func answered(samples []sample, kind string, relevance func(*sample) float64, from float64) float64 {
	n, hits := 0, 0
	for i := range samples {
		if s := &samples[i]; s.kind == kind {
			n++
			if relevance(s) >= from {
				hits++
			}
		}
	}
	return float64(hits) / float64(max(n, 1))
}

// report prints the share of each kind that is taken for relevant from some
// relevances on, the last of them the one that counts.
func report(what string, samples []sample, relevance func(*sample) float64, from float64, list bool) {
	fmt.Printf("%s\nfrom ", what)
	for _, k := range kinds {
		fmt.Printf("  %7s", k)
	}
	fmt.Println()
	for _, at := range []float64{0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, from} {
		fmt.Printf("%.2f ", at)
		for _, k := range kinds {
			fmt.Printf("  %*.1f%%", max(len(k), 7)-1, 100*answered(samples, k, relevance, at))
		}
		fmt.Println()
	}
	for i := range samples {
		s := &samples[i]
		about := slices.Contains(relevant, s.kind) || s.kind == named
		if got := relevance(s); list && (got >= from) != about {
			prompt := []rune(strings.Join(strings.Fields(s.prompt), " "))
			fmt.Printf("%.2f %-22s %-10s %s %+v\n", got, s.repo, s.kind, string(prompt[:min(len(prompt), 70)]), s.evidence)
		}
	}
}

// A logistic is a logistic regression over the features of an Evidence.
type logistic struct {
	bias    float64
	weights [rank.EvidenceFeatures]float64
}

func (m *logistic) of(e *rank.Evidence) float64 {
	switch {
	case e.None():
		return 0
	case e.Names():
		return 1
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
// same in total, and so do the kinds of relevant ones, whatever their numbers.
func fit(samples []sample, in func(*sample) bool) logistic {
	const size = 1 + rank.EvidenceFeatures
	type point struct {
		x    [size]float64
		y    float64
		kind string
	}
	n := make(map[string]float64)
	var points []point
	for i := range samples {
		s := &samples[i]
		p := point{kind: s.kind}
		if slices.Contains(relevant, s.kind) {
			p.y = 1
		} else if s.kind != other {
			continue
		}
		if !in(s) {
			continue
		}
		n[s.kind]++
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
			share := 1 / (2 * n[p.kind])
			if p.y == 1 {
				share /= float64(len(relevant))
			}
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

// write writes the weights and the threshold as a file of package rank.
func (m *logistic) write(name string, from float64) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, `package rank

// Code generated by eval/relevance; DO NOT EDIT.

// RelevantFrom is the relevance from which on context is given to a prompt
// unasked; see docs/hooks.md for what it is worth. Too little is cheap: an agent
// can still ask for context. Too much is 2,500 tokens that nobody wanted.
const RelevantFrom = %.2f

// The weights, in the order of the features.
var (
	relevanceBias    = %.2f
	relevanceWeights = [EvidenceFeatures]float64{`, from, m.bias)
	for i, w := range m.weights {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.2f", w)
	}
	b.WriteString("}\n)\n")
	return os.WriteFile(name, b.Bytes(), 0o644)
}
