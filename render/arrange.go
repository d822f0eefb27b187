package render

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
)

// A view is a Pack as it will be shown: cleaned, ordered and merged.
type view struct {
	files   []fileView
	ranked  bool     // paths come first: the files are in their order
	unsure  bool     // the match is not strong
	paths   []string // cleaned and quoted
	related []RelatedList
	tree    []string // lines of folders
	named   []string // lines of the files of which only the path is told
	receipt receipt
	diags   []satchel.Diagnostic // about what was cleaned
}

// heading returns the heading of the list of paths.
func (v *view) heading() string {
	if v.unsure {
		return "Closest by words, probably not it"
	}
	return "Most likely files"
}

// A fileView is what is shown of one file.
type fileView struct {
	path    string // cleaned
	word    string // and quoted if need be
	lang    string
	blob    string // short
	dirty   bool
	section string
	notes   []string // what is said about it
	list    []string // lines of outlines and mentions
	blocks  []block
}

// A block is consecutive lines of a file.
type block struct {
	from, to int    // lines; 0 if they have none
	title    string // what neither the text nor an earlier block says
	titles   []string
	detail   satchel.Detail
	texts    []quote
}

// A quote is the text of an entry, ending in a newline unless it is empty.
type quote struct {
	text   string
	tokens int // -1 if not known
}

// shortBlob is how many hex digits of a blob id are shown. Beside the path
// they need only tell two versions of one file apart, and every two digits
// take a token.
const shortBlob = 8

// arrange orders and cleans the entries of a Pack. Entries of one file that
// touch become one block.
func arrange(p *satchel.Pack) *view {
	v := &view{ranked: ranked(p), unsure: p.Match == satchel.MatchWeak}
	tally := make(tally)
	entries := ordered(p)
	for i, e := range entries {
		if i == 0 || !sameFile(entries[i-1], e) {
			v.files = append(v.files, fileView{
				path: clean.Inline(e.Ref.Path), word: quotePath(e.Ref.Path), lang: language(e.Lang),
				dirty: e.Dirty, section: e.Ref.Kind.Section(),
			})
			if e.Ref.Kind == satchel.KindNote {
				v.files[len(v.files)-1].notes = []string{"remembered earlier; the code is right where they differ"}
			}
			if e.Dirty || p.Rev == "" {
				v.files[len(v.files)-1].blob = short(e.Blob, shortBlob)
			}
		}
		f := &v.files[len(v.files)-1]
		if n := e.Note.Inline().String(); n != "" && !slices.Contains(f.notes, n) {
			f.notes = append(f.notes, n)
		}
		if !pack.IsText(e.Ref.Kind, e.Detail) {
			f.list = appendList(f.list, e, tally)
			continue
		}
		text, tokens := e.Text.String(), e.Tokens
		tally.add(e.Ref.Path, e.Text.Changed())
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
			tokens = -1
		}
		from, to := lines(e)
		if i > 0 && len(f.blocks) > 0 && pack.IsText(entries[i-1].Ref.Kind, entries[i-1].Detail) && sameFile(entries[i-1], e) && pack.Touch(entries[i-1].Ref, e.Ref) {
			b := &f.blocks[len(f.blocks)-1]
			b.to = to
			b.detail = min(b.detail, e.Detail)
			b.titles = append(b.titles, e.Title.String())
			b.texts = append(b.texts, quote{text, tokens})
			continue
		}
		f.blocks = append(f.blocks, block{from: from, to: to, titles: []string{e.Title.String()}, detail: e.Detail, texts: []quote{{text, tokens}}})
	}
	for i := range v.files {
		v.files[i].name()
	}
	for _, l := range p.Paths {
		v.paths = append(v.paths, quotePath(l.Path))
	}
	v.related = relatedLists(p.Tests, p.Related, -1)
	v.tree = treeLines(p.Tree)
	v.named = byFolder(p.Named)
	v.diags = tally.diagnostics()
	v.receipt = newReceipt(p, v.diags)
	return v
}

// treeLines returns a line for each folder, below the one of them that it is in:
// what the path adds to that one's, and how many files there are.
func treeLines(list []satchel.Folder) []string {
	var lines, above []string
	for _, f := range list {
		for len(above) > 0 && !strings.HasPrefix(f.Path, above[len(above)-1]) {
			above = above[:len(above)-1]
		}
		name := f.Path
		if n := len(above); n > 0 {
			name = name[len(above[n-1]):]
		}
		lines = append(lines, strings.Repeat("  ", len(above))+quotePath(name)+" "+strconv.Itoa(f.Files))
		above = append(above, f.Path)
	}
	return lines
}

