package ranking

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// A PlainName is the name of a function that is a plain word, such as Parse or save. The
// word alone says nothing: calls of it are looked for in files that can know it, as it
// is spelled.
type PlainName struct {
	Name string
	File int32 // of View.Files, which defines it
}

// mostPlainFiles is how many files are read to find who uses one plain name.
const mostPlainFiles = 60

// PlainMentions finds the chunks of files that call a plain name, in the order of the
// files. It reads those of them that have the word at all.
func (r *Reader) PlainMentions(ctx context.Context, name PlainName, files []int32) ([]Mention, error) {
	lower := strings.ToLower(name.Name)
	if !terms.Stop(lower) {
		has := map[int32]bool{} // documents
		for _, p := range r.View.Postings(nil, terms.Word(lower)) {
			has[r.View.Chunks()[p.Chunk].Doc] = true
		}
		files = slices.DeleteFunc(slices.Clone(files), func(f int32) bool { return !has[r.View.Files()[f].Doc] })
	}
	files = files[:min(len(files), mostPlainFiles)]
	if err := r.Load(ctx, files); err != nil {
		return nil, err
	}
	var out []Mention
	for _, f := range files {
		for _, c := range r.plainUses(f, &name) {
			out = append(out, Mention{File: f, Chunk: c, Names: []string{name.Name}})
		}
	}
	for i := range out {
		out[i].Weight = 1 / math.Sqrt(float64(len(out)))
	}
	return out, nil
}

// plainUses returns the chunks of a file whose lines call a name.
func (r *Reader) plainUses(file int32, name *PlainName) (chunks []int32) {
	d := r.View.Docs()[r.View.Files()[file].Doc]
	symbols := r.View.Symbols(r.View.Files()[file].Doc)
	t := r.texts[file]
	for c := d.Chunk0; c < d.Chunk1; c++ {
		x := r.View.Chunks()[c]
		for n := int(x.From); n <= min(int(x.To), t.Last()); n++ {
			defines := slices.ContainsFunc(symbols, func(s satchel.Symbol) bool { return s.NameLine == n && s.Name == name.Name })
			if line := t.Between(n, n).String(); !defines && callsWord(line, name.Name) {
				chunks = append(chunks, c)
				break
			}
		}
	}
	return chunks
}

// callsWord reports whether a line calls a word as it is spelled: f(x), f (x), f?.(x),
// f!(x), f::<T>(x), f[T](x).
func callsWord(line, word string) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], word)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(word)
		at = to
		if from > 0 && wordByte(line[from-1]) || to < len(line) && wordByte(line[to]) {
			continue
		}
		if isCall(line[to:]) {
			return true
		}
	}
}

// isCall reports whether what follows a name calls it.
func isCall(rest string) bool {
	for _, sign := range [...]string{"?.", "!", "::"} {
		rest = strings.TrimPrefix(rest, sign)
	}
	for _, types := range [...]string{"<>", "[]"} { // between the name and what it is given
		if strings.HasPrefix(rest, types[:1]) {
			i := strings.Index(rest, types[1:]+"(")
			return i > 0 && !strings.ContainsAny(rest[:i], "(;\"'")
		}
	}
	return strings.HasPrefix(strings.TrimLeft(rest, " "), "(")
}

func wordByte(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80
}
