package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// A readReply is what was read, and its JSON form.
type readReply struct {
	Version int `json:"version"`
	*files.Shown
	Cursor string `json:"cursor,omitempty"`

	title   string // path, blob and lines
	changes clean.Counts
	single  bool // one range of lines
}

// mostRanges is how many ranges of one file can be read at once, as by satchel
// show.
const mostRanges = 100

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
	if a.Format == formatJSON {
		return r.json(&a.shared)
	}
	return r.text(&a.shared)
}

// read reads what a path with lines names, as satchel show does.
func (h *Host) read(ctx context.Context, e *engine.Engine, arg, rev string) (*readReply, error) {
	name, ranges, err := files.ParsePosition(arg)
	if err != nil {
		return nil, err
	}
	if len(ranges) > mostRanges {
		return nil, fmt.Errorf("path: %d ranges of lines are the most, got %d", mostRanges, len(ranges))
	}
	other := files.Rewritten(arg)
	if name, err = h.relative(name); err != nil && other != arg {
		return h.read(ctx, e, other, rev)
	} else if err != nil {
		return nil, err
	}
	if h.Guarded {
		if err := e.Refuses(ctx, rev, name); err != nil {
			return nil, fmt.Errorf("%s: %w", clean.Inline(name), err)
		}
	}
	if len(ranges) == 0 {
		ranges = []satchel.Range{{}}
	}
	r := &readReply{Version: 1, single: len(ranges) == 1}
	var parts []string
	for _, part := range ranges {
		t, err := e.Files().Show(ctx, name, part.From, part.To, rev)
		if errors.Is(err, fs.ErrNotExist) {
			if other != arg {
				return h.read(ctx, e, other, rev)
			}
			if near := e.Files().Nearest(ctx, rev, name); near != "" {
				err = fmt.Errorf("%w; did you mean %s?", err, near)
			}
		}
		if err != nil {
			return nil, err
		}
		if strings.IndexByte(t.Text, 0) >= 0 {
			return nil, fmt.Errorf("%s: it is a binary file", name)
		}
		if h.Guarded {
			t.Text = numbered(t.Text, t.From)
		}
		parts = append(parts, satchel.Range{From: t.From, To: t.To}.String())
		if r.Shown == nil {
			r.Shown = t
			continue
		}
		r.Shown.To = t.To
		r.Shown.Text += "…\n" + t.Text
	}
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

func (r *readReply) json(a *shared) (string, error) {
	whole := r.Shown.Text
	from, err := resume(whole, a.Cursor)
	if err != nil {
		return "", err
	}
	var failed error
	text, err := cutPage(whole, from, a.Budget, func(p page) string {
		t := *r.Shown
		t.Text = whole[p.from:p.to]
		if r.single {
			t.From += strings.Count(whole[:p.from], "\n")
			t.To = t.From + strings.Count(strings.TrimSuffix(t.Text, "\n"), "\n")
		}
		s, err := encode(&readReply{Version: 1, Shown: &t, Cursor: p.next})
		failed = errors.Join(failed, err)
		return s
	})
	return text, errors.Join(err, failed)
}

// Text returns the lines that a path with lines names, secrets redacted.
func (h *Host) Text(ctx context.Context, e *engine.Engine, name string) (string, error) {
	r, err := h.read(ctx, e, name, "")
	if err != nil {
		return "", err
	}
	return r.Shown.Text, nil
}
