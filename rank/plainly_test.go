package rank

import (
	"math"
	"testing"

	"github.com/satchel-dev/satchel"
)

// TestPlainlyKnowsAll: each signal has plain words, and a signal of files and one
// of chunks that say the same have the same.
func TestPlainlyKnowsAll(t *testing.T) {
	words := make(map[string]string)
	check := func(name, why, plain string) {
		if plain == "" {
			t.Errorf("signal %s has no plain words; give it a place in plainly.go", name)
		}
		if had := words[why]; had != "" && had != plain {
			t.Errorf("%q is plainly %q and %q", why, had, plain)
		}
		words[why] = plain
	}
	for s := range NumSignals {
		check(s.String(), signals[s].why, signalsPlainly[s])
	}
	for s := range numChunkSignals {
		check(s.String(), chunkWhy[s].why, chunksPlainly[s])
	}
}

func TestPlainly(t *testing.T) {
	score := satchel.Score{{Why: "contains code that the task quotes", Add: 0.2}, {Why: "used recently", Add: 0.25}, {Why: "changed often", Add: -1.5}, {Why: "contains words of the title", Add: 0.3}, {Why: "changed in recent months", Add: 0.5}}
	got := Plainly(score)
	want := satchel.Score{{Why: howLately, Add: -1}, {Why: sharesWords, Add: 0.5}, {Why: "used recently", Add: 0.25}}
	if len(got) != len(want) {
		t.Fatalf("Plainly = %v, want %v", got, want)
	}
	for i := range want {
		if got[i].Why != want[i].Why || math.Abs(got[i].Add-want[i].Add) > 1e-12 {
			t.Errorf("reason %d: %v, want %v", i, got[i], want[i])
		}
	}
	if math.Abs(got.Value()-score.Value()) > 1e-12 {
		t.Errorf("the sum is %v, want %v", got.Value(), score.Value())
	}
}
