package ranking

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// Exact evidence is a rule beside the model, which outvotes a name that stands in
// one place by words that stand in many. What a task spells and one to three files
// define comes first, if the task says little else; in a longer one it gains what
// was measured.
//
// Of the 411 tasks of the benchmark 49.1 % have all their files at the top with and
// without it, 67.9 % a right file (67.4 without), and as many as before among five
// and ten. By the rule for all tasks with a name in their first line it would be 47.2 %,
// for all names in prose 46.5 %: longer tasks mention names in passing.
const (
	mostPlaces  = 3   // a name that more files define says nothing about which is meant, beside other words
	mostExact   = 8   // definitions that come first: thirty are a log
	passingGain = 1.0 // of a file that defines a name which a longer task spells
	firstLead   = 3   // of the last file that comes first, before the model's best: so that this reason is the strongest
	firstGap    = 0.5 // between files that come first, and between definitions
	terseWords  = 2   // with so few words, files that have none of them come last
	wordGain    = 10  // of a file with a word of a terse task: more than the range of the model's scores
	exactGives  = 20  // to a definition: above every learned score, below what is pinned

	// passingRate is how frequent a name may be in other repositories to count beside
	// more than bareWords words: get_string or ConnectionError is no evidence there.
	passingRate = 2e-4
	bareWords   = 5

	// manyDefinitions is how many chunks may define a name for all of them to be
	// looked at whatever qualifies it.
	manyDefinitions = 40
)

// An Exact is a place that the task spells: a definition, or a file.
type Exact struct {
	File  int32
	Lines satchel.Range // of the definition; zero for all of the file
	What  string        // as the task spells it
	Gain  satchel.Reason
}

// IsAll reports whether it is all of the file.
func (e *Exact) IsAll() bool { return e.Lines == satchel.Range{} }

// LiftsOthers reports whether the task spells a definition in a file whose path it does
// not spell.
func (r *Ranking) LiftsOthers() bool {
	return slices.ContainsFunc(r.Exact, func(e Exact) bool {
		return !e.IsAll() && !slices.ContainsFunc(r.Exact, func(o Exact) bool { return o.File == e.File && o.IsAll() })
	})
}

// Holds reports whether a chunk is of the place.
func (e *Exact) Holds(r *Ranking, c *Chunk) bool {
	x := &r.View.Chunks()[c.Index]
	return c.File == e.File && (e.IsAll() || int(x.From) <= e.Lines.To && e.Lines.From <= int(x.To))
}

// Spells reports whether a chunk is of a place that the task spells.
func (r *Ranking) Spells(c *Chunk) bool {
	return slices.ContainsFunc(r.Exact, func(e Exact) bool { return e.Holds(r, c) })
}

// exact finds the places that the task spells, each once, and lifts their files.
func (r *Ranking) exact() {
	r.plain = r.Order
	q := &r.Query
	brief := q.Brief()
	x := newDefinitions(r.View, q.Spelled)
	if len(q.Spelled) == 1 && q.Besides == 0 { // nothing else says anything
		x.most = mostExact
	}
	var passing []Exact
	for i := range q.Spelled {
		s := &q.Spelled[i]
		for _, e := range x.of(s, brief) {
			rare := rank.Background(terms.Ident(s.Name)) <= passingRate
			switch {
			case brief && (rare || s.Title && len(s.Of) > 0 || q.Besides <= bareWords):
				if slices.ContainsFunc(r.Exact, func(o Exact) bool { return o.File == e.File && o.Lines == e.Lines }) {
					continue // Class.method and method may be the same
				}
				r.Exact = append(r.Exact, e)
			case !brief && rare && !strings.HasPrefix(s.Name, "__"):
				passing = append(passing, e)
			}
		}
	}
	if brief {
		r.Exact = append(r.Exact, r.exactFiles()...)
	}
	r.lift(passing)
}

