// Satchel packs the context that a coding agent needs, within a token budget.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/satchel-dev/satchel/internal/cli"
	"github.com/satchel-dev/satchel/internal/outline"
)

func main() {
	if outline.WorkerMain() {
		return // this process was a parser
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(cli.Main(ctx, cli.System(), os.Args[1:]))
}
