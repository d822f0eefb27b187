package signal

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// Limits of what is looked at of a change. More files, names and words add nothing but
// time.
const (
	relatedFiles   = 40
	relatedNames   = 80
	relatedWords   = 120
	relatedText    = 64 << 10 // bytes of the changed lines
	relatedCommits = 30       // newest commits of a changed file
	shortChunk     = 30       // terms, so that a chunk of a few words is not the densest
	seldomTogether = 2        // commits added to the number, so that one commit is not a habit
)

// A Relation is how a file of the view belongs to a change.
type Relation struct {
	File int32 // of View.Files
	Row  rank.RelatedRow
}

// Relations are all files of a view with a sign of belonging to a change, in the order of
// the view.
type Relations struct {
	List   []Relation
	view   *index.View
	broken []float32 // of the chunks: what each uses of names that the change removes or gives another signature
	names  []float32 // of all names that it edits
	words  []float32 // and of the words of the changed lines
}

// Named returns the chunks of a file that use names which the change edits, the one that
// uses most of them first.
func (r *Relations) Named(file int32) []int32 { return r.best(file, r.names) }

// Chunks returns Named, or if that is empty the chunk that has most words of the changed
// lines.
func (r *Relations) Chunks(file int32) []int32 {
	if list := r.best(file, r.names); len(list) > 0 {
		return list
	}
	list := r.best(file, r.words)
	return list[:min(1, len(list))]
}

// best returns the chunks of a file with a weight, the heaviest first.
func (r *Relations) best(file int32, weights []float32) (list []int32) {
	d := r.view.Docs()[r.view.Files()[file].Doc]
	for c := d.Chunk0; c < d.Chunk1; c++ {
		if weights[c] > 0 {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.names[b], r.names[a]), cmp.Compare(r.density(b), r.density(a)))
	})
	return list
}

// Breaks reports whether a chunk uses a name that the change removes or gives another
// signature.
func (r *Relations) Breaks(chunk int32) bool { return r.broken[chunk] > 0 }

// density is what a chunk has of the words of the changed lines for its length.
func (r *Relations) density(chunk int32) float64 {
	return float64(r.words[chunk]) / math.Sqrt(float64(shortChunk+r.view.Chunks()[chunk].Terms))
}

// Related measures how the other files of a view belong to a change: by name, by the
// names that they use and define, by imports and by history. files are those changed,
// the most important first; the newest commit of commits comes first. Files without any
// edits and hunks count as changed in each of their definitions.
func Related(v *index.View, files []change.Scored, commits []index.Commit) *Relations {
	m := newMeasurement(v, rank.Query{})
	r := &related{
		Measurement: m, rows: make([]rank.RelatedRow, len(m.files)), changed: map[int32]bool{}, knows: map[int32]bool{},
		Relations: &Relations{view: v, broken: make([]float32, len(v.Chunks())), names: make([]float32, len(v.Chunks())), words: make([]float32, len(v.Chunks()))},
	}
	for i := range files {
		if k, ok := v.File(files[i].Path); ok {
			r.changed[int32(k)] = true
		}
	}
	r.byBreaking(files)
	files = files[:min(len(files), relatedFiles)]
	r.byName(files)
	r.byImports(files)
	r.byUse(files)
	r.byHistory(files, commits)
	for i := range r.rows {
		row := &r.rows[i]
		if r.changed[int32(i)] || *row == (rank.RelatedRow{}) {
			continue
		}
		switch m.files[i].Class {
		case outline.Test:
			row[rank.RelatedTest] = 1
		case outline.Source:
		case outline.Vendored, outline.Lock, outline.Minified, outline.Generated, outline.Random:
			continue
		default:
			row[rank.RelatedOther] = 1
		}
		r.List = append(r.List, Relation{int32(i), *row})
	}
	return r.Relations
}

type related struct {
	*Measurement
	*Relations
	rows    []rank.RelatedRow
	changed map[int32]bool
	knows   map[int32]bool // documents that can know what the changed files define
}

func (r *related) raise(i int32, s rank.RelatedSignal, to float32) {
	r.rows[i][s] = max(r.rows[i][s], to)
}

// A relatedName is a path as words.
type relatedName struct {
	stem   []string
	folder int // of pathNames.folders
}

// A relatedFolder is the words of a folder.
type relatedFolder struct {
	dir   string
	words []string
}

// pathNames are the paths of a view as words.
type pathNames struct {
	names   []relatedName
	holders map[string][]int32 // files by the words of their stems
	folders []relatedFolder
	at      map[string]int // of folders
}

