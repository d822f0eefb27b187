package main

import (
	"fmt"
	"math"
	"os"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/satchel-dev/satchel/transcript"
)

// A graded is one trim of one question.
type graded struct {
	file   string
	packer string
	budget float64 // as asked for; infinite if nothing was cut
	row    row
}

// gradeAll has each packer cut every question to every budget.
func gradeAll(qs []*question, ps []packer, budgets []float64) []graded {
	rows := make([][]graded, len(qs))
	var g errgroup.Group
	g.SetLimit(2)
	for i := range qs {
		g.Go(func() error {
			for _, p := range ps {
				rows[i] = append(rows[i], answer(i, qs[i], p, budgets)...)
			}
			return nil
		})
	}
	_ = g.Wait() // no error
	return slices.Concat(rows...)
}

func answer(i int, q *question, p packer, budgets []float64) []graded {
	if p.full {
		return []graded{q.graded(i, p, math.Inf(1), math.Inf(1))}
	}
	var out []graded
	for _, b := range budgets {
		limit := b
		if b <= 1 {
			limit = max(1500, b*q.tokens)
		} else if q.tokens <= 1.25*b {
			continue
		}
		out = append(out, q.graded(i, p, b, limit))
	}
	return out
}

// graded has a packer cut the question to a limit, and grades that.
func (q *question) graded(i int, p packer, budget, limit float64) graded {
	g := graded{file: q.s.File, packer: p.name, budget: budget}
	out, err := p.pack(i, q, limit)
	if err != nil {
		fmt.Fprintln(os.Stderr, q.s.File, p.name, err)
		out = []transcript.Message{}
	}
	g.row = q.grade(out, limit)
	if err != nil {
		g.row.invalid = "error"
	}
	return g
}
