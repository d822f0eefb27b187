package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/index"
	"github.com/satchel-dev/satchel/internal/outline"
	"github.com/satchel-dev/satchel/internal/source"
	"github.com/satchel-dev/satchel/internal/terms"
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

// smallFile is how many tokens a file to edit may have and be shown whole
// whatever the budget is: who edits it needs all of it. A larger one is shown
// whole if it takes no more than its part of half the budget.
const smallFile = 600

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

// edit makes candidates of the files to edit. Small ones have one form, the whole;
// of large ones the outline is pinned, and their functions are offered with
// those of other files, ahead of them.
func (b *builder) edit(ctx context.Context) error {
	m := &b.manifest
	for _, p := range b.req.Edit {
		i, ok := b.view.File(p)
		if !ok {
			if why := b.whyNot(p); why != noSuchFile {
				return fmt.Errorf("path to edit %s: %s", p, why)
			}
			b.notes = append(b.notes, satchel.Note{Path: p, Text: toBeMade})
			continue
		}
		if !m.holds(int32(i)) {
			m.files = append(m.files, int32(i))
		}
	}
	if err := b.reader.Load(ctx, m.files); err != nil {
		return err
	}
	whole := math.MaxInt
	if n := len(m.files); n > 0 && b.req.Budget > 0 {
		whole = max(smallFile, b.req.Budget/2/n)
	}
	for _, i := range m.files {
		it := b.reader.File(i)
		it.Pinned = true
		m.texts = append(m.texts, "")
		if b.accounted[i] {
			continue // it is pinned, too
		}
		b.accounted[i] = true
		if len(it.Forms) > 0 && it.Forms[0].Detail == satchel.Full {
			m.texts[len(m.texts)-1] = it.Forms[0].Text
		}
		full := it.Forms[0]
		switch {
		case len(it.Forms) == 1:
		case full.Detail != satchel.Full, b.req.Detail != 0 && b.req.Detail < satchel.Trimmed:
			it.Forms = it.Forms[:len(it.Forms)-1] // as pin does
		case full.Tokens <= whole, len(it.Forms) == 2: // there is no outline
			c := satchel.Candidate{Item: it}
			c.Score.Add("to edit", pinnedScore)
			b.want(c, i)
			continue
		default:
			it.Forms = []satchel.Form{outlineWithin(it.Forms[1:len(it.Forms)-1], b.req.Budget/outlineShare/len(m.files))}
			m.large = append(m.large, i)
		}
		c := satchel.Candidate{Item: it}
		c.Score.Add("to edit", pinnedScore)
		b.candidates = append(b.candidates, c)
	}
	return nil
}

// outlineShare is the part of the budget that the outlines of all files to edit
// may take.
const outlineShare = 8

// outlineWithin returns the longest outline of at most so many tokens, or the
// shortest.
func outlineWithin(forms []satchel.Form, most int) satchel.Form {
	for _, f := range forms {
		if f.Tokens <= most {
			return f
		}
	}
	return forms[len(forms)-1]
}

