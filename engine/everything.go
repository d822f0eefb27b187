package engine

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/git"
	"github.com/satchel-dev/satchel/internal/index"
	"github.com/satchel-dev/satchel/internal/secrets"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/render"
)

// wantsEverything reports whether a request leaves nothing to choose: no task,
// no limit, and every file in full.
func wantsEverything(req *satchel.Request) bool {
	return strings.TrimSpace(req.Task) == "" && req.Changes == "" && req.Budget <= 0 && len(req.Pinned) == 0 && len(req.Edit) == 0 && (req.Detail == 0 || req.Detail == satchel.Full)
}

// packEverything is Pack for such a request.
func (e *Engine) packEverything(ctx context.Context, req satchel.Request) (*satchel.Pack, error) {
	format, err := render.ParseFormat(req.Format)
	if err != nil {
		return nil, err
	}
	if _, err := e.providers(req.With); err != nil {
		return nil, err
	}
	v, err := e.index.ViewFiles(ctx, e.tree, req.Rev)
	if err != nil {
		return nil, err
	}
	b := newBuilder(req, format, v)
	if b.scope, b.notes, err = e.limit(v, req.Rev, req.Paths, req.Include); err != nil {
		return nil, err
	}
	counts := e.index.Counts(b.count.Name())
	p, err := b.everything(ctx, e, counts, e.recall(ctx, req.Now))
	if err == nil {
		counts.Keep()
	}
	return p, err
}

// everything fills the pack of all files. There is nothing to rank, so that
// entries have no scores; what is left is reading, redacting and counting.
func (b *builder) everything(ctx context.Context, e *Engine, counts *index.Counts, kept *recalled) (*satchel.Pack, error) {
	files := b.view.Files()
	all := make([]int32, len(files))
	for i := range all {
		all[i] = int32(i)
	}
	b.order = b.within(all)
	texts, err := b.texts(ctx, counts)
	if err != nil {
		return nil, err
	}
	p := b.frame()
	p.Notes = slices.Clone(b.view.Notes())
	p.Entries = make([]satchel.Entry, len(b.order))
	for k, i := range b.order {
		t := &texts[k]
		f := &files[i]
		x := &p.Entries[k]
		*x = satchel.Entry{
			Ref:  satchel.Ref{Kind: satchel.KindFile, Path: f.Path},
			Lang: f.Lang, Blob: f.Blob, Dirty: f.Dirty,
		}
		if t.err != nil {
			p.Notes = append(p.Notes, satchel.Note{Path: f.Path, Text: t.err.Error()})
		}
		if t.text == "" {
			form := b.reader.Outline(i, nil).Forms[0]
			x.Detail, x.Text, x.Lines, x.Tokens = form.Detail, form.Text, form.Lines, form.Tokens
			continue
		}
		x.Detail, x.Text, x.Tokens = satchel.Full, t.text, t.tokens
		x.Lines = []satchel.Range{{From: 1, To: t.lines}}
	}
	for k, i := range b.order {
		if n := texts[k].redacted; n > 0 {
			p.Notes = append(p.Notes, source.RedactedNote(files[i].Path, n))
		}
	}
	b.everyContext(p, kept)
	p.Notes = append(p.Notes, kept.notes...)
	for i := range kept.memos {
		it := b.memoItem(&kept.memos[i])
		p.Entries = append(p.Entries, satchel.Entry{Ref: it.Ref, Detail: satchel.Full, Text: it.Forms[0].Text, Tokens: it.Forms[0].Tokens})
	}
	b.candidates = nil
	b.gather(ctx, e)
	for i := range b.candidates {
		c := &b.candidates[i]
		p.Entries = append(p.Entries, satchel.Entry{Ref: c.Ref, Title: c.Title, Lang: c.Lang, Detail: c.Forms[0].Detail, Text: c.Forms[0].Text, Tokens: c.Forms[0].Tokens})
	}
	p.Notes = append(p.Notes, b.notes...)
	p.Omitted = append(p.Omitted, leftOutOf(b.view, &b.req)...)
	return p, render.Settle(p, b.format, b.count.Count)
}

// A wholeText is the text of a file as it is shown.
type wholeText struct {
	text     string
	lines    int
	tokens   int
	redacted int
	err      error
}

// batch is how many files a goroutine takes at a time: enough to ask git for in
// one go, few enough to share the work evenly.
const batch = 64

// texts reads, redacts and counts the files of b.order on all cores.
func (b *builder) texts(ctx context.Context, counts *index.Counts) ([]wholeText, error) {
	files := b.view.Files()
	out := make([]wholeText, len(b.order))
	var next atomic.Int64
	var wg sync.WaitGroup
	workers := max(1, min(runtime.GOMAXPROCS(0), len(out)/batch))
	failed := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			for failed[w] == nil {
				from := int(next.Add(batch)) - batch
				if from >= len(out) {
					return
				}
				to := min(from+batch, len(out))
				some := make([]int, 0, batch)
				for _, i := range b.order[from:to] {
					some = append(some, int(i))
				}
				at := from
				failed[w] = b.view.ReadTexts(ctx, some, func(i int, text []byte, err error) error {
					out[at] = b.wholeText(&files[i], text, err, counts)
					at++
					return nil
				})
			}
		})
	}
	wg.Wait()
	return out, cmp.Or(failed...)
}

// wholeText redacts and counts one text.
func (b *builder) wholeText(f *index.File, text []byte, err error, counts *index.Counts) wholeText {
	if err != nil {
		return wholeText{err: err}
	}
	clean, found := secrets.Redact(f.Path, text)
	t := wholeText{redacted: len(found)}
	if len(clean) == 0 {
		return t
	}
	// What is counted is what is shown. Unless something was redacted, that is
	// the blob.
	id := f.Blob
	if len(found) > 0 {
		id = git.BlobID(git.SHA256, clean)
	}
	var known bool
	if t.tokens, known = counts.Find(id); !known {
		t.tokens = b.count.CountBytes(clean)
		counts.Add(id, t.tokens)
	}
	t.lines = bytes.Count(clean, []byte{'\n'})
	if clean[len(clean)-1] != '\n' {
		t.lines++
	}
	// Nobody else has the bytes, or writes them: they were read for this pack,
	// or are kept by the view for all readers.
	t.text = unsafe.String(unsafe.SliceData(clean), len(clean))
	return t
}
