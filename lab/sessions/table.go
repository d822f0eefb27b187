package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/lab/sessions/state"
)

// A column of the table is a share, printed in percent. NaN is nothing to tell.
type column struct {
	name string
	of   func(*row) float64
}

// The columns, in groups.
var columns = [][]column{
	{
		{"S", func(r *row) float64 { return r.S }},
		{"S*", func(r *row) float64 { return r.Star }},
		{"Rctx", func(r *row) float64 { return r.Ctx }},
		{"R2", func(r *row) float64 { return r.R2 }},
		{"Rfar", func(r *row) float64 { return r.Far }},
		{"Redit", func(r *row) float64 { return r.Edit }},
		{"U", func(r *row) float64 { return r.U }},
		{"4g", func(r *row) float64 { return r.Grams }},
	},
	append([]column{
		{"SR", func(r *row) float64 { return r.recalled((*state.Recall).Mean) }},
		{"SR-", func(r *row) float64 { return r.recalled((*state.Recall).True) }},
	}, kindColumns()...),
	{
		{"coh", selected(func(r *state.Reading) float64 { return r.Coherent })},
		{"add", selected(func(r *state.Reading) float64 { return r.Added })},
		{"rep", selected(func(r *state.Reading) float64 { return r.Repeated })},
		{"run1", func(r *row) float64 {
			if r.reading == nil || r.reading.Runs == 0 {
				return math.NaN()
			}
			return r.reading.Single
		}},
		{"mark", func(r *row) float64 {
			if r.reading == nil {
				return math.NaN()
			}
			return r.reading.Marked
		}},
	},
}

func kindColumns() []column {
	var out []column
	for _, k := range state.Kinds {
		out = append(out, column{string(k), func(r *row) float64 {
			if r.recall == nil {
				return math.NaN()
			}
			if v, ok := r.recall.Shares[k]; ok {
				return v
			}
			return math.NaN()
		}})
	}
	return out
}

// selected is a number of what was selected, where anything was.
func selected(f func(*state.Reading) float64) func(*row) float64 {
	return func(r *row) float64 {
		if r.reading == nil || !r.reading.Selected {
			return math.NaN()
		}
		return f(r.reading)
	}
}

// mean is the mean of a number over graded trims: of a session first, then over
// the sessions.
func mean(all []graded, f func(*row) float64) float64 {
	sums := map[string][2]float64{}
	for i := range all {
		if v := f(&all[i].row); !math.IsNaN(v) {
			s := sums[all[i].file]
			sums[all[i].file] = [2]float64{s[0] + v, s[1] + 1}
		}
	}
	t := 0.0
	for _, n := range slices.Sorted(maps.Keys(sums)) {
		t += sums[n][0] / sums[n][1]
	}
	return t / float64(len(sums)) // NaN of none
}

const (
	nameWidth  = 10
	rowHead    = "%-*.*s %6s %4s "
	everything = 0 // stands for all budgets
)

// printTable prints a row for each packer at each budget and over all, and the
// columns that [columns] lists.
func printTable(w io.Writer, all []graded, budgets []float64) {
	var b strings.Builder
	fmt.Fprintf(&b, rowHead, nameWidth, nameWidth, "packer", "budget", "n")
	for _, group := range columns {
		b.WriteString("|")
		for _, c := range group {
			fmt.Fprintf(&b, " %5s", c.name)
		}
		b.WriteString(" ")
	}
	b.WriteString("|  bad over fill\n")
	for _, limit := range append(slices.Clone(budgets), everything) {
		printed := false
		for _, name := range packersOf(all) {
			in := slices.DeleteFunc(slices.Clone(all), func(g graded) bool {
				return g.packer != name || limit != everything && g.budget != limit && !math.IsInf(g.budget, 1) || limit == everything && math.IsInf(g.budget, 1)
			})
			if len(in) == 0 || math.IsInf(in[0].budget, 1) && limit != budgets[0] {
				continue
			}
			printRow(&b, name, limit, in)
			printed = true
		}
		if printed && limit != everything {
			b.WriteByte('\n')
		}
	}
	fmt.Fprint(w, b.String())
}

func printRow(b *strings.Builder, name string, limit float64, in []graded) {
	fmt.Fprintf(b, rowHead, nameWidth, nameWidth, name, budgetName(limit, in), fmt.Sprint(len(in)))
	for _, group := range columns {
		b.WriteString("|")
		for _, c := range group {
			if v := mean(in, c.of); math.IsNaN(v) {
				fmt.Fprintf(b, " %5s", "-")
			} else {
				fmt.Fprintf(b, " %5.1f", 100*v)
			}
		}
		b.WriteString(" ")
	}
	bad, over := 0, 0
	for i := range in {
		if in[i].row.invalid != "" {
			bad++
		}
		if in[i].row.over {
			over++
		}
	}
	fmt.Fprintf(b, "| %4d %4d %4.0f\n", bad, over, 100*mean(in, func(r *row) float64 { return r.fill }))
}

func budgetName(limit float64, in []graded) string {
	switch {
	case math.IsInf(in[0].budget, 1):
		return "-"
	case limit == everything:
		return "all"
	case limit <= 1:
		return fmt.Sprintf("%g%%", 100*limit)
	}
	return fmt.Sprintf("%gk", limit/1000)
}

// packersOf returns the packers in the order in which they were asked for.
func packersOf(all []graded) []string {
	var out []string
	for i := range all {
		if !slices.Contains(out, all[i].packer) {
			out = append(out, all[i].packer)
		}
	}
	return out
}
