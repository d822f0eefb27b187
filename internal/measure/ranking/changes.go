package ranking

import (
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

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
