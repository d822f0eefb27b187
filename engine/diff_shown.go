package engine

import (
	"cmp"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/render"
)

// frame returns a Diff that shows nothing.
func (s *layout) frame() *render.Diff {
	return &render.Diff{
		Report: s.report, Breaks: s.breaks, Standard: s.req.Detail == DiffStandard, Debug: s.req.Debug,
		Budget: max(s.req.Budget, 0), Listed: s.listed(), Named: s.named(), Layout: s.req.layout(),
	}
}

// listed is how many files the list of a flat layout has, which others have in a
// summary only: it may take some tenth of the budget.
func (s *layout) listed() int {
	if !s.req.layout().Flat || s.req.Cursor != "" {
		return 0
	}
	return min(len(s.report.Files), s.req.Budget/400)
}

// named is how many files the list of what is left out names: it may take some
// twentieth of the budget.
func (s *layout) named() int { return min(40, max(3, s.req.Budget/500)) }

// diff returns what is shown if the choice is c.
func (s *layout) diff(c *choice) *render.Diff {
	d := s.frame()
	for i := range s.files {
		f := &s.files[i]
		scored := &s.report.Files[i]
		if f.line != "" {
			shown := satchel.Omitted
			if c.line[i] {
				shown = satchel.Mention
				d.Files = append(d.Files, render.DiffFile{Scored: scored, Line: f.line})
			}
			d.Omitted = append(d.Omitted, s.omittedFile(i, f.line, shown))
			continue
		}
		var out []render.DiffHunk
		for k := f.from; k < f.to; k++ {
			p := &s.parts[k]
			if c.detail[k] > satchel.Omitted {
				out = append(out, s.hunk(p, c.detail[k]))
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

// hunk returns a part at some level of detail.
func (s *layout) hunk(p *hunkPart, detail satchel.Detail) render.DiffHunk {
	h := render.DiffHunk{
		Number: int(p.number), Part: int(p.part), Parts: int(p.parts),
		OldFrom: int(p.oldFrom), OldLines: int(p.oldLines), NewFrom: int(p.newFrom), NewLines: int(p.newLines),
		Added: int(p.added), Removed: int(p.removed),
		Detail: detail, CutBefore: p.cutBefore, CutAfter: p.cutAfter,
	}
	t := p.text(s.report.Files[p.file].Path)
	switch detail {
	case satchel.Full:
		h.Text, h.Exact, h.Section = t.text, t.exact, s.clean(p, p.section)
		if p.part > 1 {
			h.Section = s.signature(p)
		}
		if p.number == 0 {
			h.Exact = true
		}
	case satchel.Trimmed:
		kept, _ := trim(t.text)
		h.Text = kept.text
		h.Section = s.signature(p)
	case satchel.Outline:
		h.Text = s.signature(p)
	}
	return h
}

// signature returns that of the definition around the part, or what git takes
// for it, with secrets redacted.
func (s *layout) signature(p *hunkPart) string {
	f := &s.files[p.file]
	return cutText(s.clean(p, cmp.Or(p.enclosing(f.olds, f.news), p.section)), longestSignature)
}

// clean redacts the secrets in a line of a part's file.
func (s *layout) clean(p *hunkPart, line string) string {
	if line == "" {
		return ""
	}
	return redactPatch(s.report.Files[p.file].Path, " "+line)[1:]
}

// longestSignature is how many bytes of a signature are shown.
const longestSignature = 160

func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// omission says what is missing of a part that is shown in this detail.
func (s *layout) omission(p *hunkPart, detail satchel.Detail) (render.DiffOmission, bool) {
	f := &s.report.Files[p.file]
	o := render.DiffOmission{
		Path: f.Path, Hunk: int(p.number), Added: int(p.added), Removed: int(p.removed),
		From: int(p.newFrom), To: int(p.newFrom + max(p.newLines, 1) - 1),
		Lines: strings.Count(p.body, "\n"), Bytes: len(p.body), Why: satchel.WhyNoRoom, Shown: detail,
	}
	if p.newLines == 0 {
		o.From, o.To = int(p.oldFrom), int(p.oldFrom+max(p.oldLines, 1)-1)
	}
	if p.parts > 1 {
		o.Part = int(p.part)
	}
	switch {
	case detail == satchel.Full:
		if p.number == 0 || p.text(f.Path).clipped == 0 {
			return o, false
		}
		o.Lines, o.Bytes, o.Added, o.Removed, o.Why, o.Shown = 0, p.shown.clipped, 0, 0, whyLongLine, satchel.Trimmed
	case detail == satchel.Trimmed:
		kept, _ := trim(p.text(f.Path).text)
		o.Lines, o.Bytes = max(0, o.Lines-kept.lines), max(0, o.Bytes-kept.bytes)
		o.Added, o.Removed = o.Added-kept.added, o.Removed-kept.removed
	case p.number == 0:
		o.Bytes = len(f.Header)
	}
	return o, true
}

// whyLongLine is the reason of what is left out of lines that are too long.
const whyLongLine = "long lines"

// omittedFile says that the hunks of a file are not shown.
func (s *layout) omittedFile(i int, why string, shown satchel.Detail) render.DiffOmission {
	f := &s.report.Files[i]
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
func (s *layout) settle(d *render.Diff) error {
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
