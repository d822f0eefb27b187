package signal

import (
	"math"
	"testing"

	"github.com/satchel-dev/satchel/rank"
)

// TestFormulas compares each formula with numbers that were computed by hand.
func TestFormulas(t *testing.T) {
	for name, x := range map[string]struct{ got, want float32 }{
		"once in a task":                     {querySaturation(1), 1},          // 1 * 9 / 9
		"four times in a task":               {querySaturation(4), 3},          // 4 * 9 / 12
		"without end in a task":              {querySaturation(1e6), 8.999_93}, // towards 9
		"once in a file of the mean length":  {bm25(1, 1, k1), 1},              // 1 * 2.2 / 2.2
		"once in a file four times as long":  {bm25(1, 1, 3.25*k1), 2.2 / 4.9}, // norm = 1.2 * (0.25 + 0.75*4) = 3.9
		"three times in a file of that mean": {bm25(1, 3, k1), 11.0 / 7},       // 3 * 2.2 / 4.2
		"a term of weight 4":                 {bm25(4, 3, k1), 44.0 / 7},
		"BM25F, frequency 1":                 {sat(1), 1}, // 1 * 2.5 / 2.5
		"BM25F, frequency 6":                 {sat(6), 2}, // 6 * 2.5 / 7.5
		"BM25F, none":                        {sat(0), 0},
	} {
		if math.Abs(float64(x.got-x.want)) > 1e-4 {
			t.Errorf("%s: %v, want %v", name, x.got, x.want)
		}
	}
}

// TestFields reads a doc of the mean length that has a term twice in its body and
// once in a name that it defines.
func TestFields(t *testing.T) {
	x := weighedTerm{title: 1, quoted: 0.5, mixed: 3.5}
	norm := docNorm{bm25: k1, def: k1, fBody: 1, fDef: defWeight, fComment: commentWeight}
	s := &wordScores{bm25f: make([]float32, 1), tf: make([]float32, 1)}
	for k := range s.bySignal {
		s.bySignal[k] = make([]float32, 1)
	}
	x.docs = []docTerm{{body: 2, def: 1}}
	s.addDocs(&x, []docNorm{norm})
	want := map[rank.Signal]float32{
		rank.BM25Title:  1.375,  // 1 * (2*2.2/3.2)
		rank.BM25Quoted: 0.6875, // 0.5 * 1.375
		rank.BM25Def:    3.5,    // 3.5 * (1*2.2/2.2)
	}
	for k, f := range x.fields(&x.docs[0], &norm) {
		if got := s.bySignal[k][0]; math.Abs(float64(got-want[f.signal])) > 1e-5 {
			t.Errorf("%v is %v, want %v", f.signal, got, want[f.signal])
		}
	}
	// BM25F: 2*1 + 1*3 = 5; 3.5 * (5*2.5/6.5).
	if got, want := s.bm25f[0], float32(3.5*12.5/6.5); math.Abs(float64(got-want)) > 1e-5 {
		t.Errorf("BM25F is %v, want %v", got, want)
	}
}