// lift puts the files of r.Exact first, the likeliest of them first. Files that define a
// name in passing gain less, and so do, in a terse task, the files that have a word of it.
func (r *Ranking) lift(passing []Exact) {
	terse := r.Query.Words() <= terseWords
	if len(r.Exact)+len(passing) == 0 && !terse || len(r.Order) == 0 {
		return
	}
	r.Lifts = map[int32]satchel.Reason{}
	above := float64(r.Scores[r.Order[0]]) + firstLead
	if terse {
		for i, x := range r.Table.Column(rank.BM25F) {
			if x > 0 {
				r.Lifts[int32(i)] = satchel.Reason{Why: "contains a word of the task", Add: wordGain}
				above = max(above, float64(r.Scores[i])+wordGain+firstLead)
			}
		}
	}
	for _, e := range passing {
		if _, ok := r.Lifts[e.File]; !ok {
			r.Lifts[e.File] = satchel.Reason{Why: "defines " + e.What + ", which the task mentions", Add: passingGain}
		}
	}
	slices.SortStableFunc(r.Exact, func(a, b Exact) int { return cmp.Compare(r.Scores[b.File], r.Scores[a.File]) })
	r.Exact = r.Exact[:min(len(r.Exact), mostExact)]
	for k := range r.Exact {
		r.Exact[k].Gain = satchel.Reason{Why: "the task names " + r.Exact[k].What, Add: exactGives - firstGap*float64(k)}
	}
	first := map[int32]bool{}
	for _, e := range slices.Backward(r.Exact) {
		if !first[e.File] {
			first[e.File] = true
			why := "defines " + e.What + ", which the task names"
			if e.IsAll() {
				why = "the task names its path"
			}
			r.Lifts[e.File] = satchel.Reason{Why: why, Add: above - float64(r.Scores[e.File])}
			above += firstGap
		}
	}
	scores := slices.Clone(r.Scores)
	for i, l := range r.Lifts {
		scores[i] += float32(l.Add)
	}
	r.Order = order(scores)
}

// Score returns the score of a file, what the task spells included.
func (r *Ranking) Score(file int32) float64 {
	return rank.Round(float64(r.Scores[file]) + r.Lifts[file].Add)
}

// Explain returns the score of a file as its reasons.
func (r *Ranking) Explain(file int32) satchel.Score {
	score := r.Models.Files.Explain(r.Table, r.Features, int(file))
	if l, ok := r.Lifts[file]; ok {
		score.Add(l.Why, l.Add)
	}
	return score
}

// exactFiles returns the files whose paths the task spells.
func (r *Ranking) exactFiles() (list []Exact) {
	files := r.View.Files()
	called := map[string][]int32{} // files by the last part of their paths, of those that a name has
	last := func(name string) string { return strings.ToLower(terms.Normal(path.Base(strings.Trim(name, "./")))) }
	for _, name := range r.Query.Paths {
		called[last(name)] = nil
	}
	for i := range files {
		if list, ok := called[last(files[i].Path)]; ok {
			called[last(files[i].Path)] = append(list, int32(i))
		}
	}
	for _, name := range r.Query.Paths {
		var found []Exact
		parts := strings.Count(strings.Trim(name, "./"), "/") + 1
		for _, i := range called[last(name)] {
			if r.NamesFile(name, i) && strings.Count(files[i].Path, "/")+1 >= parts {
				found = append(found, Exact{File: i, What: name})
			}
		}
		if len(found) <= mostPlaces {
			list = append(list, found...)
		}
	}
	return list
}

// definitions are the places of the names that a task spells.
type definitions struct {
	view  *index.View
	files map[int32][]int32 // of the documents that define any of the names
	most  int               // files that may define a name
}

func newDefinitions(v *index.View, names []rank.Spelled) *definitions {
	x := &definitions{v, map[int32][]int32{}, mostPlaces}
	var postings []index.Posting
	for i := range names {
		postings = v.Postings(postings[:0], terms.Def(names[i].Name))
		for _, o := range names[i].Of {
			postings = v.Postings(postings, terms.Def(o))
		}
		for _, p := range postings {
			x.files[v.Chunks()[p.Chunk].Doc] = nil
		}
	}
	if len(x.files) == 0 {
		return x
	}
	for i := range v.Files() {
		if list, ok := x.files[v.Files()[i].Doc]; ok {
			x.files[v.Files()[i].Doc] = append(list, int32(i))
		}
	}
	return x
}

