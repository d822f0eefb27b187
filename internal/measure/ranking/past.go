package ranking

import (
	"context"
	"slices"

	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A lookBack finds out which names that documents mention were once in the code.
// A name that is not there now may be an example's, or another program's: only
// one that was there when somebody wrote about it is gone.
//
// The trees of commits that touched a document are compared with the view, and
// the files that differ are read and searched for its names. No index is made of
// them.
type lookBack struct {
	census *census
	found  map[string]bool // names that were once in the code
	read   map[string]bool // blobs
}

// Limits on looking back: enough for the few documents that a pack may show.
const (
	mostOldFiles   = 600
	mostOldCommits = 12
	mostOldBytes   = 512 << 10 // of one file: a larger one is data
)

// unresolved returns the names that a document mentions and that the code does not
// have.
func (c *census) unresolved(d *docFile) []string {
	var out []string
	for i := range d.doc.Mentions {
		m := &d.doc.Mentions[i]
		if m.Path {
			continue
		}
		if s := c.standing(m.Name); !s.defined && !s.used && !slices.Contains(out, m.Name) {
			out = append(out, m.Name)
		}
	}
	return out
}

// look searches the past of documents, in their order.
func (l *lookBack) look(ctx context.Context, docs []*docFile) error {
	names, commits := l.wanted(docs)
	if len(names) == 0 {
		return nil
	}
	blobs, err := l.oldFiles(ctx, commits)
	if err != nil {
		return err
	}
	return l.census.view.ReadBlobs(ctx, blobs, func(_ int, text []byte, err error) {
		if err != nil {
			return
		}
		terms.Words(text, func(from, to int) {
			if names[string(text[from:to])] {
				l.found[string(text[from:to])] = true
			}
		})
	})
}

// wanted returns the names that nothing of the view has, and the commits in which
// the documents that mention them were touched: first, last and in between.
func (l *lookBack) wanted(docs []*docFile) (names map[string]bool, commits []int32) {
	names = map[string]bool{}
	for _, d := range docs {
		missing := l.census.unresolved(d)
		touched := l.census.changed[d.path]
		if len(missing) == 0 || len(touched) == 0 {
			continue
		}
		for _, n := range missing {
			names[n] = true
		}
		for _, k := range [...]int{0, len(touched) - 1, len(touched) / 2} {
			if i := touched[k]; !slices.Contains(commits, i) && len(commits) < mostOldCommits {
				commits = append(commits, i)
			}
		}
	}
	slices.Sort(commits)
	return names, commits
}

// oldFiles returns the source files of commits that the view has not, each once.
func (l *lookBack) oldFiles(ctx context.Context, commits []int32) (blobs []string, err error) {
	v := l.census.view
	now := map[string]bool{}
	for i := range v.Files() {
		now[v.Files()[i].Blob] = true
	}
	for _, i := range commits {
		files, err := v.Past(ctx, v.History().Commits[i].ID)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // a shallow or damaged clone: what is not known is not held against anybody
		}
		for _, f := range files {
			if now[f.OID] || l.read[f.OID] || !f.Mode.IsRegular() || f.Size > mostOldBytes || f.Size < 0 {
				continue
			}
			lang := outline.Language(f.Path, nil)
			if lang == "" || slices.Contains(document.Languages, lang) || outline.Classify(f.Path, lang, nil, nil) == outline.Vendored {
				continue
			}
			if len(blobs) >= mostOldFiles {
				break
			}
			l.read[f.OID] = true
			blobs = append(blobs, f.OID)
		}
	}
	return blobs, nil
}

func newLookBack(c *census) *lookBack {
	return &lookBack{census: c, found: map[string]bool{}, read: map[string]bool{}}
}
