package main

import (
	"cmp"
	"fmt"
	"go/format"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// rows are examples to learn from: features, whether it came to pass, and how many
// alike a row stands for.
type rows struct {
	learn.Answers
	moment []int32 // of the session, by row
}

// parts are the parts of a model.
var parts = []string{"entity", "gram", "line"}

// examples returns the rows of a session for each part.
func examples(s *session, every int) map[string]*rows {
	out := make(map[string]*rows)
	for _, p := range parts {
		out[p] = &rows{Answers: learn.Answers{Columns: len(reuse.Features(p))}}
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
	for k, at := range moments {
		l := label(at)
		l.conv.Predict(base)
		for _, p := range parts {
			r := out[p]
			l.rows(p, r)
			for len(r.moment) < len(r.Yes) {
				r.moment = append(r.moment, int32(k))
			}
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
func train(sets []map[string]*rows, l2 penalties) *reuse.Model {
	w := make(map[string][]float64)
	for _, p := range parts {
		all := &learn.Answers{Columns: len(reuse.Features(p))}
		for _, s := range sets {
			all.Append(&s[p].Answers)
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
func (l *labelled) rows(part string, r *rows) {
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

// checkAll checks several penalties, divided by semicolons.
func checkAll(ss []*session, sets []map[string]*rows, penalties string) error {
	for one := range strings.SplitSeq(penalties, ";") {
		l2, err := parsePenalties(one)
		if err != nil {
			return err
		}
		check(ss, sets, l2)
	}
	return nil
}

// check prints how well the parts predict sessions of repositories that they
// did not see: the mean loss in bits of a row, and the area under the curve of a
// moment.
func check(ss []*session, sets []map[string]*rows, l2 penalties) {
	models := folds(ss, sets, l2)
	for _, p := range parts {
		loss, area, with := 0.0, 0.0, 0.0
		for i, s := range ss {
			m := models[s.Repo]
			w := map[string][]float64{"entity": m.Entity, "gram": m.Gram, "line": m.Line}[p]
			l, a, ok := sets[i][p].test(w)
			loss += l
			if ok {
				area += a
				with++
			}
		}
		fmt.Printf("%-7s l2 %g: loss %.5f area %.4f\n", p, l2[p], loss/float64(len(ss)), area/with)
	}
}

// folds trains a model for each repository on the sessions of the others.
func folds(ss []*session, sets []map[string]*rows, l2 penalties) map[string]*reuse.Model {
	repos := make([]string, len(ss))
	for i, s := range ss {
		repos[i] = s.Repo
	}
	models := map[string]*reuse.Model{}
	for _, part := range learn.LeaveOneOut(repos) {
		var rest []map[string]*rows
		for _, i := range part.Learn {
			rest = append(rest, sets[i])
		}
		models[repos[part.Test[0]]] = train(rest, l2)
	}
	return models
}

// test returns the loss and the area under the curve, if there is one.
func (r *rows) test(w []float64) (loss, area float64, ok bool) {
	type scored struct {
		z, w float64
		y    bool
		m    int32
	}
	all := make([]scored, len(r.Yes))
	sum := 0.0
	for i := range all {
		z := r.Score(i, w)
		all[i] = scored{z, float64(r.Weight[i]), r.Yes[i], r.moment[i]}
		if r.Yes[i] {
			z = -z
		}
		loss += all[i].w * math.Log2(1+math.Exp(z))
		sum += all[i].w
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.z, b.z) })
	type count struct{ area, below, yes float64 }
	moments := map[int32]*count{}
	for _, s := range all {
		c := moments[s.m]
		if c == nil {
			c = new(count)
			moments[s.m] = c
		}
		if s.y {
			c.area += s.w * c.below
			c.yes += s.w
		} else {
			c.below += s.w
		}
	}
	n := 0.0
	for m := range slices.Max(append(r.moment, 0)) + 1 {
		if c := moments[m]; c != nil && c.yes > 0 && c.below > 0 {
			area += c.area / c.yes / c.below
			n++
		}
	}
	return loss / max(sum, 1), area / max(n, 1), n > 0
}
