// Package symbols gathers what an outliner finds in a text, whatever its language:
// definitions, imports and comment lines, in order, within the text and within
// bounds; with their signatures and the sentences about them on one line.
//
// It knows no language. Start with [List].
package symbols

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

// Limits, in bytes unless they say otherwise. A longer signature or sentence says no
// more to a reader who has the line number.
const (
	MaxSignature = 240
	MaxName      = 300
	MaxImport    = 500

	maxSentence = 200
	maxPath     = 400    // dotted names; what lies deeper is named by what is not
	maxSymbols  = 50_000 // of one file
	maxImports  = 5_000
)

// A found symbol, with the index of the one that encloses it, or -1.
type found struct {
	satchel.Symbol
	up int
}

// A List gathers what an outliner finds and puts it in order. Its zero value is empty.
type List struct {
	symbols  []found
	imports  []string
	comments []satchel.Range
	seen     map[string]bool // imports
}

// Add appends a symbol within the one with index up, -1 for none and returns its index. A symbol without a name, or
// beyond the limit, is dropped, and its parent's index returned instead.
func (l *List) Add(s satchel.Symbol, up int) int {
	if s.Name == "" || len(s.Name) > MaxName || len(l.symbols) >= maxSymbols {
		return up
	}
	s.Name, s.Parent = plain(s.Name), plain(s.Parent)
	l.symbols = append(l.symbols, found{s, up})
	return len(l.symbols) - 1
}

// plain returns s as valid UTF-8 on one line.
func plain(s string) string {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f {
			s = strings.Map(func(r rune) rune {
				if r < ' ' || r == 0x7f {
					return ' '
				}
				return r
			}, s)
			return strings.ToValidUTF8(s, "\uFFFD")
		}
	}
	return s
}

// Import adds a module or file that the text names, once.
func (l *List) Import(path string) {
	path = plain(path)
	if path == "" || len(path) > MaxImport || len(l.imports) >= maxImports || l.seen[path] {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[path] = true
	l.imports = append(l.imports, path)
}

// Comment adds lines from..to, which may touch or repeat the last ones.
func (l *List) Comment(from, to int) {
	if n := len(l.comments); n > 0 {
		last := &l.comments[n-1]
		if from >= last.From && from <= last.To+1 {
			last.To = max(last.To, to)
			return
		}
	}
	l.comments = append(l.comments, satchel.Range{From: from, To: to})
}

// Len returns the number of symbols.
func (l *List) Len() int { return len(l.symbols) }

// At returns the symbol with an index that Add gave.
func (l *List) At(i int) *satchel.Symbol { return &l.symbols[i].Symbol }

// Sorted returns what was found in a text of so many lines: the symbols ordered by
// From, then the enclosing before the enclosed, with ranges forced into the text and
// into the enclosing symbol; the imports as they came; the comments ascending and
// disjoint.
func (l *List) Sorted(lines int) (symbols []satchel.Symbol, imports []string, comments []satchel.Range) {
	for i := range l.symbols {
		s := &l.symbols[i]
		lo, hi := 1, max(lines, 1)
		if s.up >= 0 {
			lo, hi = l.symbols[s.up].From, l.symbols[s.up].To
		}
		s.NameLine = min(max(s.NameLine, lo), hi)
		s.From = min(max(s.From, lo), s.NameLine)
		s.To = max(min(s.To, hi), s.NameLine)
	}
	order := l.symbols
	slices.SortStableFunc(order, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To), cmp.Compare(a.NameLine, b.NameLine))
	})
	if len(order) > 0 {
		symbols = make([]satchel.Symbol, len(order))
		for i := range order {
			symbols[i] = order[i].Symbol
		}
	}
	slices.SortFunc(l.comments, func(a, b satchel.Range) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	for _, r := range l.comments {
		r.From, r.To = max(r.From, 1), min(r.To, lines)
		if r.From > r.To {
			continue
		}
		if n := len(comments); n > 0 && r.From <= comments[n-1].To+1 {
			comments[n-1].To = max(comments[n-1].To, r.To)
			continue
		}
		comments = append(comments, r)
	}
	return symbols, l.imports, comments
}

