package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// The first collection brings back what is usual, but not over what a command has
// chosen for itself meanwhile, as for a large session.
func TestPostponedCollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "")
	for _, c := range []struct{ chosen, want int }{{0, 100}, {25, 25}} {
		debug.SetGCPercent(100)
		done := postponeCollection()
		if c.chosen > 0 {
			debug.SetGCPercent(c.chosen)
		}
		for ended := false; !ended; {
			runtime.GC()
			select {
			case <-done:
				ended = true
			default:
				runtime.Gosched()
			}
		}
		if got := debug.SetGCPercent(100); got != c.want {
			t.Errorf("a command chose %d %%: there are %d, want %d", c.chosen, got, c.want)
		}
	}
}

func TestGOMEMLIMITHasTheLastWord(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	t.Setenv("GOMEMLIMIT", "1TiB")
	if limitMemory(); debug.SetMemoryLimit(-1) != 1<<40 {
		t.Error("the limit was set, although the user set GOMEMLIMIT")
	}
	t.Setenv("GOMEMLIMIT", "")
	if limitMemory(); debug.SetMemoryLimit(-1) != softMemory {
		t.Error("the limit was not set")
	}
}

func TestGOGCHasTheLastWord(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "100")
	<-postponeCollection()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("%d %%, although the user set GOGC", got)
	}
}
