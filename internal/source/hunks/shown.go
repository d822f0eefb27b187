package hunks

import (
	"cmp"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/text/clip"
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
func (s *Layout) diff(c *choice) *render.Diff {
	d := s.frame()
	for i := range s.Files {
		f := &s.Files[i]
		scored := &s.Report.Files[i]
		if f.Line != "" {
			shown := satchel.Omitted
			if c.line[i] {
				shown = satchel.Mention
				d.Files = append(d.Files, render.DiffFile{Scored: scored, Line: f.Line})
			}
			d.Omitted = append(d.Omitted, s.omittedFile(i, f.Line, shown))
			continue
		}
		var out []render.DiffHunk
		for k := f.From; k < f.To; k++ {
			p := &s.Parts[k]
			if c.detail[k] > satchel.Omitted {
				out = append(out, s.Hunk(p, c.detail[k]))
			}
			if o, ok := s.omission(p, c.detail[k]); ok {
				d.Omitted = append(d.Omitted, o)
			}
		}
		if len(out) > 0 {
			d.Files = append(d.Files, render.DiffFile{Scored: scored, Hunks: out})
		}
	}
	return d
}

// Hunk returns a part at some level of detail.
func (s *Layout) Hunk(p *Part, detail satchel.Detail) render.DiffHunk {
	h := render.DiffHunk{
		Number: int(p.Number), Part: int(p.part), Parts: int(p.parts),
		OldFrom: int(p.OldFrom), OldLines: int(p.OldLines), NewFrom: int(p.NewFrom), NewLines: int(p.NewLines),
		Added: int(p.Added), Removed: int(p.Removed),
		Detail: detail, CutBefore: p.cutBefore, CutAfter: p.cutAfter,
	}
	t := p.Text(s.Report.Files[p.File].Path)
	switch detail {
	case satchel.Full:
		h.Text, h.Exact, h.Section = t.Text, t.exact, s.clean(p, p.section)
		if p.part > 1 {
			h.Section = s.signature(p)
		}
		if p.Number == 0 {
			h.Exact = true
		}
	case satchel.Trimmed:
		kept, _ := Trim(t.Text)
		h.Text = kept.text
		h.Section = s.signature(p)
	case satchel.Outline:
		h.Text = s.signature(p)
	}
	return h
}

// signature returns that of the definition around the part, or what git takes
// for it, with secrets redacted.
func (s *Layout) signature(p *Part) string {
	f := &s.Files[p.File]
	return clip.Cut(s.clean(p, cmp.Or(p.enclosing(f.olds, f.news), p.section)), longestSignature)
}

// clean redacts the secrets in a line of a part's file.
func (s *Layout) clean(p *Part, line string) string {
	if line == "" {
		return ""
	}
	return redactPatch(s.Report.Files[p.File].Path, " "+line)[1:]
}

// longestSignature is how many bytes of a signature are shown.
const longestSignature = 160

// omission says what is missing of a part that is shown in this detail.
func (s *Layout) omission(p *Part, detail satchel.Detail) (render.DiffOmission, bool) {
	f := &s.Report.Files[p.File]
	o := render.DiffOmission{
		Path: f.Path, Hunk: int(p.Number), Added: int(p.Added), Removed: int(p.Removed),
		From: int(p.NewFrom), To: int(p.NewFrom + max(p.NewLines, 1) - 1),
		Lines: strings.Count(p.body, "\n"), Bytes: len(p.body), Why: satchel.WhyNoRoom, Shown: detail,
	}
	if p.NewLines == 0 {
		o.From, o.To = int(p.OldFrom), int(p.OldFrom+max(p.OldLines, 1)-1)
	}
	if p.parts > 1 {
		o.Part = int(p.part)
	}
	switch {
	case detail == satchel.Full:
		if p.Number == 0 || p.Text(f.Path).clipped == 0 {
			return o, false
		}
		o.Lines, o.Bytes, o.Added, o.Removed, o.Why, o.Shown = 0, p.shown.clipped, 0, 0, whyLongLine, satchel.Trimmed
	case detail == satchel.Trimmed:
		kept, _ := Trim(p.Text(f.Path).Text)
		o.Lines, o.Bytes = max(0, o.Lines-kept.lines), max(0, o.Bytes-kept.bytes)
		o.Added, o.Removed = o.Added-kept.added, o.Removed-kept.removed
	case p.Number == 0:
		o.Bytes = len(f.Header)
	}
	return o, true
}

// whyLongLine is the reason of what is left out of lines that are too long.
const whyLongLine = "long lines"

// omittedFile says that the hunks of a file are not shown.
func (s *Layout) omittedFile(i int, why string, shown satchel.Detail) render.DiffOmission {
	f := &s.Report.Files[i]
	o := render.DiffOmission{Path: f.Path, Added: f.Added, Removed: f.Removed, Why: why, Shown: shown, Bytes: int(f.Elided)}
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
