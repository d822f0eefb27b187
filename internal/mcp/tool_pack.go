package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

type packArgs struct {
	shared
	Task   string   `json:"task"`
	Detail string   `json:"detail"`
	Diff   string   `json:"diff"`
	Paths  []string `json:"paths"`
	Pins   []string `json:"pins"`
	Rev    string   `json:"rev"`
}

// A Kept is a pack that is about to be sent.
type Kept struct {
	Request satchel.Request
	Pack    *satchel.Pack
	Text    string // as the model will see it
}

// What a pack leaves of the budget, in tokens: for the cursor, and in JSON for
// omissions besides, which a pack lists without counting them.
const (
	cursorRoom = 48
	listRoom   = 160
)

func packTool(ctx context.Context, s *Server, e *engine.Engine, raw json.RawMessage, usual int) (string, error) {
	var a packArgs
	if err := decode(raw, &a); err != nil {
		return "", err
	}
	if err := a.check(usual); err != nil {
		return "", err
	}
	req := satchel.Request{Task: a.Task, Rev: a.Rev, Changes: a.Diff, Format: string(render.Markdown), Budget: a.Budget - cursorRoom}
	if a.Format == formatJSON {
		req.Format, req.Budget = string(render.JSON), a.Budget-listRoom
	}
	err := errors.Join(revision("rev", a.Rev), revision("diff", a.Diff))
	if err == nil && a.Rev != "" && a.Diff != "" {
		err = errors.New("rev and diff contradict each other: a range has its own revision")
	}
	if err == nil && a.Detail != "" {
		req.Detail, err = satchel.ParseDetail(a.Detail)
	}
	if err == nil {
		req.Paths, err = s.patterns("paths", a.Paths)
	}
	if err == nil {
		req.Pinned, err = s.paths("pins", a.Pins)
	}
	if err != nil {
		return "", err
	}
	p, next, err := e.PackPage(ctx, req, a.Cursor)
	if err != nil {
		var small *pack.OverflowError
		if errors.As(err, &small) { // what is left of the budget is no business of the model
			return "", &pack.OverflowError{Need: small.Need + a.Budget - req.Budget, Limit: a.Budget}
		}
		return "", err
	}
	if a.Cursor != "" && len(p.Entries) == 0 {
		return "Nothing is left that was not shown.\n", nil
	}
	if a.Diff != "" && a.Format != formatJSON && p.ChangesNothing() {
		return "Nothing changed.\n", nil
	}
	text, err := packText(p, a.Budget, next, render.Format(req.Format))
	if err != nil {
		return "", err
	}
	if s.opts.Keep != nil {
		if err := s.opts.Keep(ctx, e, Kept{req, p, text}); err != nil {
			return "", fmt.Errorf("keep a snapshot of the pack: %w", err)
		}
	}
	return text, nil
}

// packText writes a pack in no more than budget tokens.
func packText(p *satchel.Pack, budget int, next string, format render.Format) (string, error) {
	if format != render.JSON {
		text, err := rendered(p, format)
		if err == nil && next != "" {
			text += goesOn(next)
		}
		return text, err
	}
	// As many omissions as there is room for; how many there are stands in a note.
	all := p.Omitted
	try := func(n int) (string, error) {
		q := *p
		q.Omitted = all[:n:n]
		if n < len(all) {
			q.Notes = append(q.Notes[:len(q.Notes):len(q.Notes)], satchel.Note{Text: fmt.Sprintf("%d of %d omissions are listed", n, len(all))})
		}
		if err := render.Settle(&q, format, count); err != nil {
			return "", err
		}
		text, err := rendered(&q, format)
		if rest, ok := strings.CutPrefix(text, "{\n"); ok && next != "" {
			text = "{\n\"cursor\":\"" + next + "\",\n" + rest
		}
		return text, err
	}
	text, err := try(len(all))
	if err != nil || count(text) <= budget {
		return text, err
	}
	low, high := -1, len(all) // low fits, if it is none of them; high does not
	best := ""
	for low+1 < high {
		mid := low + (high-low)/2
		text, err := try(mid)
		if err != nil {
			return "", err
		}
		if count(text) <= budget {
			low, best = mid, text
		} else {
			high = mid
		}
	}
	if best == "" {
		return "", &pack.OverflowError{Need: count(text), Limit: budget}
	}
	return best, nil
}

func rendered(p *satchel.Pack, format render.Format) (string, error) {
	var b strings.Builder
	err := render.Pack(&b, p, format)
	return b.String(), err
}
