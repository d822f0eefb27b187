package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/satchel-dev/satchel/engine"
)

type sessionArgs struct {
	shared
	Handle  string `json:"handle"`
	Session string `json:"session"`
}

// Sessions reads what agents recorded of the workspace. An id names a session
// that lies in an agent's own folder and belongs to the workspace; empty means
// the newest. It never opens another file.
type Sessions interface {
	// Pressure says how full the window of a session is, and what fills it: as
	// text, and as a value for encoding/json. Secrets are redacted.
	Pressure(ctx context.Context, id string) (text string, doc any, err error)

	// Block returns the block that a handle names, secrets redacted and cleaned.
	Block(ctx context.Context, handle, id string) (*Block, error)
}

// A Block is a part of a session that a trim left out.
type Block struct {
	Title string // one line: which it is, and of what
	Text  string
	Notes []string // what was redacted and cleaned
	Doc   any      // for encoding/json
}

var handleForm = regexp.MustCompile(`^@?[a-z]{5}$`)

func sessionTool(ctx context.Context, s *Server, _ *engine.Engine, raw json.RawMessage, usual int) (string, error) {
	var a sessionArgs
	if err := decode(raw, &a); err != nil {
		return "", err
	}
	if err := a.check(usual); err != nil {
		return "", err
	}
	if s.opts.Sessions == nil {
		return "", errors.New("sessions are not read here")
	}
	if a.Handle == "" {
		text, doc, err := s.opts.Sessions.Pressure(ctx, a.Session)
		if err != nil {
			return "", err
		}
		if a.Format == formatJSON {
			return document(doc, &a.shared)
		}
		return paged(func(page) string { return "The context window of the session" }, "text", text, "", &a.shared)
	}
	if !handleForm.MatchString(a.Handle) {
		return "", fmt.Errorf("handle %.40q: want an @ and five letters, such as @ldhhu", a.Handle)
	}
	if a.Handle[0] != '@' {
		a.Handle = "@" + a.Handle
	}
	b, err := s.opts.Sessions.Block(ctx, a.Handle, a.Session)
	if err != nil {
		return "", err
	}
	if a.Format == formatJSON {
		return document(b.Doc, &a.shared)
	}
	tail := ""
	for _, n := range b.Notes {
		tail += "note: " + n + "\n"
	}
	return paged(func(page) string { return b.Title }, "text", b.Text, tail, &a.shared)
}
