package ranking

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/store/index"
)

// What makes a file the copy of others: a bundle of sources has nearly all words of
// several files that are likely, too, and these are a good part of it.
const (
	leastBundle  = 16 << 10 // bytes; smaller files are seldom bundles
	leastSource  = 256      // bytes; the words of smaller files are anywhere
	leastSources = 3
	mostOthers   = 6    // likely files that a bundle does not hold, more than it does
	sourcesShare = 0.3  // of the bytes of the bundle
	wordsShare   = 0.97 // of the distinct terms of a source
	leastNames   = 0.5  // of the names that a declaration file declares, the source defines
)

// followSources puts likely files that are copies right behind the likeliest of what
// they are copies of: bundles of several sources behind those, and files that declare
// for a compiler what another defines behind that one. Each stays a file that may be
// asked for; see [Ranking.CopyOf].
func (r *Ranking) followSources() {
	likely := r.Order[:min(len(r.Order), CandidateFiles)]
	r.copies = map[int32]int32{}
	r.findDeclarations(likely)
	r.findBundles(likely)
	if len(r.copies) == 0 {
		return
	}
	for i, of := range r.copies { // a copy of a copy is one of the first of them
		for next, ok := r.copies[of]; ok; next, ok = r.copies[of] {
			of = next
		}
		r.copies[i] = of
	}
	files := r.View.Files()
	for _, i := range slices.Clone(likely) { // in their order, whatever order the copies were found in
		of, ok := r.copies[i]
		if !ok || r.Scores[i] < r.Scores[of] {
			continue
		}
		below := math.Nextafter32(r.Scores[of], float32(math.Inf(-1)))
		d := &r.Table.Demotion[i]
		d.By += r.Scores[i] - below
		d.Why = strings.TrimPrefix(d.Why+", a copy of "+files[of].Path, ", ")
		r.Scores[i] = below
	}
	r.Order = order(r.Scores)
}

// CopyOf returns the likeliest file that file i is a copy of, which is none itself.
func (r *Ranking) CopyOf(i int32) (of int32, ok bool) {
	of, ok = r.copies[i]
	return of, ok
}

// findBundles looks for bundles among likely files that are not copies already. What
// a bundle is a copy of is no declaration, so that nothing is a copy of itself.
func (r *Ranking) findBundles(likely []int32) {
	files := r.View.Files()
	known := map[int32][]index.TermCount{}
	terms := func(i int32) []index.TermCount {
		t, ok := known[i]
		if !ok {
			t = r.View.DocTerms(nil, files[i].Doc)
			known[i] = t
		}
		return t
	}
	for _, i := range likely {
		if _, ok := r.copies[i]; ok || files[i].Size < leastBundle {
			continue
		}
		var bytes int64
		sources, others, best := 0, 0, int32(-1)
		for _, of := range likely {
			f := &files[of]
			if of == i || f.Size < leastSource || f.Size > files[i].Size/2 || f.Lang != files[i].Lang || !r.Table.Primary[of] {
				continue
			}
			if !within(terms(of), terms(i)) {
				if others++; others > mostOthers+sources {
					break
				}
				continue
			}
			sources++
			if _, copied := r.copies[of]; best < 0 && !copied {
				best = of
			}
			bytes += f.Size
		}
		if best >= 0 && sources >= leastSources && float64(bytes) >= sourcesShare*float64(files[i].Size) {
			r.copies[i] = best
		}
	}
}

// within reports whether nearly all of some terms are among others, as often.
func within(some, others []index.TermCount) bool {
	missing := int(float64(len(some)) * (1 - wordsShare))
	j := 0
	for _, t := range some {
		for j < len(others) && others[j].Term < t.Term {
			j++
		}
		if j == len(others) || others[j].Term != t.Term || others[j].N < t.N {
			if missing--; missing < 0 {
				return false
			}
		}
	}
	return true
}

// declares has the extensions of files that declare what another defines, and those
// of the others.
var declares = []struct{ ext, sources string }{
	{".d.ts", ".ts .tsx .js .jsx .mjs .cjs"},
	{".d.mts", ".mts .mjs"},
	{".d.cts", ".cts .cjs .js"},
	{".pyi", ".py .pyx"},
}

// findDeclarations looks for declaration files beside a likely source.
func (r *Ranking) findDeclarations(likely []int32) {
	files := r.View.Files()
	for _, i := range likely {
		for _, d := range declares {
			stem, ok := strings.CutSuffix(files[i].Path, d.ext)
			if !ok {
				continue
			}
			for ext := range strings.FieldsSeq(d.sources) {
				of, ok := r.View.File(stem + ext)
				if ok && path.Ext(stem) != ".d" && slices.Contains(likely, int32(of)) && r.defines(int32(of), i) {
					r.copies[i] = int32(of)
					break
				}
			}
			break
		}
	}
}

// defines reports whether file of defines most of the names that file i declares.
func (r *Ranking) defines(of, i int32) bool {
	files := r.View.Files()
	names := map[string]bool{}
	for _, s := range r.View.Symbols(files[of].Doc) {
		names[s.Name] = true
	}
	n, has := 0, 0
	for _, s := range r.View.Symbols(files[i].Doc) {
		if n++; names[s.Name] {
			has++
		}
	}
	return n > 0 && float64(has) >= leastNames*float64(n)
}
