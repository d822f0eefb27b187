package signal_test

import (
	"testing"

	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/rank"
)

func TestEvidence(t *testing.T) {
	v := view(t, shop)
	for _, tt := range []struct {
		prompt         string
		terms, unknown int
		named          bool // a function or class has one of the words in its name
	}{
		{"the cart adds no tax for a customer from a zebra", 3, 1, true},
		{"customer", 1, 0, false},
		{"zebra", 0, 1, false},
		{"thanks, that works", 0, 0, false},
	} {
		m := signal.First(v, rank.Analyze(tt.prompt))
		order := make([]int32, len(v.Files()))
		for i := range order {
			order[i] = int32(i)
		}
		e := m.Evidence(order, make([]float32, len(order)), rank.Background)
		if e.Terms != tt.terms || e.Unknown != tt.unknown || (e.Defs > 0) != tt.named || e.Defs > float64(e.Terms) {
			t.Errorf("%s: %+v", tt.prompt, e)
		}
		if got := e.None(); got != (tt.terms == 0) {
			t.Errorf("%s: none %v, %+v", tt.prompt, got, e)
		}
	}
}

// TestEvidenceOfNames finds what a prompt names as it is spelled.
func TestEvidenceOfNames(t *testing.T) {
	v := view(t, shop)
	for _, tt := range []struct {
		prompt string
		names  bool
	}{
		{"fix round_half_even", true},
		{"why is Money wrong", true},
		{"open cart.py", true},
		{"open nosuchfile.py", false},
		{"say it in Portuguese", false},
	} {
		m := signal.First(v, rank.Analyze(tt.prompt))
		order := make([]int32, len(v.Files()))
		for i := range order {
			order[i] = int32(i)
		}
		e := m.Evidence(order, make([]float32, len(order)), rank.Background)
		if e.Names() != tt.names {
			t.Errorf("%s: %+v", tt.prompt, e)
		}
	}
}
