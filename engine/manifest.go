package engine

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// What stands around the files to edit is worth, as logarithms, beside what the
// ranking says of it. The numbers are judgement: who edits a function has to see
// it, then what it calls and who calls it; a function beside it shows how such
// functions are written here.
const (
	editFunctionGives  = 8.0 // a function of a large file to edit that the task is about
	editNeighbourGives = 4.0 // one that stands beside it
	calleeGives        = 4.5 // defines what a file to edit uses
	editCallerGives    = 4.5 // uses what a file to edit defines
	taskNameGives      = 5.0 // defines what the task names
	editTestGives      = 5.0 // a test that uses what a file to edit defines: what tests lose otherwise

	editFunctions   = 8  // of each large file
	editSurrounding = 40 // chunks of each kind around the files
	manyDefinitions = 5  // a name that more chunks define says nothing about which is meant
)

// A manifest is the files that an agent is going to edit.
type manifest struct {
	files []int32 // of the view, in the order asked
	large []int32 // those of files that are shown in part
	texts []string
	gains map[int32]satchel.Score // what chunks around them gain
	names []string                // that the gains are about
}

// holds reports whether a file is to be edited.
func (m *manifest) holds(file int32) bool { return slices.Contains(m.files, file) }

// around finds the chunks that somebody who edits the files wants to see beside
// them, and says what each gains by it.
func (sc *Scene) around() {
	m := &sc.manifest
	if len(m.files) == 0 {
		return
	}
	m.gains = map[int32]satchel.Score{}
	var names, uses []string // defined in the files, used in them
	for k, i := range m.files {
		symbols := sc.view.Symbols(sc.view.Files()[i].Doc)
		text := m.texts[k]
		if slices.Contains(m.large, i) && sc.ranking != nil {
			var lines []satchel.Range
			if lines = sc.functions(i); len(lines) > 0 {
				text = sc.reader.Between(i, lines)
				symbols = slices.DeleteFunc(symbols, func(s satchel.Symbol) bool {
					return !slices.ContainsFunc(lines, func(l satchel.Range) bool { return s.NameLine >= l.From && s.NameLine <= l.To })
				})
			}
		}
		for _, s := range symbols {
			names = appendNew(names, s.Name)
		}
		uses = appendWords(uses, text)
	}
	sc.callers(names)
	sc.definitions(uses, calleeGives, "is used in a file to edit")
	if sc.ranking != nil {
		var asked []string
		for _, n := range sc.ranking.Query.Names {
			asked = append(asked, n.Spelling)
		}
		sc.definitions(asked, taskNameGives, "the task names it")
	}
	m.names = names
}

// functions gives a gain to the functions of a large file that the task is
// about, and to those beside the best two. It returns the lines of the former.
func (sc *Scene) functions(file int32) (lines []satchel.Range) {
	list := sc.ranking.ChunksOf([]int32{file})
	list = slices.DeleteFunc(list, func(c ranking.Chunk) bool { return sc.ranking.Chunk[c.Index] == 0 })
	slices.SortStableFunc(list, func(a, c ranking.Chunk) int {
		return cmp.Or(cmp.Compare(c.Score, a.Score), cmp.Compare(a.Index, c.Index))
	})
	doc := sc.view.Docs()[sc.view.Files()[file].Doc]
	for k, c := range list[:min(len(list), editFunctions)] {
		x := sc.view.Chunks()[c.Index]
		lines = append(lines, satchel.Range{From: int(x.From), To: int(x.To)})
		sc.gain(c.Index, "in a file to edit", editFunctionGives, k)
		if k < 2 {
			if c.Index > doc.Chunk0 {
				sc.gain(c.Index-1, "beside a function to edit", editNeighbourGives, k)
			}
			if c.Index+1 < doc.Chunk1 {
				sc.gain(c.Index+1, "beside a function to edit", editNeighbourGives, k)
			}
		}
	}
	return lines
}

// gain records what a chunk gains as the one after so many others of its kind.
// The first reason counts.
func (sc *Scene) gain(chunk int32, why string, gives float64, after int) bool {
	if _, ok := sc.manifest.gains[chunk]; ok {
		return false
	}
	var s satchel.Score
	s.Add(why, gives)
	s.Add("after others", round(-math.Log(1+nextMention*float64(after))))
	sc.manifest.gains[chunk] = s
	return true
}

