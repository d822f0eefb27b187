package outline

import (
	"bytes"
	"sort"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// outlineLines outlines text of any language without a parser: by braces, by
// indentation and keywords, or by the marks of a document. why says why a
// better outliner did not do it; empty if this is the one for the language.
func outlineLines(lang string, src []byte, why string) Outline {
	if bytes.IndexByte(src[:min(len(src), sniffed)], 0) >= 0 {
		return Outline{Partial: true, Why: "binary"}
	}
	l := &lines{src: src, masked: src, starts: lineStarts(src)}
	if row := byName[lang]; row != nil {
		l.read(row)
	}
	out := Outline{Partial: why != "", Why: why}
	out.Symbols, out.Imports, out.Comments = l.Sorted(len(l.starts))
	return out
}

// read finds what the row of a language knows how to find.
func (l *lines) read(row *language) {
	if row.syntax != nil && !row.masked {
		plain := l.src
		if row.macros {
			plain = WithoutMacros(l.src)
		}
		l.masked, l.hash = row.syntax.mask(plain, l.noteComment, nil), row.syntax.hash
	}
	if row.outline.find != nil {
		row.outline.find(l)
	}
	if row.imports != nil {
		l.imports(row.imports())
	}
}

// lines is a text, the same text with comments and strings blanked, and what
// was found in it.
type lines struct {
	symbols.List
	src    []byte
	masked []byte
	hash   bool        // # begins a line of the preprocessor
	starts []int       // where each line begins
	spans  []leadLines // whole-line comments, ascending
	steps  int         // tokens and bytes of headers that searches passed, which must grow with the text alone
}

// leadLines are the lines of one comment that stands alone, 0-based.
type leadLines struct{ from, to, start, end int }

func lineStarts(src []byte) []int {
	starts := make([]int, 0, bytes.Count(src, []byte{'\n'})+1)
	for i := 0; i < len(src); {
		starts = append(starts, i)
		j := bytes.IndexByte(src[i:], '\n')
		if j < 0 {
			break
		}
		i += j + 1
	}
	return starts
}

// row returns the 0-based line of a byte.
func (l *lines) row(at int) int {
	return max(0, sort.SearchInts(l.starts, at+1)-1)
}

// line returns a line's span, without its newline.
func (l *lines) line(row int) (start, end int) {
	start, end = l.starts[row], len(l.src)
	if row+1 < len(l.starts) {
		end = l.starts[row+1] - 1
	} else if end > start && l.src[end-1] == '\n' {
		end--
	}
	return start, end
}

func (l *lines) noteComment(start, end int) {
	from, to := l.row(start), l.row(max(start, end-1))
	if s := l.starts[from]; len(bytes.TrimSpace(l.src[s:start])) > 0 {
		return
	}
	if _, e := l.line(to); end < e && len(bytes.TrimSpace(l.src[end:e])) > 0 {
		return
	}
	l.Comment(from+1, to+1)
	if start == 0 && bytes.HasPrefix(l.src, []byte("#!")) {
		return // documents nothing
	}
	if n := len(l.spans); n > 0 && l.spans[n-1].to+1 == from {
		l.spans[n-1].to, l.spans[n-1].end = to, end
		return
	}
	l.spans = append(l.spans, leadLines{from, to, start, end})
}

// leadOf returns the first line of the comment that ends on the line before
// row, and the sentence it begins with; row itself if there is none.
func (l *lines) leadOf(row int) (from int, doc string) {
	i := sort.Search(len(l.spans), func(i int) bool { return l.spans[i].to >= row-1 })
	if i == len(l.spans) || l.spans[i].to != row-1 {
		return row, ""
	}
	s := l.spans[i]
	return s.from, symbols.Sentence(l.src[s.start:s.end])
}

// define adds a symbol whose text, signature included, is given by bytes.
func (l *lines) define(kind, name, parent string, start, signatureEnd, end, nameAt, up int) int {
	row := l.row(start)
	from, doc := l.leadOf(row)
	return l.Add(satchel.Symbol{
		Kind:      kind,
		Name:      name,
		Parent:    parent,
		Signature: symbols.Signature(l.src[start:max(start, signatureEnd)]),
		Doc:       doc,
		From:      from + 1,
		To:        l.row(max(start, end-1)) + 1,
		NameLine:  l.row(nameAt) + 1,
	}, up)
}
