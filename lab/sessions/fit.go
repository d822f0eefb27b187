package main

import (
	"fmt"
	"go/format"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// parts are the parts of a model.
var parts = []string{"entity", "gram", "line"}

// examples returns the rows of a session for each part: features, whether the future
// used what they describe, and how many similar rows each represents.
func examples(s *session, every int) map[string]*learn.Answers {
	out := make(map[string]*learn.Answers)
	for _, p := range parts {
		out[p] = &learn.Answers{Columns: len(reuse.Features(p))}
	}
	base := &reuse.Model{Entity: make([]float64, len(reuse.Features("entity"))), Gram: make([]float64, len(reuse.Features("gram"))), Line: make([]float64, len(reuse.Features("line")))}
	moments := s.samples(every)
	for len(moments) > maxMoments {
		half := moments[:0]
		for i := 0; i < len(moments); i += 2 {
			half = append(half, moments[i])
		}
		moments = half
	}
	for _, at := range moments {
		l := label(at)
		l.conv.Predict(base)
		for _, p := range parts {
			l.rows(p, out[p])
		}
	}
	for _, r := range out { // every session counts alike
		sum := float32(0)
		for _, w := range r.Weight {
			sum += w
		}
		for i := range r.Weight {
			r.Weight[i] *= sessionWeight / sum
		}
	}
	return out
}

// A session of more moments is thinned, and all the rows of a session weigh
// sessionWeight together.
const (
	maxMoments    = 16
	sessionWeight = 10_000
)

// penalties on large weights, by part.
type penalties map[string]float64

// parsePenalties reads one number for each part, or one for all.
func parsePenalties(s string) (penalties, error) {
	fields := strings.Split(s, ",")
	if len(fields) != 1 && len(fields) != len(parts) {
		return nil, fmt.Errorf("-l2 %s: want 1 or %d numbers", s, len(parts))
	}
	out := penalties{}
	for i, p := range parts {
		n, err := strconv.ParseFloat(fields[i%len(fields)], 64)
		if err != nil {
			return nil, fmt.Errorf("-l2 %s: %w", s, err)
		}
		out[p] = n
	}
	return out, nil
}

// train learns the weights of every part of the model.
func train(sets []map[string]*learn.Answers, l2 penalties) *reuse.Model {
	w := make(map[string][]float64)
	for _, p := range parts {
		all := &learn.Answers{Columns: len(reuse.Features(p))}
		for _, s := range sets {
			all.Append(s[p])
		}
		w[p] = logit(all, l2[p])
	}
	return &reuse.Model{Entity: w["entity"], Gram: w["gram"], Line: w["line"]}
}

// labelled is a conversation with what its future uses.
type labelled struct {
	conv  *reuse.Conversation
	names map[string]bool
	grams map[uint64]bool
	lines map[string]bool
}

func label(s sample) *labelled {
	l := &labelled{conv: reuse.Open(s.past()), names: map[string]bool{}, grams: map[uint64]bool{}, lines: map[string]bool{}}
	freshNames, freshGrams, fresh := map[string]bool{}, map[uint64]bool{}, ""
	for i := range s.future {
		m := &s.future[i]
		if m.Role != transcript.Assistant {
			t := text(m)
			fresh += "\n" + t
			each(t, func(n string) { freshNames[n] = true }, func(g uint64) { freshGrams[g] = true })
			continue
		}
		for b := range m.Blocks {
			blk := &m.Blocks[b]
			if blk.Type != transcript.Text && blk.Type != transcript.Call {
				continue
			}
			each(blockText(blk), func(n string) {
				if !freshNames[n] {
					l.names[n] = true
				}
			}, func(g uint64) {
				if !freshGrams[g] {
					l.grams[g] = true
				}
			})
			if blk.Type == transcript.Call {
				for _, q := range quotes(blk) {
					if !strings.Contains(fresh, q) {
						l.lines[q] = true
					}
				}
			}
		}
	}
	return l
}

func each(t string, name func(string), gram func(uint64)) {
	for l := range strings.SplitSeq(t, "\n") {
		reuse.Names(l, name)
		reuse.EachPhrase(l, gram)
	}
}

// rows adds the examples of a part of the model. Of what did not come to pass,
// one in thin is taken, and weighs as much as thin.
func (l *labelled) rows(part string, r *learn.Answers) {
	thin := map[string]int{"entity": 4, "gram": 24, "line": 4}[part]
	k := 0
	l.conv.Each(part, func(i int, x []float64) {
		yes := false
		switch part {
		case "entity":
			yes = l.names[l.conv.Entities[i].Name]
		case "gram":
			yes = l.grams[l.conv.Grams[i].Key]
		case "line":
			yes = l.lines[reuse.Body(l.conv.Lines[i].Text)]
		}
		w := 1
		if !yes {
			if k++; k%thin != 0 {
				return
			}
			w = thin
		}
		for _, v := range x {
			r.Rows = append(r.Rows, float32(v))
		}
		r.Yes, r.Weight = append(r.Yes, yes), append(r.Weight, float32(w))
	})
}

// logit fits a logistic regression. The first feature is the constant 1.
func logit(a *learn.Answers, l2 float64) []float64 {
	penalty := learn.Ridge(l2, a.Deviations())
	penalty[0] = 1e-3
	w := learn.Fit(a, penalty)
	for j := range w {
		w[j] = math.Round(w[j]*1e4) / 1e4
	}
	return w
}

// writeWeights writes the model as Go, to the standard output if there is no name.
func writeWeights(name string, m *reuse.Model) error {
	text, err := source(m)
	if err != nil {
		return err
	}
	if name == "" {
		_, err := os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// source is a file of package reuse with the weights.
func source(m *reuse.Model) ([]byte, error) {
	var b strings.Builder
	b.WriteString("// Code generated by lab/sessions; DO NOT EDIT.\n\npackage reuse\n\n// committed are the weights of the features, in the order of Features.\nvar committed = Model{\n")
	for _, p := range []struct {
		field, part string
		w           []float64
	}{{"Entity", "entity", m.Entity}, {"Gram", "gram", m.Gram}, {"Line", "line", m.Line}} {
		fmt.Fprintf(&b, "\t%s: []float64{\n", p.field)
		for i, f := range reuse.Features(p.part) {
			fmt.Fprintf(&b, "\t\t%g, // %s\n", p.w[i], f)
		}
		b.WriteString("\t},\n")
	}
	b.WriteString("}\n")
	return format.Source([]byte(b.String()))
}

// folds trains a model for each repository on the sessions of the others.
func folds(ss []*session, sets []map[string]*learn.Answers, l2 penalties) map[string]*reuse.Model {
	repos := make([]string, len(ss))
	for i, s := range ss {
		repos[i] = s.Repo
	}
	models := map[string]*reuse.Model{}
	for _, part := range learn.LeaveOneOut(repos) {
		var rest []map[string]*learn.Answers
		for _, i := range part.Learn {
			rest = append(rest, sets[i])
		}
		models[repos[part.Test[0]]] = train(rest, l2)
	}
	return models
}