// callers gives a gain to what uses names that the files define.
func (sc *Scene) callers(names []string) {
	var calls, tests int
	for _, x := range ranking.Mentions(sc.view, names) {
		f := &sc.view.Files()[x.File]
		switch {
		case sc.manifest.holds(x.File):
		case f.Class == outline.Test:
			if tests < editSurrounding && sc.gain(x.Chunk, "tests a file to edit: "+x.Names[0], editTestGives, tests) {
				tests++
			}
		case f.Class == outline.Source:
			if calls < editSurrounding && sc.gain(x.Chunk, "uses a file to edit: "+x.Names[0], editCallerGives, calls) {
				calls++
			}
		}
	}
}

// definitions gives a gain to the chunks that define names, rare names first. A
// plain word has to be defined beside the files: elsewhere the same word means
// other things.
func (sc *Scene) definitions(names []string, gives float64, why string) {
	type definition struct {
		chunk int32
		name  string
		of    int // chunks that define the name
	}
	var found []definition
	fileOf := make(map[int32]int32, len(sc.view.Files())) // of a document
	for i := range slices.Backward(sc.view.Files()) {
		fileOf[sc.view.Files()[i].Doc] = int32(i)
	}
	langs, folders := map[string]bool{}, map[string]bool{}
	for _, i := range sc.manifest.files {
		f := &sc.view.Files()[i]
		langs[f.Lang], folders[folderOf(f.Path)] = true, true
	}
	var postings []index.Posting
	for _, name := range names {
		postings = sc.view.Postings(postings[:0], terms.Def(name))
		if len(postings) == 0 || len(postings) > manyDefinitions {
			continue
		}
		for _, p := range postings {
			i := fileOf[sc.view.Chunks()[p.Chunk].Doc]
			f := &sc.view.Files()[i]
			if sc.manifest.holds(i) || !langs[f.Lang] || f.Class != outline.Source {
				continue
			}
			if !terms.Compound(name) && !folders[folderOf(f.Path)] {
				continue
			}
			found = append(found, definition{p.Chunk, name, len(postings)})
		}
	}
	slices.SortStableFunc(found, func(a, c definition) int {
		return cmp.Or(cmp.Compare(a.of, c.of), cmp.Compare(a.chunk, c.chunk))
	})
	n := 0
	for _, d := range found {
		if n < editSurrounding && sc.gain(d.chunk, why+": "+d.name, gives, n) {
			n++
		}
	}
}

// offer returns the files whose chunks are measured: the likeliest, and those
// that hold chunks that gain.
func (sc *Scene) offer(likely []int32) []int32 {
	m := &sc.manifest
	if len(m.gains) == 0 {
		return likely
	}
	seen := map[int32]bool{}
	for _, i := range likely {
		seen[i] = true
	}
	docs := map[int32]bool{}
	for c := range m.gains {
		docs[sc.view.Chunks()[c].Doc] = true
	}
	out := slices.Clone(likely)
	for i := range sc.view.Files() {
		if f := &sc.view.Files()[i]; docs[f.Doc] && !seen[int32(i)] {
			docs[f.Doc] = false // one of the files with these bytes is enough
			out = append(out, int32(i))
		}
	}
	return out
}

// offered reports whether a chunk is a candidate: those of files that are not
// shown yet, and those of a large file to edit. Of a file that is not likely,
// only what gains is.
func (sc *Scene) offered(c *ranking.Chunk, likely bool) bool {
	_, gains := sc.manifest.gains[c.Index]
	if slices.Contains(sc.manifest.large, c.File) {
		return true
	}
	return !sc.accounted[c.File] && (likely || gains)
}

// document adds documentation to the signature of a chunk that gains: where its
// text has no room, that is what is seen of it.
func (sc *Scene) document(it *satchel.Item, c *ranking.Chunk) {
	if _, ok := sc.manifest.gains[c.Index]; ok {
		sc.reader.Document(it, c)
	}
}

// lineWeights are the weights by which lines of the chunks are chosen: the task's
// words, and the names of what is edited.
func (sc *Scene) lineWeights() map[uint64]float32 {
	weights := sc.ranking.TermWeights()
	if len(sc.manifest.names) == 0 {
		return weights
	}
	weights = maps.Clone(weights)
	for t, w := range ranking.NameWeights(sc.manifest.names) {
		weights[t] += w
	}
	return weights
}

// appendWords appends the words of a text that may be names, each once.
func appendWords(list []string, text string) []string {
	seen := make(map[string]bool, len(list))
	for _, s := range list {
		seen[s] = true
	}
	src := []byte(text)
	terms.Words(src, func(from, to int) {
		if w := string(src[from:to]); len(w) > 2 && !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	})
	return list
}

// folderOf returns the folder of a path, with its final slash.
func folderOf(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return name[:i+1]
		}
	}
	return ""
}
