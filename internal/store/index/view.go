package index

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
)

// A View is what one revision, or the work tree, looks like. It does not
// change, and depends only on the repository's state and the Options. It is safe
// for concurrent use, until its Index is closed.
type View struct {
	*body
	diags   []satchel.Diagnostic
	history *History

	derived sync.Map // key → *derivation; see Derived
}

// A body is what a View says, but for its history.
type body struct {
	commit   string
	files    []File
	excluded []satchel.Omission
	diags    []satchel.Diagnostic
	docs     []Doc
	homes    []home // where each of docs lives
	chunks   []Chunk
	parts    []part
	source   *source
	workTree bool
	limit    int64 // of Text, in bytes

	pool sync.Pool // of *scatter
}

// A File is a file with text that may become context.
type File struct {
	Path  string // slash-separated, relative to the root
	Blob  string // object id of its bytes; computed, if git does not have them
	Lang  string // as package outline names it; "" if unknown
	Class outline.Class
	Size  int64 // bytes
	Dirty bool  // git has no object with these bytes: changed or untracked, and not added
	Doc   int32 // index into Docs

	// Vendored: the README of a folder above marks its contents as foreign. A file
	// that [outline.Vendored] marks is not a File.
	Vendored bool
}

// A Doc is the text of one or more Files with the same blob and language.
type Doc struct {
	Bytes, Lines       int32
	Body, Def, Comment int32 // lengths of the fields in terms
	Chunk0, Chunk1     int32 // its chunks are Chunks()[Chunk0:Chunk1]
}

// A Chunk is a range of lines of a Doc. Every line belongs to exactly one.
type Chunk struct {
	Doc      int32
	From, To int32 // lines, 1-based, both included
	Terms    int32 // length in body terms
	Symbol   int32 // index into Symbols(Doc) of the definition it is, or is part of; -1 if none
}

// A Posting says how often a term occurs in a chunk: in all of its text, in
// the names that it defines, and in its comments. Counts stop at 65535.
//
// Two kinds of terms are not words of the text: [terms.Def] of each defined
// name has Def 1 in the chunk of the name, and [terms.Import] of the last
// component of each import has Body 1 in the first chunk. Neither counts in
// any length.
type Posting struct {
	Chunk              int32
	Body, Def, Comment uint16
}

// A TermCount is a term and how often it occurs.
type TermCount struct {
	Term uint64
	N    int32
}

// A home is where a document lives: a document of a part's segment.
type home struct{ part, doc int32 }

// A part is what a view uses of one segment.
type part struct {
	seg    *segment
	chunks []int32 // view chunk of each chunk of the segment; -1 if its document is not in the view
}

// Commit returns the commit that is viewed, or that the work tree is based on.
// It is "" outside git and on an unborn branch.
func (v *View) Commit() string { return v.commit }

// Files returns the included files, sorted by path. The caller must not change
// them; the same holds for every slice that a View returns.
func (v *View) Files() []File { return v.files }

