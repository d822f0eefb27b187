package iris

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/rank"
)

// An option is one state of a factor of Git-Iris: what it adds and says. The
// factors restate the published rule; they share nothing with the tables.
type option struct {
	signal string // signals that are measured, with their values, or ""
	value  float64
	add    string // decimal, so that the sum can be checked in whole hundredths
	reason string
}

var (
	kindFactor      = []option{{"added", 1, ".15", "new file"}, {"modified", 1, ".10", ""}, {"deleted", 1, ".05", "deleted"}}
	fileFactor      = []option{{"", 0, "0", ""}, {"source", 1, ".15", "source code"}, {"config", 1, ".10", "config"}, {"docs", 1, ".02", "docs"}}
	coreFactor      = []option{{"", 0, "0", ""}, {"core", 1, ".10", "core source"}}
	testFactor      = []option{{"", 0, "0", ""}, {"test", 1, "-.10", "test file"}}
	generatedFactor = []option{{"", 0, "0", ""}, {"generated", 1, "-.20", "generated/lock"}}
	vendoredFactor  = []option{{"", 0, "0", ""}, {"vendored", 1, "-.30", "vendored"}}
	sizeFactor      = []option{{"diff_lines", 10, "0", ""}, {"diff_lines", 199, ".10", "substantive changes"}, {"diff_lines", 200, ".05", "large diff"}}
	functionFactor  = []option{{"", 0, "0", ""}, {"adds_function", 1, ".10", "adds function"}}
	typeFactor      = []option{{"", 0, "0", ""}, {"adds_type", 1, ".10", "adds type"}}
	implFactor      = []option{{"", 0, "0", ""}, {"adds_impl", 1, ".10", "adds impl"}}
)

// TestCombinations checks the score, the percentage and the reasons of every
// combination of factors.
func TestCombinations(t *testing.T) {
	tests := []struct {
		profile *rank.Profile
		factors [][]option
		want    int
	}{
		{&documentWeights, [][]option{kindFactor, fileFactor, coreFactor, testFactor, generatedFactor, sizeFactor, functionFactor, typeFactor}, 1152},
		{&sourceWeights, [][]option{kindFactor, fileFactor, coreFactor, testFactor, generatedFactor, vendoredFactor, sizeFactor, functionFactor, typeFactor, implFactor}, 4608},
	}
	for _, test := range tests {
		t.Run(test.profile.Name, func(t *testing.T) {
			n := 0
			combine(test.factors, func(chosen []option) {
				n++
				hundredths := 50
				sum := float32(0.5)
				var signals []satchel.Signal
				var reasons []string
				for _, o := range chosen {
					var add float64
					fmt.Sscan(o.add, &add)
					hundredths += int(math.Round(add * 100))
					sum += float32(add)
					if o.signal != "" {
						signals = append(signals, satchel.Signal{Name: o.signal, Value: o.value})
					}
					if o.reason != "" {
						reasons = append(reasons, o.reason)
					}
				}
				score := test.profile.Score(signals)
				relevance, order := test.profile.Relevance(score)
				if want := float64(min(max(sum, 0), 1)); relevance != want || order != want {
					t.Fatalf("%v: relevance %v, order %v, want %v", signals, relevance, order, want)
				}
				if got, want := fmt.Sprintf("%.0f", float32(relevance)*100), fmt.Sprint(min(max(hundredths, 0), 100)); got != want {
					t.Fatalf("%v: %s%%, want %s%%", signals, got, want)
				}
				if got := test.profile.Reasons(signals); !slices.Equal(got, reasons) {
					t.Fatalf("%v: reasons %q, want %q", signals, got, reasons)
				}
			})
			if n != test.want {
				t.Errorf("%d combinations, want %d", n, test.want)
			}
		})
	}
}

// combine calls fn for every choice of one option of each factor.
func combine(factors [][]option, fn func([]option)) {
	chosen := make([]option, len(factors))
	var next func(k int)
	next = func(k int) {
		if k == len(factors) {
			fn(chosen)
			return
		}
		for _, o := range factors[k] {
			chosen[k] = o
			next(k + 1)
		}
	}
	next(0)
}

// TestImpl: an impl was only a reason at first, and counts since.
func TestImpl(t *testing.T) {
	signals := []satchel.Signal{{Name: "adds_impl", Value: 1}}
	seed, _ := documentWeights.Relevance(documentWeights.Score(signals))
	newer, _ := sourceWeights.Relevance(sourceWeights.Score(signals))
	if seed != 0.5 || math.Abs(newer-0.6) > 1e-6 {
		t.Errorf("impl: iris %v, iris-v2 %v, want 0.5 and 0.6", seed, newer)
	}
	if diff := cmp.Diff([]string{"adds impl"}, documentWeights.Reasons(signals)); diff != "" {
		t.Errorf("reasons -want +got:\n%s", diff)
	}
}
