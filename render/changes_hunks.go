package render

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// framesLine reports whether a file that is told in one line has a heading all
// the same.
func (w *diffWriter) framesLine(f *DiffFile) bool {
	return w.layout.framed() && f.Line != "" && w.d.Budget <= 0
}

// heading writes the heading of a file, ruled as published or plain.
func (w *diffWriter) heading(f *DiffFile) {
	if w.plain() {
		w.sayf("### %s %s %s, %s relevance\n", w.file(f.Scored), strings.ToLower(status(f.Scored)), f.Counts(), relevance(f.Scored))
		if len(f.Reasons) > 0 {
			w.sayf("Reasons: %s\n", reasons(f.Scored))
		}
		w.WriteString("\n")
		return
	}
	w.sayf("%s\n📄 %s [%s] %s %s relevance\n", rule, w.file(f.Scored), strings.ToUpper(string(f.Status)), stars(f.Scored), relevance(f.Scored))
	if len(f.Reasons) > 0 {
		w.sayf("   Reasons: %s\n", reasons(f.Scored))
	}
	w.sayf("%s\n\n", rule)
}

// brief reports whether nothing of the file's text is shown, so that it gets no
// heading of its own.
func (f *DiffFile) brief() bool {
	return f.Line != "" || !slices.ContainsFunc(f.Hunks, func(e satchel.Entry) bool { return e.Detail >= satchel.Trimmed })
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
func (w *diffWriter) header(f *DiffFile, h *shownHunk) {
	text := shortIDs(f.Header)
	if !f.Whole && h.Number > 0 {
		text = shortHeader(text)
	}
	text, _ = clean.VisiblePatch(text)
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

// after returns a word, which is clean, after a space, if there is one.
func after(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}
