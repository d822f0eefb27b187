package hunks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

// The first page of a diff shows the hunks that are worth most, wherever they
// stand. What it left out follows in reading order, page by page. So that a later
// call knows what the first one showed without anything being stored, the
// [pack.Cursor] says what the first page was: its budget, whether it was JSON
// (the flag j), and a digest of the changeset and of what else it depended on. At
// counts elements. Later pages may have other budgets.
const flagJSON = "j"

// sum returns the digest of what the choice of a first page depends on.
func (s *Layout) sum() string {
	if s.digest != "" {
		return s.digest
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %t\n", s.Report.Profile, s.req.Debug)
	for i := range s.Report.Files {
		f := &s.Report.Files[i]
		fmt.Fprintf(h, "%q %q %s %s %s %.6f\n", f.Path, f.OldPath, s.files[i].line, f.OldBlob, f.NewBlob, f.Order)
		if f.OldBlob != "" && f.NewBlob != "" {
			continue
		}
		for k := range f.Hunks {
			_, _ = io.WriteString(h, f.Hunks[k].Body)
		}
	}
	s.digest = hex.EncodeToString(h.Sum(nil)[:8])
	return s.digest
}

// mark sets the cursor of a first page with this budget.
func (s *Layout) mark(d *render.Diff, c choice, budget int) {
	for i := range c {
		if !s.shows(c, i) {
			d.Next = s.cursor(i, budget, s.req.JSON)
			return
		}
	}
}

// cursor names the piece where a diff goes on.
func (s *Layout) cursor(i, budget int, json bool) *render.Cursor {
	p := &s.pieces[i]
	c := &render.Cursor{Path: s.Report.Files[p.File].Path, Hunk: p.Number, Part: p.Hunk.Part}
	next := pack.Cursor{At: i, First: budget, Digest: s.sum()}
	if json {
		next.Flag = flagJSON
	}
	c.Text = next.String()
	return c
}

// continued shows what comes after the page that gave the cursor: whole hunks in
// reading order, as many as fit.
func (s *Layout) continued() (*render.Diff, error) {
	c, err := pack.ParseCursor(s.req.Cursor)
	if err != nil {
		return nil, err
	}
	if c.Digest != s.sum() {
		return nil, &pack.CursorError{Cursor: s.req.Cursor, Why: "it belongs to another diff: the changes or the request are different"}
	}
	budget := c.First
	req := *s.req
	req.Budget, req.JSON, req.Cursor = budget, c.Flag == flagJSON, ""
	first := *s
	first.req = &req
	before, _, err := first.choose(budget)
	if err != nil {
		return nil, &pack.CursorError{Cursor: s.req.Cursor, Why: "it is not a cursor of a diff"}
	}
	var rest []int
	for i := c.At; i < len(before); i++ {
		if !s.shows(before, i) {
			rest = append(rest, i)
		}
	}
	if len(rest) == 0 || rest[0] != c.At {
		return nil, &pack.CursorError{Cursor: s.req.Cursor, Why: "no such hunk is left"}
	}
	return s.page(rest, budget, req.JSON)
}

// page shows as many of the pieces, which are all that is left, as fit.
func (s *Layout) page(rest []int, budget int, json bool) (*render.Diff, error) {
	within := s
	try := func(n int) (*render.Diff, error) {
		s := within
		c := s.nothing()
		for _, i := range rest[:n] {
			c[i] = s.whole(i)
		}
		d := s.diff(c)
		d.Rest = true
		d.Omitted = append(clipped(d.Omitted), s.leftOver(rest[n:])...)
		if n < len(rest) {
			d.Next = s.cursor(rest[n], budget, json)
		}
		return d, s.settle(d)
	}
	if s.req.Budget <= 0 {
		return try(len(rest))
	}
	best, err := try(1)
	if err != nil {
		return nil, err
	}
	if best.Used > s.req.Budget {
		_, err := smallest(s.req.Budget, func(budget int) (int, error) {
			within = s.within(budget)
			d, err := try(1)
			if err != nil {
				return 0, err
			}
			return d.Used, nil
		})
		return nil, err
	}
	return s.most(best, pack.Range{First: s.req.Budget / max(best.Used, 1), Most: len(rest)}, try)
}

// clipped keeps the omissions within hunks that are shown.
func clipped(list []satchel.Omission) []satchel.Omission {
	return slices.DeleteFunc(list, func(o satchel.Omission) bool { return o.Why != whyLongLine })
}

// leftOver lists what later pages show.
func (s *Layout) leftOver(rest []int) []satchel.Omission {
	var out []satchel.Omission
	for _, i := range rest {
		if o, ok := s.omission(&s.pieces[i], satchel.Omitted); ok {
			out = append(out, o)
		}
	}
	return out
}
