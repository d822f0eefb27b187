package ranking

import (
	"bytes"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// Sizes of trimmed forms, in lines.
const (
	trimFrom    = 30 // shorter chunks are shown whole or not at all
	trimContext = 6  // around a line that matters
	trimHead    = 3  // of the code of the chunk
	longReach   = 12 // so far away may the border be that a cut is moved to
	smallGap    = 3  // fewer lines are not left out: the mark and what a reader asks take as much
	longRemark  = 6  // a comment of so many lines shrinks to its first sentence
	remarkHead  = 3  // which has so many lines at most
	leastSpared = 6  // lines of comments that are worth a form of their own, if they are a fifth
)

// codeWorth is what all code of a chunk is worth beside its comments. In packs of 4,000,
// 8,000 and 16,000 tokens 0.9 showed 63.8, 73.1 and 80.3 % of the lines that tasks
// changed, and 0.65, as for other trimmed forms, 64.1, 72.7 and 80.1.
const codeWorth = 0.9

// Mark stands for the lines left out of a trimmed form.
const Mark = "⋮\n"

// placesOf says of each line of a text where it may be cut; it is found out once.
func (f *fileText) placesOf(lang string) []outline.Place {
	if f.places == nil {
		f.places = outline.Places(lang, bytesOf(f.Text()))
	}
	return f.places
}

// trimmed returns the forms of a chunk that show less than all of it, the longer
// first: without most of its long comments, and its head with the lines around those
// that the task's words hit hardest. What is left out begins and ends between
// statements. A short chunk has none.
func (r *Reader) trimmed(t *fileText, lang string, from, to int, q *lineFinder) []satchel.Form {
	if q == nil || to-from+1 < shortest {
		return nil
	}
	x := &excerpt{text: t, places: t.placesOf(lang), from: from, to: to, shown: make([]bool, to-from+1)}
	for i := range x.shown {
		x.shown[i] = true
	}
	var forms []satchel.Form
	spared := x.shortenRemarks()
	if spared >= leastSpared && spared*5 >= len(x.shown) {
		text, lines := x.write()
		f := r.form(satchel.Trimmed, text, lines...)
		f.Worth = codeWorth
		forms = append(forms, f)
	}
	if to-from+1 < trimFrom {
		return forms
	}
	keep := q.best(x.text, from, to, func(line int) bool { return !x.shown[line-from] })
	if len(keep) == 0 {
		return forms
	}
	x.around(keep)
	if n := x.count(); n*10 > len(x.shown)*7 || spared > 0 && n*10 > (len(x.shown)-spared)*8 {
		return forms
	}
	text, lines := x.write()
	return append(forms, r.form(satchel.Trimmed, text, lines...))
}

// shortest is the least number of lines that a chunk with a shorter form has.
const shortest = 12

// An excerpt is a chunk of which lines are left out.
type excerpt struct {
	text     *fileText
	places   []outline.Place // of the whole file
	from, to int
	shown    []bool // by line of the chunk

	// ends are the last line that is left of each comment that was shortened, and the
	// line that only ends it: neither is shown without the other.
	ends []satchel.Range
}

// at is what a line of the file is. Lines that were made by redaction are like others.
func (x *excerpt) at(line int) outline.Place {
	if line < 1 || line > len(x.places) {
		return outline.Begins
	}
	return x.places[line-1]
}

// shortenRemarks leaves out long comments but for their first sentences, and says how
// many lines that are.
func (x *excerpt) shortenRemarks() (n int) {
	for a := x.from; a <= x.to; a++ {
		if x.at(a)&outline.Remark == 0 {
			continue
		}
		b := a
		for b < x.to && x.at(b+1)&outline.Remark != 0 {
			b++
		}
		if b-a+1 >= longRemark {
			head, last := x.sentence(a, b), b
			if x.closes(b) {
				last--
			}
			if last-head >= smallGap {
				if last < b {
					x.ends = append(x.ends, satchel.Range{From: head, To: b})
				}
				for line := head + 1; line <= last; line++ {
					x.shown[line-x.from] = false
					n++
				}
			}
		}
		a = b
	}
	return n
}

// sentence returns the line with the end of the first sentence of the comment of
// lines a..b.
func (x *excerpt) sentence(a, b int) int {
	began := false
	for line := a; line <= b; line++ {
		s := bytes.TrimSpace(bytesOf(x.text.Between(line, line)))
		words := bytes.IndexFunc(s, wordy) >= 0
		switch {
		case began && !words:
			return line - 1
		case words && (bytes.HasSuffix(s, []byte(".")) || bytes.Contains(s, []byte(". "))), words && line-a+1 >= remarkHead:
			return line
		}
		began = began || words
	}
	return b
}

func wordy(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f }

// closes reports whether a line only ends the comment that it is part of.
func (x *excerpt) closes(line int) bool {
	s := bytes.TrimSpace(bytesOf(x.text.Between(line, line)))
	return bytes.IndexFunc(s, wordy) < 0 && (bytes.HasSuffix(s, []byte("*/")) || bytes.HasSuffix(s, []byte(`"""`)) || bytes.HasSuffix(s, []byte("'''")) || bytes.HasSuffix(s, []byte("-->")))
}

// around shows the head of the chunk and what stands around lines, as statements.
func (x *excerpt) around(lines []int) {
	may := x.shown
	x.shown = make([]bool, len(may))
	head := x.from
	for head < x.to && x.at(head)&(outline.Remark|outline.Blank) != 0 {
		head++
	}
	x.show(x.from, min(head+trimHead-1, x.to), may)
	for _, n := range lines {
		x.show(max(n-trimContext, x.from), min(n+trimContext, x.to), may)
	}
	for _, e := range x.ends {
		both := x.shown[e.From-x.from] || x.shown[e.To-x.from]
		x.shown[e.From-x.from], x.shown[e.To-x.from] = both, both
	}
	for i := 0; i < len(x.shown); i++ {
		if x.shown[i] || !may[i] {
			continue
		}
		a := i
		for i+1 < len(x.shown) && !x.shown[i+1] && may[i+1] {
			i++
		}
		if i-a < smallGap {
			for k := a; k <= i; k++ {
				x.shown[k] = true
			}
		}
	}
}

// show shows the lines a..b that may be, and those that complete their statements.
func (x *excerpt) show(a, b int, may []bool) {
	a, b = x.border(a, -1), x.border(b+1, 1)-1
	for b > a && x.at(b)&outline.Blank != 0 && b < x.to {
		b--
	}
	for a < b && x.at(a)&outline.Blank != 0 && a > x.from {
		a++
	}
	for line := a; line <= b; line++ {
		x.shown[line-x.from] = may[line-x.from]
	}
}

// border returns the line nearest to one in a direction before which a cut may stand:
// between statements or, where none is near, between the values of one.
func (x *excerpt) border(line, by int) int {
	for _, want := range [...]outline.Place{outline.Begins, outline.Element} {
		for n, l := 0, line; n <= longReach; n, l = n+1, l+by {
			if l <= x.from || l > x.to || x.at(l)&want != 0 {
				return min(max(l, x.from), x.to+1)
			}
		}
	}
	return line
}

func (x *excerpt) count() (n int) {
	for _, s := range x.shown {
		if s {
			n++
		}
	}
	return n
}

// write returns the shown lines, with marks for the others.
func (x *excerpt) write() (clean.Text, []satchel.Range) {
	var b clean.Builder
	var lines []satchel.Range
	for i := 0; i < len(x.shown); i++ {
		if !x.shown[i] {
			if i == 0 || x.shown[i-1] {
				b.Say(Mark)
			}
			continue
		}
		start := i
		for i+1 < len(x.shown) && x.shown[i+1] {
			i++
		}
		b.Write(x.text.Between(x.from+start, x.from+i))
		lines = append(lines, satchel.Range{From: x.from + start, To: x.from + i})
	}
	return b.Text(), lines
}
