// Package clipboard puts text on the clipboard of the person at the terminal.
//
// It starts one of four programs, by its argument vector and without a shell:
// pbcopy, wl-copy, xclip or clip.exe, if an absolute folder of PATH holds it.
// Over ssh, where they would fill the clipboard of another machine, and where
// there is none of them, the terminal is asked by its escape sequence OSC 52.
//
// Start with [Copy].
package clipboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
	"unicode/utf16"

	"github.com/satchel-dev/satchel/internal/world/runner"
)

// A Place is where a copy is made.
type Place struct {
	Getenv   func(name string) string
	Environ  []string
	Terminal io.Writer     // nil means that there is none, or that it knows no sequences
	Timeout  time.Duration // for a program to take the text; 0 means longest
}

// longest is how long a program may take. One whose display is gone can wait for
// ever.
const longest = 10 * time.Second

// mostEncoded is how many characters of base64 a terminal is sent: the least that
// the common ones take, and MostBytes what they stand for.
const (
	mostEncoded = 100_000
	mostBytes   = mostEncoded / 4 * 3
)

// A LengthError is a text that is too long for a terminal.
type LengthError struct{ Bytes int }

func (e *LengthError) Error() string {
	return fmt.Sprintf("the text has %d bytes, and a terminal takes %d for its clipboard", e.Bytes, mostBytes)
}

// errNone says that nothing here can be asked.
var errNone = errors.New("no clipboard: neither pbcopy, wl-copy, xclip nor clip.exe can be used here, and there is no terminal")

// programs are asked in this order, those with a display only where it is there.
var programs = []struct {
	args    []string
	display string // the variable that names it
	encode  func([]byte) []byte
}{
	{args: []string{"pbcopy"}},
	{args: []string{"wl-copy"}, display: "WAYLAND_DISPLAY"},
	{args: []string{"xclip", "-selection", "clipboard"}, display: "DISPLAY"},
	{args: []string{"clip.exe"}, encode: utf16LE},
}

// Copy puts text on the clipboard and says by what: the name of a program, or
// "the terminal", of which nobody learns whether it obeyed.
func Copy(ctx context.Context, text []byte, p Place) (by string, err error) {
	remote := p.Getenv("SSH_TTY")+p.Getenv("SSH_CONNECTION") != ""
	if remote && p.Terminal != nil {
		return tell(p.Terminal, text)
	}
	var failed []error
	for _, program := range programs {
		if program.display != "" && p.Getenv(program.display) == "" {
			continue
		}
		name, err := runner.LookPath(program.args[0], "", p.Environ)
		if err != nil {
			continue
		}
		given := text
		if program.encode != nil {
			given = program.encode(text)
		}
		if err = p.run(ctx, name, program.args, given); err == nil {
			return program.args[0], nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		failed = append(failed, fmt.Errorf("%s: %w", program.args[0], err))
	}
	if p.Terminal != nil {
		return tell(p.Terminal, text)
	}
	if len(failed) > 0 {
		return "", errors.Join(failed...)
	}
	return "", errNone
}

// run gives a program the text. Those that keep it for others go on in the
// background, so that only the first process is waited for, and nothing that
// they hold open.
func (p *Place) run(ctx context.Context, name string, args []string, text []byte) error {
	timeout := cmp.Or(p.Timeout, longest)
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, name, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Env = p.Environ
	cmd.Stdin = bytes.NewReader(text)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it took the text and ended; a child of it reads no more
	}
	if limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("no answer in %s", timeout)
	}
	return err
}

// tell sends the sequence that sets the clipboard of a terminal.
func tell(w io.Writer, text []byte) (by string, err error) {
	if len(text) > mostBytes {
		return "", &LengthError{len(text)}
	}
	if _, err := fmt.Fprintf(w, "\x1b]52;c;%s\a", base64.StdEncoding.EncodeToString(text)); err != nil {
		return "", fmt.Errorf("write to the terminal: %w", err)
	}
	return "the terminal", nil
}

// utf16LE is the encoding that clip.exe knows by its mark; without one it takes
// bytes for those of an old code page.
func utf16LE(text []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(string(text))) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}
