package render

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// DiffText returns a Diff as text without color, for a model; [PaintDiff] colors
// it for a person.
//
// # Patches
//
// Hunks that are shown in full stand under a header that git apply takes, and
// all other lines are such that it passes over them, so that whatever of the
// text is copied applies as it is. What was trimmed, redacted or cleaned would
// apply as something else. It is indented, after the hunks of its file.
func DiffText(d *Diff) string {
	w := &diffWriter{d: d, layout: &d.Layout}
	if d.Debug {
		w.debug()
	}
	switch {
	case w.layout.Flat:
		w.flat()
	case d.Standard:
		w.standard()
	default:
		w.summary()
	}
	return w.String()
}

type diffWriter struct {
	strings.Builder
	d      *Diff
	layout *DiffLayout
}

// plain reports whether the layout is our own.
func (w *diffWriter) plain() bool { return !w.layout.Ruled }

// section writes the heading of a part, as published or plain.
func (w *diffWriter) section(title string) {
	if w.plain() {
		w.sayf("## %s%s\n", title[:1], strings.ToLower(title[1:]))
		return
	}
	w.sayf("=== %s ===\n", title)
}

func (w *diffWriter) sayf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// name returns a path as the layout has it.
func (w *diffWriter) name(path string) string {
	if w.layout.Flat {
		return clean.Inline(path)
	}
	return quotePath(path)
}

// file returns the path of a file, and what it was.
func (w *diffWriter) file(f *change.Scored) string {
	if f.OldPath != "" && f.OldPath != f.Path && !w.layout.Flat {
		return quotePath(f.OldPath) + " → " + quotePath(f.Path)
	}
	return w.name(f.Path)
}

// relevance returns the relevance in percent. It is multiplied in single
// precision, as scores are, which decides how halves are rounded.
func relevance(f *change.Scored) string {
	return fmt.Sprintf("%.0f%%", float32(f.Relevance)*100)
}

// stars returns one to five stars, or none.
func stars(f *change.Scored) string {
	return strings.Repeat("★", min(max(f.Stars(), 0), 5))
}

