package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/rank"
)

// A way to rank documents.
type way struct {
	name string
	o    ranking.DocOptions
}

func ways() []way {
	d := rank.DefaultDocumentWeights()
	plain, fields := d, d
	for _, w := range []*rank.DocumentWeights{&plain, &fields} {
		w.Record, w.Opening, w.Whole, w.Cover = 0, 0, 0, 0
	}
	return []way{
		{"plain BM25", ranking.DocOptions{Weights: &plain, Plain: true, NoLinks: true, NoFresh: true}},
		{"BM25F", ranking.DocOptions{Weights: &fields, NoLinks: true, NoFresh: true}},
		{"+ document, coverage", ranking.DocOptions{Weights: &d, NoLinks: true, NoFresh: true}},
		{"+ links", ranking.DocOptions{Weights: &d, Depth: 1, NoFresh: true}},
		{"+ freshness", ranking.DocOptions{Weights: &d, Depth: 1}},
	}
}

// A tally is what a way of ranking scored.
type tally struct {
	n, top5, doc5 int
	mrr           float64
}

func (t *tally) add(rank, docRank int) {
	t.n++
	if rank > 0 {
		t.mrr += 1 / float64(rank)
	}
	if rank > 0 && rank <= 5 {
		t.top5++
	}
	if docRank > 0 && docRank <= 5 {
		t.doc5++
	}
}

func (t *tally) plus(u tally) {
	t.n, t.top5, t.doc5, t.mrr = t.n+u.n, t.top5+u.top5, t.doc5+u.doc5, t.mrr+u.mrr
}

// goal is what weights are chosen by: MRR and recall@5 alike.
func goal(t tally) float64 { return (t.mrr + float64(t.top5)) / float64(max(t.n, 1)) }

func (t tally) String() string {
	n := float64(max(t.n, 1))
	return fmt.Sprintf("%5.1f  %.3f  %5.1f", 100*float64(t.top5)/n, t.mrr/n, 100*float64(t.doc5)/n)
}

// rankOf returns the rank of the section that answers a question, and of its
// document, 0 if it is not found.
func rankOf(ctx context.Context, w *world, q *Question, o ranking.DocOptions) (rankOf, docRank int, err error) {
	r, err := w.at(ctx, q.Repo, q.Commit)
	if err != nil {
		return 0, 0, err
	}
	got, err := r.Documents(ctx, rank.Analyze(q.Text), q.Text, o)
	if err != nil {
		return 0, 0, err
	}
	docs := map[string]bool{}
	// The parts of a long section are one answer.
	seen := map[string]bool{}
	for i := range got.Sections {
		s := &got.Sections[i]
		docs[s.Doc] = true
		if s.Doc == q.Path && docRank == 0 {
			docRank = len(docs)
		}
		key := s.Doc + " | " + strings.Join(s.Trail, " > ")
		if seen[key] {
			continue
		}
		seen[key] = true
		if s.Doc == q.Path && strings.Join(s.Trail, " > ") == q.Trail {
			return len(seen), docRank, nil
		}
	}
	return 0, docRank, nil
}

// score ranks all questions one way, and tallies them by repository.
func score(ctx context.Context, w *world, questions []Question, o ranking.DocOptions) (map[string]*tally, error) {
	out := map[string]*tally{}
	for i := range questions {
		q := &questions[i]
		r, d, err := rankOf(ctx, w, q, o)
		if err != nil {
			return nil, err
		}
		if out[q.Repo] == nil {
			out[q.Repo] = new(tally)
		}
		out[q.Repo].add(r, d)
	}
	return out, nil
}

// measure prints the table.
func measure(ctx context.Context, w *world, questions []Question) error {
	names := byRepo(questions)
	fmt.Printf("%d questions, %d repositories; recall@5 MRR doc@5\n", len(questions), len(names))
	for _, way := range ways() {
		by, err := score(ctx, w, questions, way.o)
		if err != nil {
			return err
		}
		var all tally
		for _, n := range names {
			all.plus(*by[n])
		}
		fmt.Printf("%-20s %v\n", way.name, all)
		for _, n := range names {
			fmt.Printf("  %-40s %3d  %v\n", n, by[n].n, *by[n])
		}
	}
	return nil
}

