package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A shownHunk is an entry of a Diff, or neighbouring ones of one hunk, as they are
// written.
type shownHunk struct {
	satchel.Hunk
	detail satchel.Detail

	section string   // what stands after the ranges: the enclosing definition
	text    string   // the lines; the signature, if that is all
	more    []string // those of the parts that are joined to it
	first   int      // the first of several parts that were joined; 0 if it is one
}

func newShownHunk(e *satchel.Entry) shownHunk {
	h := shownHunk{Hunk: *e.Hunk, detail: e.Detail}
	switch {
	case e.Detail == satchel.Full && e.Hunk.Number > 0:
		head, text, _ := strings.Cut(e.Text.String(), "\n")
		h.text, h.section = text, strings.TrimPrefix(strings.TrimPrefix(head, e.Hunk.Ranges()), " ")
	case e.Detail == satchel.Trimmed:
		h.text, h.section = e.Text.String(), e.Hunk.Signature.String()
	case e.Detail == satchel.Outline:
		h.text = e.Hunk.Signature.String()
	}
	return h
}

// HunkHead returns the line above the lines of a hunk as git writes it, without its
// end.
func HunkHead(h *satchel.Hunk, section satchel.Text) satchel.Text {
	ranges := satchel.Clean("", h.Ranges())
	if section.IsZero() {
		return ranges
	}
	return clean.Sprintf("%s %s", ranges, section)
}

// HunkText returns an entry of a Diff as text has it: as it stands in a patch, or
// indented, or in one line.
func HunkText(e *satchel.Entry) string {
	var b strings.Builder
	h := newShownHunk(e)
	h.write(&b)
	return b.String()
}

// patch reports whether the hunk, under its header, is one that git applies.
func (h *shownHunk) patch() bool {
	return h.detail == satchel.Full && h.Exact && !h.CutBefore && !h.CutAfter
}

func (h *shownHunk) write(b *strings.Builder) {
	switch {
	case h.Number == 0:
	case h.patch():
		b.WriteString(h.Ranges() + after(h.section) + "\n" + h.text)
	case h.detail < satchel.Trimmed:
		fmt.Fprintf(b, "  lines %s %s%s\n", h.Lines(), counts(h.Added, h.Removed), after(h.text))
		return
	default:
		fmt.Fprintf(b, "[hunk %d%s: lines %s %s%s]\n", h.Number, h.how(), h.Lines(), counts(h.Added, h.Removed), after(h.section))
		for line := range strings.Lines(h.text) {
			b.WriteString("  " + line)
		}
	}
	if h.text != "" && !strings.HasSuffix(h.text, "\n") {
		b.WriteString("\n")
	}
}

// how says why the hunk is no patch.
func (h *shownHunk) how() string {
	s := ""
	switch {
	case h.Parts <= 1 || h.first == 1 && h.Part == h.Parts:
	case h.first > 0:
		s = fmt.Sprintf(" parts %d-%d of %d", h.first, h.Part, h.Parts)
	default:
		s = fmt.Sprintf(" part %d of %d", h.Part, h.Parts)
	}
	switch {
	case h.detail == satchel.Trimmed:
		s += " trimmed"
	case !h.Exact && h.Added+h.Removed > 0:
		s += " with marks for hidden characters"
	}
	return s
}

// joined returns the hunks with neighbouring full parts of one hunk made one.
func joined(entries []satchel.Entry) []shownHunk {
	out := make([]shownHunk, 0, len(entries))
	for i := range entries {
		h := newShownHunk(&entries[i])
		if n := len(out); n > 0 {
			last := &out[n-1]
			if last.Number == h.Number && last.Part+1 == h.Part && last.detail == satchel.Full && h.detail == satchel.Full {
				last.join(&h)
				continue
			}
		}
		out = append(out, h)
	}
	for i := range out { // at once: a large file that was added has thousands of parts
		if h := &out[i]; len(h.more) > 0 {
			h.text += strings.Join(h.more, "")
		}
	}
	return out
}

// join appends the next part.
func (h *shownHunk) join(next *shownHunk) {
	h.first = cmp.Or(h.first, h.Part)
	if h.OldLines == 0 && next.OldLines > 0 {
		h.OldFrom = next.OldFrom
	}
	if h.NewLines == 0 && next.NewLines > 0 {
		h.NewFrom = next.NewFrom
	}
	h.Part = next.Part
	h.OldLines += next.OldLines
	h.NewLines += next.NewLines
	h.Added += next.Added
	h.Removed += next.Removed
	h.more = append(h.more, next.text)
	h.Exact = h.Exact && next.Exact
	h.CutAfter = next.CutAfter
}
