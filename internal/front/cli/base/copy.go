package base

import (
	"context"
	"errors"

	"github.com/satchel-dev/satchel/internal/world/clipboard"
)

const CopyUse = "copy the result to the clipboard instead of printing it"

// Copy puts a result on the clipboard and says so: what it was, and by what.
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
