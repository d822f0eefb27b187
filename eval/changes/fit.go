package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/eval/tasks"
	"github.com/satchel-dev/satchel/rank"
)

// perLogit is how much relevance one unit of the learned scorer is: the files of
// a commit then spread over most of 0..1.
const perLogit = 0.12

// A list is the files of one commit as rows of signals.
type list struct {
	repo   string
	rows   [][]float64
	offset []float64 // what judgement adds, in units of the scorer
	gold   []float64 // share of what is right; sums to 1
	hit    []bool
}

// learned are the signals whose weights are learned, in order of the table.
func learned() (names []string, at map[string]int, neutral []float64) {
	at = map[string]int{}
	for _, r := range rank.Changes.Rules {
		if !r.Bounded && !r.Judged {
			at[r.Signal] = len(names)
			names = append(names, r.Signal)
			neutral = append(neutral, r.Neutral)
		}
	}
	return names, at, neutral
}

func lists(samples []sample) []list {
	names, at, neutral := learned()
	out := make([]list, 0, len(samples))
	for _, s := range samples {
		files := slices.Clone(s.Files)
		for i := range files {
			files[i].Signals = nil
		}
		change.Measure(files)
		l := list{repo: s.Repo, hit: s.Gold}
		right := 0.0
		for _, g := range s.Gold {
			if g {
				right++
			}
		}
		for i := range files {
			row := make([]float64, len(names))
			judged := 0.0
			for _, sig := range files[i].Signals {
				if k, ok := at[sig.Name]; ok {
					row[k] = sig.Value - neutral[k]
				}
				for _, r := range rank.Changes.Rules {
					if r.Judged && r.Signal == sig.Name {
						judged += r.Add * sig.Value
					}
				}
			}
			l.rows = append(l.rows, row)
			l.offset = append(l.offset, judged/perLogit)
			g := 0.0
			if s.Gold[i] {
				g = 1 / right
			}
			l.gold = append(l.gold, g)
		}
		out = append(out, l)
	}
	return out
}

// fit learns the weights of a linear scorer that gives right files the most
// probability under a softmax over the files of their commit (ListNet's top-one
// loss), with an L2 penalty on standardised weights, by Newton's method: there
// are few columns, and the loss is convex.
func fit(ls []list, columns int, l2 float64) []float64 {
	scale := deviations(ls, columns)
	w := make([]float64, columns) // of the rows as they are
	for range newtonSteps {
		grad := make([]float64, columns)
		hess := make([][]float64, columns)
		for d := range hess {
			hess[d] = make([]float64, columns)
			if scale[d] > 0 {
				lambda := l2 * scale[d] * scale[d] * float64(len(ls)) / 100
				grad[d] = lambda * w[d]
				hess[d][d] = lambda
			} else {
				hess[d][d] = 1
			}
		}
		for i := range ls {
			accumulate(&ls[i], w, grad, hess)
		}
		step := solve(hess, grad)
		size := 0.0
		for d := range w {
			w[d] -= step[d]
			size = max(size, math.Abs(step[d])*scale[d])
		}
		if size < 1e-9 {
			break
		}
	}
	return w
}

const newtonSteps = 30

// deviations are the standard deviations of the columns, within commits.
func deviations(ls []list, columns int) []float64 {
	sum, n := make([]float64, columns), 0.0
	for i := range ls {
		l := &ls[i]
		for d := range columns {
			mean := 0.0
			for _, r := range l.rows {
				mean += r[d] / float64(len(l.rows))
			}
			for _, r := range l.rows {
				sum[d] += (r[d] - mean) * (r[d] - mean)
			}
		}
		n += float64(len(l.rows))
	}
	for d := range sum {
		sum[d] = math.Sqrt(sum[d] / n)
	}
	return sum
}

// accumulate adds the gradient and the Hessian of one list.
func accumulate(l *list, w, grad []float64, hess [][]float64) {
	p := softmax(scores(l, w))
	mean := make([]float64, len(w))
	for i, r := range l.rows {
		for d, v := range r {
			mean[d] += p[i] * v
			grad[d] += (p[i] - l.gold[i]) * v
		}
	}
	for i, r := range l.rows {
		if p[i] < 1e-12 {
			continue
		}
		for d, v := range r {
			x := p[i] * (v - mean[d])
			if x == 0 {
				continue
			}
			for e := range d + 1 {
				hess[d][e] += x * (r[e] - mean[e])
			}
		}
	}
}

func scores(l *list, w []float64) []float64 {
	out := make([]float64, len(l.rows))
	for i, r := range l.rows {
		out[i] = l.offset[i]
		for d, v := range r {
			out[i] += w[d] * v
		}
	}
	return out
}

