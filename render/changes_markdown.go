package render

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// How many files a page of Markdown shows at once, and behind a fold: the pages of
// forges take a megabyte, and readers less.
const (
	openRows   = 25
	foldedRows = 500
)

// DiffMarkdown returns the summary of a Diff as Markdown, for the page of a forge: a
// table of its files, what breaks, its tests, and what probably changes too. Names of files and of
// definitions are spans of code, so that none of them is markup, a link or a mention.
func DiffMarkdown(d *Diff) string {
	w := &diffWriter{d: d, layout: &d.Layout}
	size, _ := w.sizes()
	t := d.Report.Shown
	w.sayf("**%s, %s**", w.files(), counts(t.Added, t.Removed))
	if size != change.SizeFiltered {
		w.sayf(": %s", strings.ToLower(string(size)))
	}
	w.WriteString("\n\n")

	files := d.Report.Files
	n := min(d.Listed, len(files))
	w.table(files[:min(n, openRows)])
	if n > openRows {
		folded := files[openRows:min(n, openRows+foldedRows)]
		w.sayf("\n<details><summary>%s</summary>\n\n", Plural(len(folded), "more file"))
		w.table(folded)
		w.WriteString("\n</details>\n")
	}
	if rest := len(files) - min(n, openRows+foldedRows); rest > 0 {
		w.sayf("\n… and %s\n", Plural(rest, "more file"))
	}

	if len(d.Breaks) > 0 {
		w.WriteString("\n**Exported and removed (-) or changed (~)**\n\n")
	}
	for i := range d.Breaks {
		b := &d.Breaks[i]
		w.sayf("- %s", codeSpan(quotePath(b.Path)))
		if b.Deleted > 0 {
			w.sayf(" (%s deleted)", Plural(b.Deleted, "file"))
		}
		w.sayf(": %s\n", codeSpan(joinMarked(breakNames(b.Edits))))
	}

	for _, l := range RelatedLists(d.Report.Tests, d.Report.Related) {
		w.sayf("\n**%s**\n\n", l.Title)
		for i := range l.Lines {
			w.sayf("- %s %s\n", codeSpan(l.Lines[i]), inlineWords(l.Why[i]))
		}
		if l.More > 0 {
			w.sayf("- and %d more\n", l.More)
		}
	}
	return w.String()
}

// table writes a row for each file.
func (w *diffWriter) table(files []change.Scored) {
	w.WriteString("| relevance | file | change | why |\n| ---: | --- | ---: | --- |\n")
	for i := range files {
		f := &files[i]
		what := f.Counts()
		if f.Status != change.Modified {
			what = strings.ToLower(status(f)) + ", " + what
		}
		w.sayf("| %s | %s | %s | %s |\n", relevance(f), inCell(codeSpan(w.file(f))), inCell(inlineWords(what)), inCell(inlineWords(reasons(f))))
	}
}

// inCell returns inline Markdown such that no part of it ends a cell of a table,
// which it would in a span of code too.
func inCell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// inlineWords returns words such that none of their characters is markup.
func inlineWords(s string) string {
	var b strings.Builder
	for _, r := range clean.Inline(s) {
		if strings.ContainsRune("\\`*_[]<>&~@#", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
