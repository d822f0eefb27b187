package rank

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
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

// TestIrisCombinations checks the score, the percentage and the reasons of every
// combination of factors.
func TestIrisCombinations(t *testing.T) {
	tests := []struct {
		profile *Profile
		factors [][]option
		want    int
	}{
		{&Iris, [][]option{kindFactor, fileFactor, coreFactor, testFactor, generatedFactor, sizeFactor, functionFactor, typeFactor}, 1152},
		{&IrisV2, [][]option{kindFactor, fileFactor, coreFactor, testFactor, generatedFactor, vendoredFactor, sizeFactor, functionFactor, typeFactor, implFactor}, 4608},
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

// TestIrisImpl: an impl was only a reason at first, and counts since.
func TestIrisImpl(t *testing.T) {
	signals := []satchel.Signal{{Name: "adds_impl", Value: 1}}
	seed, _ := Iris.Relevance(Iris.Score(signals))
	newer, _ := IrisV2.Relevance(IrisV2.Score(signals))
	if seed != 0.5 || math.Abs(newer-0.6) > 1e-6 {
		t.Errorf("impl: iris %v, iris-v2 %v, want 0.5 and 0.6", seed, newer)
	}
	if diff := cmp.Diff([]string{"adds impl"}, Iris.Reasons(signals)); diff != "" {
		t.Errorf("reasons -want +got:\n%s", diff)
	}
}

// TestProfileScore checks that a score is the plain sum of its reasons, base
// first, with the multipliers applied.
func TestProfileScore(t *testing.T) {
	p := Profile{Name: "p", Base: 0.5, Rules: []Rule{
		{Signal: "a", Why: "a counts", Add: 0.1, Reason: "a"},
		{Signal: "b", Why: "b counts", Add: 0.2, Neutral: 0.5, Reason: "b"},
		{Signal: "b", Reason: "much b", Bounded: true, Over: 0.9},
		{Signal: "c", Why: "c counts", Add: 0.3, Bounded: true, Over: 1, Under: 3},
	}}
	tests := []struct {
		signals     string
		multipliers map[string]float64
		want        string
		reasons     string
	}{
		{"", nil, "base score +0.50", ""},
		{"a=1", nil, "base score +0.50, a counts +0.10", "a"},
		{"b=1", nil, "base score +0.50, b counts +0.10", "b, much b"},
		{"b=0.25", nil, "base score +0.50, b counts -0.05", "b"},
		{"c=1", nil, "base score +0.50", ""},
		{"c=2", nil, "base score +0.50, c counts +0.30", ""},
		{"c=3", nil, "base score +0.50", ""},
		{"unknown=9", nil, "base score +0.50", ""},
		{"b=1 a=1", nil, "base score +0.50, b counts +0.10, a counts +0.10", "b, much b, a"},
		{"a=1 c=2", map[string]float64{"a": 2, "c": 0, "z": 5}, "base score +0.50, a counts +0.20", "a"},
	}
	for _, test := range tests {
		var signals []satchel.Signal
		for w := range strings.FieldsSeq(test.signals) {
			name, v, _ := strings.Cut(w, "=")
			s := satchel.Signal{Name: name}
			fmt.Sscan(v, &s.Value)
			signals = append(signals, s)
		}
		score := p.Score(signals, test.multipliers)
		var got []string
		for _, r := range score {
			got = append(got, fmt.Sprintf("%s %+.2f", r.Why, r.Add))
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s: %s, want %s", test.signals, s, test.want)
		}
		if s := strings.Join(p.Reasons(signals), ", "); s != test.reasons {
			t.Errorf("%s: reasons %s, want %s", test.signals, s, test.reasons)
		}
		if _, order := p.Relevance(score); order != score.Value() {
			t.Errorf("%s: order %v, sum %v", test.signals, order, score.Value())
		}
	}
}

// TestChangesTable checks that the weights and the table are of one another.
func TestChangesTable(t *testing.T) {
	used := map[string]bool{}
	for _, r := range Changes.Rules {
		switch {
		case r.Signal == "":
			t.Errorf("rule %+v has no signal", r)
		case r.Bounded:
			if r.Reason == "" && r.Add == 0 {
				t.Errorf("rule of %s says and adds nothing", r.Signal)
			}
		case r.Why == "":
			t.Errorf("rule of %s does not say why it adds", r.Signal)
		case r.Judged:
			if r.Add == 0 {
				t.Errorf("judgement of %s adds nothing", r.Signal)
			}
		default:
			if _, ok := changeWeights[r.Signal]; !ok {
				t.Errorf("nothing was learned for %s: run make train-changes", r.Signal)
			}
			used[r.Signal] = true
		}
	}
	for s := range changeWeights {
		if !used[s] {
			t.Errorf("the weight of %s is not used", s)
		}
	}
}

func TestProfileByName(t *testing.T) {
	for name, want := range map[string]*Profile{"": &Changes, "default": &Changes, "iris": &Iris, "iris-v2": &IrisV2, "other": nil} {
		if got, ok := ProfileByName(name); got != want || ok != (want != nil) {
			t.Errorf("ProfileByName(%q) = %v, %v", name, got, ok)
		}
	}
}
