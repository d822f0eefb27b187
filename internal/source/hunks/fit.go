// Package hunks decides what is shown of a measured changeset: it divides hunks into
// parts, makes their forms, chooses those that fit a budget and goes on where a page
// ended.
//
// Start with [NewLayout].
package hunks

import (
	"cmp"
	"errors"
	"math"
	"path"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A Layout decides what is shown of a report: everything, what fits a budget,
// or what comes after that.
type Layout struct {
	req    *changeset.Request
	Report *change.Report
	Files  []shownFile // of report.Files
	Parts  []Part      // in reading order: by file, most relevant first, then by hunk
	count  *tokens.Encoding
	breaks []render.DiffBreak
	digest string // see cursor
}

// A shownFile is what a layout knows of a changed file besides what is reported.
type shownFile struct {
	Line       string // why it is told in one line; "" if its hunks are worth reading
	From, To   int    // its parts
	olds, news []satchel.Symbol
}

// newShowing divides the hunks of the files that are worth reading.
func NewLayout(req *changeset.Request, r *change.Report, files []shownFile) *Layout {
	s := &Layout{req: req, Report: r, Files: files, count: tokens.O200k()}
	for i := range r.Files {
		f := &s.Files[i]
		f.From = len(s.Parts)
		if f.Line == "" {
			for k := range r.Files[i].Hunks {
				s.Parts = divide(s.Parts, int32(i), k+1, &r.Files[i].Hunks[k])
			}
			if len(r.Files[i].Hunks) == 0 {
				s.Parts = append(s.Parts, Part{File: int32(i), part: 1, parts: 1})
			}
		}
		f.To = len(s.Parts)
		for k := f.From; k < f.To; k++ {
			s.Parts[k].Ord = int32(k - f.From + 1)
		}
	}
	s.breaks = s.broken()
	return s
}

// broken returns what the changes break, in the order of the report. Nobody
// outside relies on tests, and generated or vendored code is not ours to break.
// What files deleted from one folder exported stands together.
func (s *Layout) broken() []render.DiffBreak {
	deleted := map[string]int{}
	for i := range s.Report.Files {
		if f := &s.Report.Files[i]; f.Status == change.Deleted {
			deleted[path.Dir(f.Path)]++
		}
	}
	folders := map[string]int{} // place in out
	var out []render.DiffBreak
	for i := range s.Report.Files {
		f := &s.Report.Files[i]
		if f.Class == string(outline.Test) || s.Files[i].Line != "" && f.Class != string(outline.Source) {
			continue
		}
		var edits []change.Edit
		for k := range f.Edits {
			if f.Edits[k].Breaks() {
				edits = append(edits, f.Edits[k])
			}
		}
		if len(edits) == 0 {
			continue
		}
		dir := path.Dir(f.Path)
		if f.Status != change.Deleted || deleted[dir] < 2 {
			out = append(out, render.DiffBreak{Path: f.Path, Edits: edits})
			continue
		}
		at, ok := folders[dir]
		if !ok {
			at = len(out)
			folders[dir] = at
			out = append(out, render.DiffBreak{Path: dir + "/"})
		}
		out[at].Edits = append(out[at].Edits, edits...)
		out[at].Deleted++
	}
	return out
}

// Show decides.
func (s *Layout) Show() (*render.Diff, error) {
	switch {
	case s.req.Cursor != "":
		return s.continued()
	case s.req.Budget <= 0:
		return s.everything(), nil
	case s.req.Detail == changeset.DiffStandard:
		return s.fitDiff(s.req.Budget)
	}
	return s.list()
}

// everything shows all that is there.
func (s *Layout) everything() *render.Diff {
	all := newChoice(s)
	for i := range s.Files {
		all.line[i] = true
	}
	for i := range s.Parts {
		all.detail[i] = satchel.Full
	}
	d := s.diff(all)
	for i := range d.Files {
		d.Files[i].Whole = true
	}
	d.Listed = len(s.Report.Files)
	d.Named = math.MaxInt
	return d
}

// list fits a summary: as many files as there is room for, most relevant first.
func (s *Layout) list() (*render.Diff, error) {
	try := func(n int) (*render.Diff, error) {
		d := s.frame()
		d.Listed = n
		for i := n; i < len(s.Report.Files); i++ {
			d.Omitted = append(d.Omitted, s.omittedFile(i, satchel.WhyNoRoom, satchel.Omitted))
		}
		d.Named = 0
		return d, s.settle(d)
	}
	best, err := try(0)
	if err != nil {
		return nil, err
	}
	if best.Used > s.req.Budget {
		_, err := smallest(s.req.Budget, func(budget int) (int, error) {
			best.Budget = budget
			err := s.settle(best)
			return best.Used, err
		})
		return nil, err
	}
	more, ok, err := pack.Within(s.req.Budget, pack.Range{First: firstListed, Most: len(s.Report.Files)}, func(n int) (pack.Layout[*render.Diff], error) {
		d, err := try(n)
		if err != nil {
			return pack.Layout[*render.Diff]{}, err
		}
		return pack.Layout[*render.Diff]{Shown: d, Size: d.Used}, nil
	})
	if ok {
		best = more
	}
	return best, err
}

// firstListed is how many files of a summary are tried first.
const firstListed = 16

// A choice is how much is shown of each part, and which files have their line.
type choice struct {
	detail []satchel.Detail // of each part
	line   []bool           // of each file that is told in one line
}

func newChoice(s *Layout) *choice {
	return &choice{make([]satchel.Detail, len(s.Parts)), make([]bool, len(s.Files))}
}

// fitDiff shows what fits a budget, in the detail that fits.
//
// It is [pack.Fit] with hunks as Items, tried until the rendered text, whose
// headings and lists depend on what is shown, fits and fills the budget.
func (s *Layout) fitDiff(budget int) (*render.Diff, error) {
	_, d, err := s.choose(budget)
	return d, err
}

// choose is fitDiff, and the choice that it made.
func (s *Layout) choose(budget int) (*choice, *render.Diff, error) {
	least, err := s.least(budget)
	if err != nil {
		return nil, nil, err
	}
	cands := s.candidates(budget)
	over := s.overhead()
	lay := func(c *choice) (*render.Diff, error) {
		d := s.diff(c)
		s.mark(d, c, budget)
		return d, s.settle(d)
	}
	type shown struct {
		choice *choice
		diff   *render.Diff
	}
	layouts := 0
	best, ok, err := pack.Within(budget, pack.Range{First: budget - least, Each: 1}, func(limit int) (pack.Layout[shown], error) {
		r, err := pack.Fit(cands, pack.Options{Limit: limit, Length: scene.LengthExponent, Value: hunkValue, Overhead: over})
		if err != nil {
			return pack.Layout[shown]{}, err
		}
		c := newChoice(s)
		s.take(c, r.Entries)
		d, err := lay(c)
		if err != nil {
			return pack.Layout[shown]{}, err
		}
		layouts++
		done := pack.Filled(d.Used, budget) || layouts >= pack.MostLayouts || len(r.Omitted) == 0 && s.all(c)
		return pack.Layout[shown]{Shown: shown{c, d}, Size: d.Used, Done: done}, nil
	})
	if err != nil || ok {
		return best.choice, best.diff, err
	}
	nothing := newChoice(s)
	d, err := lay(nothing)
	return nothing, d, err
}

// all reports whether everything is shown in full.
func (s *Layout) all(c *choice) bool {
	for i := range s.Files {
		if s.Files[i].Line != "" && !c.line[i] {
			return false
		}
	}
	return !slices.ContainsFunc(c.detail, func(d satchel.Detail) bool { return d != satchel.Full })
}

// least returns the tokens of what is said in any case: the head, what breaks,
// and what is left out. If that does not fit, the error tells the smallest
// budget that works.
func (s *Layout) least(budget int) (int, error) {
	return smallest(budget, func(budget int) (int, error) {
		t := s.within(budget)
		c := newChoice(t)
		d := t.diff(c)
		t.mark(d, c, budget)
		err := t.settle(d)
		return d.Used, err
	})
}

// within returns the layout with another budget.
func (s *Layout) within(budget int) *Layout {
	req := *s.req
	req.Budget = budget
	t := *s
	t.req = &req
	return &t
}

// smallest returns what used says of the budget if that is within it, and
// otherwise an error with the smallest budget that holds itself. What is used
// may grow with the budget, as more is named, but not faster.
func smallest(budget int, used func(budget int) (int, error)) (int, error) {
	n, err := used(budget)
	if err != nil || n <= budget {
		return n, err
	}
	if n, err = used(budget + 1); err != nil {
		return 0, err
	}
	need, _, err := pack.Least(budget, n, func(budget int) (bool, error) {
		n, err := used(budget)
		return n <= budget, err
	})
	return 0, cmp.Or(err, error(&satchel.OverflowError{Need: need, Limit: budget}))
}

// IsOverflow reports whether err is that of a budget that is too small.
func IsOverflow(err error) bool { return errors.As(err, new(*satchel.OverflowError)) }
