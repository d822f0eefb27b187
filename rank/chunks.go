package rank

import (
	"cmp"

	"github.com/satchel-dev/satchel"
)

// A ChunkSignal names one measurement of a chunk: a function, a type, or a run
// of lines of a likely file.
type ChunkSignal int

// The signals of chunks.
const (
	ChunkFile       ChunkSignal = iota // log of the file's share of the likelihood of all candidates
	ChunkFileRank                      // discounted rank of the file
	ChunkWords                         // log of BM25 over the best of the repository
	ChunkLeads                         // discounted rank by BM25 within the file, times that of the file
	ChunkCovers                        // share of the task's term weight that occurs
	ChunkCoversHere                    // the same over the best of the file
	ChunkComments                      // term weight that occurs in comments, over the best of the repository
	ChunkDefines                       // the title's term weight in the names defined, over the best of the repository
	ChunkNameShared                    // share of the words of its name that the task has
	ChunkNamed                         // defines an identifier that the task names
	ChunkLength                        // log of the number of tokens
	ChunkIsFunc                        // a function or method
	ChunkIsType                        // a type or class, or a part of its body
	ChunkIsHead                        // the first chunk of the file
	ChunkIsTest                        // in a test, which the task does not ask for
	ChunkTraced                        // a traceback points into it
	ChunkSiblings                      // log of the number of chunks of the file
	ChunkNext                          // log of BM25 of the better neighbour over the best of the file

	numChunkSignals
)

var chunkWhy = [numChunkSignals]struct{ name, why string }{
	ChunkFile:       {"file", "in a likely file"},
	ChunkFileRank:   {"file_rank", "rank of its file"},
	ChunkWords:      {"words", "contains words of the task"},
	ChunkLeads:      {"leads", "among the best of its file"},
	ChunkCovers:     {"covers", "covers the task"},
	ChunkCoversHere: {"covers_here", "covers the task, compared with its file"},
	ChunkComments:   {"comments", "its comments have words of the task"},
	ChunkDefines:    {"defines", "defines names with words of the title"},
	ChunkNameShared: {"name_shared", "the task has words of its name"},
	ChunkNamed:      {"named", "defines a name from the task"},
	ChunkLength:     {"length", "length"},
	ChunkIsFunc:     {"func", "a function"},
	ChunkIsType:     {"type", "a type"},
	ChunkIsHead:     {"head", "start of its file"},
	ChunkIsTest:     {"test", "in a test, not asked for"},
	ChunkTraced:     {"traced", "in the traceback"},
	ChunkSiblings:   {"siblings", "number of functions in its file"},
	ChunkNext:       {"next", "neighbour"},
}

func (s ChunkSignal) String() string { return chunkWhy[s].name }

// ChunkRow holds the signals of one chunk.
type ChunkRow [numChunkSignals]float32

// A ChunkModel is a linear scorer of chunks.
type ChunkModel [numChunkSignals]float32

// Score returns the plain sum of weight times signal.
func (m *ChunkModel) Score(r *ChunkRow) float64 {
	var s float64
	for i, w := range m {
		s += float64(w) * float64(r[i])
	}
	return s
}

// Explain returns the same sum as its reasons.
func (m *ChunkModel) Explain(r *ChunkRow) satchel.Score {
	var score satchel.Score
	for i, w := range m {
		score.Add(chunkWhy[i].why, float64(w)*float64(r[i]))
	}
	return score
}

// Models are the weights of a ranking. A nil field means the committed one.
type Models struct {
	First, Files *Model
	Chunks       *ChunkModel
}

// OrDefault fills the nil fields.
func (m Models) OrDefault() Models {
	m.First = cmp.Or(m.First, &First)
	m.Files = cmp.Or(m.Files, &files)
	m.Chunks = cmp.Or(m.Chunks, &Chunks)
	return m
}
