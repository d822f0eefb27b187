package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/trim"
)

type sessionArgs struct {
	shared
	Handle  string `json:"handle"`
	Session string `json:"session"`
}

func sessionTool(ctx context.Context, h *Host, _ *engine.Engine, a *sessionArgs) (string, error) {
	if h.Sessions == nil {
		return "", errors.New("sessions are not available here")
	}
	if a.Handle == "" {
		text, err := h.Sessions.Pressure(ctx, a.Session)
		if err != nil {
			return "", err
		}
		return paged(func(page) string { return "The context window of the session" }, "text", text, "", &a.shared)
	}
	given := a.Handle
	if a.Handle[0] != '@' {
		a.Handle = "@" + a.Handle
	}
	if !trim.IsHandle(a.Handle) {
		return "", fmt.Errorf("handle %.40q: want an @ and five letters or more, such as @ldhhu", given)
	}
	b, err := h.Sessions.Block(ctx, a.Handle, a.Session)
	var ambiguous *recordings.AmbiguousError
	if errors.As(err, &ambiguous) {
		return "", fmt.Errorf("%w: ask for one of %s", err, strings.Join(ambiguous.Longer, ", "))
	}
	if err != nil {
		return "", err
	}
	var changes clean.Counts
	b.Text, changes = clean.Visible(b.Text)
	tail := ""
	if b.Redacted > 0 {
		tail += fmt.Sprintf("note: %d secrets of the block are redacted\n", b.Redacted)
	}
	if changes != (clean.Counts{}) {
		tail += fmt.Sprintf("note: %s\n", changes)
	}
	return paged(func(page) string { return b.Title() }, "text", b.Text, tail, &a.shared)
}
