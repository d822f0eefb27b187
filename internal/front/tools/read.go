package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
)

type readArgs struct {
	shared
	Path string `json:"path"`
	Rev  string `json:"rev"`
}

// A readReply is the text that was read.
type readReply struct {
	*files.Shown
	title   string // path, blob and lines
	changes clean.Counts
	single  bool // one range of lines
}

func readTool(ctx context.Context, h *Host, e *engine.Engine, a *readArgs) (string, error) {
	if err := Revision("rev", a.Rev); err != nil {
		return "", err
	}
	if a.Rev == "" {
		a.Rev = h.Change.NewSide()
	} else if err := h.within(ctx, e, a.Rev); err != nil {
		return "", err
	}
	r, err := h.read(ctx, e, a.Path, a.Rev)
	if err != nil {
		return "", err
	}
	return r.text(&a.shared)
}

// read reads what a path with lines names, as satchel show does.
func (h *Host) read(ctx context.Context, e *engine.Engine, arg, rev string) (*readReply, error) {
	list, err := e.Files().ShowRanges(ctx, arg, rev, h.relative, func(path string) error {
		if !h.Guarded {
			return nil
		}
		if err := e.Refuses(ctx, rev, path); err != nil {
			return fmt.Errorf("%s: %w", clean.Inline(path), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, p := range list {
		if strings.IndexByte(p.Text, 0) >= 0 {
			return nil, fmt.Errorf("%s: binary file", p.Path)
		}
		if h.Guarded {
			p.Text = numbered(p.Text, p.From)
		}
		parts = append(parts, satchel.Range{From: p.From, To: p.To}.String())
	}
	r := &readReply{Shown: files.Join(list), single: len(list) == 1}
	r.Shown.Text, r.changes = clean.Visible(r.Shown.Text)
	r.Shown.Path = clean.Inline(r.Shown.Path)
	r.title = r.Shown.Path
	if len(r.Blob) > 8 {
		r.title += " blob " + r.Blob[:8]
	}
	r.title += fmt.Sprintf(", lines %s of %d", strings.Join(parts, ","), r.Lines)
	return r, nil
}

// numbered is a text with the number of each line at its left.
func numbered(text string, from int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "%5d  %s", from, line)
		from++
	}
	return b.String()
}

func (r *readReply) text(a *shared) (string, error) {
	tail := ""
	if r.Sparse {
		tail = "note: " + git.NotCheckedOut + "\n"
	}
	if r.Redacted > 0 {
		tail += fmt.Sprintf("note: redacted in the file: %s\n", render.Plural(r.Redacted, "secret"))
	}
	if r.changes != (clean.Counts{}) {
		tail += "note: " + r.changes.String() + "\n"
	}
	text := r.Shown.Text
	head := func(p page) string {
		if p.from == 0 {
			return r.title
		}
		if r.single {
			return fmt.Sprintf("%s, from line %d", r.title, r.From+strings.Count(text[:p.from], "\n"))
		}
		return r.title + ", continued"
	}
	return paged(head, r.Lang, text, tail, a)
}

// Text returns the lines that a path with lines names, secrets redacted.
func (h *Host) Text(ctx context.Context, e *engine.Engine, name string) (string, error) {
	r, err := h.read(ctx, e, name, "")
	if err != nil {
		return "", err
	}
	return r.Shown.Text, nil
}
