package source

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// What code gains by its place around the files to edit, as logarithms. It is added to the
// ranking's score. The numbers are judgement: someone who edits a function needs to see it,
// then what it calls and what calls it. A function next to it shows how such functions are
// written here.
const (
	editFunctionGives  = 8.0 // a function of a large file to edit that the task is about
	editNeighbourGives = 4.0 // the function before or after it
	calleeGives        = 4.5 // defines what a file to edit uses
	editCallerGives    = 4.5 // uses what a file to edit defines
	taskNameGives      = 5.0 // defines what the task names
	editTestGives      = 8.0 // a test of a file to edit: 6.5 showed 27 % of the right tests in 8,000 tokens, 8.0 shows 37 %
	editRelatedGives   = 3.0 // of a file that probably changes too

	editFunctions   = 8  // of each large file, and of each file that belongs to it
	editSurrounding = 40 // definitions of what the files use
	manyDefinitions = 5  // a name that more chunks define says nothing about which is meant
)

// around finds the chunks to show with the files to edit, and what each gains by that.
func around(sc *scene.Scene) {
	m := &sc.Manifest
	if len(m.Files) == 0 {
		return
	}
	m.Gains = map[int32]satchel.Score{}
	var names, uses []string // defined in the files, used in them
	seen := map[string]bool{}
	for k, i := range m.Files {
		symbols := sc.View.Symbols(sc.View.Files()[i].Doc)
		text := m.Texts[k]
		if slices.Contains(m.Large, i) && sc.Ranking != nil {
			if lines := functions(sc, i); len(lines) > 0 {
				text = sc.Reader.Between(i, lines).String()
				symbols = slices.DeleteFunc(symbols, func(s satchel.Symbol) bool {
					return !slices.ContainsFunc(lines, func(l satchel.Range) bool { return s.NameLine >= l.From && s.NameLine <= l.To })
				})
			}
		} else if doc := sc.View.Docs()[sc.View.Files()[i].Doc]; slices.Contains(m.Large, i) {
			for c := doc.Chunk0; c < doc.Chunk1; c++ {
				gain(sc, c, "in a file to edit", editFunctionGives, int(c-doc.Chunk0))
			}
		}
		for _, s := range symbols {
			names = append(names, s.Name)
		}
		uses = appendWords(uses, text, seen)
	}
	belonging(sc)
	definitions(sc, uses, calleeGives, "used in a file to edit")
	if sc.Ranking != nil {
		var asked []string
		for _, n := range sc.Ranking.Query.Names {
			asked = append(asked, n.Spelling)
		}
		definitions(sc, asked, taskNameGives, "the task names it")
	}
	m.Names = names
}

// functions gives a gain to the functions of a large file that the task is
// about, and to the neighbours of the best two. It returns the lines of the former.
func functions(sc *scene.Scene, file int32) (lines []satchel.Range) {
	list := sc.Ranking.ChunksOf([]int32{file})
	list = slices.DeleteFunc(list, func(c ranking.Chunk) bool { return sc.Ranking.Chunk[c.Index] == 0 })
	slices.SortStableFunc(list, func(a, c ranking.Chunk) int {
		return cmp.Or(cmp.Compare(c.Score, a.Score), cmp.Compare(a.Index, c.Index))
	})
	doc := sc.View.Docs()[sc.View.Files()[file].Doc]
	for k, c := range list[:min(len(list), editFunctions)] {
		x := sc.View.Chunks()[c.Index]
		lines = append(lines, satchel.Range{From: int(x.From), To: int(x.To)})
		gain(sc, c.Index, "in a file to edit", editFunctionGives, k)
		if k < 2 {
			if c.Index > doc.Chunk0 {
				gain(sc, c.Index-1, "next to a function to edit", editNeighbourGives, k)
			}
			if c.Index+1 < doc.Chunk1 {
				gain(sc, c.Index+1, "next to a function to edit", editNeighbourGives, k)
			}
		}
	}
	return lines
}

// gain records what a chunk gains, if nothing is recorded for it yet. after is the number
// of better chunks of its kind; the more there are, the less it gains.
func gain(sc *scene.Scene, chunk int32, why string, gives float64, after int) bool {
	if _, ok := sc.Manifest.Gains[chunk]; ok {
		return false
	}
	var s satchel.Score
	s.Add(why, gives)
	s.Add("after others of its kind", rank.Round(-math.Log(1+nextMention*float64(after))))
	sc.Manifest.Gains[chunk] = s
	return true
}

