package ranking

import "testing"

func TestCallsWord(t *testing.T) {
	for _, tt := range []struct {
		line string
		want bool
	}{
		{"return calc.Total(price)", true},
		{"Total (price)", true},
		{"Total::<int>(price)", true},
		{"Total[int](price)", true},
		{"calc?.Total?.(price)", true},
		{"f := calc.Total", false},
		{"SubTotal(price), TotalOf(price), Total2(price), $Total(price)", false},
		{"total(price)", false},
		{"the Total of it, then Total(price)", true},
		{"äTotal(price)", false},
		{"Total!(price)", true},
		{"new Total<Map<K, V>>(price)", true},
		{"if Total < 5 && max(a) {", false},
		{"for Total <= n", false},
		{"x := Total[i]", false},
		{"Total: (a)", false},
		{"Total [a](b)", false},
		{"if Total<limit || f>(a)", true}, // what nobody can tell by a line
		{"", false},
	} {
		if got := callsWord(tt.line, "Total"); got != tt.want {
			t.Errorf("callsWord(%q) = %v, want %v", tt.line, got, tt.want)
		}
	}
}
