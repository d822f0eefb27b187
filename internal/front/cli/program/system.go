package program

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"golang.org/x/term"
)

// dumbed returns an environment that says so if the terminal shows no escape
// sequences: an old console of Windows.
func dumbed(environ []string, escapes bool) []string {
	if escapes {
		return environ
	}
	return append(environ[:len(environ):len(environ)], "TERM=dumb")
}

// spelled returns an environment whose names have one spelling: Windows does not tell
// upper from lower case, and mostly writes Path. Nothing is added to it, so that git
// finds its home in it as everywhere.
func spelled(environ []string, goos string) []string {
	if goos != "windows" {
		return environ
	}
	out := make([]string, len(environ))
	for i, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		out[i] = strings.ToUpper(name) + kv[len(name):]
	}
	return out
}

// System returns the Env of this process.
func System() base.Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the folder was removed; see base.App.Removed
	}
	env := base.Env{
		Dir: dir, Environ: spelled(os.Environ(), runtime.GOOS),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Detach:    detach,
		StdinTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTTY: term.IsTerminal(int(os.Stderr.Fd())),
	}
	env.Environ = dumbed(env.Environ, (!env.StdoutTTY || showsEscapes(os.Stdout)) && (!env.StderrTTY || showsEscapes(os.Stderr)))
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
		env.Width = width
	}
	return env
}

// brokenPipe reports whether a write failed because the reader has closed the pipe,
// as in satchel pack | head. That is not an error.
func brokenPipe(err error, goos string) bool {
	if goos == "windows" {
		const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // ERROR_BROKEN_PIPE, ERROR_NO_DATA: the same, said later and sooner
		return errors.Is(err, brokenPipe) || errors.Is(err, noData)
	}
	return errors.Is(err, syscall.EPIPE)
}

// detach starts this program again, with other arguments, as a process of its own
// that holds none of our streams, and does not wait for it.
func detach(dir string, environ []string, args ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...)
	if len(os.Args) > 0 {
		cmd.Args[0] = os.Args[0]
	}
	cmd.Dir, cmd.Env = dir, environ
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
