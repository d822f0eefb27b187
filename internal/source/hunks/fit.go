package hunks

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
)

// show decides.
func (s *Layout) show() (*render.Diff, error) {
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
	all := s.nothing()
	for i := range s.pieces {
		all[i] = s.whole(i)
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
	return s.most(best, pack.Range{First: firstListed, Most: len(s.Report.Files)}, try)
}

// most returns the diff of as many things as fit; least is that of the fewest.
func (s *Layout) most(least *render.Diff, r pack.Range, of func(n int) (*render.Diff, error)) (*render.Diff, error) {
	d, ok, err := pack.Within(s.req.Budget, r, func(n int) (pack.Layout[*render.Diff], error) {
		d, err := of(n)
		if err != nil {
			return pack.Layout[*render.Diff]{}, err
		}
		return pack.Layout[*render.Diff]{Shown: d, Size: d.Used}, nil
	})
	if !ok {
		d = least
	}
	return d, err
}

// firstListed is how many files of a summary are tried first.
const firstListed = 16

// A choice is what is shown of each piece; the Detail of those that are not shown is
// Omitted.
type choice []satchel.Entry

// nothing is the choice that shows nothing.
func (s *Layout) nothing() choice { return make(choice, len(s.pieces)) }

// whole shows a piece at its most detail.
func (s *Layout) whole(i int) satchel.Entry {
	d := satchel.Full
	if s.pieces[i].line {
		d = satchel.Mention
	}
	e, _ := s.entry(&s.pieces[i], d)
	return e
}

// shows reports whether the choice shows a piece at its most detail.
func (s *Layout) shows(c choice, i int) bool {
	return c[i].Detail == satchel.Full || s.pieces[i].line && c[i].Detail > satchel.Omitted
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
func (s *Layout) choose(budget int) (choice, *render.Diff, error) {
	least, err := s.least(budget)
	if err != nil {
		return nil, nil, err
	}
	cands := s.fitted(budget)
	over := s.overhead()
	lay := func(c choice) (*render.Diff, error) {
		d := s.diff(c)
		s.mark(d, c, budget)
		return d, s.settle(d)
	}
	type shown struct {
		choice choice
		diff   *render.Diff
	}
	layouts := 0
	best, ok, err := pack.Within(budget, pack.Range{First: budget - least, Each: 1}, func(limit int) (pack.Layout[shown], error) {
		r, err := pack.Fit(cands, pack.Options{Limit: limit, Length: scene.LengthExponent, Value: value, Overhead: over})
		if err != nil {
			return pack.Layout[shown]{}, err
		}
		c := s.take(r.Entries)
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
	nothing := s.nothing()
	d, err := lay(nothing)
	return nothing, d, err
}

// all reports whether everything is shown in full.
func (s *Layout) all(c choice) bool {
	for i := range c {
		if !s.shows(c, i) {
			return false
		}
	}
	return true
}

// least returns the tokens of what is said in any case: the head, what breaks,
// and what is left out. If that does not fit, the error tells the smallest
// budget that works.
func (s *Layout) least(budget int) (int, error) {
	return smallest(budget, func(budget int) (int, error) {
		t := s.within(budget)
		c := t.nothing()
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

// Diff lists what changed, most relevant first, and shows as much of it as fits the
// budget of the request.
//
// The errors are *git.UnknownRevisionError, *git.NoMergeBaseError,
// git.ErrToWithoutFrom, *git.PatchError, *[changeset.FilterError], *[pack.CursorError], and a
// [*satchel.OverflowError] if the head and the names of removed exports do not
// fit the budget.
func Diff(ctx context.Context, p *project.Project, req changeset.Request) (*render.Diff, error) {
	x, err := changeset.Measure(ctx, p, &req)
	if err != nil {
		return nil, err
	}
	return NewLayout(x).show()
}
