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

	"github.com/satchel-dev/satchel/internal/reuse"
	"github.com/satchel-dev/satchel/transcript"
)

// rows are examples to learn from: features, whether it came to pass, and how
// many alike a row stands for.
type rows struct {
	d int
	x []float32
	y []bool
	w []float32
	m []int32 // the moment of the session
}

func (r *rows) n() int { return len(r.y) }

// parts are the parts of a model.
var parts = []string{"entity", "gram", "line"}

// examples returns the rows of a session for each part.
func examples(s *session, every int) map[string]*rows {
	out := make(map[string]*rows)
	for _, p := range parts {
		out[p] = &rows{d: len(reuse.Features(p))}
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
			for len(r.m) < r.n() {
				r.m = append(r.m, int32(k))
			}
		}
	}
	for _, r := range out { // every session counts alike
		sum := float32(0)
		for _, w := range r.w {
			sum += w
		}
		for i := range r.w {
			r.w[i] *= sessionWeight / sum
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
		all := &rows{d: len(reuse.Features(p))}
		for _, s := range sets {
			all.x, all.y, all.w = append(all.x, s[p].x...), append(all.y, s[p].y...), append(all.w, s[p].w...)
		}
		w[p] = logit(all, l2[p])
	}
	return &reuse.Model{Entity: w["entity"], Gram: w["gram"], Line: w["line"]}
}

// linear returns the scores of the rows by weights alone.
func (r *rows) linear(w []float64) []float64 {
	z := make([]float64, r.n())
	for i := range z {
		for j, v := range r.x[i*r.d : i*r.d+r.d] {
			z[i] += w[j] * float64(v)
		}
	}
	return z
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
			r.x = append(r.x, float32(v))
		}
		r.y, r.w = append(r.y, yes), append(r.w, float32(w))
	})
}

// logit fits a logistic regression by Newton's method, with an L2 penalty on
// weights of standardised features. The first feature is the constant 1.
func logit(r *rows, l2 float64) []float64 {
	d, n := r.d, r.n()
	scale := make([]float64, d)
	for j := range d {
		var s, q, t float64
		for i := range n {
			v, w := float64(r.x[i*d+j]), float64(r.w[i])
			s, q, t = s+w*v, q+w*v*v, t+w
		}
		if sd := math.Sqrt(max(0, q/t-s/t*s/t)); sd > 1e-6 {
			scale[j] = sd
		} else if j == 0 {
			scale[j] = 1
		}
	}
	w := make([]float64, d)
	for range 12 {
		grad, hess := make([]float64, d), make([]float64, d*d)
		for i := range n {
			x := r.x[i*d : i*d+d]
			z := 0.0
			for j, v := range x {
				z += w[j] * float64(v)
			}
			p := 1 / (1 + math.Exp(-z))
			e := -p
			if r.y[i] {
				e++
			}
			e *= float64(r.w[i])
			h := p * (1 - p) * float64(r.w[i])
			for j, v := range x {
				if v == 0 {
					continue
				}
				grad[j] += e * float64(v)
				hv := h * float64(v)
				for k := 0; k <= j; k++ {
					hess[j*d+k] += hv * float64(x[k])
				}
			}
		}
		for j := range d {
			penalty := l2 * scale[j] * scale[j]
			if j == 0 {
				penalty = 1e-3
			}
			if scale[j] == 0 {
				penalty = 1e6
			}
			grad[j] -= penalty * w[j]
			hess[j*d+j] += penalty + 1e-9
		}
		step := solve(hess, grad, d)
		most := 0.0
		for j := range d {
			w[j] += step[j]
			most = max(most, math.Abs(step[j]))
		}
		if most < 1e-5 {
			break
		}
	}
	for j := range d {
		if scale[j] == 0 {
			w[j] = 0
		}
		w[j] = math.Round(w[j]*1e4) / 1e4
	}
	return w
}

// solve returns x with a*x = b for a symmetric positive matrix of which the
// lower triangle is given (Cholesky). It overwrites a.
func solve(a, b []float64, d int) []float64 {
	for j := range d {
		for k := range j {
			a[j*d+j] -= a[j*d+k] * a[j*d+k]
		}
		a[j*d+j] = math.Sqrt(max(a[j*d+j], 1e-12))
		for i := j + 1; i < d; i++ {
			for k := range j {
				a[i*d+j] -= a[i*d+k] * a[j*d+k]
			}
			a[i*d+j] /= a[j*d+j]
		}
	}
	x := append([]float64(nil), b...)
	for i := range d {
		for k := range i {
			x[i] -= a[i*d+k] * x[k]
		}
		x[i] /= a[i*d+i]
	}
	for i := d - 1; i >= 0; i-- {
		for k := i + 1; k < d; k++ {
			x[i] -= a[k*d+i] * x[k]
		}
		x[i] /= a[i*d+i]
	}
	return x
}

// writeWeights writes the model as Go.
func writeWeights(name string, m *reuse.Model) error {
	var b strings.Builder
	b.WriteString("// Code generated by eval/sessions; DO NOT EDIT.\n\npackage reuse\n\n// committed are the weights of the features, in the order of Features.\nvar committed = Model{\n")
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
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		return err
	}
	if name == "" {
		_, err := os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(name, text, 0o644)
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
	models := map[string]*reuse.Model{}
	for _, s := range ss {
		if models[s.Repo] != nil {
			continue
		}
		var rest []map[string]*rows
		for i, o := range ss {
			if o.Repo != s.Repo {
				rest = append(rest, sets[i])
			}
		}
		models[s.Repo] = train(rest, l2)
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
	all := make([]scored, r.n())
	sum := 0.0
	for i, z := range r.linear(w) {
		all[i] = scored{z, float64(r.w[i]), r.y[i], r.m[i]}
		if r.y[i] {
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
	for m := range slices.Max(append(r.m, 0)) + 1 {
		if c := moments[m]; c != nil && c.yes > 0 && c.below > 0 {
			area += c.area / c.yes / c.below
			n++
		}
	}
	return loss / max(sum, 1), area / max(n, 1), n > 0
}
