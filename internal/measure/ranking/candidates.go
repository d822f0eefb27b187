package ranking

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/licence"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A fileText is the text of a file as it may be shown, and what is known of it.
type fileText struct {
	clean.Lines
	redacted int
	symbols  []satchel.Symbol // see symbolsOf
	places   []outline.Place  // see placesOf
}

func newFileText(path string, text []byte) *fileText {
	shown, found := clean.File(path, text)
	return &fileText{Lines: clean.NewLines(shown), redacted: len(found)}
}

// licence is how many lines at the top of the text are its licence.
func (f *fileText) licence() int {
	if f.Text().IsZero() {
		return 0
	}
	return licence.Lines(f.Between(1, min(f.Last(), licence.Longest)).String())
}

// bytesOf returns a text for what measures it. Nobody may write to it.
func bytesOf(t clean.Text) []byte {
	s := t.String()
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// A Reader turns files of a view into items with forms.
type Reader struct {
	View        *index.View
	Count       *tokens.Encoding
	Diagnostics []satchel.Diagnostic

	// Bare says that functions are shown without the licence at the top of their file.
	Bare bool

	texts map[int32]*fileText
	taken map[int32]*docFile // apart, by documents; nil for files without anything to take
}

// NewReader returns a reader of v's files.
func NewReader(v *index.View) *Reader {
	return &Reader{View: v, Count: tokens.O200k(), texts: map[int32]*fileText{}, taken: map[int32]*docFile{}}
}

// Load reads the texts of files, in one go. A file that cannot be read becomes
// a Diagnostic and has no text.
func (r *Reader) Load(ctx context.Context, files []int32) error {
	want := make([]int, 0, len(files))
	for _, f := range files {
		if r.texts[f] == nil {
			want = append(want, int(f))
		}
	}
	return r.View.ReadTexts(ctx, want, func(i int, text []byte, err error) error {
		path := r.View.Files()[i].Path
		if err != nil {
			r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Path: path, Text: err.Error()})
			r.texts[int32(i)] = new(fileText)
			return nil
		}
		r.texts[int32(i)] = newFileText(path, text)
		return nil
	})
}

