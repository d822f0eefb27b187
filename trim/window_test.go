package trim_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// TestToWindow: the result is within the limit when it is read again, or the error
// says a budget that works.
func TestToWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	s := &transcript.Session{Messages: slices.Clone(long(12, 40))}
	s.Messages[1].Usage = &transcript.Usage{Input: 900, Output: 40} // what follows is dearer than it will be counted
	m := model(t)
	w := trim.NewWindow(trim.New(s.Messages, trim.Options{}), m, transcript.Measure(s, m))
	fit, small := 0, 0
	for limit := 20; limit < 6000; limit += 83 {
		f, err := w.ToWindow(limit, trim.Options{Budget: max(1, w.Budget(limit))}, trim.Trim)
		var overflow *satchel.OverflowError
		if errors.As(err, &overflow) {
			small++
			if _, err := trim.Trim(s.Messages, trim.Options{Budget: overflow.Need}); err != nil {
				t.Errorf("limit %d: %v, and that is not enough: %v", limit, overflow, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		fit++
		if err := transcript.Valid(f.Messages); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
		for i := range f.Messages {
			f.Messages[i].Usage = nil
		}
		n := 0
		for _, c := range transcript.Measure(&transcript.Session{Messages: f.Messages}, m).Messages {
			n += c.Tokens
		}
		if f.Changed && (n > limit || n != f.Tokens) {
			t.Errorf("limit %d: %d tokens, %d by its own word", limit, n, f.Tokens)
		}
	}
	if fit < 20 || small == 0 {
		t.Errorf("%d limits fit, %d are too small", fit, small)
	}
}
