package tools

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
	Room   packBudget `json:"budget"`
	Task   string     `json:"task"`
	Detail string     `json:"detail"`
	Diff   string     `json:"diff"`
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

// limit sets the budget of a request, less what the answer needs besides.
func (a *packArgs) limit(h *Host, req *satchel.Request) error {
	req.Budget = a.Budget - a.besides()
	if !a.Room.auto {
		return nil
	}
	least, most, err := h.share("auto")
	if err != nil {
		return fmt.Errorf("argument budget: %w", ofWhat("auto", err))
	}
	most = min(max(most, leastBudget), MostBudget)
	least = min(max(least, leastBudget), most)
	req.Auto = &satchel.Auto{Least: least - a.besides(), Most: most - a.besides()}
	return nil
}

// besides is what the answer may hold besides the pack, in tokens.
func (a *packArgs) besides() int {
	if a.Format == formatJSON {
		return listRoom
	}
	return cursorRoom
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

func packTool(ctx context.Context, h *Host, e *engine.Engine, a *packArgs) (string, error) {
	if a.Task == "" { // names alone are what is looked for
		a.Task = strings.Join(a.Names, " ")
	}
	req := satchel.Request{Task: a.Task, Names: a.Names, Rev: a.Rev, Changes: a.Diff, Format: string(render.Markdown)}
	if a.Format == formatJSON {
		req.Format = string(render.JSON)
	}
	err := errors.Join(a.limit(h, &req), Revision("rev", a.Rev), Revision("diff", a.Diff))
	if err == nil && a.Rev != "" && a.Diff != "" {
		err = errors.New("rev and diff contradict each other: a range has its own revision")
	}
	if err == nil && a.Detail != "" {
		req.Detail, err = satchel.ParseDetail(a.Detail)
	}
	if err == nil {
		req.Paths, err = h.patterns("paths", a.Paths)
	}
	if err == nil {
		req.Pinned, err = h.paths("pins", a.Pins)
	}
	if err != nil {
		return "", err
	}
	if err := e.Files().Allows(ctx, a.Rev, req.Pinned...); err != nil {
		return "", fmt.Errorf("pins: %w", err)
	}
	p, next, err := e.PackPage(ctx, req, a.Cursor)
	if err != nil {
		var small *satchel.OverflowError
		if errors.As(err, &small) { // what is left of the budget is no business of the model
			return "", &satchel.OverflowError{Need: small.Need + a.besides(), Limit: small.Limit + a.besides()}
		}
		return "", err
	}
	if a.Cursor != "" && len(p.Entries) == 0 {
		return "Nothing is left that was not shown.\n", nil
	}
	if a.Diff != "" && a.Format != formatJSON && p.ChangesNothing() {
		return "Nothing changed.\n", nil
	}
	text, err := packText(p, p.Budget+a.besides(), next, render.Format(req.Format))
	if err != nil {
		return "", err
	}
	if h.Keep != nil {
		if err := h.Keep(ctx, e, Kept{req, p, text}); err != nil {
			return "", fmt.Errorf("keep a snapshot of the pack: %w", err)
		}
	}
	return text, nil
}

// packText writes a pack in no more than budget tokens.
func packText(p *satchel.Pack, budget int, next string, format render.Format) (string, error) {
	if format != render.JSON {
		text, err := Rendered(p, format)
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
			q.Diagnostics = append(q.Diagnostics[:len(q.Diagnostics):len(q.Diagnostics)], satchel.Diagnostic{Text: fmt.Sprintf("%d of %d omissions are listed", n, len(all))})
		}
		if err := render.Settle(&q, format, Count); err != nil {
			return "", err
		}
		text, err := Rendered(&q, format)
		if rest, ok := strings.CutPrefix(text, "{\n"); ok && next != "" {
			text = "{\n\"cursor\":\"" + next + "\",\n" + rest
		}
		return text, err
	}
	text, err := try(len(all))
	used := Count(text)
	if err != nil || used <= budget {
		return text, err
	}
	if n := len(all) - 1; n > 0 {
		some, ok, err := pack.Within(budget, pack.Range{First: n * budget / used, Most: n}, func(n int) (pack.Layout[string], error) {
			text, err := try(n)
			return pack.Layout[string]{Shown: text, Size: Count(text)}, err
		})
		if ok || err != nil {
			return some, err
		}
	}
	if text, err = try(0); err == nil && Count(text) > budget {
		err = &satchel.OverflowError{Need: Count(text), Limit: budget}
	}
	return text, err
}

// Rendered writes a pack.
func Rendered(p *satchel.Pack, format render.Format) (string, error) {
	var b strings.Builder
	err := render.Pack(&b, p, format)
	return b.String(), err
}
