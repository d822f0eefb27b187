package hunks

import (
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
)

// frame returns a Diff that shows nothing.
func (s *Layout) frame() *render.Diff {
	return &render.Diff{
		Report: s.Report, Breaks: s.breaks, Standard: s.req.Detail == changeset.DiffStandard, Debug: s.req.Debug,
		Budget: max(s.req.Budget, 0), Listed: s.listed(), Named: s.named(), Layout: s.req.Layout(),
	}
}

// listed is how many files the list of a flat layout has, which others have in a
// summary only: it may take some tenth of the budget.
func (s *Layout) listed() int {
	if !s.req.Layout().Flat || s.req.Cursor != "" {
		return 0
	}
	return min(len(s.Report.Files), s.req.Budget/400)
}

// named is how many files the list of what is left out names: it may take some
// twentieth of the budget.
func (s *Layout) named() int { return min(40, max(3, s.req.Budget/500)) }

// diff returns what is shown if the choice is c.
func (s *Layout) diff(c choice) *render.Diff {
	d := s.frame()
	for i := range s.files {
		f := &s.files[i]
		shown := render.DiffFile{Scored: &s.Report.Files[i], Line: f.line}
		for k := f.from; k < f.to; k++ {
			if c[k].Detail > satchel.Omitted {
				shown.Hunks = append(shown.Hunks, c[k])
			}
			if o, ok := s.omission(&s.pieces[k], c[k].Detail); ok {
				d.Omitted = append(d.Omitted, o)
			}
		}
		if len(shown.Hunks) > 0 {
			d.Files = append(d.Files, shown)
		}
	}
	return d
}

// omission says what is missing of a piece that is shown in this detail.
func (s *Layout) omission(p *piece, detail satchel.Detail) (satchel.Omission, bool) {
	if p.line {
		return s.omittedFile(p.File, s.files[p.File].line, detail), true
	}
	left := p.Hunk
	o := satchel.Omission{
		Ref: s.ref(p), Hunk: &left, Lines: strings.Count(p.Body, "\n"), Bytes: len(p.Body), Why: satchel.WhyNoRoom, Shown: detail,
	}
	switch {
	case detail == satchel.Full:
		clipped := s.textOf(p).clipped
		if p.Number == 0 || clipped == 0 {
			return o, false
		}
		left.Added, left.Removed = 0, 0
		o.Lines, o.Bytes, o.Why, o.Shown = 0, clipped, whyLongLine, satchel.Trimmed
	case detail == satchel.Trimmed:
		kept, _ := change.Trim(s.textOf(p).text)
		left.Added, left.Removed = p.Added-kept.Added, p.Removed-kept.Removed
		o.Lines, o.Bytes = max(0, o.Lines-kept.Lines), max(0, o.Bytes-kept.Bytes)
	case p.Number == 0:
		o.Bytes = len(s.Report.Files[p.File].Header)
	}
	return o, true
}

// whyLongLine is the reason of what is left out of lines that are too long.
const whyLongLine = "long lines"

// omittedFile says that the hunks of a file are not shown.
func (s *Layout) omittedFile(i int, why string, shown satchel.Detail) satchel.Omission {
	f := &s.Report.Files[i]
	o := satchel.Omission{
		Ref:  satchel.Ref{Kind: satchel.KindDiff, Path: f.Path},
		Hunk: &satchel.Hunk{File: i, Added: f.Added, Removed: f.Removed}, Why: why, Shown: shown, Bytes: int(f.Elided),
	}
	for k := range f.Hunks {
		o.Lines += strings.Count(f.Hunks[k].Body, "\n")
		o.Bytes += len(f.Hunks[k].Body)
	}
	if len(f.Hunks) == 0 {
		o.Lines = f.Added + f.Removed
	}
	return o
}

// settle counts the text of d, which states its count if it is JSON.
func (s *Layout) settle(d *render.Diff) error {
	d.Method = s.count.Name() + " exact"
	if !s.req.JSON {
		d.Used = s.count.Count(render.DiffText(d))
		return nil
	}
	// As render.Settle does: numbers settle after a round or two, and if not,
	// the larger one is stated.
	d.Used = 0
	for range 6 {
		_, counted, err := render.DiffJSON(d)
		if err != nil {
			return err
		}
		n := s.count.Count(counted)
		if n <= d.Used {
			break
		}
		d.Used = n
	}
	return nil
}

// A shownText is the text of a part as it may be shown.
type shownText struct {
	text    clean.Text
	exact   bool // it is byte for byte that of the patch
	clipped int  // bytes of long lines that are left out
}

// textOf returns the lines of a part as they may be shown: secrets redacted, and
// what a terminal would obey spelled out.
func (s *Layout) textOf(p *piece) *shownText {
	if p.shown == nil {
		text, clipped := clipLines(clean.Patch(s.Report.Files[p.File].Path, p.Body))
		p.shown = &shownText{text, text.String() == p.Body, clipped}
	}
	return p.shown
}

// longestLine is how many bytes of a line are shown: longer ones are data in
// practice, and cannot be divided.
const longestLine = 2000

// clipLines cuts lines that are too long, and returns how many bytes went.
func clipLines(text clean.Text) (clean.Text, int) {
	if !hasLongLine(text.String()) {
		return text, 0
	}
	var b clean.Builder
	clipped := 0
	for _, line := range text.Split() {
		body := line.TrimNewline()
		if body.Len() <= longestLine {
			b.Write(line)
			continue
		}
		more := body.Len() - longestLine
		clipped += more
		b.Write(clean.Sprintf("%s… %s more\n", body.Cut(longestLine), clean.Count(more, "byte")))
	}
	return b.Text(), clipped
}

func hasLongLine(text string) bool {
	for len(text) > longestLine {
		n := strings.IndexByte(text, '\n')
		if n < 0 || n > longestLine {
			return true
		}
		text = text[n+1:]
	}
	return false
}
