package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// How the past is looked at: so many commits, so far apart.
const (
	historySteps = 24
	historyStep  = 60
)

// history measures whether the freshness of a document reacts to what happens to
// the code it describes, on the real past of a repository: snapshots of it, 60
// commits apart.
//
// Between two snapshots, a document is struck if its text still has, as a whole word
// or path, a compound name that code defined in the older one and that no code of
// the newer one has, or a file that is gone. That is looked up in
// the two trees and the plain text, not by what is measured. The table says what
// share the measure takes for gone before and after, of struck documents and of
// the others; how well that share tells one from the other (AUC, 0.5 is chance); and
// what it is when a struck document was changed so that none of those names is left.
func history(ctx context.Context, w *world, repos []string) error {
	var all rot
	for _, repo := range repos {
		one, err := rotOf(ctx, w, repo)
		if err != nil {
			return err
		}
		if len(repos) > 1 {
			fmt.Printf("%s: %d struck, AUC %.3f\n", repo, len(one.struck), auc(one.struck, one.spared))
		}
		all.add(one)
		w.close() // the views of many snapshots take memory
		w.open = map[string]*repository{}
	}
	fmt.Printf("struck    %3d documents: share gone %.3f before, %.3f after; of %d the share rose\n", len(all.struck), mean(all.before), mean(all.struck), rose(all.before, all.struck))
	fmt.Printf("spared    %3d documents: share gone %.3f\n", len(all.spared), mean(all.spared))
	fmt.Printf("AUC       %.3f\n", auc(all.struck, all.spared))
	fmt.Printf("repaired  %3d documents later: share gone %.3f before, %.3f after; of %d it fell\n", len(all.later), mean(all.until), mean(all.later), rose(all.later, all.until))
	fmt.Printf("repaired  %3d documents at once: share gone %.3f\n", len(all.repaired), mean(all.repaired))
	return nil
}

// A rot is what became of documents, as the share of them that is gone.
type rot struct {
	before, struck []float64 // of struck documents, in the older and the newer snapshot
	spared         []float64
	repaired       []float64 // between two snapshots
	until, later   []float64 // of struck documents that were repaired later: when struck, when repaired
}

func (r *rot) add(s rot) {
	r.before, r.struck, r.spared = append(r.before, s.before...), append(r.struck, s.struck...), append(r.spared, s.spared...)
	r.repaired, r.until, r.later = append(r.repaired, s.repaired...), append(r.until, s.until...), append(r.later, s.later...)
}

func rotOf(ctx context.Context, w *world, repo string) (out rot, err error) {
	r, err := git.Open(ctx, filepath.Join(w.mirror, strings.ReplaceAll(repo, "/", "+"), "repo"))
	if err != nil {
		return out, err
	}
	defer r.Close()
	commits, err := r.RevList(ctx, "HEAD", historySteps*historyStep+1)
	if err != nil {
		return out, err
	}
	var at []*past
	for i := len(commits) - 1; i >= 0; i -= historyStep {
		p, err := lookAt(ctx, w, repo, commits[i])
		if err != nil {
			return out, err
		}
		at = append(at, p)
	}
	for i := 0; i+1 < len(at); i++ {
		a, b := at[i], at[i+1]
		gone := a.goneIn(b)
		for _, path := range slices.Sorted(maps.Keys(a.docs)) {
			doc := a.docs[path]
			now, ok := b.docs[path]
			if !ok || now.record {
				continue
			}
			switch was, is := gone.in(doc.text), gone.in(now.text); {
			case was && is:
				out.struck, out.before = append(out.struck, now.share), append(out.before, doc.share)
				// Later snapshots, until somebody repairs it.
				for _, later := range at[i+2:] {
					if l, ok := later.docs[path]; ok && !gone.in(l.text) {
						out.until, out.later = append(out.until, now.share), append(out.later, l.share)
						break
					}
				}
			case was:
				out.repaired = append(out.repaired, now.share)
			default:
				out.spared = append(out.spared, now.share)
			}
		}
	}
	return out, nil
}

// A past is a snapshot of a repository.
type past struct {
	view    *index.View
	code    []bool
	defined map[string]bool // compound names
	paths   map[string]bool
	docs    map[string]pastDoc
}

type pastDoc struct {
	blob, text string
	share      float64
	record     bool
}

func lookAt(ctx context.Context, w *world, repo, commit string) (*past, error) {
	r, err := w.at(ctx, repo, commit)
	if err != nil {
		return nil, err
	}
	v := r.View
	p := &past{view: v, code: make([]bool, len(v.Docs())), defined: map[string]bool{}, paths: map[string]bool{}, docs: map[string]pastDoc{}}
	var docs []int32
	var read []int
	for i := range v.Files() {
		f := &v.Files()[i]
		p.paths[f.Path] = true
		if ranking.IsDocument(f) {
			docs, read = append(docs, int32(i)), append(read, i)
			continue
		}
		p.code[f.Doc] = f.Class != outline.Docs
		if f.Class == outline.Source {
			for _, s := range v.Symbols(f.Doc) {
				if terms.Compound(s.Name) && len(s.Name) > 5 {
					p.defined[s.Name] = true
				}
			}
		}
	}
	list, err := r.StaleDocs(ctx, docs)
	if err != nil {
		return nil, err
	}
	share := map[string]ranking.StaleDoc{}
	for _, d := range list {
		share[d.Path] = d
	}
	err = v.ReadTexts(ctx, read, func(i int, text []byte, err error) error {
		f := &v.Files()[i]
		if d, ok := share[f.Path]; ok && err == nil {
			p.docs[f.Path] = pastDoc{f.Blob, string(text), d.Fresh.DeadShare(), d.Record}
		}
		return nil
	})
	return p, err
}

// The goneThings are what is gone between two snapshots.
type goneThings struct{ names, paths map[string]bool }

func (p *past) goneIn(b *past) goneThings {
	g := goneThings{map[string]bool{}, map[string]bool{}}
	var some []index.DocPosting
	for name := range p.defined {
		if b.defined[name] {
			continue
		}
		some = b.view.DocPostings(some[:0], terms.Ident(name), 1<<20)
		if !slices.ContainsFunc(some, func(x index.DocPosting) bool { return b.code[x.Doc] }) {
			g.names[name] = true
		}
	}
	for path := range p.paths {
		if !b.paths[path] && strings.Contains(path, "/") {
			g.paths[path] = true
		}
	}
	return g
}

// in reports whether a text speaks of any of what is gone.
func (g goneThings) in(text string) bool {
	found := false
	terms.Words([]byte(text), func(from, to int) { found = found || g.names[text[from:to]] })
	for p := range g.paths {
		found = found || strings.Contains(text, p)
	}
	return found
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(max(len(list), 1))
}

// rose counts the pairs of which the second is larger.
func rose(a, b []float64) (n int) {
	for i := range a {
		if b[i] > a[i] {
			n++
		}
	}
	return n
}

// auc is the chance that one of the first has a larger value than one of the
// second; equal values count half.
func auc(pos, neg []float64) float64 {
	sum := 0.0
	for _, p := range pos {
		for _, n := range neg {
			switch {
			case p > n:
				sum++
			case p == n:
				sum += 0.5
			}
		}
	}
	return sum / float64(max(len(pos)*len(neg), 1))
}
