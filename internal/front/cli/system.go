package cli

import (
	"os"

	"golang.org/x/term"
)

// System returns the surroundings of this process.
func System() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // removed under our feet; the commands that need it say so, see removed
	}
	env := Env{
		Dir: dir, Environ: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Detach:    detach,
		StdinTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTTY: term.IsTerminal(int(os.Stderr.Fd())),
	}
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
		env.Width = width
	}
	return env
}