// status returns the status with a capital letter.
func status(f *change.Scored) string {
	s := string(f.Status)
	if s == "" {
		return "Changed"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func reasons(f *change.Scored) string { return strings.Join(cleanAll(f.Reasons), ", ") }

// sizes returns the label of the size and the guidance that goes with it.
func (w *diffWriter) sizes() (size change.Size, guidance string) {
	size = w.d.Report.Size
	if w.layout.Size != nil {
		return w.layout.Size(size)
	}
	return size, size.Guidance(w.words())
}

// words returns how the reader asks for more.
func (w *diffWriter) words() change.Words { return cmp.Or(w.layout.Words, change.Flags) }

// files returns "8 files", or "1 of 2 files" if files were asked for.
func (w *diffWriter) files() string {
	r := w.d.Report
	switch {
	case r.Size == change.SizeFiltered:
		return fmt.Sprintf("%d of %d files", r.Shown.Files, r.All.Files)
	case r.All.Files == 1 && w.plain():
		return "1 file"
	}
	return fmt.Sprintf("%d files", r.All.Files)
}

// head writes the head of a summary.
func (w *diffWriter) head() {
	size, guidance := w.sizes()
	t := w.d.Report.Shown
	if w.plain() {
		w.sayf("%s, %s", w.files(), counts(t.Added, t.Removed))
		if size != change.SizeFiltered {
			w.sayf(": %s", strings.ToLower(string(size)))
		}
		w.sayf("\nGuidance: %s\n\n", guidance)
		return
	}
	w.sayf("=== CHANGES SUMMARY ===\n%s | +%d -%d | Size: %s (%d lines)\nGuidance: %s\n\n",
		w.files(), t.Added, t.Removed, size, t.Lines(), guidance)
}

// summary writes the list of files.
func (w *diffWriter) summary() {
	w.head()
	w.list()
	if !w.layout.framed() {
		w.WriteString("\n")
	}
	w.breaks()
	w.related()
	w.hint()
}

// hint says how to see more than a summary.
func (w *diffWriter) hint() {
	filtered := w.d.Report.Size == change.SizeFiltered
	switch {
	case w.layout.Ruled && filtered:
		w.WriteString(w.layout.FilteredHint)
	case w.layout.Ruled:
		w.WriteString(w.layout.Hint)
	case filtered:
		w.sayf("(%s shows the diffs of these files)\n", w.words().Hunks)
	default:
		w.sayf("(%s shows the diffs of files)\n", w.words().Files)
	}
}

// list writes a line for each file that is listed.
func (w *diffWriter) list() {
	w.WriteString("Files by importance:\n")
	files := w.d.Report.Files
	n := min(w.d.Listed, len(files))
	for i := range n {
		f := &files[i]
		word := status(f)
		if !w.layout.Flat {
			word = Pad(word, len("Modified"))
		}
		w.sayf("  [%s] %s %s", relevance(f), word, w.file(f))
		if w.plain() {
			w.WriteString(" " + f.Counts())
		}
		if len(f.Reasons) > 0 {
			w.sayf(" (%s)", reasons(f))
		}
		w.WriteString("\n")
	}
	if n < len(files) {
		var t change.Totals
		for i := n; i < len(files); i++ {
			t.Add(&files[i].File)
		}
		w.sayf("  … %s, +%d -%d\n", Plural(t.Files, "more file"), t.Added, t.Removed)
	}
}

func counts(added, removed int) string { return fmt.Sprintf("+%d -%d", added, removed) }

// Plural returns "1 secret" or "1,002 secrets".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return thousands(n) + " " + word + "s"
}

// flat writes a flat layout.
func (w *diffWriter) flat() {
	w.head()
	w.list()
	w.WriteString("\n")
	switch {
	case w.d.Standard:
		w.WriteString("=== DIFFS ===\n")
		for i := range w.d.Files {
			f := &w.d.Files[i]
			if len(f.Hunks) == 0 || f.brief() {
				continue
			}
			w.sayf("--- %s [%s relevance]\n", w.name(f.Path), relevance(f.Scored))
			w.hunks(f)
			w.WriteString("\n")
		}
		if !w.d.Rest {
			w.breaks()
		}
		w.brief()
		w.rest()
	default:
		w.hint()
	}
}

// rule stands above and below the heading of a file.
var rule = strings.Repeat("━", 64)

// standard writes the files with their hunks.
func (w *diffWriter) standard() {
	d := w.d
	if w.plain() {
		w.head()
	} else {
		size, guidance := w.sizes()
		t := d.Report.Shown
		w.sayf("=== DIFF SUMMARY ===\nSize: %s (%s, %d lines changed)\nGuidance: %s\n\n", size, w.files(), t.Lines(), guidance)
	}
	if !d.Rest {
		w.breaks()
		w.related()
	}
	if !w.plain() {
		w.WriteString("=== CHANGES (sorted by relevance) ===\n\n")
	}
	for i := range d.Files {
		f := &d.Files[i]
		switch {
		case !f.brief():
			w.heading(f)
			w.hunks(f)
			w.WriteString("\n")
		case w.framesLine(f):
			w.heading(f)
			w.sayf("[omitted due to low relevance - %s of %s]\n\n", Plural(f.Added+f.Removed, "line"), clean.Inline(f.Line))
		}
	}
	w.brief()
	w.rest()
}

// debug writes the addition of every score. A framed layout has no row for the
// base, from which it adds, and its sum is the relevance.
func (w *diffWriter) debug() {
	w.WriteString("🔵 Calculating relevance scores...\n")
	for i := range w.d.Report.Files {
		f := &w.d.Report.Files[i]
		w.sayf("   %s:\n", w.name(f.Path))
		for k, r := range f.Score {
			if w.layout.framed() && k == 0 {
				continue
			}
			sign := '+'
			if r.Add < 0 {
				sign = '-'
			}
			w.sayf("     %c %-4s %s\n", sign, decimal(math.Abs(r.Add)), clean.Inline(r.Why))
		}
		v := decimal(f.Score.Value())
		switch {
		case w.layout.framed():
			if v = decimal(f.Relevance); !strings.Contains(v, ".") {
				v += ".0"
			}
		case f.Score.Value() < 0 || f.Score.Value() > 1:
			v += " → " + decimal(f.Relevance)
		}
		w.WriteString(strings.TrimRight(fmt.Sprintf("     ─────\n     = %-4s %s", v, stars(f)), " ") + "\n\n")
	}
}

// decimal returns a number with three decimals at most.
func decimal(v float64) string {
	return strconv.FormatFloat(round3(v), 'f', -1, 64)
}