// of returns the definitions of a name, if they are in few files: those that all of
// it fits, or else the compound ones of its parts, as those of a class for a method
// that it inherits.
func (x *definitions) of(s *rank.Spelled, brief bool) []Exact {
	if s.Plain && !brief {
		return nil
	}
	list := x.named(s, s.Name, s.Of)
	if len(list) > 0 || len(s.Of) == 0 {
		return list
	}
	for _, name := range append(slices.Clone(s.Of), s.Name) {
		if rank.Compound(name) {
			list = append(list, x.named(s, name, nil)...)
		}
	}
	return list
}

func (x *definitions) named(s *rank.Spelled, name string, of []string) []Exact {
	docs := map[int32]bool{}
	postings := x.view.Postings(nil, terms.Def(name))
	if len(postings) > manyDefinitions && len(of) == 0 {
		return nil
	}
	for _, p := range postings {
		docs[x.view.Chunks()[p.Chunk].Doc] = true
	}
	if len(postings) > manyDefinitions {
		// Those of the class, or of the folder or file.
		last := of[len(of)-1]
		near := map[int32]bool{}
		for _, p := range x.view.Postings(nil, terms.Def(last)) {
			near[x.view.Chunks()[p.Chunk].Doc] = true
		}
		for d := range docs {
			docs[d] = near[d] || slices.ContainsFunc(x.files[d], func(i int32) bool { return inPath(x.view.Files()[i].Path, last) })
		}
	}

	what := name
	if n := len(of); n > 0 { // what fits for sure
		what = s.Text[strings.LastIndex(strings.TrimSuffix(s.Text, name), of[n-1]):]
	}
	best := 0
	type place struct {
		Exact
		kind string
	}
	var list []place
	for doc, want := range docs {
		if !want {
			continue
		}
		for _, y := range x.view.Symbols(doc) {
			if y.Name != name || !tells(s, &y) {
				continue
			}
			for _, i := range x.files[doc] {
				n := fitting(of, x.view.Files()[i].Path, y.Parent)
				if len(of) > 0 && n == 0 || n < best || !counts(s, &x.view.Files()[i]) {
					continue
				}
				if n > best {
					best, list = n, list[:0]
				}
				list = append(list, place{Exact{File: i, Lines: satchel.Range{From: y.From, To: y.To}, What: what}, y.Kind})
			}
		}
	}
	// What is added to a type elsewhere does not define it.
	if slices.ContainsFunc(list, func(p place) bool { return p.kind != "impl" }) {
		list = slices.DeleteFunc(list, func(p place) bool { return p.kind == "impl" })
	}
	slices.SortFunc(list, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Lines.From, b.Lines.From), cmp.Compare(a.Lines.To, b.Lines.To))
	})
	files := map[int32]bool{}
	out := make([]Exact, len(list))
	for k, p := range list {
		files[p.File] = true
		out[k] = p.Exact
	}
	if len(files) > x.most || s.Plain && len(out) > 1 {
		return nil
	}
	return out
}

// tells reports whether a definition is one that a task may mean by its name:
// headings and modules are no definitions, and what a title does not say of fields
// and keys is said in passing.
func tells(s *rank.Spelled, y *satchel.Symbol) bool {
	switch y.Kind {
	case "heading", "module", "namespace", "package":
		return false
	case "field", "var", "key", "table", "target", "const":
		return s.Title
	}
	return true
}

// counts reports whether a definition in a file may be meant: one in a test only if
// the title names it.
func counts(s *rank.Spelled, f *index.File) bool {
	switch f.Class {
	case outline.Test:
		return s.Title && !s.Plain
	case outline.Source, outline.Config:
		return true
	}
	return false
}

// fitting returns how many qualifiers of a name fit where it is defined, 0 if the
// innermost does not: the definitions around it, and the folders and the file.
func fitting(of []string, file, parent string) (n int) {
	parents := strings.FieldsFunc(parent, func(r rune) bool { return strings.ContainsRune(".:#\\", r) })
	for i, q := range slices.Backward(of) {
		if k := slices.Index(parents, q); k >= 0 {
			parents = parents[:k]
			n += 2
		} else if inPath(file, q) {
			parents = nil
			n++
		} else if i == len(of)-1 {
			return 0
		}
	}
	return n
}

// inPath reports whether a folder of a path has a name, or the file without its
// extension.
func inPath(file, name string) bool {
	for part := range strings.SplitSeq(strings.TrimSuffix(file, path.Ext(file)), "/") {
		if strings.EqualFold(part, name) {
			return true
		}
	}
	return false
}
