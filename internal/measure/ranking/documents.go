package ranking

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	Doc   string   // path of the document
	Trail []string // of headings
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
	w := rank.DefaultDocumentWeights()
	if o.Weights != nil {
		w = *o.Weights
	}
	out := &DocRanking{}
	files := r.View.Files()
	is := make([]bool, len(r.View.Docs()))
	var places []docPlace
	for i := range files {
		f := &files[i]
		if IsDocument(f) && (o.MaxBytes <= 0 || f.Size <= o.MaxBytes) && (o.Within == nil || o.Within(int32(i))) {
			is[f.Doc] = true
			places = append(places, docPlace{path: f.Path, index: int32(i)})
		}
	}
	words := signal.Documents(r.View, q, is)
	out.Terms = words.Terms
	if o.Vault != nil {
		out.Diagnostics = append(out.Diagnostics, o.Vault.Diagnostics...)
		for k, d := range o.Vault.docs {
			places = append(places, docPlace{true, strings.TrimPrefix(d.path, VaultPrefix), int32(k)})
		}
	}
	all := newDocPlaces(places)
	if o.Vault != nil {
		for i, p := range places {
			if p.vault {
				for _, alias := range o.Vault.docs[p.index].doc.Front.Aliases {
					all.name(i, alias)
				}
			}
		}
	}

	parsed := map[int]*docFile{} // by index of places
	parse := func(list []int) error {
		var want []int32
		var at []int
		for _, i := range list {
			switch p := places[i]; {
			case parsed[i] != nil:
			case p.vault:
				parsed[i] = o.Vault.docs[p.index]
			default:
				want, at = append(want, p.index), append(at, i)
			}
		}
		docs, err := r.documents(ctx, want)
		byFile := map[int32]*docFile{}
		for _, d := range docs {
			byFile[d.file] = d
		}
		for k, i := range at {
			if d := byFile[want[k]]; d != nil {
				parsed[i] = d
			}
		}
		return err
	}
	reached := map[int]*reach{}
	if !o.NoLinks {
		var err error
		if reached, err = out.follow(all, q, task, o.Depth, parse, parsed); err != nil {
			return nil, err
		}
	}
	if !o.Linked {
		if err := parse(likeliest(places, words.Best, files, candidateDocs, o.Similar != nil)); err != nil {
			return nil, err
		}
	}
	var docs []*docFile
	reach := map[*docFile]*reach{}
	for i := range places {
		if d := parsed[i]; d != nil {
			docs = append(docs, d)
			if x := reached[i]; x != nil {
				reach[d] = x
			}
		}
	}
	if !o.Linked {
		more, err := r.docstrings(ctx, q, o)
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	if o.NoFresh {
		return out, r.rankSections(ctx, out, docs, reach, w, task, &o)
	}
	c := newCensus(r.View)
	judge := func() {
		for _, d := range docs {
			if d.file >= 0 {
				d.fresh = c.freshness(d)
			}
		}
	}
	judge()
	if err := r.rankSections(ctx, out, docs, reach, w, task, &o); err != nil {
		return nil, err
	}
	// The past is searched for those alone that may be shown.
	back := newLookBack(c, packLookBack, packLookTrees)
	if err := back.look(ctx, first(out.Sections, lookedBack)); err != nil {
		return nil, err
	}
	if len(back.found) == 0 {
		return out, nil
	}
	c.once = back.found
	judge()
	return out, r.rankSections(ctx, out, docs, reach, w, task, &o)
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
func (out *DocRanking) follow(all *docPlaces, q rank.Query, task string, depth int, parse func([]int) error, parsed map[int]*docFile) (map[int]*reach, error) {
	reached := map[int]*reach{}
	var now []int
	hit := func(l *document.Link, from docPlace, linked float64) bool {
		found := all.find(l, from)
		for _, i := range found {
			x := reached[i]
			if x == nil {
				if len(reached) >= maxFollowed {
					break
				}
				x = &reach{linked: linked, headings: map[string]bool{}}
				reached[i] = x
				now = append(now, i)
			}
			if l.Heading != "" && linked == 1 {
				x.headings[document.Slug(l.Heading)] = true
			}
		}
		return len(found) > 0
	}
	links := document.Links(task)
	for i := range links {
		if l := &links[i]; !hit(l, docPlace{}, 1) && (l.Wiki || extended(l.Target)) {
			out.Diagnostics = append(out.Diagnostics, satchel.Diagnostic{Text: "the task links to " + l.Target + ", and there is no such document"})
		}
	}
	for _, f := range q.Files {
		if extended(f) {
			hit(&document.Link{Target: f}, docPlace{}, 1)
		}
	}
	linked := 1.0
	for d := 0; len(now) > 0; d++ {
		for _, i := range now {
			out.Followed = append(out.Followed, shown(all.list[i]))
		}
		if d >= depth {
			break
		}
		if err := parse(now); err != nil {
			return nil, err
		}
		linked *= linkDecay
		here := now
		now = nil
		for _, i := range here {
			if doc := parsed[i]; doc != nil {
				for k := range doc.doc.Links {
					hit(&doc.doc.Links[k], all.list[i], linked)
				}
			}
		}
	}
	list := make([]int, 0, len(reached))
	for i := range reached {
		list = append(list, i)
	}
	slices.Sort(list)
	return reached, parse(list)
}

func shown(p docPlace) string {
	if p.vault {
		return VaultPrefix + p.path
	}
	return p.path
}

// docstrings finds documentation of packages in source files, by the words of
// their first lines.
func (r *Reader) docstrings(ctx context.Context, q rank.Query, o DocOptions) ([]*docFile, error) {
	files := r.View.Files()
	is := make([]bool, len(r.View.Docs()))
	any := false
	for i := range files {
		f := &files[i]
		if f.Class != outline.Source || o.Within != nil && !o.Within(int32(i)) {
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
	best := signal.Documents(r.View, q, is).Best
	var order []int32
	for i := range files {
		if best[files[i].Doc] > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(best[files[b].Doc], best[files[a].Doc]), cmp.Compare(a, b))
	})
	return r.documents(ctx, order[:min(len(order), docstringFiles)])
}

// rankSections measures, scores and orders the sections of documents.
func (r *Reader) rankSections(ctx context.Context, out *DocRanking, docs []*docFile, reached map[*docFile]*reach, w rank.DocumentWeights, task string, o *DocOptions) error {
	type place struct {
		d        *docFile
		s        *document.Section
		from, to int
	}
	var list []place
	var texts []signal.SectionText
	for k, d := range docs {
		for i := range d.doc.Sections {
			s := &d.doc.Sections[i]
			from, to := d.body(s)
			if from > to {
				continue
			}
			t := signal.SectionText{Doc: k, Title: s.Title(), Trail: d.path}
			for _, h := range s.Trail[:len(s.Trail)-1] {
				t.Trail += " " + h
			}
			if s.Level == 0 {
				for _, tag := range d.doc.Front.Tags {
					t.Trail += " " + tag
				}
			}
			t.Prose, t.Code = d.lines(from, to)
			list, texts = append(list, place{d, s, from, to}), append(texts, t)
		}
	}
	matches := signal.Sections(out.Terms, texts, w)
	value := func(m *signal.SectionMatch) float32 {
		if o.Plain {
			return m.BM25
		}
		return m.BM25F
	}
	var top, whole float32
	for i := range matches {
		top, whole = max(top, value(&matches[i])), max(whole, matches[i].Whole)
	}
	rows := make([]rank.DocumentRow, len(list))
	fresh := make([]float64, len(list))
	for i, p := range list {
		x := &rows[i]
		if top > 0 {
			x.Words = float64(value(&matches[i]) / top)
			x.Whole = float64(matches[i].Whole / whole)
			x.Cover = float64(matches[i].Cover)
		}
		if l := reached[p.d]; l != nil {
			x.Linked = l.linked
			if l.headings[document.Slug(p.s.Title())] && p.s.Part == 0 {
				x.Heading = 1
			}
		}
		fresh[i] = 1
		if !o.NoFresh && p.d.file >= 0 && !isRecord(p.d.path) {
			f := p.d.fresh.section(p.from, p.to)
			fresh[i] = f.Weight()
			x.Stale = max(0, rank.Doubtful-fresh[i]) / rank.Doubtful
		}
		if isRecord(p.d.path) {
			x.Record = 1
		}
		if p.s == &p.d.doc.Sections[0] {
			x.Opening = 1
		}
	}
	if o.Similar != nil {
		sections := make([]DocText, len(list))
		for i, p := range list {
			sections[i] = docText(p.s, p.d.text.Between(p.from, p.to).String())
		}
		alike, err := o.Similar(ctx, task, sections)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if n := (satchel.Diagnostic{Text: "documents are ranked by words alone: " + err.Error()}); !slices.Contains(out.Diagnostics, n) {
				out.Diagnostics = append(out.Diagnostics, n)
			}
		case len(alike) == len(rows):
			for i := range rows {
				rows[i].Similarity = min(max(alike[i], -1), 1)
			}
		}
	}
	scores := rank.Documents(rows, w)
	out.Sections = make([]DocSection, 0, len(list))
	for i, p := range list {
		if rows[i].Words == 0 && rows[i].Linked == 0 && rows[i].Similarity == 0 {
			continue
		}
		out.Sections = append(out.Sections, DocSection{
			Item:  satchel.Item{Ref: satchel.Ref{Kind: satchel.KindDoc, Path: p.d.path, From: p.from, To: p.to}},
			Score: scores[i], Doc: p.d.path, Trail: p.s.Trail, Row: rows[i], Fresh: fresh[i], Terms: matches[i].Terms,
			place: p.d, section: p.s,
		})
	}
	slices.SortFunc(out.Sections, func(a, b DocSection) int {
		return cmp.Or(cmp.Compare(b.Score.Value(), a.Score.Value()), a.Item.Ref.Compare(b.Item.Ref))
	})
	return nil
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

// StaleDocs judges the documents among files of r's view, best first: those of
// which the most is gone.
func (r *Reader) StaleDocs(ctx context.Context, files []int32) ([]StaleDoc, error) {
	docs, err := r.documents(ctx, files)
	if err != nil {
		return nil, err
	}
	c := newCensus(r.View)
	back := newLookBack(c, staleLookBack, staleLookTrees)
	if err := back.look(ctx, docs); err != nil {
		return nil, err
	}
	if back.cut {
		r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("only %d old files were searched for names that are gone", staleLookBack)})
	}
	c.once = back.found
	for _, d := range docs {
		d.fresh = c.freshness(d)
	}
	return stale(docs), nil
}