// misses prints the questions whose section is not among the first five.
func misses(ctx context.Context, w *world, questions []Question) error {
	for i := range questions {
		q := &questions[i]
		r, d, err := rankOf(ctx, w, q, ranking.DocOptions{Depth: 1})
		if err != nil {
			return err
		}
		if r == 0 || r > 5 {
			fmt.Printf("%3d %3d  %s\n         %s | %s\n", r, d, q.Text, q.Path, q.Trail)
		}
	}
	return nil
}

// fitOn are the repositories whose questions choose the weights; the others only
// judge them.
func fitOn(names []string) (fit, judge []string) {
	for i, n := range names {
		if i%2 == 0 {
			fit = append(fit, n)
		} else {
			judge = append(judge, n)
		}
	}
	return fit, judge
}

// A field is a weight of documents, and the values to try for it.
type field struct {
	name string
	at   func(*rank.DocumentWeights) *float64
	try  []float64
}

// fields are tried in this order.
var fields = []field{
	{"title", func(d *rank.DocumentWeights) *float64 { return &d.Title }, []float64{1, 2, 4, 8}},
	{"trail", func(d *rank.DocumentWeights) *float64 { return &d.Trail }, []float64{0.25, 0.5, 1, 2, 4}},
	{"code", func(d *rank.DocumentWeights) *float64 { return &d.Code }, []float64{0.25, 0.5, 1}},
	{"length", func(d *rank.DocumentWeights) *float64 { return &d.Length }, []float64{0.2, 0.35, 0.5, 0.65, 0.8}},
	{"record", func(d *rank.DocumentWeights) *float64 { return &d.Record }, []float64{0.2, 0.4}},
	{"whole", func(d *rank.DocumentWeights) *float64 { return &d.Whole }, []float64{0, 0.15, 0.3, 0.5, 0.75}},
	{"cover", func(d *rank.DocumentWeights) *float64 { return &d.Cover }, []float64{0, 0.3, 0.6, 1}},
	{"opening", func(d *rank.DocumentWeights) *float64 { return &d.Opening }, []float64{0, 0.05, 0.1}},
}

// fit tries weights of the fields, one after the other, until none is better on
// the repositories to fit on, and reports the others.
func fit(ctx context.Context, w *world, questions []Question) error {
	on, judge := fitOn(byRepo(questions))
	value := func(d rank.DocumentWeights, names []string) (tally, error) {
		by, err := score(ctx, w, questions, ranking.DocOptions{Weights: &d, NoLinks: true, NoFresh: true})
		var t tally
		for _, n := range names {
			if err == nil {
				t.plus(*by[n])
			}
		}
		return t, err
	}

	best, err := climb(func(d rank.DocumentWeights) (tally, error) { return value(d, on) })
	if err != nil {
		return err
	}
	before, err := value(rank.DefaultDocumentWeights(), judge)
	if err != nil {
		return err
	}
	after, err := value(best, judge)
	if err != nil {
		return err
	}
	fmt.Printf("fit on   %s\njudge    %s\nbefore   %v\nafter    %v\n%+v\n", strings.Join(on, " "), strings.Join(judge, " "), before, after, best)
	return nil
}

// climb returns the weights that no other value of one field makes better, and
// prints each step towards them.
func climb(value func(rank.DocumentWeights) (tally, error)) (best rank.DocumentWeights, err error) {
	best = rank.DefaultDocumentWeights()
	top, err := value(best)
	if err != nil {
		return best, err
	}
	fmt.Printf("start    %v\n", top)
	for round := range 2 {
		moved := false
		for _, f := range fields {
			for _, v := range f.try {
				d := best
				if *f.at(&d) == v {
					continue
				}
				*f.at(&d) = v
				t, err := value(d)
				if err != nil {
					return best, err
				}
				if goal(t) > goal(top)+1e-9 {
					best, top, moved = d, t, true
					fmt.Printf("%d %-7s %-5g %v\n", round, f.name, v, t)
				}
			}
		}
		if !moved {
			break
		}
	}
	return best, nil
}
