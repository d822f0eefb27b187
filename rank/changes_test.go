package rank

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
)

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
