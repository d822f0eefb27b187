package cli

import (
	"context"
	"errors"

	"github.com/satchel-dev/satchel/internal/world/clipboard"
)

const copyUse = "copy the result to the clipboard instead of printing it"

// copy puts a result on the clipboard and says so: what it was, and by what.
func (a *app) copy(ctx context.Context, text []byte, what string) error {
	place := clipboard.Place{Getenv: a.getenv, Environ: a.env.Environ}
	switch {
	case a.getenv("TERM") == "dumb":
	case a.env.StderrTTY:
		place.Terminal = a.env.Stderr
	case a.env.StdoutTTY:
		place.Terminal = a.env.Stdout
	}
	by, err := clipboard.Copy(ctx, text, place)
	var long *clipboard.LengthError
	switch {
	case errors.As(err, &long):
		return &hintError{err, "use a smaller --budget, or write to a file without --copy"}
	case err != nil:
		return &hintError{err, "omit --copy to write to standard output"}
	}
	a.remark("copied %s to the clipboard, %s, by %s", what, bytesText(int64(len(text))), by)
	if by == "the terminal" && a.getenv("TMUX") != "" {
		a.remark("note: tmux copies it only if its option set-clipboard is on")
	}
	return nil
}
