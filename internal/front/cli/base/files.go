package base

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-dev/satchel/internal/world/clipboard"

	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// Names of files are relative to the current folder, even with --dir. The name - is
// standard input or output.

// FromHere returns the path of a file whose name is relative to the current folder.
func (a *App) FromHere(name string) string {
	if full, ok := rooted(name, a.Env.Dir); ok {
		return full
	}
	return filepath.Join(a.Env.Dir, name)
}

// rooted returns the absolute path of a name. On Windows, a name that begins with a
// slash is on the current drive.
func rooted(name, here string) (string, bool) {
	switch {
	case filepath.IsAbs(name):
		return name, true
	case name != "" && os.IsPathSeparator(name[0]):
		return filepath.VolumeName(here) + name, true
	}
	return "", false
}

// MaxText is the longest text that is read, in bytes: larger than any model's window.
const MaxText = 256 << 20

// ReadText reads a file that the user named, or standard input for "-", and decodes it.
func (a *App) ReadText(ctx context.Context, name string) ([]byte, error) {
	text, err := a.ReadAtMost(ctx, name, MaxText)
	return git.Decode(text), err
}

// ReadAtMost is ReadText with a limit in bytes. A pipe may block forever; an
// interrupted read is abandoned.
func (a *App) ReadAtMost(ctx context.Context, name string, most int64) ([]byte, error) {
	return Wait(ctx, func() ([]byte, error) {
		text, err := a.ReadAll(name, most)
		if name == "-" {
			name = "standard input"
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, fsx.Cause(err))
		}
		return text, nil
	})
}

func (a *App) ReadAll(name string, most int64) ([]byte, error) {
	in := a.Env.Stdin
	if name != "-" {
		f, err := os.Open(a.FromHere(name))
		if errors.Is(err, fs.ErrNotExist) {
			if text, sparse, err := a.readSparse(a.FromHere(name), most); sparse {
				return text, err
			}
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, errors.New("is a folder")
		} else if err == nil && info.Size() > most {
			return nil, fmt.Errorf("%d bytes, limit is %d", info.Size(), most)
		}
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if int64(len(text)) > most {
		return nil, fmt.Errorf("more than %d bytes", most)
	}
	return text, err
}

// Wait returns the result of fn, unless ctx ends first. Then fn is abandoned.
func Wait[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := fn()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}

// WaitFor is Wait with a time limit. A panic of fn becomes an error.
func WaitFor[T any](ctx context.Context, d time.Duration, fn func() (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return Wait(ctx, func() (v T, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		return fn()
	})
}

// WriteBytes writes a text to the file of -o, or to standard output.
func (a *App) WriteBytes(output string, text []byte) error {
	if output == "" || output == "-" {
		_, err := a.Out.Write(text)
		return err
	}
	return WriteFile(a.FromHere(output), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// WriteFile writes a file whole or not at all, through a temporary file. It writes
// directly to files that are not regular, such as /dev/null.
func WriteFile(name string, write func(io.Writer) error) (err error) {
	mode := os.FileMode(0o666) // less the umask
	if old, err := os.Stat(name); err == nil {
		if old.IsDir() {
			return fmt.Errorf("write %s: is a folder", name)
		}
		if link, err := os.Readlink(name); err == nil {
			if !filepath.IsAbs(link) {
				link = filepath.Join(filepath.Dir(name), link)
			}
			name = link // the file behind the link is meant
		}
		if !old.Mode().IsRegular() {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return fmt.Errorf("write %s: %w", name, fsx.Cause(err))
			}
			defer f.Close()
			if err := buffered(f, write); err != nil {
				return fmt.Errorf("write %s: %w", name, fsx.Cause(err))
			}
			return nil
		}
		mode = old.Mode().Perm()
	}
	f, err := os.OpenFile(fmt.Sprintf("%s.satchel-%d", name, os.Getpid()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, fsx.Cause(err))
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
			err = fmt.Errorf("write %s: %w", name, fsx.Cause(err))
		}
	}()
	err = buffered(f, write)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = fsx.Rename(filepath.Dir(name), filepath.Base(f.Name()), filepath.Base(name))
	}
	return err
}

func buffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

const CopyUse = "copy the result to the clipboard instead of printing it"

// Copy puts a result on the clipboard and reports it.
func (a *App) Copy(ctx context.Context, text []byte, what string) error {
	place := clipboard.Place{Getenv: a.Getenv, Environ: a.Env.Environ}
	switch {
	case a.Getenv("TERM") == "dumb":
	case a.Env.StderrTTY:
		place.Terminal = a.Env.Stderr
	case a.Env.StdoutTTY:
		place.Terminal = a.Env.Stdout
	}
	by, err := clipboard.Copy(ctx, text, place)
	var long *clipboard.LengthError
	switch {
	case errors.As(err, &long):
		return Hint(err, "use a smaller --budget, or write to a file without --copy")
	case err != nil:
		return Hint(err, "omit --copy to write to standard output")
	}
	a.Remark("copied %s to the clipboard, %s, by %s", what, BytesText(int64(len(text))), by)
	if by == "the terminal" && a.Getenv("TMUX") != "" {
		a.Remark("note: tmux copies it only if its option set-clipboard is on")
	}
	return nil
}
