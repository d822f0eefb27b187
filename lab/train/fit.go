package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/rank"
)

func (o options) active(col int) bool { return !o.drop[signalOf(col)] }

func signalOf(col int) rank.Signal { return rank.Signal(col / perSignal) }

func modelOf(w []float64) *rank.Model {
	m := new(rank.Model)
	for sig := range rank.NumSignals {
		k := perSignal * int(sig)
		m.Max[sig], m.Rank[sig] = float32(w[k]), float32(w[k+1])
	}
	return m
}

// fit learns the weights of a linear scorer that puts right rows first. The penalty
// is of a list; a column that active says no to stays 0.
func fit(lists learn.Lists, l2 float64, active func(col int) bool) []float64 {
	return learn.Fit(lists, penalties(lists, l2, active))
}

func penalties(lists learn.Lists, l2 float64, active func(col int) bool) []float64 {
	weight := 0.0
	for i := range lists {
		if lists[i].Learned() {
			weight += lists[i].Weight
		}
	}
	penalty := learn.Ridge(l2*weight, lists.Deviations())
	for col := range penalty {
		if !active(col) {
			penalty[col] = math.Inf(1)
		}
	}
	return penalty
}

// fitFiles fits a scorer of files. What speaks for a file never counts against it:
// a column that would is left out, and the others are fitted again, until none is.
// Where tasks of a kind are few, as those with a traceback among commits, chance
// would have it otherwise.
func fitFiles(lists learn.Lists, o options, active func(col int) bool) *rank.Model {
	penalty := penalties(lists, o.l2, active)
	for {
		w := learn.Fit(lists, penalty)
		again := false
		for col, v := range w {
			if v < 0 && speaksFor(signalOf(col)) {
				penalty[col] = math.Inf(1)
				again = true
			}
		}
		if !again {
			return modelOf(w)
		}
	}
}

// speaksFor reports whether a signal is a hint to a file, rather than what is known
// of it anyway.
func speaksFor(s rank.Signal) bool {
	switch s {
	case rank.Churn, rank.Secondary, rank.IndexFile, rank.Generated:
		return false
	}
	return true
}

// train learns the models that follow the first pass.
func train(samples []*sample, first *rank.Model, o options) rank.Models {
	lists := make(learn.Lists, len(samples))
	for i, s := range samples {
		l := learn.List{Weight: s.weight}
		for _, f := range s.files {
			if f.learned {
				l.Rows = append(l.Rows, f.row)
				l.Right = append(l.Right, f.right)
			}
		}
		lists[i] = l
	}
	files := fitFiles(lists, o, o.active)
	return rank.Models{First: first, Files: files, Chunks: trainChunks(samples, files)}
}

// chunkL2 is the L2 penalty for chunks.
const chunkL2 = 0.03

// trainChunks learns to tell the chunks that change, in the files that a model puts
// first.
func trainChunks(samples []*sample, files *rank.Model) *rank.ChunkModel {
	lists := make(learn.Lists, len(samples))
	for i, s := range samples {
		lists[i] = s.chunkList(files)
	}
	m := new(rank.ChunkModel)
	for i, v := range fit(lists, chunkL2, func(int) bool { return true }) {
		m[i] = float32(v)
	}
	return m
}

// scores returns the score of each file.
func (s *sample) scores(m *rank.Model) []float32 {
	out := make([]float32, len(s.files))
	for i := range s.files {
		f := &s.files[i]
		for sig := range rank.NumSignals {
			k := perSignal * int(sig)
			out[i] += m.Max[sig]*f.row[k] + m.Rank[sig]*f.row[k+1]
		}
		out[i] -= f.demotion
	}
	return out
}

// discount is what a rank, counted from 0, is worth.
func discount(rank int) float32 { return float32(1 / (1 + math.Log2(float64(rank)+1))) }

// order returns the files, best first.
func order(scores []float32) []int {
	out := make([]int, len(scores))
	for i := range out {
		out[i] = i
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return out
}

// chunkList is what is learned of a sample's chunks, once a model has ordered its
// files.
func (s *sample) chunkList(files *rank.Model) learn.List {
	l := learn.List{Weight: s.weight}
	scores := s.scores(files)
	place := make([]int, len(scores))
	likely := order(scores)
	for k, i := range likely {
		place[i] = k
	}
	mass := 0.0
	for _, i := range likely[:min(len(likely), ranking.CandidateFiles)] {
		mass += math.Exp(float64(scores[i] - scores[likely[0]]))
	}
	for i := range s.chunks {
		c := &s.chunks[i]
		if place[c.file] >= ranking.CandidateFiles {
			continue
		}
		row := c.row
		row[rank.ChunkFile] = float32(float64(scores[c.file]-scores[likely[0]]) - math.Log(mass))
		row[rank.ChunkFileRank] = discount(place[c.file])
		row[rank.ChunkLeads] = c.leads * discount(place[c.file])
		l.Rows = append(l.Rows, row[:])
		l.Right = append(l.Right, c.right)
	}
	return l
}
