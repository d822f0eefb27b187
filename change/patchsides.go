package change

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A patchSide is what the patch alone tells of one side of a file: the lines of its
// hunks, each hunk after the line of its heading.
type patchSide struct {
	Side
	real    []int  // the line of the file that each line is; that of a heading is the first of its hunk
	changed []bool // lines that the other side does not have
}

// sidesOfPatch outlines what the patch of a file has of both sides.
func sidesOfPatch(f *File, lang string) (old, now *patchSide) {
	if f.Status != Added {
		old = outlinePatch(f, lang, '+')
	}
	if f.Status != Deleted {
		now = outlinePatch(f, lang, '-')
	}
	return old, now
}

// outlinePatch outlines the side without the lines that have the mark other.
func outlinePatch(f *File, lang string, other byte) *patchSide {
	s := &patchSide{}
	path := f.Path
	if other == '+' && f.OldPath != "" {
		path = f.OldPath
	}
	pieces := make([]outline.Piece, len(f.Hunks))
	for i := range f.Hunks {
		h := &f.Hunks[i]
		line := h.NewFrom
		if other == '+' {
			line = h.OldFrom
		}
		heading, _, _ := strings.Cut(h.Section, "\n")
		s.Text = append(append(s.Text, heading...), '\n')
		s.real, s.changed = append(s.real, line), append(s.changed, false)
		begin := len(s.Text)
		for text := range strings.Lines(h.Body) {
			if text[0] == other || text[0] == '\\' {
				continue
			}
			s.Text = append(append(s.Text, strings.TrimSuffix(text[1:], "\n")...), '\n')
			s.real, s.changed = append(s.real, line), append(s.changed, text[0] != ' ')
			line++
		}

		// What is outlined is what may be shown: half of a secret is not known as such
		// later. Lines are compared as they are.
		above := clean.Heading(path, heading)
		shown, _ := clean.Excerpt(path, s.Text[begin:])
		pieces[i] = outline.Piece{Heading: above.String(), Text: []byte(shown.String())}
	}
	o := outline.Pieces(lang, pieces)
	s.Symbols, s.Imports, s.Comments = o.Symbols, o.Imports, o.Comments
	return s
}

// A patchEdit is what makes two edits of a patch the same: those of one definition,
// which several hunks have for their heading.
type patchEdit struct {
	action             Action
	kind, parent, name string
}

// editsOfPatch cuts edits that [Compare] found between the sides of a patch down to
// those that their lines bear out, and gives them the lines of the file. The rest is
// seen on one side only because a hunk ends where it does.
func editsOfPatch(edits []Edit, old, now *patchSide) []Edit {
	kept := edits[:0]
	seen := map[patchEdit]bool{}
	for _, e := range edits {
		s := now
		if e.OldSide {
			s = old
		}
		k := patchEdit{e.Action, e.Kind, e.Parent, e.Name}
		switch e.Action {
		case Imports:
			kept = append(kept, e)
			continue
		case Signature, Body, Type:
			if seen[k] {
				continue
			}
		default:
			if !s.begins(e.Lines) {
				continue
			}
		}
		seen[k] = true
		e.Lines = satchel.Range{From: s.real[e.Lines.From-1], To: s.real[e.Lines.To-1]}
		kept = append(kept, e)
	}
	return kept
}

// begins reports whether the name of a definition with these lines stands on a changed one.
func (s *patchSide) begins(lines satchel.Range) bool {
	return slices.ContainsFunc(s.Symbols, func(y satchel.Symbol) bool {
		return y.From == lines.From && y.To == lines.To && s.changed[y.NameLine-1]
	})
}

// A changedLine is a line that one side does not have.
type changedLine struct {
	mark    byte // '+' or '-'
	text    string
	number  int  // in the file of its side
	comment bool // as far as its hunk tells
}

// changedLines yields the changed lines of a file, in the order of its patch.
func (s *Scored) changedLines() iter.Seq[changedLine] {
	return func(yield func(changedLine) bool) {
		for i := range s.Hunks {
			if !s.Hunks[i].changedLines(s.Lang, yield) {
				return
			}
		}
	}
}

func (h *Hunk) changedLines(lang string, yield func(changedLine) bool) bool {
	var old, now []byte
	for text := range strings.Lines(h.Body) {
		if text[0] == ' ' || text[0] == '-' {
			old = append(old, text[1:]...)
		}
		if text[0] == ' ' || text[0] == '+' {
			now = append(now, text[1:]...)
		}
	}
	oldComments, newComments := outline.PieceComments(lang, old), outline.PieceComments(lang, now)
	oldAt, newAt := 0, 0
	for text := range strings.Lines(h.Body) {
		line := changedLine{mark: text[0], text: text[1:]}
		switch text[0] {
		case ' ':
			oldAt, newAt = oldAt+1, newAt+1
			continue
		case '-':
			line.number = h.OldFrom + oldAt
			oldAt++
			line.comment = within(oldComments, oldAt)
		case '+':
			line.number = h.NewFrom + newAt
			newAt++
			line.comment = within(newComments, newAt)
		default:
			continue
		}
		if !yield(line) {
			return false
		}
	}
	return true
}

// AppendPatch appends the text of the file's patch: its Header, then each hunk
// with its heading. For a patch that git wrote this is git's text, byte for byte.
// If f.Elided is not 0, the hunks are not there to be written, and git apply
// would refuse what is.
func (f *File) AppendPatch(b []byte) []byte {
	b = append(b, f.Header...)
	for i := range f.Hunks {
		b = f.Hunks[i].appendHeading(b)
		b = append(b, '\n')
		b = append(b, f.Hunks[i].Body...)
	}
	return b
}

// appendHeading appends the line before a hunk's Body, without its end, such as
// "@@ -1,2 +1,3 @@ func main()". As git does, it leaves out a count of one.
func (h *Hunk) appendHeading(b []byte) []byte {
	b = appendRange(append(b, "@@ -"...), h.OldFrom, h.OldLines)
	b = appendRange(append(b, " +"...), h.NewFrom, h.NewLines)
	b = append(b, " @@"...)
	if h.Section != "" {
		b = append(append(b, ' '), h.Section...)
	}
	return b
}

func appendRange(b []byte, from, lines int) []byte {
	b = strconv.AppendInt(b, int64(from), 10)
	if lines != 1 {
		b = strconv.AppendInt(append(b, ','), int64(lines), 10)
	}
	return b
}
