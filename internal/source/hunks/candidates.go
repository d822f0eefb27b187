package hunks

import (
	"cmp"
	"math"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// Candidates makes Items of the hunks of the files that want accepts, and of the
// lines of files whose hunks are not worth reading, in reading order.
func (s *Layout) Candidates(want func(path string) bool) []satchel.Candidate {
	list := make([]satchel.Candidate, 0, len(s.pieces))
	for i := range s.pieces {
		p := &s.pieces[i]
		if f := &s.Report.Files[p.File]; !want(f.Path) {
			continue
		}
		c := s.candidate(p)
		c.Forms = s.forms(p, func(e satchel.Entry) int { return s.count.Count(e.Text.Unix().String()) })
		for k := range c.Forms {
			c.Forms[k].Text = c.Forms[k].Text.Unix() // nobody applies it
		}
		list = append(list, c)
	}
	return list
}

// candidate makes an Item of a piece, without Forms.
func (s *Layout) candidate(p *piece) satchel.Candidate {
	c := satchel.Candidate{Item: satchel.Item{Ref: s.ref(p), Hunk: &p.Hunk}}
	if !p.line {
		c.Lang = "diff"
		c.Title = s.title(p)
	}
	f := &s.Report.Files[p.File]
	worth := RelevanceWorth(f)
	c.Score.Add("relevance of the change", rank.Round(math.Log(worth)))
	c.Score.Add("content of the hunk", rank.Round(math.Log(max(p.weight/worth, 1e-3))))
	return c
}

// ref names a piece: by the lines of the new file, or of the old one if it has none
// of the new.
func (s *Layout) ref(p *piece) satchel.Ref {
	ref := satchel.Ref{Kind: satchel.KindDiff, Path: s.Report.Files[p.File].Path}
	if !p.line {
		lines := p.Lines()
		ref.From = max(lines.From, 1)
		ref.To = ref.From + lines.To - lines.From
		ref.Old = p.NewLines == 0 && p.OldLines > 0
	}
	return ref
}

// title says what happened to a file, at its first piece.
func (s *Layout) title(p *piece) clean.Text {
	f := &s.Report.Files[p.File]
	switch {
	case p != &s.pieces[s.files[p.File].from]:
		return clean.Text{}
	case f.Unread != "":
		return clean.Line(string(f.Status) + ", " + f.Counts())
	case f.Status == change.Modified:
		return clean.Text{}
	}
	if f.OldPath != "" && f.OldPath != f.Path {
		return clean.Line(string(f.Status) + " from " + f.OldPath)
	}
	return clean.Line(string(f.Status))
}

// forms makes the forms of a piece, most detailed first, each shorter than the one
// before. length counts the tokens that one takes where it is shown.
func (s *Layout) forms(p *piece, length func(satchel.Entry) int) []satchel.Form {
	var forms []satchel.Form
	for d := satchel.Full; d >= satchel.Mention; d-- {
		e, ok := s.entry(p, d)
		if !ok {
			continue
		}
		f := satchel.Form{Detail: d, Text: e.Text, Lines: e.Lines, Tokens: length(e)}
		if n := len(forms); n > 0 && f.Tokens >= forms[n-1].Tokens {
			continue
		}
		forms = append(forms, f)
		if p.Number == 0 {
			break
		}
	}
	return forms
}

// entry shows a piece at a level of detail. Full: the lines, below their ranges; of
// a file without hunks, its header. Trimmed: the lines that say most. Outline: the
// signature of the enclosing definition. Mention: of a hunk, nothing but its place.
// ok is false if there is nothing to show at that level.
func (s *Layout) entry(p *piece, d satchel.Detail) (e satchel.Entry, ok bool) {
	f := &s.Report.Files[p.File]
	e = satchel.Entry{Ref: s.ref(p), Detail: d, Hunk: &p.Hunk}
	if p.line {
		e.Text = clean.Line(string(f.Status) + " " + f.Counts())
		if f.Unread == "" {
			e.Text = clean.Concat(e.Text, clean.Line(", "+s.files[p.File].line))
		}
		return e, d == satchel.Mention
	}
	t := s.textOf(p)
	if d >= satchel.Trimmed && !e.Ref.Old {
		e.Lines = []satchel.Range{{From: e.Ref.From, To: e.Ref.To}}
	}
	switch d {
	case satchel.Full:
		if p.Number == 0 {
			p.Exact, e.Text = true, clean.New("", f.Header)
			return e, true
		}
		p.Exact = t.exact && f.Unread == ""
		e.Text = clean.Concat(render.HunkHead(&p.Hunk, s.section(p)), clean.Const("\n"), t.text)
	case satchel.Trimmed:
		kept, ok := change.Trim(t.text)
		e.Text, p.Signature = kept.Text, s.signature(p)
		return e, ok
	case satchel.Outline:
		if p.Signature = s.signature(p); p.Signature.IsZero() {
			return e, false
		}
		e.Text = clean.Sprintf("%s +%s -%s", p.Signature, clean.Int(p.Added), clean.Int(p.Removed))
	}
	return e, true
}

// section returns what stands after the ranges of a piece: what git wrote there;
// where a hunk goes on, the signature.
func (s *Layout) section(p *piece) clean.Text {
	if p.Part.Part > 1 {
		return s.signature(p)
	}
	return s.clean(p, p.Section)
}

// signature returns that of the definition around a piece, or what git takes
// for it, with secrets redacted.
func (s *Layout) signature(p *piece) clean.Text {
	f := &s.files[p.File]
	return s.clean(p, cmp.Or(p.Enclosing(f.olds, f.news), p.Section)).Shorten(longestSignature)
}

// longestSignature is how many bytes of a signature are shown.
const longestSignature = 160

// clean returns a line of a piece's file as it may be shown.
func (s *Layout) clean(p *piece, line string) clean.Text {
	return clean.Heading(s.Report.Files[p.File].Path, line)
}
