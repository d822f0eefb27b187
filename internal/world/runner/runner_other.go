//go:build !unix

package runner

import (
	"os"
	"os/exec"
)

// Where there are no process groups, only the command itself is ended.
var forwarded = []os.Signal{os.Interrupt}

func group(*exec.Cmd) {}

func signalGroup(cmd *exec.Cmd, _ os.Signal) { _ = cmd.Process.Kill() }

func terminateGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func exitOf(cmd *exec.Cmd) Exit { return Exit{Code: cmd.ProcessState.ExitCode()} }

// LookPath finds a program in PATH, and refuses one in the current folder.
func LookPath(name, _ string, _ []string) (string, error) { return exec.LookPath(name) }
