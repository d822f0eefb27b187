//go:build !linux

package git

import "os/exec"

// attend does nothing: git ends when its input ends, or when its output is closed.
func attend(*exec.Cmd) {}

// limitMemory does nothing: this system has no such limit for another process.
func limitMemory(int, uint64) {}
