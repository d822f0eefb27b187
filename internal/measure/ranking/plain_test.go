package ranking

import "testing"

func TestUsesWord(t *testing.T) {
	for _, tt := range []struct {
		line   string
		called bool
		want   bool
	}{
		{"return calc.Total(price)", true, true},
		{"Total (price)", true, true},
		{"Total::<int>(price)", true, true},
		{"Total[int](price)", true, true},
		{"calc?.Total?.(price)", true, true},
		{"f := calc.Total", true, false},
		{"f := calc.Total", false, true},
		{"SubTotal(price), TotalOf(price), Total2(price), $Total(price)", true, false},
		{"total(price)", true, false},
		{"the Total of it, then Total(price)", true, true},
		{"äTotal(price)", true, false},
		{"", true, false},
	} {
		if got := usesWord(tt.line, "Total", tt.called); got != tt.want {
			t.Errorf("usesWord(%q, called %v) = %v, want %v", tt.line, tt.called, got, tt.want)
		}
	}
}
