package assist

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestSideBySide: four readers take hardly longer than one; the first is alone until
// it has said something, and no more are at work than may be.
func TestSideBySide(t *testing.T) {
	for _, tt := range []struct {
		name    string
		n, most int
		want    time.Duration
	}{
		{"one", 1, 0, 10 * time.Second},
		{"four", 4, 0, 11 * time.Second},
		{"four, two at once", 4, 2, 21 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &Desk{AtOnce: tt.most}
				start := time.Now()
				done := make([]bool, tt.n)
				d.sideBySide(tt.n, func(i int, first func()) {
					if i > 0 && time.Since(start) < time.Second {
						t.Errorf("reader %d began before the first one had said anything", i)
					}
					time.Sleep(time.Second)
					first()
					time.Sleep(9 * time.Second)
					done[i] = true
				})
				if took := time.Since(start); took != tt.want {
					t.Errorf("it took %v, want %v", took, tt.want)
				}
				for i := range done {
					if !done[i] {
						t.Errorf("reader %d did not read", i)
					}
				}
			})
		})
	}
}
