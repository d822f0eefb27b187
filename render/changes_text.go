package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// DiffText returns a Diff as text without color, for a model; [PaintDiff] colors
// it for a person.
//
// The profile iris has the layout of Git-Iris's reference document, iris-v2 that
// of its newer source, byte for byte, and the default profile that of the
// document with what it says besides.
//
// # Patches
//
// Hunks that are shown in full stand under a header that git apply takes, and
// all other lines are such that it passes over them, so that whatever of the
// text is copied applies as it is. What was trimmed, redacted or cleaned would
// apply as something else. It is indented, after the hunks of its file.
func DiffText(d *Diff) string {
	w := &diffWriter{d: d, v2: d.Report.Profile == "iris-v2", seed: d.Report.Profile == "iris"}
	if d.Debug {
		w.debug()
	}
	switch {
	case w.v2:
		w.version2()
	case d.Standard:
		w.standard()
	default:
		w.summary()
	}
	return w.String()
}

type diffWriter struct {
	strings.Builder
	d        *Diff
	v2, seed bool // the layouts of the published profiles
}

func (w *diffWriter) sayf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// name returns a path as the layout has it.
func (w *diffWriter) name(path string) string {
	if w.v2 {
		return Clean(path)
	}
	return quotePath(path)
}

// file returns the path of a file, and what it was.
func (w *diffWriter) file(f *change.Scored) string {
	if f.OldPath != "" && f.OldPath != f.Path && !w.v2 {
		return quotePath(f.OldPath) + " → " + quotePath(f.Path)
	}
	return w.name(f.Path)
}

// percent returns the relevance in percent. Git-Iris multiplies in single
// precision, which decides how halves are rounded.
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

func reasons(f *change.Scored) string {
	s := make([]string, len(f.Reasons))
	for i, r := range f.Reasons {
		s[i] = Clean(r)
	}
	return strings.Join(s, ", ")
}

// sizes returns the label of the size and the guidance that goes with it.
func (w *diffWriter) sizes() (size change.Size, guidance string) {
	size = w.d.Report.Size
	switch {
	case w.v2:
		return size.Published(), size.Published().Guidance()
	case w.seed:
		return size.Published(), size.SeedGuidance()
	}
	return size, size.Guidance()
}

// files returns "8 files", or "1 of 2 files" if files were asked for.
func (w *diffWriter) files() string {
	r := w.d.Report
	switch {
	case r.Size == change.SizeFiltered:
		return fmt.Sprintf("%d of %d files", r.Shown.Files, r.All.Files)
	case r.All.Files == 1 && !w.v2 && !w.seed:
		return "1 file"
	}
	return fmt.Sprintf("%d files", r.All.Files)
}

// head writes the head of a summary.
func (w *diffWriter) head() {
	size, guidance := w.sizes()
	t := w.d.Report.Shown
	w.sayf("=== CHANGES SUMMARY ===\n%s | +%d -%d | Size: %s (%d lines)\nGuidance: %s\n\n",
		w.files(), t.Added, t.Removed, size, t.Lines(), guidance)
}

// summary writes the list of files.
func (w *diffWriter) summary() {
	w.head()
	w.list()
	if !w.seed {
		w.WriteString("\n")
	}
	w.breaks()
	w.missing()
	switch {
	case w.d.Report.Size == change.SizeFiltered && w.seed:
		w.WriteString("(Use detail='standard' to see full diffs for these files)\n")
	case w.seed:
		w.WriteString("(Use detail='standard' with files=['file1','file2'] to see specific diffs)\n")
	case w.d.Report.Size == change.SizeFiltered:
		w.WriteString("(--detail standard shows the diffs of these files)\n")
	default:
		w.WriteString("(--detail standard --files PATH,PATH shows the diffs of files)\n")
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
		if !w.v2 {
			word = Pad(word, len("Modified"))
		}
		w.sayf("  [%s] %s %s", relevance(f), word, w.file(f))
		if !w.v2 && !w.seed {
			w.WriteString(" " + counts(f.Added, f.Removed))
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
		w.sayf("  … %s, +%d -%d\n", plural(t.Files, "more file"), t.Added, t.Removed)
	}
}

func counts(added, removed int) string { return fmt.Sprintf("+%d -%d", added, removed) }

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return thousands(n) + " " + word + "s"
}

