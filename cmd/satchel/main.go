// Satchel packs the context that a coding agent needs, within a token budget.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/satchel-dev/satchel/internal/front/cli"
)

func main() {
	postponeCollection()
	limitMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(cli.Main(ctx, cli.System(), os.Args[1:]))
}

// firstCollection is how large the heap is when memory is collected for the first
// time, in percent of the 4 MB at which Go would do that: 64 MB. A query on some
// thousand files ends before, and would otherwise spend a tenth of its processor
// time on looking through what it needs to its end.
const firstCollection = 1600

// softMemory is the size of the heap, in bytes, above which garbage is collected more
// often. A million files then take 414 MB instead of 495. base.App.Hasty lowers it while
// an agent waits.
const softMemory = 384 << 20

// limitMemory sets that limit. The user's GOMEMLIMIT has the last word.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
}

// postponeCollection lets the heap grow once without being collected. From the
// first collection on, all is as usual, or as a command has chosen meanwhile; done
// is closed then. The user's GOGC has the last word.
func postponeCollection() (done <-chan struct{}) {
	ended := make(chan struct{})
	if os.Getenv("GOGC") != "" {
		close(ended)
		return ended
	}
	usual := debug.SetGCPercent(firstCollection)
	// Its cleanup runs when the first collection has found that nobody has it.
	runtime.AddCleanup(new([64]byte), func(percent int) {
		if now := debug.SetGCPercent(percent); now != firstCollection {
			debug.SetGCPercent(now)
		}
		close(ended)
	}, usual)
	return ended
}
