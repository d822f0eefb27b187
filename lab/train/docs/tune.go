package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/store/vectors"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/rank"
)

// A model is the one whose embeddings are tuned for.
type model struct{ url, name, key string }

// tune asks a model for the embeddings of all documents and questions, tries what
// meaning may count, chooses on some repositories and reports on the others.
// Everything is asked for once: the next run finds it below the cache folder.
func tune(ctx context.Context, w *world, questions []Question, m model) error {
	client, err := llm.New(llm.Endpoint{URL: m.url, Model: m.name, Kind: llm.Embeddings, Key: m.key, Timeout: 5 * time.Minute}, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	finder := &vectors.Finder{Client: client, Dir: filepath.Join(w.cache, "satchel", "vectors"), Model: m.name, Batch: 32}
	alike, err := meanings(ctx, w, questions, finder)
	if err != nil {
		return err
	}
	on, judge := fitOn(byRepo(questions))
	value := func(d rank.DocumentWeights, names []string) (tally, error) {
		by, err := score(ctx, w, questions, ranking.DocOptions{Weights: &d, Depth: 1, Similar: alike})
		var t tally
		for _, n := range names {
			if err == nil {
				t.plus(*by[n])
			}
		}
		return t, err
	}
	type tried struct {
		name string
		w    rank.DocumentWeights
	}
	words := rank.DefaultDocumentWeights()
	words.Beta = 0
	all := []tried{{"words alone", words}}
	for _, beta := range []float64{0.25, 0.5, 1, 2, 4, 8} {
		d := rank.DefaultDocumentWeights()
		d.Beta = beta
		all = append(all, tried{fmt.Sprintf("sum, weight %g", beta), d})
	}
	ranks := rank.DefaultDocumentWeights()
	ranks.Fusion = rank.Reciprocal
	all = append(all, tried{"rank", ranks})
	best, top := 0, tally{}
	fmt.Printf("%s: recall@5 MRR doc@5 on %v\n", m.name, on)
	for i, x := range all {
		t, err := value(x.w, on)
		if err != nil {
			return err
		}
		fmt.Printf("%-20s %v\n", x.name, t)
		if i == 0 || goal(t) > goal(top)+1e-9 {
			best, top = i, t
		}
	}
	fmt.Printf("on the others, %v\n", judge)
	for _, i := range []int{0, best} {
		t, err := value(all[i].w, judge)
		if err != nil {
			return err
		}
		fmt.Printf("%-20s %v\n", all[i].name, t)
	}
	return nil
}

// meanings returns what says how alike a question and sections are, after all of
// them have vectors.
func meanings(ctx context.Context, w *world, questions []Question, f *vectors.Finder) (func(context.Context, string, []ranking.DocText) ([]float64, error), error) {
	var texts []string
	seen := map[*ranking.Reader]bool{}
	for i := range questions {
		q := &questions[i]
		texts = append(texts, q.Text)
		r, err := w.at(ctx, q.Repo, q.Commit)
		if err != nil {
			return nil, err
		}
		if seen[r] {
			continue
		}
		seen[r] = true
		sections, err := r.DocTexts(ctx, nil)
		if err != nil {
			return nil, err
		}
		for _, s := range sections {
			texts = append(texts, s.Text)
		}
	}
	_, err := f.Build(ctx, texts, func(done, all int) { fmt.Fprintf(os.Stderr, "\rembedded %d of %d", done, all) })
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, task string, sections []ranking.DocText) ([]float64, error) {
		list := make([]string, len(sections))
		for i, s := range sections {
			list[i] = s.Text
		}
		alike, _, err := f.Similar(ctx, task, list)
		return alike, err
	}, nil
}
