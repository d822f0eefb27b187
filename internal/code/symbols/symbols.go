// Package symbols gathers what an outliner finds in a text, whatever its language:
// definitions, imports and comment lines, in order, within the text and within
// bounds; with their signatures and the sentences about them on one line.
//
// It knows no language. Start with [List].
package symbols

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
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
