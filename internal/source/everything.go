package source

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// AllFiles offers every file, whole. There is nothing to rank, so that candidates
// have no scores; what is left is reading, cleaning and counting.
type AllFiles struct{}

func (AllFiles) Offer(ctx context.Context, sc *scene.Scene) (o scene.Offer, err error) {
	files := sc.View.Files()
	sc.Order = sc.Within(everyFile(sc))
	list := sc.Unclaimed()
	counts := sc.Project.Index.Counts(sc.Encoding.Name())
	texts, err := texts(ctx, sc, list, counts)
	if err != nil {
		return o, err
	}
	counts.Keep()

	o.Candidates = make([]satchel.Candidate, len(list))
	for k, i := range list {
		t, f := &texts[k], &files[i]
		it := &o.Candidates[k].Item
		it.Ref = satchel.Ref{Kind: satchel.KindFile, Path: f.Path}
		it.Lang, it.Blob, it.Dirty = f.Lang, f.Blob, f.Dirty
		if t.err != nil {
			o.Diagnostics = append(o.Diagnostics, satchel.Diagnostic{Path: f.Path, Text: t.err.Error()})
		}
		if t.text.IsZero() {
			it.Forms = sc.Reader.Outline(i, nil).Forms[:1]
			continue
		}
		it.Forms = []satchel.Form{{Detail: satchel.Full, Text: t.text, Tokens: t.tokens, Lines: []satchel.Range{{From: 1, To: t.lines}}}}
	}
	for k, i := range list {
		if n := texts[k].redacted; n > 0 {
			o.Diagnostics = append(o.Diagnostics, ranking.RedactedDiagnostic(files[i].Path, n))
		}
	}
	return o, nil
}

// A wholeText is the text of a file as it is shown.
type wholeText struct {
	text     clean.Text
	lines    int
	tokens   int
	redacted int
	err      error
}

// batch is how many files a goroutine takes at a time: enough to ask git for in
// one go, few enough to share the work evenly.
const batch = 64

// texts reads, cleans and counts files on all cores.
func texts(ctx context.Context, sc *scene.Scene, list []int32, counts *index.Counts) ([]wholeText, error) {
	files := sc.View.Files()
	out := make([]wholeText, len(list))
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
				for _, i := range list[from:to] {
					some = append(some, int(i))
				}
				at := from
				failed[w] = sc.View.ReadTexts(ctx, some, func(i int, text []byte, err error) error {
					out[at] = readWhole(sc, &files[i], text, err, counts)
					at++
					return nil
				})
			}
		})
	}
	wg.Wait()
	return out, cmp.Or(failed...)
}

// readWhole cleans and counts one text.
func readWhole(sc *scene.Scene, f *index.File, text []byte, err error, counts *index.Counts) wholeText {
	if err != nil {
		return wholeText{err: err}
	}
	shown, found := clean.File(f.Path, text)
	t := wholeText{text: shown, redacted: len(found)}
	if shown.IsZero() {
		return t
	}
	// What is counted is what is shown. Unless something was redacted or cleaned,
	// that is the blob.
	id, s := f.Blob, shown.String()
	if s != string(text) {
		id = git.BlobID(git.SHA256, []byte(s))
	}
	var known bool
	if t.tokens, known = counts.Find(id); !known {
		t.tokens = sc.Encoding.Count(s)
		counts.Add(id, t.tokens)
	}
	t.lines = clip.Lines(s)
	return t
}

// everyFile returns the files of the view, in its order.
func everyFile(sc *scene.Scene) []int32 {
	all := make([]int32, len(sc.View.Files()))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
