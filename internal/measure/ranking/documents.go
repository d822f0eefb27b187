package ranking

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/rank"
)

// DocOptions say which documents are looked at, and how. The zero value looks at
// those of the view with the weights that are used.
type DocOptions struct {
	Weights  *rank.DocumentWeights // nil means the default ones
	Depth    int                   // how many links are followed from what the task names
	Linked   bool                  // only what the task names or links to: no search by words
	NoLinks  bool                  // links and paths of the task count nothing
	NoFresh  bool                  // freshness is not measured
	Plain    bool                  // words are weighed by plain BM25 instead of by field
	MaxBytes int64                 // larger documents are not looked at; 0 means no limit
	Vault    *Vault                // documents from outside the repository; nil means none

	// Within, if set, says which files of the view may be offered.
	Within func(file int32) bool

	// Similar, if set, says how alike in meaning the task and each section are,
	// in -1..1. See engine.Embedder.
	Similar func(ctx context.Context, task string, sections []DocText) ([]float64, error)
}

// A DocText is a section as an embedder gets it: its trail and its text, with
// secrets redacted, and a hash of both, by which a vector can be kept.
type DocText struct{ Hash, Text string }

// A DocSection is a section of a document, ranked.
type DocSection struct {
	Item  satchel.Item
	Score satchel.Score
	Doc   string // path of the document
	Row   rank.DocumentRow
	Fresh float64 // rank.Freshness.Weight of the section
	Terms []int32 // of DocRanking.Terms that occur

	place   *docFile
	section *document.Section
}

// A DocRanking is the sections of the likeliest documents, best first.
type DocRanking struct {
	Sections    []DocSection
	Terms       []signal.TaskTerm
	Diagnostics []satchel.Diagnostic
	Followed    []string // documents that the task names or links to, nearest first
}

// candidateDocs is the number of likeliest documents that are read and cut into
// sections: nearly all of a usual repository's, and a tenth of a second's work.
const candidateDocs = 300

// docstringFiles is how many source files are searched for documentation of
// packages.
const docstringFiles = 40

// Documents ranks the sections of the documents of r's view, and of a vault, for
// the task q.
func (r *Reader) Documents(ctx context.Context, q rank.Query, task string, o DocOptions) (*DocRanking, error) {
	s := &docSearch{Reader: r, query: q, task: task, o: &o, weights: rank.DefaultDocumentWeights(), out: &DocRanking{}, parsed: map[int]*docFile{}}
	if o.Weights != nil {
		s.weights = *o.Weights
	}
	best := s.find()
	if err := s.read(ctx, best); err != nil {
		return nil, err
	}
	if o.NoFresh {
		return s.out, s.rank(ctx)
	}
	return s.out, s.rankFresh(ctx)
}

// A docSearch looks for the documents of one task.
type docSearch struct {
	*Reader
	query   rank.Query
	task    string
	o       *DocOptions
	weights rank.DocumentWeights
	out     *DocRanking

	places []docPlace
	all    *docPlaces       // the same, by name
	parsed map[int]*docFile // by index of places

	docs    []*docFile // that are ranked
	reached map[*docFile]*reach
}

// find lists the documents that there are. It returns how well the words of each
// match, by index of the view's Docs.
func (s *docSearch) find() (best []float32) {
	files := s.View.Files()
	is := make([]bool, len(s.View.Docs()))
	for i := range files {
		f := &files[i]
		if IsDocument(f) && (s.o.MaxBytes <= 0 || f.Size <= s.o.MaxBytes) && (s.o.Within == nil || s.o.Within(int32(i))) {
			is[f.Doc] = true
			s.places = append(s.places, docPlace{path: f.Path, index: int32(i)})
		}
	}
	words := signal.Documents(s.View, s.query, is)
	s.out.Terms = words.Terms

	if v := s.o.Vault; v != nil {
		s.out.Diagnostics = append(s.out.Diagnostics, v.Diagnostics...)
		for k, d := range v.docs {
			s.places = append(s.places, docPlace{true, strings.TrimPrefix(d.path, VaultPrefix), int32(k)})
		}
	}
	s.all = newDocPlaces(s.places)
	for i, p := range s.places {
		if p.vault {
			for _, alias := range s.o.Vault.docs[p.index].doc.Front.Aliases {
				s.all.name(i, alias)
			}
		}
	}
	return words.Best
}

