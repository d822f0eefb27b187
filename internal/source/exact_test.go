package source

import "testing"

func TestNoRoom(t *testing.T) {
	for _, tt := range []struct {
		tokens, parts, whole, signatures int
		want                             string
	}{
		{450, 1, 0, 1, "F takes 450 tokens, too many to be given whole: its signature is chosen"},
		{1102, 1, 0, 0, "F takes 1,102 tokens, too many to be given whole"},
		{1102, 2, 0, 2, "F takes 1,102 tokens, too many to be given whole: of its 2 parts, none is chosen whole, and 2 by their signatures"},
		{1102, 2, 1, 1, "F takes 1,102 tokens, too many to be given whole: of its 2 parts, 1 is chosen whole, and 1 by its signature"},
		{9000, 1200, 1100, 0, "F takes 9,000 tokens, too many to be given whole: of its 1,200 parts, 1,100 are chosen whole"},
		{9000, 4, 0, 0, "F takes 9,000 tokens, too many to be given whole: of its 4 parts, none is chosen whole"},
	} {
		if got := noRoom("F", tt.tokens, tt.parts, tt.whole, tt.signatures); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
