package render

import (
	"slices"
	"testing"
)

func TestReceiptTokens(t *testing.T) {
	r := receipt{reasons: []count{{"no room", 4}}, names: []omitted{{"a:1", 1}, {"b", 2}, {"c", 1234}, {"d", -1}}}
	want := []string{"left out: 4 no room", "satchel show PATH:FROM-TO prints more (tokens):", "- a:1 1", "- b 2", "- c 1234", "- d"}
	if got := r.lines(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
