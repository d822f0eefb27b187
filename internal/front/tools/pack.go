package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/render"
)

type packArgs struct {
	shared
	Room   packBudget `json:"budget"`
	Task   string     `json:"task"`
	Detail string     `json:"detail"`
	Diff   string     `json:"diff"`
	Edit   []string   `json:"edit"`
	Names  []string   `json:"names"`
	Paths  []string   `json:"paths"`
	Pins   []string   `json:"pins"`
	Rev    string     `json:"rev"`
}

// A packBudget is a number of tokens, or auto: as many as the task needs.
type packBudget struct {
	tokens int
	auto   bool
}

const autoBudget = `"auto"`

func (b *packBudget) UnmarshalJSON(raw []byte) error {
	if b.auto = string(raw) == autoBudget; b.auto {
		return nil
	}
	return json.Unmarshal(raw, &b.tokens)
}

// grows reports whether a budget is auto, and the tool takes that.
func (t *Tool) grows(raw json.RawMessage) bool { return t.Name == "pack" && string(raw) == autoBudget }

func (a *packArgs) check(usual int) error {
	a.Budget = a.Room.tokens
	return a.shared.check(usual)
}

// limit sets the budget of a request, less the tokens for the rest of the answer.
func (a *packArgs) limit(h *Host, req *satchel.Request) error {
	req.Budget = a.Budget - cursorRoom
	if !a.Room.auto {
		return nil
	}
	least, most, err := h.share("auto")
	if err != nil {
		return fmt.Errorf("argument budget: %w", ofWhat("auto", err))
	}
	most = min(max(most, leastBudget), MostBudget)
	least = min(max(least, leastBudget), most)
	req.Auto = &satchel.Auto{Least: least - cursorRoom, Most: most - cursorRoom}
	return nil
}

// A Kept is a pack that is about to be sent.
type Kept struct {
	Request satchel.Request
	Pack    *satchel.Pack
	Text    string // as the model will see it
}

// cursorRoom is the part of the budget that is kept for the cursor, in tokens.
const cursorRoom = 48

func packTool(ctx context.Context, h *Host, e *engine.Engine, a *packArgs) (string, error) {
	if a.Task == "" { // names alone are what is looked for
		a.Task = strings.Join(a.Names, " ")
	}
	req := satchel.Request{Task: a.Task, Names: a.Names, Rev: a.Rev, Changes: a.Diff, Format: string(render.Markdown)}
	err := errors.Join(a.limit(h, &req), Revision("rev", a.Rev), Revision("diff", a.Diff))
	if err == nil && a.Rev != "" && a.Diff != "" {
		err = errors.New("rev and diff contradict each other: a range has its own revision")
	}
	if err == nil && a.Detail != "" {
		if req.Detail, err = satchel.ParseDetail(a.Detail); err != nil {
			err = fmt.Errorf("detail: %w", err)
		}
	}
	if err == nil {
		req.Paths, err = h.patterns("paths", a.Paths)
	}
	for _, x := range []struct {
		what  string
		names []string
		to    *[]string
	}{{"pins", a.Pins, &req.Pinned}, {"edit", a.Edit, &req.Edit}} {
		if err == nil {
			*x.to, err = h.paths(x.what, x.names)
		}
		if err != nil {
			return "", err
		}
		if err := e.Files().Allows(ctx, a.Rev, *x.to...); err != nil {
			return "", fmt.Errorf("%s: %w", x.what, err)
		}
	}
	p, next, err := e.PackPage(ctx, req, a.Cursor)
	if err != nil {
		var small *satchel.OverflowError
		if errors.As(err, &small) { // the remaining budget does not concern the model
			return "", &satchel.OverflowError{Need: small.Need + cursorRoom, Limit: small.Limit + cursorRoom}
		}
		return "", err
	}
	if a.Cursor != "" && len(p.Entries) == 0 {
		return "Everything has been shown already.\n", nil
	}
	if a.Diff != "" && p.ChangesNothing() {
		return "Nothing changed.\n", nil
	}
	text, err := rendered(p)
	if err != nil {
		return "", err
	}
	if next != "" {
		text += goesOn(next)
	}
	if h.Keep != nil {
		if err := h.Keep(ctx, e, Kept{req, p, text}); err != nil {
			return "", fmt.Errorf("keep a snapshot of the pack: %w", err)
		}
	}
	return text, nil
}

// rendered returns a pack as Markdown.
func rendered(p *satchel.Pack) (string, error) {
	var b strings.Builder
	err := render.Pack(&b, p, render.Markdown)
	return b.String(), err
}
