package ranking

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A fileText is the text of a file, split into lines, with secrets redacted.
type fileText struct {
	text     []byte
	lines    []int // start of each line, and the end
	redacted int
	symbols  []satchel.Symbol // see symbolsOf
}

// lineStarts returns the offset of every line, and the length of the text.
func lineStarts(text []byte) []int {
	starts := make([]int, 1, bytes.Count(text, []byte{'\n'})+2)
	for i := 0; i < len(text); {
		n := bytes.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		if i < len(text) {
			starts = append(starts, i)
		}
	}
	return append(starts, len(text))
}

// last is the number of the last line.
func (f *fileText) last() int { return len(f.lines) - 1 }

// between returns the lines from..to, 1-based, both included.
func (f *fileText) between(from, to int) string {
	to = min(to, f.last())
	if from < 1 || from > to {
		return ""
	}
	return string(f.text[f.lines[from-1]:f.lines[to]])
}

// blank returns the number of blank lines from line n on.
func (f *fileText) blank(n int) (count int) {
	for n+count >= 1 && n+count <= f.last() && len(bytes.TrimSpace(f.text[f.lines[n+count-1]:f.lines[n+count]])) == 0 {
		count++
	}
	return count
}

// A Reader turns files of a view into items with forms.
type Reader struct {
	View        *index.View
	Count       *tokens.Encoding
	Diagnostics []satchel.Diagnostic

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
			r.texts[int32(i)] = &fileText{lines: []int{0}}
			return nil
		}
		clean, found := secrets.Redact(path, text)
		r.texts[int32(i)] = &fileText{text: clean, lines: lineStarts(clean), redacted: len(found)}
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

// clean redacts the secrets in a name or signature.
func (r *Reader) clean(path, s string) string {
	b, found := secrets.Redact(path, []byte(s))
	if len(found) == 0 {
		return s
	}
	return string(b)
}

// form makes a form of lines of a file.
func (r *Reader) form(d satchel.Detail, text string, lines ...satchel.Range) satchel.Form {
	return satchel.Form{Detail: d, Text: text, Tokens: r.Count.Count(text), Lines: lines}
}

// item returns an item of file i without forms.
func (r *Reader) item(i int32, ref satchel.Ref) satchel.Item {
	f := r.View.Files()[i]
	ref.Path = f.Path
	return satchel.Item{Ref: ref, Lang: f.Lang, Blob: f.Blob, Dirty: f.Dirty}
}

// Between returns lines of file i, which [Reader.Load] has read.
func (r *Reader) Between(i int32, lines []satchel.Range) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(r.texts[i].between(l.From, l.To))
	}
	return b.String()
}

// chunk makes the item of one chunk: its full text, a trimmed form if it is
// long, and its signature.
func (r *Reader) chunk(c *Chunk, q *lineFinder) satchel.Item {
	x := r.View.Chunks()[c.Index]
	t := r.texts[c.File]
	from, to := r.bounds(t, c.Index)
	it := r.item(c.File, satchel.Ref{Kind: satchel.KindSnippet, From: from, To: to})
	it.Title = r.clean(it.Ref.Path, r.chunkName(c))
	if text := t.between(from, to); strings.TrimSpace(text) != "" {
		it.Forms = append(it.Forms, r.form(satchel.Full, text, satchel.Range{From: from, To: to}))
		if f, ok := r.trimmed(t, from, to, q); ok {
			it.Forms = append(it.Forms, f)
		}
	}
	if s := x.Symbol; s >= 0 {
		sig := r.clean(it.Ref.Path, r.symbolsOf(c.File)[s].Signature)
		if sig != "" && len(it.Forms) > 0 {
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
	doc := strings.TrimSpace(r.clean(it.Ref.Path, r.symbolsOf(c.File)[s].Doc))
	if doc == "" {
		return
	}
	if f := r.form(satchel.Outline, it.Forms[n-1].Text+"\n  "+cutLine(doc, longSignature)); f.Tokens < it.Forms[n-2].Tokens {
		it.Forms[n-1] = f
	}
}

// bounds returns the lines of a chunk: blank lines before it are the previous
// chunk's, so that a snippet starts with text.
func (r *Reader) bounds(t *fileText, chunk int32) (from, to int) {
	all := r.View.Chunks()
	x := all[chunk]
	from, to = int(x.From)+t.blank(int(x.From)), int(x.To)
	if from > to {
		return int(x.From), to // nothing but blank lines, which the previous chunk has
	}
	if next := chunk + 1; next < r.View.Docs()[x.Doc].Chunk1 {
		to += t.blank(int(all[next].From))
	}
	return from, max(from, min(to, t.last()))
}

// Sizes of trimmed forms, in lines.
const (
	trimFrom    = 30 // shorter chunks are shown whole or not at all
	trimContext = 6  // around a line that matters
	trimHead    = 3  // of the chunk
)

// Mark stands for the lines left out of a trimmed form.
const Mark = "⋮\n"

// trimmed keeps the head of a long chunk and the lines around those that the
// task's words hit hardest.
func (r *Reader) trimmed(t *fileText, from, to int, q *lineFinder) (satchel.Form, bool) {
	if q == nil || to-from+1 < trimFrom {
		return satchel.Form{}, false
	}
	keep := q.best(t, from, to)
	if len(keep) == 0 {
		return satchel.Form{}, false
	}
	shown := make([]bool, to-from+1)
	for i := range min(trimHead, len(shown)) {
		shown[i] = true
	}
	for _, n := range keep {
		for i := max(n-trimContext, from); i <= min(n+trimContext, to); i++ {
			shown[i-from] = true
		}
	}
	var b strings.Builder
	var lines []satchel.Range
	for i := 0; i < len(shown); i++ {
		if !shown[i] {
			if i == 0 || shown[i-1] {
				b.WriteString(Mark)
			}
			continue
		}
		start := i
		for i+1 < len(shown) && shown[i+1] {
			i++
		}
		b.WriteString(t.between(from+start, from+i))
		lines = append(lines, satchel.Range{From: from + start, To: from + i})
	}
	n := 0
	for _, l := range lines {
		n += l.To - l.From + 1
	}
	if n*10 > len(shown)*7 {
		return satchel.Form{}, false
	}
	return r.form(satchel.Trimmed, b.String(), lines...), true
}

// File makes the item of a whole file: full text, outline, name.
func (r *Reader) File(i int32) satchel.Item {
	t := r.texts[i]
	it := r.item(i, satchel.Ref{Kind: satchel.KindFile})
	if len(t.text) > 0 {
		it.Forms = append(it.Forms, r.form(satchel.Full, string(t.text), satchel.Range{From: 1, To: t.last()}))
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

// Lines returns the lines from..to of a text with secrets redacted (0 means the
// first, or the last), the number of its lines and of redacted secrets.
func Lines(path string, text []byte, from, to int) (part string, lines, redacted int) {
	clean, found := secrets.Redact(path, text)
	return textLines(&fileText{text: clean, lines: lineStarts(clean), redacted: len(found)}, from, to)
}

func textLines(t *fileText, from, to int) (part string, lines, redacted int) {
	if len(t.text) == 0 {
		return "", 0, 0
	}
	if from == 0 {
		from = 1
	}
	if to == 0 {
		to = t.last()
	}
	return t.between(from, to), t.last(), t.redacted
}
