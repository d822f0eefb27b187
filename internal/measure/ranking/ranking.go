// Package ranking orders what a repository has for a task: its files in two passes,
// the functions of the likeliest files, the sections of documents. It reads their
// texts, and makes items of them in several forms.
//
// [Rank] is the heart: it measures every file of a view and orders them.
// [Ranking.Chunks] does the same for the functions of the likeliest files.
package ranking

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// Seeds is the number of files that the second pass starts from.
const Seeds = 15

// A Ranking is every file of a view, ordered by likelihood.
type Ranking struct {
	*signal.Measurement
	Models   rank.Models
	Features *rank.Features
	Scores   []float32       // by file, as the model has it
	Order    []int32         // files, best first
	plain    []int32         // the same by Scores alone
	copies   map[int32]int32 // see CopyOf

	Exact []Exact                  // what the task spells and comes first for it, the likeliest first
	Lifts map[int32]satchel.Reason // what files gain by what the task spells
}

// Rank measures and orders the files of v for the task q.
func Rank(v *index.View, q rank.Query, models rank.Models) *Ranking {
	models = models.OrDefault()
	m := signal.First(v, q)
	if len(q.Used) > 0 {
		m.Table.Used = make([]float32, len(v.Files()))
		for i, f := range v.Files() {
			m.Table.Used[i] = q.Used[f.Path]
		}
	}
	f := m.Table.Scale()
	first := models.First.Scores(m.Table, f)
	seeds, weights := rank.Seeds(first, Seeds)
	m.Second(seeds, weights, first)
	m.Table.Rescale(f, rank.Imports)
	r := NewRanking(m, f, models)
	r.followSources()
	r.exact()
	return r
}

// NewRanking orders the files of a finished measurement.
func NewRanking(m *signal.Measurement, f *rank.Features, models rank.Models) *Ranking {
	r := &Ranking{Measurement: m, Models: models.OrDefault(), Features: f}
	r.Scores = r.Models.Files.Scores(m.Table, f)
	r.Order = order(r.Scores)
	r.plain = r.Order
	return r
}

// Evidence measures how well the task fits the repository.
func (r *Ranking) Evidence() rank.Evidence { return r.EvidenceAgainst(rank.Background) }

// EvidenceAgainst is Evidence with other rates of terms in other repositories.
func (r *Ranking) EvidenceAgainst(elsewhere func(term uint64) float64) rank.Evidence {
	e := r.Measurement.Evidence(r.plain, r.Scores, elsewhere)
	e.Spelled = len(r.Exact)
	return e
}