// belonging gives a gain to the tests of the files, to who uses what they define, and to
// what probably changes too.
func belonging(sc *scene.Scene) {
	give := func(x *satchel.Related, chunks func(int32) []int32, gives float64, after int) {
		k, _ := sc.View.File(x.Path)
		list := chunks(int32(k))
		if sc.Ranking != nil { // what the task is about comes first
			slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(sc.Ranking.Chunk[b], sc.Ranking.Chunk[a]) })
		}
		for n, c := range list[:min(len(list), editFunctions)] {
			gain(sc, c, x.Why(), gives, n+after)
		}
	}
	for i := range sc.Belongs.Tests {
		give(&sc.Belongs.Tests[i], sc.Belongs.Mentions.Chunks, editTestGives, i)
	}
	for i := range sc.Belongs.Others {
		x := &sc.Belongs.Others[i]
		if k, _ := sc.View.File(x.Path); sc.View.Files()[k].Class == outline.Source {
			give(x, sc.Belongs.Mentions.Named, editCallerGives, i)
		}
		give(x, sc.Belongs.Mentions.Chunks, editRelatedGives, i)
	}
}

// definitions gives a gain to the chunks that define names, rare names first. A
// plain word has to be defined beside the files: elsewhere the same word means
// other things.
func definitions(sc *scene.Scene, names []string, gives float64, why string) {
	type definition struct {
		chunk int32
		name  string
		of    int // chunks that define the name
	}
	var found []definition
	fileOf := make(map[int32]int32, len(sc.View.Files())) // of a document
	for i := range slices.Backward(sc.View.Files()) {
		fileOf[sc.View.Files()[i].Doc] = int32(i)
	}
	langs, folders := map[string]bool{}, map[string]bool{}
	for _, i := range sc.Manifest.Files {
		f := &sc.View.Files()[i]
		langs[f.Lang], folders[folderOf(f.Path)] = true, true
	}
	var postings []index.Posting
	for _, name := range names {
		postings = sc.View.Postings(postings[:0], terms.Def(name))
		if len(postings) == 0 || len(postings) > manyDefinitions {
			continue
		}
		for _, p := range postings {
			i := fileOf[sc.View.Chunks()[p.Chunk].Doc]
			f := &sc.View.Files()[i]
			if sc.Manifest.Holds(i) || !langs[f.Lang] || f.Class != outline.Source {
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
		if n < editSurrounding && gain(sc, d.chunk, why+": "+d.name, gives, n) {
			n++
		}
	}
}

// offer returns the files whose chunks are measured: the likeliest, and those
// that hold chunks that gain.
func offer(sc *scene.Scene, likely []int32) []int32 {
	m := &sc.Manifest
	if len(m.Gains) == 0 {
		return likely
	}
	seen := map[int32]bool{}
	for _, i := range likely {
		seen[i] = true
	}
	docs := map[int32]bool{}
	for c := range m.Gains {
		docs[sc.View.Chunks()[c].Doc] = true
	}
	out := slices.Clone(likely)
	for i := range sc.View.Files() {
		if f := &sc.View.Files()[i]; docs[f.Doc] && !seen[int32(i)] {
			docs[f.Doc] = false // one of the files with these bytes is enough
			out = append(out, int32(i))
		}
	}
	return out
}

// offered reports whether a chunk is a candidate. All chunks of a large file to edit are.
// Chunks of other files are if the file is not shown yet and is likely, or the chunk gains.
func offered(sc *scene.Scene, c *ranking.Chunk, likely bool) bool {
	_, gains := sc.Manifest.Gains[c.Index]
	if slices.Contains(sc.Manifest.Large, c.File) {
		return true
	}
	return !sc.Accounted[c.File] && (likely || gains)
}

// document adds documentation to the signature of a chunk that gains: where its
// text has no room, that is what is seen of it.
func document(sc *scene.Scene, it *satchel.Item, c *ranking.Chunk) {
	if _, ok := sc.Manifest.Gains[c.Index]; ok {
		sc.Reader.Document(it, c)
	}
}

// appendWords appends the words of a text that may be names and are not seen yet.
func appendWords(list []string, text string, seen map[string]bool) []string {
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
func folderOf(name string) string { return name[:strings.LastIndexByte(name, '/')+1] }
