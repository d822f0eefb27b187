package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
)

// TestBestOfEach: of each of the files that there is room for, the best function gains.
func TestBestOfEach(t *testing.T) {
	one := func(path string, score float64) satchel.Candidate {
		c := satchel.Candidate{Item: satchel.Item{Ref: satchel.Ref{Path: path}}}
		c.Score.Add("words", score)
		return c
	}
	for budget, want := range map[int][]float64{
		100:  {1, 3, 2, 0.5, 0.4},
		500:  {1, 3.7, 2, 0.5, 0.4},
		1000: {1, 3.7, 2, 1.2, 0.4},
		8000: {1, 3.7, 2, 1.2, 1.1},
	} {
		list := []satchel.Candidate{one("a", 1), one("a", 3), one("a", 2), one("b", 0.5), one("c", 0.4)}
		bestOfEach(list, []string{"a", "b", "c"}, budget)
		var got []float64
		for i := range list {
			got = append(got, list[i].Score.Value())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("scores in %d tokens: -want +got\n%s", budget, diff)
		}
	}
}