func order(scores []float32) []int32 {
	o := make([]int32, len(scores))
	for i := range o {
		o[i] = int32(i)
	}
	slices.SortFunc(o, func(a, b int32) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	return o
}

// A Chunk is a chunk of a likely file, measured.
type Chunk struct {
	File  int32 // of View.Files
	Index int32 // of View.Chunks
	Row   rank.ChunkRow
	Score float64
	Whole bool // no form shows it in part: it is too far behind for that to be worth the making
}

// CandidateFiles is the number of likeliest files whose chunks are measured.
// The files a task needs are among them in 98 % of tasks.
const CandidateFiles = 60

// Chunks measures and scores the chunks of the n likeliest files, in the order
// of the files and their lines.
func (r *Ranking) Chunks(n int) []Chunk { return r.ChunksOf(r.Order[:min(n, len(r.Order))]) }

// ChunksOf does the same for the files given, best first.
func (r *Ranking) ChunksOf(likely []int32) []Chunk {
	if len(likely) == 0 {
		return nil
	}
	x := r.newChunkScale(likely)
	var out []Chunk
	for k, i := range likely {
		out = r.appendChunks(out, i, k, x)
	}
	return out
}

// A chunkScale is what chunks are measured beside.
type chunkScale struct {
	top             float32 // the best file's score
	mass            float64 // of the scores of all files
	best, def, says float32 // of all chunks of the view
	total           float32 // weight of the task
	shared          nameShare
}

func (r *Ranking) newChunkScale(likely []int32) *chunkScale {
	x := &chunkScale{top: r.Scores[likely[0]], best: 1e-6, def: 1e-6, says: 1e-6, total: max(r.Weight(), 1e-6), shared: nameShare{weights: r.TermWeights()}}
	for _, i := range likely {
		x.mass += math.Exp(float64(r.Scores[i] - x.top))
	}
	for c := range r.View.Chunks() {
		x.best = max(x.best, r.Chunk[c])
		x.def = max(x.def, r.ChunkDef[c])
		x.says = max(x.says, r.ChunkSays[c])
	}
	return x
}

// appendChunks measures and scores the chunks of a file, which is the kth best.
func (r *Ranking) appendChunks(out []Chunk, file int32, k int, scale *chunkScale) []Chunk {
	all, f := r.View.Chunks(), &r.View.Files()[file]
	d := r.View.Docs()[f.Doc]
	var here, cover float32 = 1e-6, 1e-6
	for c := d.Chunk0; c < d.Chunk1; c++ {
		here, cover = max(here, r.Chunk[c]), max(cover, r.ChunkCover[c])
	}
	symbols := r.View.Symbols(f.Doc)
	traced := r.tracedLines(file)
	leads := discounts(r.Chunk[d.Chunk0:d.Chunk1])
	test := f.Class == outline.Test && !r.Query.Wants[rank.AskTests] && !r.Named(file)
	for c := d.Chunk0; c < d.Chunk1; c++ {
		x := Chunk{File: file, Index: c}
		v := &x.Row

		// Its file, and its words.
		v[rank.ChunkFile] = float32(float64(r.Scores[file]-scale.top) - math.Log(scale.mass))
		v[rank.ChunkFileRank] = discount(k)
		v[rank.ChunkWords] = logShare(r.Chunk[c], scale.best)
		v[rank.ChunkLeads] = leads[c-d.Chunk0] * discount(k)
		v[rank.ChunkCovers] = r.ChunkCover[c] / scale.total
		v[rank.ChunkCoversHere] = r.ChunkCover[c] / cover
		v[rank.ChunkComments] = r.ChunkSays[c] / scale.says
		v[rank.ChunkDefines] = r.ChunkDef[c] / scale.def
		v[rank.ChunkNamed] = min(r.ChunkName[c], 1)

		// What it is, and where it stands.
		v[rank.ChunkLength] = float32(math.Log(float64(all[c].Terms) + 12))
		if s := all[c].Symbol; s >= 0 && int(s) < len(symbols) {
			switch symbols[s].Kind {
			case "func", "function", "method", "constructor", "macro":
				v[rank.ChunkIsFunc] = 1
			default:
				v[rank.ChunkIsType] = 1
			}
			v[rank.ChunkNameShared] = scale.shared.of(symbols[s].Name)
		}
		if c == d.Chunk0 {
			v[rank.ChunkIsHead] = 1
		}
		if test {
			v[rank.ChunkIsTest] = 1
		}
		for _, line := range traced {
			if line >= all[c].From && line <= all[c].To {
				v[rank.ChunkTraced] = 1
			}
		}
		v[rank.ChunkSiblings] = float32(math.Log(float64(d.Chunk1 - d.Chunk0)))
		var next float32
		if c > d.Chunk0 {
			next = r.Chunk[c-1]
		}
		if c+1 < d.Chunk1 {
			next = max(next, r.Chunk[c+1])
		}
		v[rank.ChunkNext] = logShare(next, here)

		x.Score = r.Models.Chunks.Score(v)
		out = append(out, x)
	}
	return out
}

// discount is what a rank, counted from 0, is worth.
func discount(rank int) float32 { return float32(1 / (1 + math.Log2(float64(rank)+1))) }

// discounts returns the discounted rank of each value, 0 of those that are 0.
func discounts(values []float32) []float32 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(values[b], values[a]), a-b) })
	out := make([]float32, len(values))
	for k, i := range order {
		if values[i] > 0 {
			out[i] = discount(k)
		}
	}
	return out
}

// A nameShare says how much of a name a task has.
type nameShare struct {
	analyzer terms.Analyzer
	weights  map[uint64]float32 // terms of the task
}

// of returns the share of the words of a name that are the task's.
func (n *nameShare) of(name string) float32 {
	var has, all float32
	n.analyzer.Each([]byte(name), func(t uint64) {
		all++
		if n.weights[t] > 0 {
			has++
		}
	})
	return has / max(all, 1)
}

func logShare(v, of float32) float32 { return float32(math.Log(float64(v/of) + 1e-3)) }

// tracedLines returns the lines of file i that tracebacks of the task name.
func (r *Ranking) tracedLines(i int32) []int32 {
	if c := r.Table.Columns[rank.InTraceback]; c == nil || c[i] == 0 {
		return nil
	}
	var lines []int32
	for _, f := range r.Query.Frames {
		if r.NamesFile(f.Path, i) {
			lines = append(lines, int32(f.Line))
		}
	}
	return lines
}