// byFolder returns a line for each folder of the paths: the folder, a colon and
// the names in it, all sorted. Names with such characters are quoted.
func byFolder(list []string) []string {
	names := make(map[string][]string)
	var folders []string
	for _, p := range list {
		folder, name := path.Split(p)
		if names[folder] == nil {
			folders = append(folders, folder)
		}
		names[folder] = append(names[folder], name)
	}
	slices.Sort(folders)
	lines := make([]string, len(folders))
	for i, f := range folders {
		slices.Sort(names[f])
		line := quotePath(cmp.Or(f, "./")) + ":"
		for _, n := range names[f] {
			line += " " + quotePath(n)
		}
		lines[i] = line
	}
	return lines
}

// ranked reports whether a Pack has an order of its own: that of its task. The
// parts of a change stand in the order of a patch, before what stands beside it.
func ranked(p *satchel.Pack) bool { return (p.Task != "" || len(p.Paths) > 0) && !ofChange(p) }

// ofChange reports whether a Pack shows a change.
func ofChange(p *satchel.Pack) bool {
	return slices.ContainsFunc(p.Entries, func(e satchel.Entry) bool { return e.Ref.Kind == satchel.KindDiff })
}

// ordered returns the entries in the order of the output.
func ordered(p *satchel.Pack) []*satchel.Entry {
	s := make([]*satchel.Entry, len(p.Entries))
	for i := range p.Entries {
		s[i] = &p.Entries[i]
	}
	if ranked(p) {
		best := ranks(p)
		slices.SortFunc(s, func(a, b *satchel.Entry) int {
			return cmp.Or(best[a.Ref.Path].compare(best[b.Ref.Path]), compareEntries(a, b))
		})
		return s
	}
	slices.SortFunc(s, func(a, b *satchel.Entry) int {
		if x, y := a.Ref.Kind == satchel.KindDiff, b.Ref.Kind == satchel.KindDiff; x != y {
			if x {
				return -1
			}
			return 1
		}
		if a.Dirty != b.Dirty {
			if a.Dirty {
				return 1
			}
			return -1
		}
		return compareEntries(a, b)
	})
	return s
}

// compareEntries orders entries by kind, file and lines.
func compareEntries(a, b *satchel.Entry) int {
	return cmp.Or(
		cmp.Compare(a.Ref.Kind.SectionOrder(), b.Ref.Kind.SectionOrder()),
		strings.Compare(a.Ref.Path, b.Ref.Path),
		strings.Compare(a.Blob, b.Blob),
		a.Hunk.Compare(b.Hunk),
		cmp.Compare(a.Ref.From, b.Ref.From),
		a.Ref.Compare(b.Ref),
		cmp.Compare(b.Detail, a.Detail),
		a.Title.Compare(b.Title),
		a.Text.Compare(b.Text),
	)
}

// A place is where a file stands in a Pack that has an order: what the user
// pinned, then the likely files in the order of their list, then others by their
// best entry; what is not code after all code.
type place struct {
	section int
	pinned  bool
	listed  int
	score   float64
}