// read reads the documents that are ranked: those that the task names or links to,
// the likeliest by their words, and documentation of packages.
func (s *docSearch) read(ctx context.Context, best []float32) error {
	reached := map[int]*reach{}
	if !s.o.NoLinks {
		var err error
		if reached, err = s.follow(ctx); err != nil {
			return err
		}
	}
	if !s.o.Linked {
		if err := s.parse(ctx, likeliest(s.places, best, s.View.Files(), candidateDocs, s.o.Similar != nil)); err != nil {
			return err
		}
	}

	s.reached = map[*docFile]*reach{}
	for i := range s.places {
		if d := s.parsed[i]; d != nil {
			s.docs = append(s.docs, d)
			if x := reached[i]; x != nil {
				s.reached[d] = x
			}
		}
	}
	if s.o.Linked {
		return nil
	}
	more, err := s.docstrings(ctx)
	s.docs = append(s.docs, more...)
	return err
}

// parse reads the documents at these places that were not yet read.
func (s *docSearch) parse(ctx context.Context, list []int) error {
	var want []int32
	var at []int
	for _, i := range list {
		switch p := s.places[i]; {
		case s.parsed[i] != nil:
		case p.vault:
			s.parsed[i] = s.o.Vault.docs[p.index]
		default:
			want, at = append(want, p.index), append(at, i)
		}
	}
	docs, err := s.documents(ctx, want)
	byFile := map[int32]*docFile{}
	for _, d := range docs {
		byFile[d.file] = d
	}
	for k, i := range at {
		if d := byFile[want[k]]; d != nil {
			s.parsed[i] = d
		}
	}
	return err
}

// rankFresh ranks by how fresh the documents are, too.
func (s *docSearch) rankFresh(ctx context.Context) error {
	c := newCensus(s.View)
	judge := func() {
		for _, d := range s.docs {
			if d.file >= 0 {
				d.fresh = c.freshness(d)
			}
		}
	}
	judge()
	if err := s.rank(ctx); err != nil {
		return err
	}

	// The past is searched for those alone that may be shown.
	back := newLookBack(c)
	if err := back.look(ctx, first(s.out.Sections, lookedBack)); err != nil {
		return err
	}
	if len(back.found) == 0 {
		return nil
	}
	c.once = back.found
	judge()
	return s.rank(ctx)
}

// lookedBack is how many of the likeliest documents' past is searched for names
// that are gone: as many as a pack may show, and some that may take their place.
const lookedBack = 8

// first returns the documents of the view that the best sections are of.
func first(sections []DocSection, n int) []*docFile {
	var out []*docFile
	for i := range sections {
		if d := sections[i].place; d.file >= 0 && !slices.Contains(out, d) {
			if out = append(out, d); len(out) == n {
				break
			}
		}
	}
	return out
}

// likeliest returns the n documents with the best words, and all of the vault.
// Documents without a word of the task count last if meaning is measured, else
// not at all.
func likeliest(places []docPlace, best []float32, files []index.File, n int, meaning bool) []int {
	var order, vault []int
	score := func(i int) float32 { return best[files[places[i].index].Doc] }
	for i, p := range places {
		switch {
		case p.vault:
			vault = append(vault, i)
		case score(i) > 0 || meaning:
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(score(b), score(a)), a-b) })
	return append(order[:min(len(order), n)], vault...)
}

// follow finds the documents that the task names, and what they link to. A
// document is followed once, so that circles end.
func (s *docSearch) follow(ctx context.Context) (map[int]*reach, error) {
	f := &following{docSearch: s, reached: map[int]*reach{}}
	f.begin()
	linked := 1.0
	for d := 0; len(f.now) > 0; d++ {
		for _, i := range f.now {
			s.out.Followed = append(s.out.Followed, shown(s.places[i]))
		}
		if d >= s.o.Depth {
			break
		}
		if err := s.parse(ctx, f.now); err != nil {
			return nil, err
		}

		linked *= linkDecay
		here := f.now
		f.now = nil
		for _, i := range here {
			if doc := s.parsed[i]; doc != nil {
				for k := range doc.doc.Links {
					f.hit(&doc.doc.Links[k], s.places[i], linked)
				}
			}
		}
	}
	return f.reached, s.parse(ctx, slices.Sorted(maps.Keys(f.reached)))
}

