package cli

import (
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"
)

// System returns the surroundings of this process.
func System() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // removed under our feet; the commands that need it say so, see removed
	}
	env := Env{
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

// dumbed returns an environment that says so if the terminal shows no escape
// sequences: an old console of Windows.
func dumbed(environ []string, escapes bool) []string {
	if escapes {
		return environ
	}
	return append(environ[:len(environ):len(environ)], "TERM=dumb")
}

// spelled returns an environment in which the variables that satchel asks for have
// one spelling. Windows does not tell upper from lower case, mostly writes Path, and
// has USERPROFILE for the home folder, unless a shell for Unix sets HOME.
func spelled(environ []string, goos string) []string {
	if goos != "windows" {
		return environ
	}
	var out []string
	home, profile := "", ""
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch upper := strings.ToUpper(name); upper {
		case "PATH":
			kv = upper + "=" + value
		case "HOME":
			home = value
			continue
		case "USERPROFILE":
			profile = value
		}
		out = append(out, kv)
	}
	if home == "" {
		home = profile
	}
	if home != "" {
		out = append(out, "HOME="+home)
	}
	return out
}
