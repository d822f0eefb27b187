//go:build !linux

package outline

import (
	"os"
	"os/exec"
)

func executable() (string, error) { return os.Executable() }

// attend does nothing: the worker ends when its input does.
func attend(*exec.Cmd) {}

// limitMemory does nothing: the limits on size and work have to do.
func limitMemory(int64) error { return nil }