// Redactions returns a Diagnostic for each of the files whose secrets were redacted.
func (r *Reader) Redactions(shown map[string]bool) []satchel.Diagnostic {
	var out []satchel.Diagnostic
	for i, t := range r.texts {
		if p := r.View.Files()[i].Path; t.redacted > 0 && shown[p] {
			out = append(out, RedactedDiagnostic(p, t.redacted))
		}
	}
	slices.SortFunc(out, func(a, b satchel.Diagnostic) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// RedactedDiagnostic is the Diagnostic about n secrets of a file.
func RedactedDiagnostic(path string, n int) satchel.Diagnostic {
	return satchel.Diagnostic{Path: path, Text: render.Plural(n, "secret") + " redacted"}
}

// form makes a form of lines of a file.
func (r *Reader) form(d satchel.Detail, text clean.Text, lines ...satchel.Range) satchel.Form {
	return satchel.Form{Detail: d, Text: text, Tokens: r.Count.Count(text.String()), Lines: lines}
}

// item returns an item of file i without forms.
func (r *Reader) item(i int32, ref satchel.Ref) satchel.Item {
	f := r.View.Files()[i]
	ref.Path = f.Path
	return satchel.Item{Ref: ref, Lang: f.Lang, Blob: f.Blob, Dirty: f.Dirty}
}

// Between returns lines of file i, which [Reader.Load] has read.
func (r *Reader) Between(i int32, lines []satchel.Range) clean.Text {
	var b clean.Builder
	for _, l := range lines {
		b.Write(r.texts[i].Between(l.From, l.To))
	}
	return b.Text()
}

// chunk makes the item of one chunk: its full text, a trimmed form if it is
// long, and its signature.
func (r *Reader) chunk(c *Chunk, q *lineFinder) satchel.Item {
	x := r.View.Chunks()[c.Index]
	t := r.texts[c.File]
	from, to := r.bounds(t, c.Index)
	if r.Bare && from <= licence.Longest {
		from = max(from, t.licence()+1)
	}
	it := r.item(c.File, satchel.Ref{Kind: satchel.KindSnippet, From: min(from, to), To: to})
	it.Title = clean.LineOf(it.Ref.Path, r.chunkName(c))
	if text := t.Between(from, to); from <= to && !text.Blank() {
		it.Forms = append(it.Forms, r.form(satchel.Full, text, satchel.Range{From: from, To: to}))
		if !c.Whole {
			it.Forms = append(it.Forms, r.trimmed(t, it.Lang, from, to, q)...)
		}
	}
	if s := x.Symbol; s >= 0 {
		sig := clean.New(it.Ref.Path, r.symbolsOf(c.File)[s].Signature)
		if !sig.IsZero() && len(it.Forms) > 0 {
			f := r.form(satchel.Outline, sig)
			if f.Tokens < it.Forms[len(it.Forms)-1].Tokens {
				it.Forms = append(it.Forms, f)
			}
		}
	}
	return it
}

// Document adds the first words of its documentation to the signature of a
// chunk's item, if that still is its shortest form.
func (r *Reader) Document(it *satchel.Item, c *Chunk) {
	s, n := r.View.Chunks()[c.Index].Symbol, len(it.Forms)
	if s < 0 || n < 2 || it.Forms[n-1].Detail != satchel.Outline {
		return
	}
	doc := clean.New(it.Ref.Path, r.symbolsOf(c.File)[s].Doc).Trim()
	if doc.IsZero() {
		return
	}
	if f := r.form(satchel.Outline, clean.Concat(it.Forms[n-1].Text, clean.Const("\n  "), cutLine(doc, longSignature))); f.Tokens < it.Forms[n-2].Tokens {
		it.Forms[n-1] = f
	}
}

// bounds returns the lines of a chunk: blank lines before it are the previous
// chunk's, so that a snippet starts with text.
func (r *Reader) bounds(t *fileText, chunk int32) (from, to int) {
	all := r.View.Chunks()
	x := all[chunk]
	from, to = int(x.From)+t.Blank(int(x.From)), int(x.To)
	if from > to {
		return int(x.From), to // nothing but blank lines, which the previous chunk has
	}
	if next := chunk + 1; next < r.View.Docs()[x.Doc].Chunk1 {
		to += t.Blank(int(all[next].From))
	}
	return from, max(from, min(to, t.Last()))
}

// File makes the item of a whole file: full text, outline, name.
func (r *Reader) File(i int32) satchel.Item {
	t := r.texts[i]
	it := r.item(i, satchel.Ref{Kind: satchel.KindFile})
	if text := t.Text(); !text.IsZero() {
		it.Forms = append(it.Forms, r.form(satchel.Full, text, satchel.Range{From: 1, To: t.Last()}))
	}
	it.Forms = append(it.Forms, r.Outlines(i, nil)...)
	it.Forms = append(it.Forms, satchel.Form{Detail: satchel.Mention})
	return it
}

// Outline makes the item of a file with its outlines and name only; see
// [Reader.Outlines].
func (r *Reader) Outline(i int32, chunks []float32) satchel.Item {
	it := r.item(i, satchel.Ref{Kind: satchel.KindFile})
	it.Forms = append(it.Forms, r.Outlines(i, chunks)...)
	it.Forms = append(it.Forms, satchel.Form{Detail: satchel.Mention})
	return it
}

// Lines returns the lines from..to of a text as it is shown (0 means the first, or
// the last), the number of its lines and of redacted secrets.
func Lines(path string, text []byte, from, to int) (part clean.Text, lines, redacted int) {
	return newFileText(path, text).part(from, to)
}

func (f *fileText) part(from, to int) (part clean.Text, lines, redacted int) {
	if f.Text().IsZero() {
		return clean.Text{}, 0, 0
	}
	from = cmp.Or(from, 1)
	to = cmp.Or(to, f.Last())
	return f.Between(from, to), f.Last(), f.redacted
}

// Items makes the items of chunks of loaded files, on all cores. The chunks of
// a file are in a row; weights are those of newLineFinder.
func (r *Reader) Items(list []Chunk, weights map[uint64]float32) []satchel.Item {
	items := make([]satchel.Item, len(list))
	var starts []int // of each file's chunks
	for i := range list {
		if i == 0 || list[i].File != list[i-1].File {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(list))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(starts)-1) {
		wg.Go(func() {
			find := newLineFinder(weights)
			for {
				k := int(next.Add(1)) - 1
				if k >= len(starts)-1 {
					return
				}
				for i := starts[k]; i < starts[k+1]; i++ {
					items[i] = r.chunk(&list[i], find)
				}
			}
		})
	}
	wg.Wait()
	return items
}

// symbolsOf returns the symbols of file i, decoded once.
func (r *Reader) symbolsOf(i int32) []satchel.Symbol {
	t := r.texts[i]
	if t.symbols == nil {
		t.symbols = r.View.Symbols(r.View.Files()[i].Doc)
	}
	return t.symbols
}

// chunkName returns the name of the definition that a chunk is, or is part of,
// after the names of the enclosing ones: Server.Close. It is "" if there is none.
func (r *Reader) chunkName(c *Chunk) string {
	s := r.View.Chunks()[c.Index].Symbol
	all := r.symbolsOf(c.File)
	if s < 0 || int(s) >= len(all) {
		return ""
	}
	if y := &all[s]; y.Parent != "" {
		return y.Parent + "." + y.Name
	}
	return all[s].Name
}