// around finds the chunks that somebody who edits the files wants to see beside
// them, and says what each gains by it.
func (b *builder) around() {
	m := &b.manifest
	if len(m.files) == 0 {
		return
	}
	m.gains = map[int32]satchel.Score{}
	var names, uses []string // defined in the files, used in them
	for k, i := range m.files {
		symbols := b.view.Symbols(b.view.Files()[i].Doc)
		text := m.texts[k]
		if slices.Contains(m.large, i) && b.ranking != nil {
			var lines []satchel.Range
			if lines = b.functions(i); len(lines) > 0 {
				text = b.reader.Between(i, lines)
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
	b.callers(names)
	b.definitions(uses, calleeGives, "is used in a file to edit")
	if b.ranking != nil {
		var asked []string
		for _, n := range b.ranking.Query.Names {
			asked = append(asked, n.Spelling)
		}
		b.definitions(asked, taskNameGives, "the task names it")
	}
	m.names = names
}

// functions gives a gain to the functions of a large file that the task is
// about, and to those beside the best two. It returns the lines of the former.
func (b *builder) functions(file int32) (lines []satchel.Range) {
	list := b.ranking.ChunksOf([]int32{file})
	list = slices.DeleteFunc(list, func(c source.Chunk) bool { return b.ranking.Chunk[c.Index] == 0 })
	slices.SortStableFunc(list, func(a, c source.Chunk) int {
		return cmp.Or(cmp.Compare(c.Score, a.Score), cmp.Compare(a.Index, c.Index))
	})
	doc := b.view.Docs()[b.view.Files()[file].Doc]
	for k, c := range list[:min(len(list), editFunctions)] {
		x := b.view.Chunks()[c.Index]
		lines = append(lines, satchel.Range{From: int(x.From), To: int(x.To)})
		b.gain(c.Index, "in a file to edit", editFunctionGives, k)
		if k < 2 {
			if c.Index > doc.Chunk0 {
				b.gain(c.Index-1, "beside a function to edit", editNeighbourGives, k)
			}
			if c.Index+1 < doc.Chunk1 {
				b.gain(c.Index+1, "beside a function to edit", editNeighbourGives, k)
			}
		}
	}
	return lines
}

// gain records what a chunk gains as the one after so many others of its kind.
// The first reason counts.
func (b *builder) gain(chunk int32, why string, gives float64, after int) bool {
	if _, ok := b.manifest.gains[chunk]; ok {
		return false
	}
	var s satchel.Score
	s.Add(why, gives)
	s.Add("after others", round(-math.Log(1+nextMention*float64(after))))
	b.manifest.gains[chunk] = s
	return true
}

// callers gives a gain to what uses names that the files define.
func (b *builder) callers(names []string) {
	var calls, tests int
	for _, x := range source.Mentions(b.view, names) {
		f := &b.view.Files()[x.File]
		switch {
		case b.manifest.holds(x.File):
		case f.Class == outline.Test:
			if tests < editSurrounding && b.gain(x.Chunk, "tests a file to edit: "+x.Names[0], editTestGives, tests) {
				tests++
			}
		case f.Class == outline.Source:
			if calls < editSurrounding && b.gain(x.Chunk, "uses a file to edit: "+x.Names[0], editCallerGives, calls) {
				calls++
			}
		}
	}
}

// definitions gives a gain to the chunks that define names, rare names first. A
// plain word has to be defined beside the files: elsewhere the same word means
// other things.
func (b *builder) definitions(names []string, gives float64, why string) {
	type definition struct {
		chunk int32
		name  string
		of    int // chunks that define the name
	}
	var found []definition
	fileOf := make(map[int32]int32, len(b.view.Files())) // of a document
	for i := range slices.Backward(b.view.Files()) {
		fileOf[b.view.Files()[i].Doc] = int32(i)
	}
	langs, folders := map[string]bool{}, map[string]bool{}
	for _, i := range b.manifest.files {
		f := &b.view.Files()[i]
		langs[f.Lang], folders[folderOf(f.Path)] = true, true
	}
	var postings []index.Posting
	for _, name := range names {
		postings = b.view.Postings(postings[:0], terms.Def(name))
		if len(postings) == 0 || len(postings) > manyDefinitions {
			continue
		}
		for _, p := range postings {
			i := fileOf[b.view.Chunks()[p.Chunk].Doc]
			f := &b.view.Files()[i]
			if b.manifest.holds(i) || !langs[f.Lang] || f.Class != outline.Source {
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
		if n < editSurrounding && b.gain(d.chunk, why+": "+d.name, gives, n) {
			n++
		}
	}
}

// offer returns the files whose chunks are measured: the likeliest, and those
// that hold chunks that gain.
func (b *builder) offer(likely []int32) []int32 {
	m := &b.manifest
	if len(m.gains) == 0 {
		return likely
	}
	seen := map[int32]bool{}
	for _, i := range likely {
		seen[i] = true
	}
	docs := map[int32]bool{}
	for c := range m.gains {
		docs[b.view.Chunks()[c].Doc] = true
	}
	out := slices.Clone(likely)
	for i := range b.view.Files() {
		if f := &b.view.Files()[i]; docs[f.Doc] && !seen[int32(i)] {
			docs[f.Doc] = false // one of the files with these bytes is enough
			out = append(out, int32(i))
		}
	}
	return out
}

// offered reports whether a chunk is a candidate: those of files that are not
// shown yet, and those of a large file to edit. Of a file that is not likely,
// only what gains is.
func (b *builder) offered(c *source.Chunk, likely bool) bool {
	_, gains := b.manifest.gains[c.Index]
	if slices.Contains(b.manifest.large, c.File) {
		return true
	}
	return !b.accounted[c.File] && (likely || gains)
}

// surroundings makes candidates of the chunks that gain, where no task ranks any.
func (b *builder) surroundings(ctx context.Context) error {
	b.around()
	chunks := slices.Sorted(maps.Keys(b.manifest.gains))
	fileOf := map[int32]int32{}
	for i := range slices.Backward(b.view.Files()) {
		fileOf[b.view.Files()[i].Doc] = int32(i)
	}
	var list []source.Chunk
	var files []int32
	for _, c := range chunks {
		i := fileOf[b.view.Chunks()[c].Doc]
		if b.accounted[i] {
			continue
		}
		list = append(list, source.Chunk{File: i, Index: c})
		if len(files) == 0 || files[len(files)-1] != i {
			files = append(files, i)
		}
	}
	if err := b.reader.Load(ctx, files); err != nil {
		return err
	}
	for k, it := range b.reader.Items(list, source.NameWeights(b.manifest.names)) {
		if len(it.Forms) > 0 {
			b.document(&it, &list[k])
			b.candidates = append(b.candidates, satchel.Candidate{Item: it, Score: b.manifest.gains[list[k].Index]})
		}
	}
	for _, i := range files {
		b.accounted[i] = true
	}
	return nil
}

// document adds documentation to the signature of a chunk that gains: where its
// text has no room, that is what is seen of it.
func (b *builder) document(it *satchel.Item, c *source.Chunk) {
	if _, ok := b.manifest.gains[c.Index]; ok {
		b.reader.Document(it, c)
	}
}

// lineWeights are the weights by which lines of the chunks are chosen: the task's
// words, and the names of what is edited.
func (b *builder) lineWeights() map[uint64]float32 {
	weights := b.ranking.TermWeights()
	if len(b.manifest.names) == 0 {
		return weights
	}
	weights = maps.Clone(weights)
	for t, w := range source.NameWeights(b.manifest.names) {
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

// toBeMade is the Note about a file to edit that does not exist.
const toBeMade = "there is no such file yet: it is to be made"