// plainParts are words of paths that say what kind of file one is, not what it is about.
var plainParts = setOf("test tests testing spec specs unit it e2e integration functional __tests__ testdata src source sources lib libs main java kotlin pkg internal packages crates include app")

// plainStems name a file of a folder, so that the folder says what it is about.
var plainStems = setOf("index mod __init__ main lib init")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

func (r *pathNames) add(name string) relatedName {
	dir, base := path.Split(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	var n relatedName
	if !plainStems[strings.ToLower(stem)] {
		n.stem = pathWords(stem)
	}
	key := dir
	if len(n.stem) == 0 {
		key += "\x00" // the last folder names the file
	}
	if k, ok := r.at[key]; ok && len(n.stem) > 0 {
		n.folder = k
		return n
	}
	f := relatedFolder{dir: dir}
	for part := range strings.SplitSeq(strings.ToLower(strings.TrimSuffix(dir, "/")), "/") {
		if part != "" && !plainParts[part] {
			f.words = append(f.words, part)
		}
	}
	if last := len(f.words) - 1; len(n.stem) == 0 && last >= 0 {
		n.stem, f.words = pathWords(f.words[last]), f.words[:last]
	}
	n.folder, r.at[key] = len(r.folders), len(r.folders)
	r.folders = append(r.folders, f)
	return n
}

// pathWords splits a name at punctuation, capitals and digits, in lower case and without
// words such as "test".
func pathWords(stem string) (words []string) {
	text := []byte(stem)
	terms.Words(text, func(from, to int) {
		terms.Split(text[from:to], func(i, j int) {
			if w := strings.ToLower(stem[from+i : from+j]); !plainParts[w] && !slices.Contains(words, w) && (len(w) > 1 || len(words) == 0) {
				words = append(words, w)
			}
		})
	})
	return words
}

// shared returns how many words of a are in b.
func shared(a, b []string) (n int) {
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}

// byName measures names and folders.
func (r *related) byName(files []change.Scored) {
	n := &pathNames{names: make([]relatedName, len(r.files)), holders: map[string][]int32{}, at: map[string]int{}}
	for i := range r.files {
		n.names[i] = n.add(r.files[i].Path)
		for _, w := range n.names[i].stem {
			n.holders[w] = append(n.holders[w], int32(i))
		}
	}
	langs := map[string]bool{}
	for k := range files {
		langs[files[k].Lang] = true
		r.byNameOf(n, files[k].Path)
		if files[k].Status == change.Renamed {
			r.byNameOf(n, files[k].OldPath)
		}
	}
	for i := range r.files {
		if langs[r.files[i].Lang] {
			r.rows[i][rank.RelatedLang] = 1
		}
	}
}

// byNameOf compares names and folders with one path.
func (r *related) byNameOf(n *pathNames, changed string) {
	weight := func(words []string) (sum float64) {
		for _, w := range words {
			sum += math.Log(1 + float64(len(n.names))/float64(1+len(n.holders[w])))
		}
		return sum
	}
	c := n.add(changed)
	dir, words := n.folders[c.folder].dir, n.folders[c.folder].words
	shares := make([]float32, len(n.folders))
	for k := range n.folders {
		shares[k] = 1
		if most := max(len(words), len(n.folders[k].words)); most > 0 {
			shares[k] = float32(shared(words, n.folders[k].words)) / float32(most)
		}
	}
	for i := range n.names {
		folder := n.names[i].folder
		if n.folders[folder].dir == dir {
			r.raise(int32(i), rank.SameFolder, 1)
		}
		r.raise(int32(i), rank.FolderWords, shares[folder])
	}

	both := map[int32][]string{} // words that a name has of the changed one
	for _, w := range c.stem {
		for _, i := range n.holders[w] {
			both[i] = append(both[i], w)
		}
	}
	for i, list := range both {
		x, w := &n.names[i], weight(list)
		r.raise(i, rank.StemWords, float32(w/weight(c.stem)))
		r.raise(i, rank.StemOwn, float32(w/weight(x.stem)))
		if len(list) == len(c.stem) && len(list) == len(x.stem) {
			r.raise(i, rank.Paired, 1)
			r.raise(i, rank.PairedFolder, shares[x.folder])
		}
	}
}

// A relatedTerm is a term of the change, and where it occurs.
type relatedTerm struct {
	term uint64
	idf  float64
	docs []index.DocPosting
}

// lookUp returns the terms that connect files, the rarest first, at most n.
func (r *related) lookUp(list []uint64, n int) []relatedTerm {
	slices.Sort(list)
	most := int(max(relatedMost, r.nCounted/5))
	var out []relatedTerm
	for _, t := range slices.Compact(list) {
		found := r.someDocs(t, most)
		if len(found) > 0 && len(found) <= most {
			out = append(out, relatedTerm{t, r.idf(float64(len(found))), slices.Clone(found)})
		}
	}
	slices.SortStableFunc(out, func(a, b relatedTerm) int { return cmp.Compare(b.idf, a.idf) })
	return out[:min(len(out), n)]
}

// elsewhere reports whether a document is not a changed file.
func (r *related) elsewhere(d index.DocPosting) bool {
	return slices.ContainsFunc(r.docFiles[d.Doc], func(i int32) bool { return !r.changed[i] })
}

// relatedMost is how many documents may have a term that connects files, in any
// repository; in a large one, a fifth of its code.
const relatedMost = 100

// spreadOver gives each file the share of the weight of the terms that value counts in it.
func (r *related) spreadOver(list []relatedTerm, s rank.RelatedSignal, value func(d *index.DocPosting) float64) {
	all := 0.0
	for _, t := range list {
		all += t.idf
	}
	for _, t := range list {
		for k := range t.docs {
			d := &t.docs[k]
			add := float32(t.idf * value(d) / all)
			for _, i := range r.docFiles[d.Doc] {
				r.rows[i][s] += add
			}
		}
	}
}

// byBreaking finds what uses names that the change removes or gives another signature.
func (r *related) byBreaking(files []change.Scored) {
	var names []uint64
	for k := range files {
		for i := range files[k].Edits {
			e := &files[k].Edits[i]
			if name := brokenName(e); name != "" && e.Action != change.Type && !e.Inner { // most additions to a type break nothing
				names = append(names, terms.Name(name))
			}
		}
	}
	r.mention(r.lookUp(names, len(names)), nil, r.broken, r.Relations.names)
}

// byUse measures names and words.
func (r *related) byUse(files []change.Scored) {
	var edited, own, defined, changed, defs []uint64
	plain := map[uint64]bool{} // edited names that are plain words
	sides := map[uint64]byte{} // of changed words: a bit for removed lines, and one for added lines
	left := relatedText
	for k := range files {
		f := &files[k]
		for i := range f.Edits {
			if e := &f.Edits[i]; e.Name != "" && e.Action != change.Imports {
				for k, name := range []string{e.Parent, e.Name, e.OldName} {
					if name = name[strings.LastIndexByte(name, '.')+1:]; name != "" {
						t := terms.Name(name)
						edited = append(edited, t)
						plain[t] = !terms.Compound(name)
						if k > 0 {
							own = append(own, t)
						}
					}
				}
			}
		}
		if at, ok := r.View.File(f.Path); ok {
			for _, s := range r.View.Symbols(r.files[at].Doc) {
				defined = append(defined, terms.Name(s.Name))
				plain[terms.Name(s.Name)] = !terms.Compound(s.Name)
			}
		}

		for i := range f.Hunks {
			for line := range strings.Lines(f.Hunks[i].Body) {
				if line[0] != '+' && line[0] != '-' || left <= 0 {
					continue
				}
				text := []byte(line[1:min(len(line), 1+left)])
				left -= len(text)
				terms.Words(text, func(from, to int) {
					w := string(text[from:to])
					if len(w) < 3 || terms.Stop(strings.ToLower(w)) {
						return
					}
					changed = append(changed, terms.Name(w))
					if line[0] == '+' {
						sides[terms.Name(w)] |= 1
					} else {
						sides[terms.Name(w)] |= 2
					}
					defs = append(defs, terms.Def(w))
				})
			}
		}
	}
	used := func(d *index.DocPosting) float64 {
		if d.Body > d.Def {
			return 1
		}
		return 0
	}
	names, words := r.lookUp(edited, relatedNames), r.lookUp(changed, relatedWords)
	uses := r.lookUp(defined, len(defined))
	uses = slices.DeleteFunc(uses, func(t relatedTerm) bool { return !slices.ContainsFunc(t.docs, r.elsewhere) })
	uses = uses[:min(len(uses), relatedNames)]
	for _, list := range [...][]relatedTerm{names, words, uses} {
		for k := range list {
			if t := &list[k]; plain[t.term] { // elsewhere, the word means something else
				t.docs = slices.DeleteFunc(t.docs, func(d index.DocPosting) bool { return !r.knows[d.Doc] })
			}
		}
	}
	if len(edited)+len(changed) == 0 { // each definition may be edited
		names, own = uses, defined
	}
	r.mention(names, func(t uint64) bool { return slices.Contains(own, t) }, r.Relations.names)
	r.mention(words, func(t uint64) bool { return sides[t] != 3 }, r.Relations.words)
	r.spreadOver(names, rank.UsesEdited, used)
	r.spreadOver(uses, rank.UsesDefined, used)
	r.spreadOver(r.lookUp(defs, relatedNames), rank.DefinesUsed, func(*index.DocPosting) float64 { return 1 })
	r.spreadOver(words, rank.Words, func(d *index.DocPosting) float64 {
		const k, b = 1.2, 0.75
		tf := float64(d.Body)
		return tf * (k + 1) / (tf + k*(1-b+b*float64(r.docs[d.Doc].Body)/float64(max(r.mean.body, 1))))
	})
}

// mention adds the weight of terms to the chunks that use them. If counts is not nil, only
// terms count that it accepts.
func (r *related) mention(list []relatedTerm, counts func(term uint64) bool, weights ...[]float32) {
	var found []index.Posting
	for _, t := range list {
		if counts != nil && !counts(t.term) {
			continue
		}
		found = r.View.Postings(found[:0], t.term)
		in := map[int32]bool{}
		for _, d := range t.docs {
			in[d.Doc] = true
		}
		for _, p := range found {
			if p.Body > p.Def && in[r.View.Chunks()[p.Chunk].Doc] {
				for _, w := range weights {
					w[p.Chunk] += float32(t.idf)
				}
			}
		}
	}
}

// byImports measures imports, both ways, and finds who can know what the changed files
// define.
func (r *related) byImports(files []change.Scored) {
	c := &changes{Measurement: r.Measurement, changed: r.changed}
	packages := map[[2]string]bool{} // languages and folders of changed files
	for k := range files {
		if m := outline.TraitsOf(files[k].Lang).Modules; m == outline.Folders || m == outline.Dotted {
			packages[[...]string{files[k].Lang, path.Dir(files[k].Path)}] = true
		}
		i, ok := r.View.File(files[k].Path)
		if !ok {
			continue
		}
		for _, j := range c.importers(int32(i)) {
			r.raise(j, rank.ImportsIt, 1)
			r.knows[r.files[j].Doc] = true
		}
		for _, e := range r.resolver().imports(int32(i)) {
			r.raise(e.file, rank.ImportedBy, e.weight)
		}
	}
	for i := range r.files {
		if f := &r.files[i]; packages[[...]string{f.Lang, path.Dir(f.Path)}] {
			r.knows[f.Doc] = true
		}
	}
}

// byHistory measures which files changed together.
func (r *related) byHistory(files []change.Scored, commits []index.Commit) {
	h := r.View.History()
	fileOf := r.past().fileOf
	at := map[string]int{}
	for k := range files {
		if files[k].Status == change.Renamed {
			at[files[k].OldPath] = k
		}
	}
	for k := range files {
		at[files[k].Path] = k
	}
	changedAt := make([]int, len(h.Paths)) // of files, plus one
	for p, name := range h.Paths {
		if k, ok := at[name]; ok {
			changedAt[p] = k + 1
		}
	}
	times := make([]int, len(files))
	together := make([]map[int32]int, len(files))
	for _, c := range commits {
		if c.Changed > focused {
			continue
		}
		for _, f := range c.Files {
			if i := fileOf[f]; i >= 0 {
				r.rows[i][rank.OftenChanged]++
			}
			k := changedAt[f] - 1
			if k < 0 || times[k] == relatedCommits {
				continue
			}
			times[k]++
			if together[k] == nil {
				together[k] = map[int32]int{}
			}
			for _, g := range c.Files {
				if i := fileOf[g]; i >= 0 && g != f {
					together[k][i]++
				}
			}
		}
	}
	for k := range together {
		for i, n := range together[k] {
			r.raise(i, rank.Together, float32(n)/float32(times[k]+seldomTogether))
			r.raise(i, rank.TogetherOften, float32(math.Log1p(float64(n))))
		}
	}
	for i := range r.rows {
		r.rows[i][rank.OftenChanged] = float32(math.Log1p(float64(r.rows[i][rank.OftenChanged])))
	}
}
