package index

import (
	"cmp"
	"context"
	"errors"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/secrets"
)

// flushBytes limits the source text of one new segment. It bounds the memory for
// indexing: about ten bytes for each byte of text.
const flushBytes = 8 << 20

// window is how many blobs may be on their way through the analysts at once.
const window = 64

// A job is one blob that has to be looked at.
type job struct {
	blob    string
	entries []int  // of the listing, ascending: the paths that have this blob
	text    []byte // if it has been read already
	dirty   bool
	tracked bool // git has an object for it
}

// A finding is what looking at a blob gave.
type finding struct {
	facts []fact      // of the job's entries
	docs  []*document // one per language that is new
	err   error       // why it could not be read
}

// A fetched blob is on its way to an analyst. If text is nil and err is too,
// the analyst reads it from the work tree.
type fetched struct {
	job  int
	text []byte
	err  error
}

// errElsewhere means that the bytes in the work tree differ from the blob.
var errElsewhere = errors.New("the work tree has other bytes")

// analyse runs the jobs through analysts on all cores and hands each finding,
// in the order of jobs, to take. fetch sends each job once, in order.
func (x *Index) analyse(ctx context.Context, jobs []job, fetch func(ctx context.Context, send func(fetched) error) error,
	look func(*analyst, *job, fetched) (finding, error), take func(i int, f finding) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type result struct {
		job int
		finding
	}
	in := make(chan fetched)
	out := make(chan result, window)
	room := make(chan struct{}, window) // one for each job between fetch and take
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(in)
		err := fetch(ctx, func(f fetched) error {
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			select {
			case in <- f:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		if err != nil {
			cancel(err)
		}
	})
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			a := analyst{}
			for f := range in {
				r, err := look(&a, &jobs[f.job], f)
				if err != nil {
					cancel(err)
					return
				}
				select {
				case out <- result{f.job, r}:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() { wg.Wait(); close(out) }()
	waiting := map[int]finding{}
	next := 0
	for r := range out {
		waiting[r.job] = r.finding
		for {
			f, ok := waiting[next]
			if !ok {
				break
			}
			delete(waiting, next)
			if ctx.Err() == nil {
				if err := take(next, f); err != nil {
					cancel(err)
				}
			}
			next++
			<-room
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if next < len(jobs) {
		return errors.New("objects were not delivered")
	}
	return nil
}

// look classifies the paths of a blob and analyses it in each language that keeps it.
// known reports the existing documents.
func (m *viewBuilder) look(a *analyst, j *job, text []byte, attrs *attributes, known func(docKey) bool) finding {
	var f finding
	for _, i := range j.entries {
		e := &m.listing.entries[i]
		lang := outline.Language(e.path, text)
		class := outline.Classify(e.path, lang, text, attrs.of(e.path))
		if secrets.ByPath(e.path) {
			lang = "" // documents are kept by contents, and names and signatures of these hold secrets
		}
		if class == outline.Docs && outline.DeclaresVendored(e.path, text) {
			class = vendorNote
		}
		switch class {
		case outline.Binary, outline.Lock, outline.Vendored, outline.Minified, outline.Random: // left out by another rule
		default:
			if g := attrs.of(e.path)["linguist-generated"]; g != "unset" && g != "false" && outline.Built(e.path, lang, text) {
				class = builtOutput
			}
		}
		fa := fact{string(class), lang}
		f.facts = append(f.facts, fa)
		if m.byContent(e, fa).why != "" {
			continue
		}
		key := keyOf(j.blob, lang)
		if known(key) || slices.ContainsFunc(f.docs, func(d *document) bool { return d.key == key }) {
			continue
		}
		f.docs = append(f.docs, a.document(j.blob, lang, text))
	}
	return f
}

// vendorNote is kept as the class of a document that declares its folder
// vendored. Outside this package it is a document like any other.
const vendorNote outline.Class = "vendor note"

// markVendored marks the files below each folder whose README declares it
// vendored. The files are sorted by path.
func markVendored(files []File) {
	for i := range files {
		f := &files[i]
		if f.Class != vendorNote {
			continue
		}
		f.Class = outline.Docs
		if f.Vendored {
			continue // and so is its folder
		}
		dir := path.Dir(f.Path) + "/"
		first, _ := slices.BinarySearchFunc(files, dir, func(f File, dir string) int { return cmp.Compare(f.Path, dir) })
		for k := first; k < len(files) && strings.HasPrefix(files[k].Path, dir); k++ {
			files[k].Vendored = true
		}
	}
}
