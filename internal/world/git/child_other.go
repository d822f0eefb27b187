//go:build !linux

package git

import "os/exec"

// attend does nothing: git ends when its input ends, or when it writes to nobody.
func attend(*exec.Cmd) {}

// limitMemory does nothing: there is no such limit, or not of another process.
func limitMemory(int, uint64) {}