// A following goes from document to document by their links.
type following struct {
	*docSearch
	reached map[int]*reach
	now     []int // reached in this step
}

// begin goes to what the task links to and names.
func (f *following) begin() {
	links := document.Links(f.task)
	for i := range links {
		if l := &links[i]; !f.hit(l, docPlace{}, 1) && (l.Wiki || extended(l.Target)) {
			f.out.Diagnostics = append(f.out.Diagnostics, satchel.Diagnostic{Text: "the task links to " + l.Target + ", which does not exist"})
		}
	}
	for _, name := range f.query.Files {
		if extended(name) {
			f.hit(&document.Link{Target: name}, docPlace{}, 1)
		}
	}
}

// hit follows a link that stands in a document. It reports whether it leads to any.
func (f *following) hit(l *document.Link, from docPlace, linked float64) bool {
	found := f.all.find(l, from)
	for _, i := range found {
		x := f.reached[i]
		if x == nil {
			if len(f.reached) >= maxFollowed {
				break
			}
			x = &reach{linked: linked, headings: map[string]bool{}}
			f.reached[i] = x
			f.now = append(f.now, i)
		}
		if l.Heading != "" && linked == 1 {
			x.headings[document.Slug(l.Heading)] = true
		}
	}
	return len(found) > 0
}

func shown(p docPlace) string {
	if p.vault {
		return VaultPrefix + p.path
	}
	return p.path
}

// docstrings finds documentation of packages in source files, by the words of
// their first lines.
func (s *docSearch) docstrings(ctx context.Context) ([]*docFile, error) {
	files := s.View.Files()
	is := make([]bool, len(s.View.Docs()))
	any := false
	for i := range files {
		f := &files[i]
		if f.Class != outline.Source || s.o.Within != nil && !s.o.Within(int32(i)) {
			continue
		}
		switch base := path.Base(f.Path); f.Lang {
		case "go":
			is[f.Doc] = base == "doc.go" || strings.TrimSuffix(base, ".go") == path.Base(path.Dir(f.Path))
		case "python":
			is[f.Doc] = base == "__init__.py"
		case "rust":
			is[f.Doc] = base == "lib.rs" || base == "mod.rs" || base == "main.rs"
		}
		any = any || is[f.Doc]
	}
	if !any {
		return nil, nil
	}
	best := signal.Documents(s.View, s.query, is).Best
	var order []int32
	for i := range files {
		if best[files[i].Doc] > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(best[files[b].Doc], best[files[a].Doc]), cmp.Compare(a, b))
	})
	return s.documents(ctx, order[:min(len(order), docstringFiles)])
}

// docText returns a section as an embedder gets it.
func docText(s *document.Section, text string) DocText {
	text = s.Path() + "\n" + text
	sum := sha256.Sum256([]byte(text))
	return DocText{hex.EncodeToString(sum[:16]), text}
}

// Fill makes the items of the first n sections whole: with their forms, which r
// read.
func (out *DocRanking) Fill(r *Reader, n int) {
	weights := make(map[uint64]float32, len(out.Terms))
	for _, t := range out.Terms {
		weights[t.Hash] = t.Weight
	}
	find := newLineFinder(weights)
	for i := range n {
		s := &out.Sections[i]
		s.Item = r.docItem(s.place, s.section, s.Item.Ref.From, s.Item.Ref.To, find)
	}
}

// DocTexts returns every section of the documents of r's view and of a vault once,
// as an embedder gets it.
func (r *Reader) DocTexts(ctx context.Context, v *Vault) ([]DocText, error) {
	var want []int32
	for i, f := range r.View.Files() {
		if IsDocument(&f) {
			want = append(want, int32(i))
		}
	}
	docs, err := r.documents(ctx, want)
	if err != nil {
		return nil, err
	}
	if v != nil {
		docs = append(docs, v.docs...)
	}
	var texts []DocText
	seen := map[string]bool{}
	for _, d := range docs {
		for i := range d.doc.Sections {
			s := &d.doc.Sections[i]
			from, to := d.body(s)
			if from > to {
				continue
			}
			if t := docText(s, d.text.Between(from, to).String()); !seen[t.Hash] {
				seen[t.Hash] = true
				texts = append(texts, t)
			}
		}
	}
	return texts, nil
}
