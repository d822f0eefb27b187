package ranking

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A Mention is a chunk that uses some of the names that were asked for.
type Mention struct {
	File   int32 // of View.Files
	Chunk  int32 // of View.Chunks
	Weight float64
	Names  []string // in the order asked
}

// commonName is how many chunks may use a name that still connects anything.
const commonName = 300

// Mentions finds the chunks that use names without defining them, the most
// telling first: a name that few use weighs more. Only compound names are looked
// for; plain words name too much.
func Mentions(v *index.View, names []string) []Mention {
	at := map[int32]int{}
	var out []Mention
	var postings []index.Posting
	fileOf := map[int32][]int32{} // of a doc
	for i, f := range v.Files() {
		fileOf[f.Doc] = append(fileOf[f.Doc], int32(i))
	}
	for _, name := range names {
		if !terms.Compound(name) {
			continue
		}
		postings = v.Postings(postings[:0], terms.Ident(name))
		if len(postings) > commonName {
			continue
		}
		for _, p := range postings {
			if p.Body <= p.Def { // it only defines it
				continue
			}
			k, ok := at[p.Chunk]
			if !ok {
				k = len(out)
				at[p.Chunk] = k
				out = append(out, Mention{File: fileOf[v.Chunks()[p.Chunk].Doc][0], Chunk: p.Chunk})
			}
			out[k].Weight += 1 / math.Sqrt(float64(len(postings)))
			out[k].Names = append(out[k].Names, name)
		}
	}
	slices.SortFunc(out, func(a, b Mention) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.File, b.File), cmp.Compare(a.Chunk, b.Chunk))
	})
	return out
}

// NameWeights are the weights of names for a lineFinder.
func NameWeights(names []string) map[uint64]float32 {
	w := map[uint64]float32{}
	for _, n := range names {
		w[terms.Ident(n)] = 1
	}
	return w
}

// Around returns the chunks of a file that hold any of the lines, without those
// that the lines cover almost wholly.
func Around(v *index.View, file int32, lines []satchel.Range) []int32 {
	d := v.Docs()[v.Files()[file].Doc]
	var out []int32
	for c := d.Chunk0; c < d.Chunk1; c++ {
		x := v.Chunks()[c]
		covered := 0
		for _, l := range lines {
			covered += max(0, min(int(x.To), l.To)-max(int(x.From), l.From)+1)
		}
		if covered > 0 && covered*5 < 4*int(x.To-x.From+1) {
			out = append(out, c)
		}
	}
	return out
}
