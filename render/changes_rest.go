package render

import (
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// brief writes the files of which no text is shown.
func (w *diffWriter) brief() {
	first := true
	for i := range w.d.Files {
		f := &w.d.Files[i]
		if !f.brief() || w.framesLine(f) {
			continue
		}
		if first {
			w.section("IN BRIEF")
			first = false
		}
		if w.plain() {
			w.sayf("%s %s %s, %s", w.file(f.Scored), strings.ToLower(status(f.Scored)), f.Counts(), relevance(f.Scored))
		} else {
			w.sayf("%s [%s] %s %s", w.file(f.Scored), strings.ToUpper(string(f.Status)), relevance(f.Scored), f.Counts())
		}
		if f.Line != "" && f.Unread == "" {
			w.WriteString(" " + f.Line)
		}
		w.WriteString("\n")
		for k := range f.Hunks {
			if f.Line == "" {
				w.WriteString(HunkText(&f.Hunks[k]))
			}
		}
	}
	if !first {
		w.WriteString("\n")
	}
}

// breaks names what was exported and is no longer there, or not as it was.
func (w *diffWriter) breaks() {
	if w.layout.Ruled && w.d.Budget <= 0 {
		return // a ruled layout has no such list, and all is shown
	}
	if len(w.d.Breaks) == 0 {
		return
	}
	w.WriteString("Exported and removed (-) or changed (~):\n")
	for i := range w.d.Breaks {
		b := &w.d.Breaks[i]
		w.sayf("  %s", w.name(b.Path))
		if b.Deleted > 0 {
			w.sayf(" (%s deleted)", Plural(b.Deleted, "file"))
		}
		w.sayf(": %s\n", joinMarked(breakNames(b.Edits)))
	}
	w.WriteString("\n")
}

// joinMarked lists names by their marks, each mark once: - a, b; ~ c.
func joinMarked(names []string) string {
	var groups []string
	for _, mark := range []string{"-", "~"} {
		var of []string
		for _, n := range names {
			if name, ok := strings.CutPrefix(n, mark); ok {
				of = append(of, name)
			}
		}
		if len(of) > 0 {
			groups = append(groups, mark+" "+strings.Join(of, ", "))
		}
	}
	return strings.Join(groups, "; ")
}

// breakNames says in a word what each edit breaks. Members of one definition
// stand in braces: -Set.{Add, Delete}.
func breakNames(edits []change.Edit) []string {
	var names []string
	members := map[string]int{} // place of a group in names
	for i := range edits {
		e := &edits[i]
		if !e.Breaks() {
			continue
		}
		mark, name, why := "~", clean.Inline(e.Name), ""
		switch e.Action {
		case change.Removes:
			mark = "-"
		case change.MovesAway:
			mark, why = "-", " (moved)"
		case change.Renames:
			mark, why = "-", " (now "+clean.Inline(e.QualifiedName())+")"
			name = clean.Inline(e.OldName)
		}
		if e.Parent == "" || e.Action == change.Renames {
			names = append(names, mark+name+why)
			continue
		}
		group := mark + clean.Inline(e.Parent) + "."
		at, ok := members[group]
		switch {
		case !ok:
			members[group] = len(names)
			names = append(names, group+name+why)
		case strings.HasSuffix(names[at], "}"):
			names[at] = names[at][:len(names[at])-1] + ", " + name + why + "}"
		default:
			names[at] = group + "{" + names[at][len(group):] + ", " + name + why + "}"
		}
	}
	return names
}

// related writes the tests of the change, and what probably changes too.
func (w *diffWriter) related() {
	if w.layout.Ruled {
		return
	}
	for _, l := range RelatedLists(RelatedWithin(w.d.Report.Tests, w.d.Budget), RelatedWithin(w.d.Report.Related, w.d.Budget)) {
		w.WriteString(l.Title + ":\n")
		for i := range l.Lines {
			w.sayf("  %s %s\n", l.Lines[i], l.Why[i])
		}
		if l.More > 0 {
			w.sayf("  and %d more\n", l.More)
		}
		w.WriteString("\n")
	}
}

// rest says what is not shown in full, and how to get it.
func (w *diffWriter) rest() {
	d := w.d
	if len(d.Omitted) == 0 || !d.Standard {
		return
	}
	var sum leftOut
	files := 0
	for i := range d.Omitted {
		sum.add(&d.Omitted[i])
		if i == 0 || d.Omitted[i-1].Ref.Path != d.Omitted[i].Ref.Path {
			files++
		}
	}
	w.section("NOT SHOWN IN FULL")
	w.sayf("%s: %s %s, %s bytes\n", Plural(files, "file"), Plural(sum.lines, "line"), counts(sum.added, sum.removed), thousands(sum.bytes))
	named := 0
	for i := 0; i < len(d.Omitted) && named < d.Named; named++ {
		first := &d.Omitted[i]
		from := i
		var one leftOut
		for ; i < len(d.Omitted) && d.Omitted[i].Ref.Path == first.Ref.Path; i++ {
			one.add(&d.Omitted[i])
		}
		w.sayf("- %s%s: %s %s, %s bytes", w.name(first.Ref.Path), omittedHunks(d.Omitted[from:i]), Plural(one.lines, "line"), counts(one.added, one.removed), thousands(one.bytes))
		if first.Why != satchel.WhyNoRoom {
			w.WriteString(", " + clean.Inline(first.Why))
		}
		w.WriteString("\n")
	}
	words := w.words()
	if files > named {
		w.sayf("- and %s", Plural(files-named, "more file"))
		if words.Every != "" {
			w.sayf(", which %s lists", words.Every)
		}
		w.WriteString("\n")
	}
	if d.Next != nil && words.Cursor != "" {
		w.sayf("%s %s continues\n", words.Cursor, quoteArgument(d.Next.Text))
	}
}

// A leftOut sums what is left out of a diff.
type leftOut struct{ lines, added, removed, bytes int }

func (l *leftOut) add(o *satchel.Omission) {
	l.lines += o.Lines
	l.bytes += o.Bytes
	if o.Hunk != nil {
		l.added += o.Hunk.Added
		l.removed += o.Hunk.Removed
	}
}

// omittedHunks returns " hunks 1,3-5", or "" for a whole file.
func omittedHunks(list []satchel.Omission) string {
	var rs []satchel.Range
	for _, o := range list {
		if o.Hunk != nil && o.Hunk.Number > 0 {
			rs = append(rs, satchel.Range{From: o.Hunk.Number, To: o.Hunk.Number})
		}
	}
	if len(rs) == 0 {
		return ""
	}
	text := joinRanges(rs)[1:]
	if strings.ContainsAny(text, ",-") {
		return " hunks " + text
	}
	return " hunk " + text
}

// quoteArgument quotes a word for a shell if need be.
func quoteArgument(s string) string {
	s = clean.Inline(s)
	if strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:@%+=,", r))
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
