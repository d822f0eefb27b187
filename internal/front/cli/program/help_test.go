package program

import "testing"

func TestWrap(t *testing.T) {
	text := "One two three\nfour.\n\n  kept   as it is, however long\nfive\n"
	want := "One two\nthree four.\n\n  kept   as it is, however long\nfive\n"
	if got := wrap(text, 12); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
