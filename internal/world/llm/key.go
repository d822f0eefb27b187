package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/world/runner"
)

// Bounds of a command that prints a key.
const (
	keyTimeout = 30 * time.Second
	maxKey     = 4 << 10
)

// KeyFrom runs a command that prints a key, such as one of a password manager, and
// returns the key without the spaces around it. There is no shell. The command may
// take 30 seconds and print 4 KiB; what it says on standard error is not read, and
// no error repeats what it prints.
func KeyFrom(ctx context.Context, args, environ []string) (string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out := bounded{full: stop} // who prints without end is not waited for
	x, err := runner.Run(ctx, runner.Command{Args: args, Env: environ, Stdout: &out, Timeout: keyTimeout})
	key := strings.TrimSpace(out.String())
	switch {
	case out.over:
		return "", fmt.Errorf("key-command: %s prints more than %d bytes", args[0], maxKey)
	case err != nil:
		return "", fmt.Errorf("key-command: %w", err)
	case x.TimedOut:
		return "", fmt.Errorf("key-command: %s takes longer than %v", args[0], keyTimeout)
	case x.Code != 0:
		return "", fmt.Errorf("key-command: %s ends with status %d", args[0], x.Code)
	case key == "":
		return "", fmt.Errorf("key-command: %s prints nothing", args[0])
	}
	return key, nil
}

// A bounded buffer takes as much as a key may have.
type bounded struct {
	bytes.Buffer
	full func() // is called when there is more
	over bool
}

var errOver = errors.New("too much")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxKey {
		b.over = true
		b.full()
		return 0, errOver
	}
	return b.Buffer.Write(p)
}
