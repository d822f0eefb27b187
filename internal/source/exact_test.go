package source

import "testing"

func TestNoRoom(t *testing.T) {
	for _, tt := range []struct {
		tokens, parts, whole, signatures int
		want                             string
	}{
		{450, 1, 0, 1, "F takes 450 tokens, too many to come first whole: its signature comes first"},
		{1102, 1, 0, 0, "F takes 1,102 tokens, too many to come first whole"},
		{1102, 2, 0, 2, "F takes 1,102 tokens, too many to come first whole: first 0 of 2 parts whole, 2 as signatures"},
		{1102, 2, 1, 1, "F takes 1,102 tokens, too many to come first whole: first 1 of 2 parts whole, 1 as signatures"},
		{9000, 1200, 1100, 0, "F takes 9,000 tokens, too many to come first whole: first 1,100 of 1,200 parts whole, 0 as signatures"},
		{9000, 4, 0, 0, "F takes 9,000 tokens, too many to come first whole: first 0 of 4 parts whole, 0 as signatures"},
	} {
		if got := noRoom("F", tt.tokens, tt.parts, tt.whole, tt.signatures); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