// Join returns the dotted path of name within parent.
func Join(parent, name string) string {
	if parent == "" {
		return name
	}
	if name == "" || len(parent)+len(name) > maxPath {
		return parent
	}
	return parent + "." + name
}

// Signature returns text on one line, each run of white space a single blank,
// without the opening of a body at its end.
func Signature(text []byte) string {
	text = text[:min(len(text), 8<<10)]
	var b strings.Builder
	b.Grow(min(len(text), MaxSignature+4))
	blank := false
	for i, c := range text {
		if c <= ' ' || c == 0x7f {
			blank = true
			continue
		}
		if c == ')' && blank {
			if s := b.String(); strings.HasSuffix(s, ",") { // the last of several lines of parameters
				b.Reset()
				b.WriteString(s[:len(s)-1])
			}
		}
		if blank && b.Len() > 0 && !tight(text, b.String(), i) {
			b.WriteByte(' ')
		}
		blank = false
		if b.Len() >= MaxSignature {
			return clip.Bytes(b.String()+string(text[i:i+1]), b.Len())
		}
		b.WriteByte(c)
	}
	s := strings.TrimRight(b.String(), " {:=;,\\")
	return strings.ToValidUTF8(s, "\uFFFD")
}

// tight says that a line break before text[i] leaves no blank: after an opening
// and before a closing bracket, where a long signature was wrapped.
func tight(text []byte, before string, i int) bool {
	last := before[len(before)-1]
	if (last == '(' || last == '[') && bytes.IndexByte(text[max(0, i-200):i], '\n') >= 0 {
		return true
	}
	return text[i] == ')' || text[i] == ']'
}

// Sentence returns the first sentence of a comment or documentation string, or
// its first paragraph if that is shorter, on one line.
func Sentence(comment []byte) string {
	comment = comment[:min(len(comment), 4<<10)]
	var b strings.Builder
	for line := range bytes.Lines(comment) {
		if bytes.HasPrefix(line, []byte("//go:")) || bytes.HasPrefix(line, []byte("// +")) {
			continue
		}
		text := unmark(line)
		if len(text) == 0 {
			if b.Len() > 0 {
				break
			}
			continue
		}
		if text[0] == '@' || bytes.HasPrefix(text, []byte(`\param`)) { // tags of javadoc, doxygen
			if b.Len() > 0 {
				break
			}
			if !bytes.HasPrefix(text, []byte("@brief ")) {
				continue
			}
			text = text[len("@brief "):]
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		end := stop(text)
		b.Write(text[:end])
		if end < len(text) || text[end-1] == '.' || b.Len() > maxSentence {
			break
		}
	}
	return clip.Bytes(strings.ToValidUTF8(b.String(), "\uFFFD"), maxSentence)
}

// stop returns the length of the first sentence of text.
func stop(text []byte) int {
	for i, c := range text {
		if c == '.' && i+1 < len(text) && text[i+1] == ' ' && i > 2 && text[i-1] != '.' && text[i-2] != '.' && text[i-2] != ' ' {
			return i + 1
		}
	}
	return len(text)
}

// unmark strips what makes a line a comment, and XML tags around it.
func unmark(line []byte) []byte {
	line = bytes.TrimSpace(line)
	line = bytes.TrimLeft(line, "/*#!;%-\"'`|={")
	line = bytes.TrimSpace(line)
	line = bytes.TrimSuffix(line, []byte("*/"))
	line = bytes.TrimRight(line, "*\"'`=#-} \t")
	for _, tag := range [...]string{"<summary>", "</summary>", "<p>"} {
		line = bytes.ReplaceAll(line, []byte(tag), nil)
	}
	for i, c := range line {
		if c < ' ' || c == 0x7f {
			line = bytes.Clone(line)
			for j := i; j < len(line); j++ {
				if line[j] < ' ' || line[j] == 0x7f {
					line[j] = ' '
				}
			}
			break
		}
	}
	return bytes.TrimSpace(line)
}