// version2 writes the newer layout of Git-Iris.
func (w *diffWriter) version2() {
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
	case w.d.Report.Size == change.SizeFiltered:
		w.WriteString("(Use detail='standard' to see full diffs for these files)\n")
	default:
		w.WriteString("(Use detail='standard' with files=['file1','file2'] to see specific diffs)\n")
	}
}

// rule stands above and below the heading of a file.
var rule = strings.Repeat("━", 64)

// standard writes the files with their hunks.
func (w *diffWriter) standard() {
	d := w.d
	size, guidance := w.sizes()
	t := d.Report.Shown
	w.sayf("=== DIFF SUMMARY ===\nSize: %s (%s, %d lines changed)\nGuidance: %s\n\n", size, w.files(), t.Lines(), guidance)
	if !d.Rest {
		w.breaks()
		w.missing()
	}
	w.WriteString("=== CHANGES (sorted by relevance) ===\n\n")
	for i := range d.Files {
		f := &d.Files[i]
		switch {
		case !f.brief():
			w.heading(f)
			w.hunks(f)
			w.WriteString("\n")
		case w.published(f):
			w.heading(f)
			w.sayf("[omitted due to low relevance - %s of %s]\n\n", plural(f.Added+f.Removed, "line"), Clean(f.Line))
		}
	}
	w.brief()
	w.rest()
}

// published reports whether a file that is told in one line has a heading all
// the same, as in the reference document.
func (w *diffWriter) published(f *DiffFile) bool {
	return w.seed && f.Line != "" && w.d.Budget <= 0
}

// heading writes the ruled heading of a file.
func (w *diffWriter) heading(f *DiffFile) {
	w.sayf("%s\n📄 %s [%s] %s %s relevance\n", rule, w.file(f.Scored), strings.ToUpper(string(f.Status)), stars(f.Scored), relevance(f.Scored))
	if len(f.Reasons) > 0 {
		w.sayf("   Reasons: %s\n", reasons(f.Scored))
	}
	w.sayf("%s\n\n", rule)
}

// brief reports whether nothing of the file's text is shown, so that it gets no
// heading of its own.
func (f *DiffFile) brief() bool {
	if f.Line != "" {
		return true
	}
	for i := range f.Hunks {
		if f.Hunks[i].Detail >= satchel.Trimmed {
			return false
		}
	}
	return true
}

// hunks writes the patch of a file, then what is shown of the other hunks.
func (w *diffWriter) hunks(f *DiffFile) {
	list := joined(f.Hunks)
	header := false
	for i := range list {
		h := &list[i]
		if !h.patch() {
			continue
		}
		if !header {
			w.header(f, h)
			header = true
		}
		h.write(&w.Builder)
	}
	for i := range list {
		if h := &list[i]; !h.patch() {
			h.write(&w.Builder)
		}
	}
}

// endLine ends a line that has no end.
func (w *diffWriter) endLine(text string) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		w.WriteString("\n")
	}
}

// header writes the header of a patch.
func (w *diffWriter) header(f *DiffFile, h *DiffHunk) {
	text := shortIDs(f.Header)
	if !f.Whole && h.Number > 0 {
		text = shortHeader(text)
	}
	text, _ = CleanPatch(text)
	w.WriteString(text)
	w.endLine(text)
}

// shortIDs shortens the ids of blobs in the header of a patch of text, which
// applies without.
func shortIDs(header string) string {
	at := strings.Index(header, "\nindex ")
	if at < 0 || strings.Contains(header, "GIT binary patch") {
		return header
	}
	at += len("\nindex ")
	end := at + strings.IndexByte(header[at:]+"\n", '\n')
	ids, mode, _ := strings.Cut(header[at:end], " ")
	old, now, ok := strings.Cut(ids, "..")
	if !ok {
		return header
	}
	line := old[:min(len(old), shortID)] + ".." + now[:min(len(now), shortID)]
	if mode != "" {
		line += " " + mode
	}
	return header[:at] + line + header[end:]
}

