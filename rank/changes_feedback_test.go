package rank

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
)

// changeset reads files "name=value …" separated by commas; those that mattered
// begin with a star.
func changeset(text string) (f Verdict) {
	for part := range strings.SplitSeq(text, ",") {
		part, star := strings.CutPrefix(strings.TrimSpace(part), "*")
		f.Mattered = append(f.Mattered, star)
		var signals []satchel.Signal
		for w := range strings.FieldsSeq(part) {
			name, v, _ := strings.Cut(w, "=")
			s := satchel.Signal{Name: name, Value: 1}
			fmt.Sscan(v, &s.Value)
			signals = append(signals, s)
		}
		f.Signals = append(f.Signals, signals)
	}
	return f
}

func TestLearn(t *testing.T) {
	p := &Profile{Base: 0.5, Rules: []Rule{
		{Signal: "big", Why: "big", Add: 0.2}, {Signal: "test", Why: "test", Add: -0.2}, {Signal: "doc", Why: "doc", Add: -0.1},
	}}
	const usual, tests = "*big, test", "big, *test"
	first := func(m map[string]float64) string {
		f := changeset("big, test")
		a, _ := p.Relevance(p.Score(f.Signals[0], m))
		b, _ := p.Relevance(p.Score(f.Signals[1], m))
		if a > b {
			return "big"
		}
		return "test"
	}
	if m := Learn(p, nil); len(m) != 0 {
		t.Errorf("nothing teaches %v", m)
	}
	for _, useless := range []string{"big, test", "*big, *test", ""} {
		if m := Learn(p, []Verdict{changeset(useless)}); len(m) != 0 {
			t.Errorf("%q teaches %v", useless, m)
		}
	}
	var past []Verdict
	last := 1.0
	for n := range 12 {
		past = append(past, changeset(tests))
		m := Learn(p, past)
		if diff := cmp.Diff(m, Learn(p, past)); diff != "" {
			t.Fatalf("two runs differ: %s", diff)
		}
		if _, ok := m["doc"]; ok {
			t.Errorf("after %d: a signal that did not occur has %v", n+1, m["doc"])
		}
		if m["test"] > last || m["test"] < 0 {
			t.Errorf("after %d: multiplier of test %v, before %v", n+1, m["test"], last)
		}
		last = m["test"]
	}
	if last > 0.5 {
		t.Errorf("12 changesets in which tests mattered leave a multiplier of %v", last)
	}
	if got := first(nil); got != "big" {
		t.Errorf("first without feedback: %s", got)
	}
	for range 12 {
		past = append(past, changeset(usual), changeset(usual))
	}
	if got := first(Learn(p, past)); got != "big" {
		t.Errorf("first after feedback to the contrary: %s", got)
	}
	if m := Learn(p, []Verdict{{Signals: make([][]satchel.Signal, 2), Mattered: make([]bool, 3)}}); len(m) != 0 {
		t.Errorf("feedback of unequal lengths teaches %v", m)
	}
}
