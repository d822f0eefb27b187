package runner

import (
	"context"
	"io"
	"os"
	"os/signal"
)

// Attached runs a command on the terminal of the user, who types to it: it has in for
// its input, and stays in the group of processes to which the terminal's keys send
// their signals. We wait for its end whatever is pressed. Stdin, Stdout, Stderr and
// Timeout of the Command do not count. The errors are those of [Run].
func Attached(ctx context.Context, c Command, in io.Reader, out, errs io.Writer) (Exit, error) {
	cmd, err := prepare(&c)
	if err != nil {
		return Exit{}, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return Exit{}, startError(c.Args[0], err)
	}
	_ = cmd.Wait() // how it ended stands in its ProcessState
	return exitOf(cmd), ctx.Err()
}