// File returns the index of the file with the path.
func (v *body) File(path string) (i int, ok bool) {
	return slices.BinarySearchFunc(v.files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
}

// Excluded returns every excluded path, or excluded directory with a final
// slash, with the reason, sorted by path.
func (v *View) Excluded() []satchel.Omission { return v.excluded }

// Diagnostics returns what the view lacks: objects that are missing, files that
// cannot be read, outlines that are not whole.
func (v *View) Diagnostics() []satchel.Diagnostic { return v.diags }

// Docs returns one Doc for each distinct blob and language of Files, in the
// order of the first File that has it.
func (v *View) Docs() []Doc { return v.docs }

// Chunks returns the chunks of all Docs, ascending by Doc, then line.
func (v *View) Chunks() []Chunk { return v.chunks }

// History returns the commits behind the view.
func (v *View) History() *History { return v.history }

// Postings appends the postings of a term to dst, ascending by Chunk.
func (v *View) Postings(dst []Posting, term uint64) []Posting {
	from := len(dst)
	for i := range v.parts {
		p := &v.parts[i]
		if n := p.seg.lookup(term); n >= 0 {
			dst = appendLive(dst, p.seg.list(n), p.chunks)
		}
	}
	for i := from + 1; i < len(dst); i++ {
		if dst[i].Chunk <= dst[i-1].Chunk {
			v.order(dst[from:])
			break
		}
	}
	return dst
}

// A DocPosting says how often a term occurs in a document; see [Posting].
type DocPosting struct {
	Doc                int32
	Body, Def, Comment int32
}

// DocPostings appends the postings of a term, summed up by document and in no
// particular order, to dst. If more than most documents have the term, it stops
// looking and returns what it has by then, which is more than most.
func (v *View) DocPostings(dst []DocPosting, term uint64, most int) []DocPosting {
	some := make([]Posting, 0, 64)
	from := len(dst)
	for i := range v.parts {
		p := &v.parts[i]
		n := p.seg.lookup(term)
		if n < 0 {
			continue
		}
		// A document's chunks are in a row, and in no other segment.
		last := int32(-1)
		for r := (postingReader{list: p.seg.list(n)}); r.at < len(r.list); {
			for _, x := range r.next(some, p.chunks, cap(some)) {
				if d := v.chunks[x.Chunk].Doc; d != last {
					if len(dst)-from > most {
						return dst
					}
					dst = append(dst, DocPosting{Doc: d})
					last = d
				}
				t := &dst[len(dst)-1]
				t.Body += int32(x.Body)
				t.Def += int32(x.Def)
				t.Comment += int32(x.Comment)
			}
		}
	}
	return dst
}

// CountDocs returns how many of the documents that counted selects have a term.
// If more than most of them have it, it stops looking, after most+1.
func (v *View) CountDocs(term uint64, counted []bool, most int) (n int) {
	for i := range v.parts {
		p := &v.parts[i]
		t := p.seg.lookup(term)
		if t < 0 {
			continue
		}
		last := int32(-1) // a document's chunks are in a row, and in no other segment
		for r := (postingReader{list: p.seg.list(t)}); ; {
			c, ok := r.skip(p.chunks)
			if !ok {
				break
			}
			if d := v.chunks[c].Doc; d != last {
				if last = d; !counted[d] {
					continue
				}
				if n++; n > most {
					return n
				}
			}
		}
	}
	return n
}

// A scatter sorts postings by chunk in time linear in their number.
type scatter struct {
	postings []Posting // by chunk
	present  []uint64  // bit set of the chunks that postings holds
}

// order sorts postings of distinct chunks by chunk.
func (v *View) order(ps []Posting) {
	if len(ps) < 64 {
		slices.SortFunc(ps, func(a, b Posting) int { return int(a.Chunk) - int(b.Chunk) })
		return
	}
	s, _ := v.pool.Get().(*scatter)
	if s == nil {
		s = &scatter{make([]Posting, len(v.chunks)), make([]uint64, (len(v.chunks)+63)/64)}
	}
	for _, p := range ps {
		s.postings[p.Chunk] = p
		s.present[p.Chunk/64] |= 1 << (p.Chunk % 64)
	}
	i := 0
	for w, set := range s.present {
		if set == 0 {
			continue
		}
		for ; set != 0; set &= set - 1 {
			ps[i] = s.postings[64*w+bits.TrailingZeros64(set)]
			i++
		}
		s.present[w] = 0
	}
	v.pool.Put(s)
}

// DocTerms appends the terms of a document with their body counts to dst,
// ascending by term.
func (v *View) DocTerms(dst []TermCount, doc int32) []TermCount {
	h := v.homes[doc]
	return v.parts[h.part].seg.docTerms(dst, int(h.doc))
}

// Symbols returns the definitions of a document, in the order of package outline. It
// decodes them at each call.
func (v *View) Symbols(doc int32) []satchel.Symbol {
	h := v.homes[doc]
	return v.parts[h.part].seg.symbols(int(h.doc))
}

// Imports returns the imports of a document, as written.
func (v *View) Imports(doc int32) []string {
	h := v.homes[doc]
	return v.parts[h.part].seg.imports(int(h.doc))
}

// assemble numbers the documents of v.files, which are in the given places, and
// their chunks. A document may be in several places; then any of them will do.
func (v *body) assemble(places []place) {
	type used struct {
		part    int32
		numbers []int32 // view document of each document of the segment, plus one
	}
	segs := map[*segment]*used{}
	byKey := make(map[docKey]int32, len(places)) // the same, for documents that are in several segments
	v.homes = make([]home, 0, len(places))
	var last *segment
	var u *used
	chunks := 0
	for i, p := range places {
		if p.seg != last {
			last, u = p.seg, segs[p.seg]
			if u == nil {
				u = &used{int32(len(v.parts)), make([]int32, p.seg.ndocs)}
				segs[p.seg] = u
				v.parts = append(v.parts, part{p.seg, make([]int32, p.seg.nchunks)})
				chunks := v.parts[u.part].chunks
				for c := range chunks {
					chunks[c] = -1
				}
			}
		}
		if u.numbers[p.doc] == 0 {
			key := docKey(p.seg.docs[docBytes*int(p.doc):])
			n, ok := byKey[key]
			if !ok {
				n = int32(len(v.homes)) + 1
				byKey[key] = n
				v.homes = append(v.homes, home{u.part, p.doc})
				r := p.seg.doc(int(p.doc))
				chunks += int(r.chunk1 - r.chunk0)
			}
			u.numbers[p.doc] = n
		}
		v.files[i].Doc = u.numbers[p.doc] - 1
	}
	v.docs, v.chunks = slices.Grow(v.docs, len(v.homes)), slices.Grow(v.chunks, chunks)
	for _, h := range v.homes {
		v.adopt(&v.parts[h.part], int(h.doc))
	}
}

// adopt appends a document of a part, and its chunks, to the view.
func (v *body) adopt(p *part, doc int) {
	r := p.seg.doc(doc)
	d := Doc{
		Bytes: r.bytes, Lines: r.lines, Body: r.body, Def: r.def, Comment: r.comment,
		Chunk0: int32(len(v.chunks)),
	}
	for c := r.chunk0; c < r.chunk1; c++ {
		p.chunks[c] = int32(len(v.chunks))
		ch := p.seg.chunk(int(c))
		ch.Doc = int32(len(v.docs))
		v.chunks = append(v.chunks, ch)
	}
	d.Chunk1 = int32(len(v.chunks))
	v.docs = append(v.docs, d)
}

// Text returns the text of a file, given its index in Files, decoded by [git.Decode].
// The bytes are verified against File.Blob; if an unclean file has changed since, the error is a
// *changedError.
func (v *View) Text(ctx context.Context, file int) ([]byte, error) {
	f := &v.files[file]
	text, err := v.source.read(ctx, v.workTree, f.Path, f.Blob, f.Dirty, v.limit)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	return text, nil
}

// ReadTexts calls fn with the bytes of several files, in the order given and
// from the calling goroutine. It is faster than calling Text for each. An error
// of fn ends it and is returned.
func (v *View) ReadTexts(ctx context.Context, files []int, fn func(file int, text []byte, err error) error) error {
	for from := 0; from < len(files); {
		// As much as is in the work tree comes from there; a run of the rest is
		// asked of git at once.
		var rest []string
		to := from
		var text []byte
		var err error
		for ; to < len(files); to++ {
			f := &v.files[files[to]]
			if v.workTree {
				held, ok := v.source.held[f.Path]
				if ok || f.Dirty {
					text, err = held, nil
					if !ok {
						text, err = v.Text(ctx, files[to])
					}
					break
				}
				if text, err = v.source.fromWorkTree(f.Path, f.Blob, v.limit); err == nil {
					break
				}
			}
			rest = append(rest, f.Blob)
		}
		if len(rest) > 0 {
			if e := v.readObjects(ctx, files[from:], rest, fn); e != nil {
				return e
			}
		}
		if to < len(files) {
			if e := fn(files[to], text, err); e != nil {
				return e
			}
			to++
		}
		from = to
	}
	return ctx.Err()
}

// readObjects calls fn with the blobs of the first files.
func (v *View) readObjects(ctx context.Context, files []int, blobs []string, fn func(file int, text []byte, err error) error) error {
	var failed error
	err := v.source.objects().ReadAll(blobs, func(i int, data []byte, err error) {
		if failed = cmp.Or(failed, ctx.Err()); failed != nil {
			return
		}
		failed = fn(files[i], data, err)
	})
	return cmp.Or(failed, err)
}

// Outline returns the definitions and imports of a blob in a language. ok is false if no
// View of the index had that blob. Secrets in the text were redacted before.
func (x *Index) Outline(blob, lang string) (symbols []satchel.Symbol, imports []string, ok bool) {
	p := findPlace(x.snapshot(), keyOf(blob, lang))
	if p.seg == nil {
		return nil, nil, false
	}
	return p.seg.symbols(int(p.doc)), p.seg.imports(int(p.doc)), true
}