func softmax(s []float64) []float64 {
	most := slices.Max(s)
	sum := 0.0
	p := make([]float64, len(s))
	for i, x := range s {
		p[i] = math.Exp(x - most)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// solve solves a symmetric, positive system by Cholesky's method. The upper half
// of a is not looked at.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		for j := range i + 1 {
			s := a[i][j]
			for k := range j {
				s -= a[i][k] * a[j][k]
			}
			if i == j {
				a[i][i] = math.Sqrt(max(s, 1e-12))
			} else {
				a[i][j] = s / a[j][j]
			}
		}
	}
	x := slices.Clone(b)
	for i := range n {
		for k := range i {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= a[k][i] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x
}

// quality is hit@1 and the mean log probability of what is right.
func quality(ls []list, w []float64) (hit, logp float64) {
	for i := range ls {
		l := &ls[i]
		s := scores(l, w)
		best := 0
		for k := range s {
			if s[k] > s[best] {
				best = k
			}
		}
		if l.hit[best] {
			hit++
		}
		p := softmax(s)
		for k := range p {
			logp += l.gold[k] * math.Log(max(p[k], 1e-300))
		}
	}
	return hit / float64(len(ls)), logp / float64(len(ls))
}

// crossValidate fits on the repositories of all folds but one and tests on
// those of that one.
func crossValidate(ls []list, columns int, l2 float64) (hit, logp float64) {
	n := 0.0
	for fold := range tasks.Folds {
		var train, test []list
		for _, l := range ls {
			if tasks.Fold(l.repo) == fold {
				test = append(test, l)
			} else {
				train = append(train, l)
			}
		}
		if len(test) == 0 || len(train) == 0 {
			continue
		}
		h, p := quality(test, fit(train, columns, l2))
		hit += h * float64(len(test))
		logp += p * float64(len(test))
		n += float64(len(test))
	}
	return hit / n, logp / n
}

var penalties = []float64{0.1, 0.3, 1, 3, 10, 30}

// learn fits the weights and writes them as a Go file.
func learn(samples []sample, repos []string, l2 float64, out string) error {
	names, _, _ := learned()
	ls := lists(samples)
	if l2 == 0 {
		best := math.Inf(-1)
		for _, x := range penalties {
			hit, logp := crossValidate(ls, len(names), x)
			fmt.Fprintf(os.Stderr, "l2 %-5g cross-validated hit@1 %.3f, log p %.4f\n", x, hit, logp)
			if logp > best {
				best, l2 = logp, x
			}
		}
	}
	w := fit(ls, len(names), l2)
	hit, _ := quality(ls, w)
	fmt.Fprintf(os.Stderr, "l2 %g: hit@1 %.3f on what was learned from\n", l2, hit)
	if out == "" {
		for d, n := range names {
			fmt.Printf("%-22s %+.3f\n", n, w[d]*perLogit)
		}
		return nil
	}
	return os.WriteFile(out, source(samples, repos, l2, names, w), 0o644)
}

// source is the Go file with the weights and where they come from.
func source(samples []sample, repos []string, l2 float64, names []string, w []float64) []byte {
	count := map[string]int{}
	for _, s := range samples {
		count[s.Repo]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, `// Code generated by eval/changes; DO NOT EDIT.
//
// Learned from %d commits whose subjects name some of their files, by make
// train-changes; L2 penalty %g, one unit of the scorer is %g of relevance.
// Repositories and how many of each:
//
`, len(samples), l2, perLogit)
	for _, r := range repos {
		fmt.Fprintf(&b, "//\t%s %d\n", r, count[r])
	}
	b.WriteString("\npackage rank\n\n// changeWeights are what the signals of a changed file add to its relevance.\nvar changeWeights = map[string]float64{\n")
	widest := 0
	for _, n := range names {
		widest = max(widest, len(n))
	}
	for d, n := range names {
		fmt.Fprintf(&b, "\t%q:%s %.3f,\n", n, strings.Repeat(" ", widest-len(n)), w[d]*perLogit)
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

// signals prints how each signal alone orders the files.
func signals(samples []sample) error {
	ls := lists(samples)
	names, _, _ := learned()
	for d, n := range names {
		w := make([]float64, len(names))
		for _, sign := range []float64{1, -1} {
			w[d] = sign * 10
			hit, _ := quality(ls, w)
			fmt.Printf("%-22s %+g hit@1 %.3f  ", n, sign, hit)
		}
		fmt.Println()
	}
	return nil
}
