package ranking

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A docFile is a document, taken apart.
type docFile struct {
	path  string // as it is shown
	lang  string
	blob  string
	dirty bool
	file  int32 // of View.Files; -1 in a vault
	text  *fileText
	doc   *document.Document
	fresh DocFreshness

	symbols []satchel.Symbol // in a vault; those of other files are the view's
}

// IsDocument reports whether a file of a view is prose that people wrote about
// the program.
func IsDocument(f *index.File) bool {
	return f.Class == outline.Docs && slices.Contains(document.Languages, f.Lang)
}

// records are names of documents that keep a record rather than explain.
var records = []string{"changelog", "changes", "history", "news", "releases", "release-notes", "release_notes", "license", "licence", "copying", "notice", "authors", "contributors", "maintainers", "owners", "codeowners", "thanks", "third_party", "thirdparty", "patents", "code_of_conduct", "code-of-conduct", "issue_template", "pull_request_template"}

// isRecord reports whether a document of this path is a change log, a licence or
// a list of people.
func isRecord(p string) bool {
	base := strings.ToLower(path.Base(p))
	stem, _, _ := strings.Cut(base, ".")
	if slices.Contains(records, stem) {
		return true
	}
	for _, dir := range strings.Split(strings.ToLower(path.Dir(p)), "/") {
		switch dir {
		case "changelog", "changelogs", "changes", "releases", "whatsnew", "licenses", "announce", "issue_template", "pull_request_template":
			return true
		}
	}
	prefixes := []string{"changelog", "license", "release-notes", "release_notes", "whatsnew", "changes-"}
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(stem, p) })
}

// documents takes files of the reader's view apart: documents, and the comments
// that document packages. Files without anything to take are left out.
func (r *Reader) documents(ctx context.Context, files []int32) ([]*docFile, error) {
	if err := r.Load(ctx, files); err != nil {
		return nil, err
	}
	var out []*docFile
	for _, i := range files {
		if d, ok := r.taken[i]; ok {
			if d != nil {
				out = append(out, d)
			}
			continue
		}
		r.taken[i] = nil
		f, t := &r.View.Files()[i], r.texts[i]
		d := &docFile{path: f.Path, lang: f.Lang, blob: f.Blob, dirty: f.Dirty, file: i, text: t}
		switch {
		case t.Text().IsZero():
			continue
		case IsDocument(f):
			d.doc = document.Parse(f.Path, f.Lang, bytesOf(t.Text()), r.symbolsOf(i))
		default:
			from, to, ok := document.PackageDoc(f.Lang, bytesOf(t.Text()))
			if !ok {
				continue
			}
			d.doc = packageDoc(f, t, from, to)
		}
		r.taken[i] = d
		out = append(out, d)
	}
	return out, nil
}

// packageDoc makes a document of one section of the comment on lines from..to.
func packageDoc(f *index.File, t *fileText, from, to int) *document.Document {
	title := "package " + path.Base(path.Dir(f.Path))
	if path.Dir(f.Path) == "." {
		title = "package documentation"
	}
	d := document.Parse(f.Path, "markdown", bytesOf(t.Between(from, to)), nil)
	d.Front = document.Front{}
	d.Sections = []document.Section{{From: from, To: to, Trail: []string{title}}}
	for i := range d.Mentions {
		d.Mentions[i].Line += from - 1
	}
	for i := range d.Links {
		d.Links[i].Line += from - 1
	}
	d.Code, d.Hidden = append(make([]bool, from-1), d.Code...), nil
	return d
}

// body returns the lines of a section that are worth showing: without front
// matter, and without blank lines at either end. from > to means that there is
// nothing but its heading.
func (d *docFile) body(s *document.Section) (from, to int) {
	from, to = max(s.From, d.doc.Front.To+1), min(s.To, d.text.Last())
	blank := func(n int) bool {
		return n <= len(d.doc.Hidden) && d.doc.Hidden[n-1] || d.text.Between(n, n).Blank()
	}
	for from <= to && blank(from) {
		from++
	}
	for to >= from && blank(to) {
		to--
	}
	if s.Level > 0 && s.Part == 0 && to-from < 3 && !d.hasText(from, to, s.Title()) {
		return 1, 0
	}
	return from, to
}

// hasText reports whether lines hold more than a heading and its marks.
func (d *docFile) hasText(from, to int, title string) bool {
	for n := from; n <= to; n++ {
		line := strings.TrimSpace(d.text.Between(n, n).String())
		if rest := strings.Trim(line, "#=*-~^\"'`. "); rest != "" && rest != strings.Trim(title, "#=*-~^\"'`. ") {
			return true
		}
	}
	return false
}

// lines returns the prose and the code of the lines from..to.
func (d *docFile) lines(from, to int) (prose, code [][]byte) {
	for n := from; n <= to; n++ {
		if n <= len(d.doc.Hidden) && d.doc.Hidden[n-1] {
			continue
		}
		line := bytesOf(d.text.Between(n, n))
		if n <= len(d.doc.Code) && d.doc.Code[n-1] {
			code = append(code, line)
		} else {
			prose = append(prose, line)
		}
	}
	return prose, code
}

// docItem makes the item of a section.
func (r *Reader) docItem(d *docFile, s *document.Section, from, to int, q *lineFinder) satchel.Item {
	it := satchel.Item{
		Ref:   satchel.Ref{Kind: satchel.KindDoc, Path: d.path, From: from, To: to},
		Title: clean.LineOf(d.path, s.Path()), Lang: d.lang, Blob: d.blob, Dirty: d.dirty,
	}
	it.Forms = append(it.Forms, r.form(satchel.Full, d.text.Between(from, to), satchel.Range{From: from, To: to}))
	it.Forms = append(it.Forms, r.trimmed(d.text, d.lang, from, to, q)...)
	return it
}