func (p place) compare(q place) int {
	pinned := func(p place) int {
		if p.pinned {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(p.section, q.section), cmp.Compare(pinned(p), pinned(q)), cmp.Compare(p.listed, q.listed), cmp.Compare(q.score, p.score))
}

// ranks returns the place of each path that has entries.
func ranks(p *satchel.Pack) map[string]place {
	listed := make(map[string]int, len(p.Paths))
	for i, l := range p.Paths {
		listed[l.Path] = i
	}
	out := make(map[string]place)
	for i := range p.Entries {
		e := &p.Entries[i]
		x, seen := out[e.Ref.Path]
		section := e.Ref.Kind.SectionOrder()
		if e.Ref.Kind == satchel.KindContext {
			section = satchel.KindFile.SectionOrder() // among them, as far as it has to do with the task
		}
		if !seen {
			x = place{section: section, listed: len(p.Paths), score: math.Inf(-1)}
			if k, ok := listed[e.Ref.Path]; ok {
				x.listed = k
			}
		}
		x.section = min(x.section, section)
		x.pinned = x.pinned || e.Pinned
		x.score = max(x.score, e.Score.Value())
		out[e.Ref.Path] = x
	}
	return out
}

func sameFile(a, b *satchel.Entry) bool {
	return a.Ref.Path == b.Ref.Path && a.Blob == b.Blob && a.Dirty == b.Dirty && a.Ref.Kind.Section() == b.Ref.Kind.Section()
}

// lines returns the lines of the file that an entry stands for, or zeros.
func lines(e *satchel.Entry) (from, to int) {
	if e.Ref.From > 0 {
		return e.Ref.From, e.Ref.To
	}
	if n := len(e.Lines); n > 0 {
		return e.Lines[0].From, e.Lines[n-1].To
	}
	return 0, 0
}

// appendList appends the lines of an outline or a mention. The first one
// starts with the lines of the file that it stands for.
func appendList(list []string, e *satchel.Entry, t tally) []string {
	t.add(e.Ref.Path, e.Text.Changed())
	text := cmp.Or(strings.Trim(e.Text.String(), "\n"), e.Title.Inline().String())
	where := ""
	if e.Ref.From > 0 {
		where = satchel.Range{From: e.Ref.From, To: e.Ref.To}.String()
	}
	if text == clean.Inline(e.Ref.Path) || text == e.Ref.String() {
		text = "" // the heading says it
	}
	if where == "" && text == "" {
		return list
	}
	first, rest, more := strings.Cut(text, "\n")
	list = append(list, strings.TrimSpace(where+" "+first))
	if where == "" {
		list[len(list)-1] = first
	}
	if more {
		list = append(list, strings.Split(rest, "\n")...)
	}
	return list
}

// mostTitles is how many titles stand above a block.
const mostTitles = 4

// name gives the blocks of a file their titles: what those of the entries say and
// the text does not, each once.
func (f *fileView) name() {
	said := make(map[string]bool)
	for i := range f.blocks {
		b := &f.blocks[i]
		n := 0
		for k, t := range b.titles {
			t = clean.Inline(untold(t, b.texts, k))
			switch {
			case t == "" || said[t]:
				continue
			case n == mostTitles:
				b.title += ", …"
			case n > 0:
				b.title += ", "
			}
			if n == mostTitles {
				break
			}
			said[t] = true
			b.title += t
			n++
		}
	}
}

// untold returns the part of a title that texts do not say by themselves: of the
// name of a method whose definition is shown, the class; of other titles all or
// nothing. The k-th text, whose title it is, is looked at first.
func untold(title string, texts []quote, k int) string {
	says := func(word string) bool {
		has := func(q quote) bool { return strings.Contains(q.text, word) }
		return slices.ContainsFunc(texts[k:], has) || slices.ContainsFunc(texts[:k], has)
	}
	var rest []string
	for word := range strings.FieldsFuncSeq(title, func(r rune) bool { return r == '.' || r == ' ' }) {
		if !says(word) {
			rest = append(rest, word)
		}
	}
	if len(rest) > 0 && strings.Contains(title, " ") {
		return title
	}
	return strings.Join(rest, ".")
}

// heading returns the line above a block: its lines and its title. What a trimmed
// text leaves out is marked in the text.
func (b *block) heading() string {
	s := "text"
	if b.from > 0 {
		s = "lines " + satchel.Range{From: b.from, To: b.to}.String()
	}
	return strings.TrimSuffix(s+" "+b.title, " ")
}

// mark is heading in fewer tokens: of a text that is whole, the first line says
// where all of it stands.
func (b *block) mark() string {
	s := "text"
	switch {
	case b.from > 0 && b.detail == satchel.Full:
		s = strconv.Itoa(b.from)
	case b.from > 0:
		s = satchel.Range{From: b.from, To: b.to}.String()
	}
	return strings.TrimSuffix(s+" "+b.title, " ")
}

// language returns a language's name if it may stand after a fence.
func language(s string) string {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '+') {
			return ""
		}
	}
	return s
}

// short returns the first digits of a hexadecimal id.
func short(id string, n int) string {
	for i := range len(id) {
		c := id[i]
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return ""
		}
	}
	return id[:min(len(id), n)]
}

// A tally counts the characters that were changed, by path.
type tally map[string]clean.Counts

func (t tally) add(path string, c clean.Counts) {
	if c != (clean.Counts{}) {
		sum := t[path]
		sum.Add(c)
		t[path] = sum
	}
}

// diagnostics returns one for each path, by path.
func (t tally) diagnostics() []satchel.Diagnostic {
	var diags []satchel.Diagnostic
	for path, c := range t {
		diags = append(diags, satchel.Diagnostic{Path: path, Text: c.String()})
	}
	slices.SortFunc(diags, func(a, b satchel.Diagnostic) int { return strings.Compare(a.Path, b.Path) })
	return diags
}

// withDiagnostics appends the diagnostics that are not there yet.
func withDiagnostics(diags, more []satchel.Diagnostic) []satchel.Diagnostic {
	if len(more) == 0 {
		return diags
	}
	seen := make(map[satchel.Diagnostic]bool, len(diags))
	for _, n := range diags {
		seen[n] = true
	}
	diags = slices.Clip(diags)
	for _, n := range more {
		if !seen[n] {
			diags = append(diags, n)
		}
	}
	return diags
}
