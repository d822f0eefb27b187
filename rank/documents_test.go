package rank

import (
	"math"
	"testing"
)

// Each case says which of two sections comes first.
func TestDocumentsOrder(t *testing.T) {
	w := DefaultDocumentWeights()
	for _, test := range []struct {
		why         string
		first, then DocumentRow
	}{
		{"more of the task's words", DocumentRow{Words: 0.9}, DocumentRow{Words: 0.5}},
		{"a linked section beats an equal one", DocumentRow{Words: 0.5, Linked: 1}, DocumentRow{Words: 0.5}},
		{"a link beats a moderate lead in words", DocumentRow{Words: 0.3, Linked: 1}, DocumentRow{Words: 1}},
		{"a nearer link beats a farther one", DocumentRow{Words: 0.5, Linked: 1}, DocumentRow{Words: 0.5, Linked: 0.5}},
		{"a link to the heading beats one to the document", DocumentRow{Linked: 1, Heading: 1}, DocumentRow{Linked: 1}},
		{"a fresh section beats an equal stale one", DocumentRow{Words: 0.5}, DocumentRow{Words: 0.5, Stale: 0.1}},
		{"a stale one is still found", DocumentRow{Words: 0.9, Stale: 1}, DocumentRow{Words: 0.3}},
		{"a guide beats an equal change log", DocumentRow{Words: 0.5}, DocumentRow{Words: 0.5, Record: 1}},
		{"meaning counts if there is an embedder", DocumentRow{Words: 0.5, Similarity: 0.9}, DocumentRow{Words: 0.5, Similarity: 0.1}},
	} {
		for _, fusion := range []fusion{sum, Reciprocal} {
			if fusion == Reciprocal && test.why == "a stale one is still found" {
				continue // ranks do not tell how far words are apart
			}
			w.Fusion = fusion
			s := Documents([]DocumentRow{test.first, test.then}, w)
			if !(s[0].Value() > s[1].Value()) {
				t.Errorf("%s (%q): got %v and %v", test.why, fusion, s[0], s[1])
			}
		}
	}
}

func TestFreshness(t *testing.T) {
	for _, test := range []struct {
		why      string
		f        Freshness
		low, top float64 // of the weight
	}{
		{"nothing is known", Freshness{}, 1, 1},
		{"everything holds", Freshness{Alive: 30}, 1, 1},
		{"one of few is gone", Freshness{Dead: 1, Alive: 3}, 0.6, 0.75},
		{"one of many is gone", Freshness{Dead: 1, Alive: 40}, 0.9, 0.99},
		{"all of many are gone", Freshness{Dead: 40}, 0, 0.01},
		{"it all changed since", Freshness{Alive: 10, Changes: 10_000}, 0.65, 0.66},
		{"it changed a little", Freshness{Alive: 10, Changes: 2}, 0.97, 0.99},
	} {
		if w := test.f.Weight(); !(w >= test.low && w <= test.top) {
			t.Errorf("%s: weight %v, want %v to %v", test.why, w, test.low, test.top)
		}
	}
}

// FuzzDocuments checks that scores are finite, and that weight falls with what is
// gone and rises with what is there.
func FuzzDocuments(f *testing.F) {
	f.Add(0.5, 0.5, 1.0, 2.0, 3)
	f.Add(math.NaN(), math.Inf(1), -1.0, 1e300, -5)
	f.Fuzz(func(t *testing.T, words, alike, dead, alive float64, changes int) {
		rows := []DocumentRow{{Words: words, Similarity: alike}, {Words: alike, Linked: words}}
		for _, fusion := range []fusion{sum, Reciprocal} {
			w := DefaultDocumentWeights()
			w.Fusion = fusion
			for _, s := range Documents(rows, w) {
				if v := s.Value(); math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("score %v", s)
				}
			}
		}
		if !(dead >= 0 && dead < 1e6 && alive >= 0 && alive < 1e6) || changes < 0 || changes > 1e6 {
			return
		}
		w := Freshness{dead, alive, changes}.Weight()
		if !(w >= 0 && w <= 1) {
			t.Errorf("weight %v", w)
		}
		if more := (Freshness{dead + 1, alive, changes}).Weight(); more > w {
			t.Errorf("weight rises from %v to %v with what is gone", w, more)
		}
		if more := (Freshness{dead, alive + 1, changes}).Weight(); more < w {
			t.Errorf("weight falls from %v to %v with what is there", w, more)
		}
		if more := (Freshness{dead, alive, changes + 1}).Weight(); more > w {
			t.Errorf("weight rises from %v to %v with changes", w, more)
		}
	})
}
