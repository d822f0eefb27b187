package render

import (
	"slices"
	"testing"
)

func TestReceiptTokens(t *testing.T) {
	r := receipt{reasons: []count{{"no room", 4}}, names: []omitted{{"a:1", 1}, {"b", 2}, {"c", 1234}, {"d", -1}}}
	want := []string{"left out: 4 no room", "- a:1 1 token", "- b 2 tokens", "- c 1234 tokens", "- d", "satchel show PATH:FROM-TO prints any of it"}
	if got := r.lines(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