// shortID is how many digits of a blob's id stand in a patch.
const shortID = 10

// shortHeader drops what a patch of text applies without: the line with the
// blobs and, if nothing but lines changed, the first one.
func shortHeader(header string) string {
	var b strings.Builder
	first, extended := "", false
	for line := range strings.Lines(header) {
		switch {
		case strings.HasPrefix(line, "index "):
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			b.WriteString(line)
		case first == "" && strings.HasPrefix(line, "diff "):
			first = line
		default:
			extended = true
			b.WriteString(line)
		}
	}
	if extended || b.Len() == 0 {
		return first + b.String()
	}
	return b.String()
}

// String returns the hunk as text has it: as it stands in a patch, or indented,
// or in one line.
func (h *DiffHunk) String() string {
	var b strings.Builder
	h.write(&b)
	return b.String()
}

func (h *DiffHunk) write(b *strings.Builder) {
	switch {
	case h.Number == 0:
	case h.patch():
		b.WriteString(h.Ranges() + "\n" + h.Text)
	case h.Detail < satchel.Trimmed:
		fmt.Fprintf(b, "  lines %s %s%s\n", h.lines(), counts(h.Added, h.Removed), after(h.Text))
		return
	default:
		fmt.Fprintf(b, "[hunk %d%s: lines %s %s%s]\n", h.Number, h.how(), h.lines(), counts(h.Added, h.Removed), after(h.Section))
		for line := range strings.Lines(h.Text) {
			b.WriteString("  " + line)
		}
	}
	if h.Text != "" && !strings.HasSuffix(h.Text, "\n") {
		b.WriteString("\n")
	}
}

// how says why the hunk is no patch.
func (h *DiffHunk) how() string {
	s := ""
	switch {
	case h.Parts <= 1 || h.first == 1 && h.Part == h.Parts:
	case h.first > 0:
		s = fmt.Sprintf(" parts %d-%d of %d", h.first, h.Part, h.Parts)
	default:
		s = fmt.Sprintf(" part %d of %d", h.Part, h.Parts)
	}
	switch {
	case h.Detail == satchel.Trimmed:
		s += " trimmed"
	case !h.Exact:
		s += " with marks for what is not shown as it is"
	}
	return s
}

// after returns a word after a space, if there is one.
func after(s string) string {
	if s == "" {
		return ""
	}
	return " " + Clean(s)
}

// brief writes the files of which no text is shown.
func (w *diffWriter) brief() {
	first := true
	for i := range w.d.Files {
		f := &w.d.Files[i]
		if !f.brief() || w.published(f) {
			continue
		}
		if first {
			w.WriteString("=== IN BRIEF ===\n")
			first = false
		}
		w.sayf("%s [%s] %s %s", w.file(f.Scored), strings.ToUpper(string(f.Status)), relevance(f.Scored), counts(f.Added, f.Removed))
		if f.Line != "" {
			w.WriteString(" " + f.Line)
		}
		w.WriteString("\n")
		for k := range f.Hunks {
			f.Hunks[k].write(&w.Builder)
		}
	}
	if !first {
		w.WriteString("\n")
	}
}

