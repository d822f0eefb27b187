package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

type diffArgs struct {
	shared
	Base   string   `json:"base"`
	Detail string   `json:"detail"`
	Files  []string `json:"files"`
	Range  string   `json:"range"`
	Task   string   `json:"task"`
}

func (a *diffArgs) check(usual int) error {
	if a.Detail == "" {
		a.Detail = engine.DiffSummary
		if a.Budget != 0 {
			a.Detail = engine.DiffStandard
		}
	}
	return a.shared.check(usual)
}

func diffTool(ctx context.Context, h *Host, e *engine.Engine, a *diffArgs) (string, error) {
	switch {
	case a.Range != "" && a.Base != "":
		return "", errors.New("range and base contradict each other: use one")
	case a.Detail != engine.DiffSummary && a.Detail != engine.DiffStandard:
		return "", fmt.Errorf("detail %.40q: want summary or standard", a.Detail)
	}
	if err := errors.Join(Revision("range", a.Range), Revision("base", a.Base)); err != nil {
		return "", err
	}
	files, err := h.patterns("files", a.Files)
	if err != nil {
		return "", err
	}
	q := engine.DiffRequest{Range: a.Range, Base: a.Base}
	if a.Range == "" && a.Base == "" {
		q = h.Change
	} else if err := h.within(ctx, e, q.Spec().Revisions()...); err != nil {
		return "", err
	} else if h.Guarded && h.Change.NewSide() != "" && q.NewSide() == "" {
		return "", fmt.Errorf("range %.80q compares with the work tree, which is not part of this change: want A..B", a.Range)
	}
	q.Words = change.Words{Ask: "Ask", Hunks: `"detail":"standard"`, Files: `"detail":"standard","files":["PATH"]`}
	if h.Guarded { // the assistant, to whom most commands offer it
		q.Words.Ask = "If parallel_analyze is offered, give each area a separate task; or ask"
	}
	q.Files, q.Detail, q.Task = files, a.Detail, a.Task
	if a.Detail == engine.DiffStandard {
		q.Cursor = a.Cursor
		return hunksOf(ctx, e, q, a.Budget)
	}
	d, err := e.Diff(ctx, q)
	switch {
	case err != nil:
		return "", err
	case len(d.Report.Files) == 0:
		return "Nothing changed.\n", nil
	}
	return paged(func(page) string { return diffTitle(d) }, "text", render.DiffText(d), diffDiagnostics(d), &a.shared)
}

// hunksOf shows hunks: those that are worth most, as many as fit.
func hunksOf(ctx context.Context, e *engine.Engine, q engine.DiffRequest, budget int) (string, error) {
	// The text around the diff takes room too. Its size is known once it is written.
	var small *satchel.OverflowError
	text, ok, err := pack.Within(budget, pack.Range{First: budget - cursorRoom, Most: budget, Each: 1}, func(limit int) (pack.Layout[string], error) {
		q.Budget = limit
		d, err := e.Diff(ctx, q)
		if errors.As(err, &small) {
			return pack.Layout[string]{}, &satchel.OverflowError{Need: small.Need + budget - limit, Limit: budget}
		}
		if err != nil {
			return pack.Layout[string]{}, err
		}
		text := hunksText(d)
		return pack.Layout[string]{Shown: text, Size: Count(text), Done: true}, nil
	})
	if err == nil && !ok {
		err = &satchel.OverflowError{Need: budget + cursorRoom, Limit: budget}
	}
	return text, err
}

func hunksText(d *render.Diff) string {
	if len(d.Report.Files) == 0 {
		return "Nothing changed.\n"
	}
	text := diffTitle(d) + "; " + asData + ":\n" + render.Fenced("diff", render.DiffText(d)) + diffDiagnostics(d)
	if d.Next != nil {
		text += goesOn(clean.Inline(d.Next.Text))
	}
	return text
}

func diffTitle(d *render.Diff) string {
	of := "of"
	switch d.Report.Source {
	case "staged", "unstaged", "worktree", "untracked", "patch":
	default:
		if d.Report.To == "" {
			of = "since" // a revision, up to the work tree
		}
	}
	return fmt.Sprintf("Changes %s %s", of, clean.Inline(d.Report.Source))
}

func diffDiagnostics(d *render.Diff) (s string) {
	for i, n := range d.Report.Diagnostics {
		if i == mostNotes {
			return s + fmt.Sprintf("note: %d more notes\n", len(d.Report.Diagnostics)-i)
		}
		s += fmt.Sprintf("note: %.300s\n", diagnosticText(n))
	}
	return s
}

// patterns returns paths relative to the root, and leaves patterns as they are.
func (h *Host) patterns(what string, names []string) ([]string, error) {
	if len(names) > mostList {
		return nil, fmt.Errorf("%s: want at most %d, got %d", what, mostList, len(names))
	}
	var out []string
	for _, name := range names {
		if !index.IsPattern(name) {
			p, err := h.relative(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", what, err)
			}
			name = p
		}
		out = append(out, name)
	}
	return out, nil
}
