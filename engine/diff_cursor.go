package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/render"
)

// A CursorError says why a cursor does not continue a diff.
type CursorError struct{ Cursor, Why string }

func (e *CursorError) Error() string {
	return fmt.Sprintf("cursor %s: %s", render.Clean(e.Cursor), e.Why)
}

// A cursor names the element where a diff goes on: BUDGET[j]:DIGEST:HUNK.PART:PATH.
//
// The first page of a diff shows the hunks that are worth most, wherever they
// stand. What it left out follows in reading order, page by page. So that a later
// call knows what the first one showed without anything being stored, the cursor
// says what the first page was: its budget, whether it was JSON, and a digest of
// the changeset and of what else it depended on. Later pages may have other
// budgets.
var cursorText = regexp.MustCompile(`^([0-9]+)(j?):([0-9a-f]{8}):([0-9]+)\.([0-9]+):((?s:.*))$`)

// sum returns the digest of what the choice of a first page depends on.
func (s *showing) sum() string {
	if s.digest != "" {
		return s.digest
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %t\n", s.report.Profile, s.req.Debug)
	for i := range s.report.Files {
		f := &s.report.Files[i]
		fmt.Fprintf(h, "%q %q %s %s %s %.6f\n", f.Path, f.OldPath, s.files[i].line, f.OldBlob, f.NewBlob, f.Order)
		if f.OldBlob != "" && f.NewBlob != "" {
			continue
		}
		for k := range f.Hunks {
			_, _ = io.WriteString(h, f.Hunks[k].Body)
		}
	}
	s.digest = hex.EncodeToString(h.Sum(nil)[:4])
	return s.digest
}

// An element is what pages consist of: a part (at least 0), or the line of a file.
type element struct{ file, part int }

// elements returns all elements in reading order.
func (s *showing) elements() []element {
	var list []element
	for i := range s.files {
		if s.files[i].line != "" {
			list = append(list, element{i, -1})
		}
		for k := s.files[i].from; k < s.files[i].to; k++ {
			list = append(list, element{i, k})
		}
	}
	return list
}

// shown reports whether the choice shows an element in full.
func (c *choice) shown(e element) bool {
	if e.part < 0 {
		return c.line[e.file]
	}
	return c.detail[e.part] == satchel.Full
}

// mark sets the cursor of a first page with this budget.
func (s *showing) mark(d *render.Diff, c *choice, budget int) {
	for _, e := range s.elements() {
		if !c.shown(e) {
			d.Next = s.cursor(e, budget, s.req.JSON)
			return
		}
	}
}

func (s *showing) cursor(e element, budget int, json bool) *render.Cursor {
	c := &render.Cursor{Path: s.report.Files[e.file].Path}
	if e.part >= 0 {
		c.Hunk, c.Part = int(s.parts[e.part].number), int(s.parts[e.part].part)
	}
	j := ""
	if json {
		j = "j"
	}
	c.Text = fmt.Sprintf("%d%s:%s:%d.%d:%s", budget, j, s.sum(), c.Hunk, c.Part, c.Path)
	return c
}

// continued shows what comes after the page that gave the cursor: whole hunks in
// reading order, as many as fit.
func (s *showing) continued() (*render.Diff, error) {
	m := cursorText.FindStringSubmatch(s.req.Cursor)
	if m == nil {
		return nil, &CursorError{s.req.Cursor, "it is not one that a diff gave"}
	}
	if m[3] != s.sum() {
		return nil, &CursorError{s.req.Cursor, "it is that of another diff: the changes, or how they are asked for, are not the same any more"}
	}
	budget, err := strconv.Atoi(m[1])
	if err != nil {
		return nil, &CursorError{s.req.Cursor, "its budget is no number"}
	}
	req := *s.req
	req.Budget, req.JSON, req.Cursor = budget, m[2] == "j", ""
	first := *s
	first.req = &req
	before, _, err := first.choose(budget)
	if err != nil {
		return nil, &CursorError{s.req.Cursor, "it is not one that a diff gave"}
	}
	var rest []element
	at := -1
	for _, e := range s.elements() {
		if before.shown(e) {
			continue
		}
		if c := first.cursor(e, budget, req.JSON); at < 0 && (c.Text == s.req.Cursor || render.Clean(c.Text) == s.req.Cursor) {
			at = len(rest)
		}
		rest = append(rest, e)
	}
	if at < 0 {
		return nil, &CursorError{s.req.Cursor, "no such hunk is left"}
	}
	return s.page(rest[at:], budget, req.JSON)
}

// page shows as many of the elements, which are all that is left, as fit.
func (s *showing) page(rest []element, budget int, json bool) (*render.Diff, error) {
	within := s
	try := func(n int) (*render.Diff, error) {
		s := within
		c := newChoice(s)
		for _, e := range rest[:n] {
			if e.part < 0 {
				c.line[e.file] = true
			} else {
				c.detail[e.part] = satchel.Full
			}
		}
		d := s.diff(c)
		d.Rest = true
		d.Omitted = append(clipped(d.Omitted), s.left(rest[n:])...)
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
	low, high := 1, len(rest)+1 // low fits, high does not
	for low+1 < high {
		n := low + (high-low)/2
		if high > len(rest) { // from what went before
			n = min(high-1, max(low+1, low*s.req.Budget/max(best.Used, 1)))
			if n <= low {
				n = low + 1
			}
		}
		d, err := try(n)
		if err != nil {
			return nil, err
		}
		if d.Used <= s.req.Budget {
			low, best = n, d
		} else {
			high = n
		}
	}
	return best, nil
}

// clipped keeps the omissions within hunks that are shown.
func clipped(list []render.DiffOmission) []render.DiffOmission {
	return slices.DeleteFunc(list, func(o render.DiffOmission) bool { return o.Why != whyLongLine })
}

// left lists what later pages show.
func (s *showing) left(rest []element) []render.DiffOmission {
	var out []render.DiffOmission
	for _, e := range rest {
		if e.part < 0 {
			out = append(out, s.omittedFile(e.file, s.files[e.file].line, satchel.Omitted))
		} else if o, ok := s.omission(&s.parts[e.part], satchel.Omitted); ok {
			out = append(out, o)
		}
	}
	return out
}
