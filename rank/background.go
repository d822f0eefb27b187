package rank

import (
	_ "embed"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"sort"
)

// The terms that programs share, by the upper half of their hashes, each with a
// level: see [Background].
//
//go:embed background.bin
var background []byte

// The form of the table: records of a hash and a level, in order of the hashes.
const (
	backgroundRecord = 5
	backgroundLeast  = 1e-4 // the rate of level 0; rarer terms are not in the table
	backgroundStep   = 1.25 // from level to level
)

// Background returns in what share of its chunks a repository holds a term, by and
// large: what was found in the repositories of lab/train/relevance, whatever they are
// about. It is 0 for a term that few of them know.
func Background(term uint64) float64 { return lookUp(background, term) }

func lookUp(table []byte, term uint64) float64 {
	want := uint32(term >> 32)
	n := len(table) / backgroundRecord
	at := func(i int) []byte { return table[i*backgroundRecord:] }
	i := sort.Search(n, func(i int) bool { return binary.BigEndian.Uint32(at(i)) >= want })
	if i == n || binary.BigEndian.Uint32(at(i)) != want {
		return 0
	}
	return backgroundLeast * math.Pow(backgroundStep, float64(at(i)[4]))
}

// EncodeBackground makes a table of rates, of which those below BackgroundLeast
// are left out, and returns the function that looks up in it.
func EncodeBackground(rates map[uint64]float64) (table []byte, of func(term uint64) float64) {
	levels := make(map[uint32]byte)
	for t, r := range rates {
		if r >= backgroundLeast {
			level := byte(math.Round(math.Log(min(r, 1)/backgroundLeast) / math.Log(backgroundStep)))
			levels[uint32(t>>32)] = max(levels[uint32(t>>32)], level)
		}
	}
	for _, h := range slices.Sorted(maps.Keys(levels)) {
		table = append(binary.BigEndian.AppendUint32(table, h), levels[h])
	}
	return table, func(term uint64) float64 { return lookUp(table, term) }
}

// surprise is by how much likelier a term is in a repository that holds it in the
// share here of its chunks than in others, as the logarithm of odds: 0 if it is
// as frequent in all, and never far below, since no task has to use the words of
// its repository alone.
func surprise(here, elsewhere, least float64) float64 {
	return math.Log((0.5*min(here, 1) + 0.5*elsewhere + least) / (elsewhere + least))
}

// What is added to the rates of terms, and of identifiers: a term that no other
// repository knows may be a slip of the pen.
const (
	leastOfTerm  = 1e-4
	leastOfIdent = 2e-5
)

// Surprise is [surprise] of a word, by how many of the chunks hold it.
func Surprise(holding, chunks int, elsewhere float64) float64 {
	return surprise(float64(holding)/float64(max(chunks, 1)), elsewhere, leastOfTerm)
}

// SurpriseIdent is the same of a definition, or of an identifier that joins words.
func SurpriseIdent(holding, chunks int, elsewhere float64) float64 {
	return surprise(float64(holding)/float64(max(chunks, 1)), elsewhere, leastOfIdent)
}

// Rarity is how rare a term is elsewhere, in 0..1, by a rate of [Background].
func Rarity(elsewhere float64) float64 {
	const most = 1 / leastOfTerm
	r := math.Log((1+leastOfTerm)/(elsewhere+leastOfTerm)) / math.Log(most+1)
	return r * r
}
