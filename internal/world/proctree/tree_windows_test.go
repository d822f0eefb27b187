package proctree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/windows"
)

// A command whose tree is ended before it runs never does, and nothing waits for
// itself.
func TestKilledBeforeStarted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), role+"=stays")
	tree := New(cmd)
	defer tree.Close()
	cmd.Cancel = func() error { tree.Kill(); return nil }
	err := cmd.Start()
	cancel()
	tree.Kill()
	if err := tree.Started(err); !errors.Is(err, windows.ERROR_CANCELLED) {
		t.Errorf("it was started: %v", err)
	}
}