// breaks names what was exported and is no longer there, or not as it was.
func (w *diffWriter) breaks() {
	if (w.seed || w.v2) && w.d.Budget <= 0 {
		return // the published layouts have no such list, and all is shown
	}
	if len(w.d.Breaks) == 0 {
		return
	}
	w.WriteString("Exported and removed (-) or changed (~):\n")
	for i := range w.d.Breaks {
		b := &w.d.Breaks[i]
		w.sayf("  %s", w.name(b.Path))
		if b.Deleted > 0 {
			w.sayf(" (%s deleted)", plural(b.Deleted, "file"))
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
		mark, name, why := "~", Clean(e.Name), ""
		switch e.Action {
		case change.Removes:
			mark = "-"
		case change.MovesAway:
			mark, why = "-", " (moved)"
		case change.Renames:
			mark, why = "-", " (now "+Clean(e.QualifiedName())+")"
			name = Clean(e.OldName)
		}
		if e.Parent == "" || e.Action == change.Renames {
			names = append(names, mark+name+why)
			continue
		}
		group := mark + Clean(e.Parent) + "."
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

// missing names the files that usually change with these.
func (w *diffWriter) missing() {
	list := w.d.Report.Missing
	if len(list) == 0 || w.seed || w.v2 {
		return
	}
	w.WriteString("Usually changes with these, missing here:\n")
	for _, p := range list {
		w.sayf("  %s (with %s in %d of %d commits)\n", quotePath(p.Path), quotePath(p.With), p.Times, p.Of)
	}
	w.WriteString("\n")
}

// rest says what is not shown in full, and how to get it.
func (w *diffWriter) rest() {
	d := w.d
	if len(d.Omitted) == 0 || !d.Standard {
		return
	}
	var sum DiffOmission
	files := 0
	for i := range d.Omitted {
		o := &d.Omitted[i]
		sum.add(o)
		if i == 0 || d.Omitted[i-1].Path != o.Path {
			files++
		}
	}
	w.sayf("=== NOT SHOWN IN FULL ===\n%s: %s %s, %s bytes\n", plural(files, "file"), plural(sum.Lines, "line"), counts(sum.Added, sum.Removed), thousands(sum.Bytes))
	named := 0
	for i := 0; i < len(d.Omitted) && named < d.Named; named++ {
		first := i
		one := d.Omitted[i]
		for i++; i < len(d.Omitted) && d.Omitted[i].Path == one.Path; i++ {
			one.add(&d.Omitted[i])
		}
		w.sayf("- %s%s: %s %s, %s bytes", w.name(one.Path), omittedHunks(d.Omitted[first:i]), plural(one.Lines, "line"), counts(one.Added, one.Removed), thousands(one.Bytes))
		if one.Why != satchel.WhyNoRoom {
			w.WriteString(", " + Clean(one.Why))
		}
		w.WriteString("\n")
	}
	if files > named {
		w.sayf("- and %s, which --json lists\n", plural(files-named, "more file"))
	}
	if d.Next != nil {
		w.sayf("--cursor %s continues\n", quoteArgument(d.Next.Text))
	}
}

// add adds the counts of another omission.
func (o *DiffOmission) add(other *DiffOmission) {
	o.Added += other.Added
	o.Removed += other.Removed
	o.Lines += other.Lines
	o.Bytes += other.Bytes
}

// omittedHunks returns " hunks 1,3-5", or "" for a whole file.
func omittedHunks(list []DiffOmission) string {
	var rs []satchel.Range
	for _, o := range list {
		if o.Hunk > 0 {
			rs = append(rs, satchel.Range{From: o.Hunk, To: o.Hunk})
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
	s = Clean(s)
	if strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:@%+=,", r))
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// debug writes the addition of every score.
func (w *diffWriter) debug() {
	w.WriteString("🔵 Calculating relevance scores...\n")
	for i := range w.d.Report.Files {
		f := &w.d.Report.Files[i]
		w.sayf("   %s:\n", w.name(f.Path))
		for _, r := range f.Score {
			sign := '+'
			if r.Add < 0 {
				sign = '-'
			}
			w.sayf("     %c %-4s %s\n", sign, decimal(math.Abs(r.Add)), Clean(r.Why))
		}
		w.sayf("     ─────\n     = %s", decimal(f.Score.Value()))
		if v := f.Score.Value(); v < 0 || v > 1 {
			w.sayf(" → %s", decimal(f.Relevance))
		}
		if s := stars(f); s != "" {
			w.WriteString(" " + s)
		}
		w.WriteString("\n\n")
	}
}

// decimal returns a number with three decimals at most.
func decimal(v float64) string {
	return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
}
