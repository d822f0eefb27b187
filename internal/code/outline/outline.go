// Package outline says what a file is and what it defines: its language and
// class, its symbols with line ranges, its imports and its comment lines.
//
// [Language] and [Classify] judge a path, the bytes and git's attributes.
// A [Parser] outlines text: Go with go/parser, everything else with an outliner that
// reads tokens, lines, braces and indentation, by the grammar of its language where
// there is one. Both give the same [Outline].
//
// It does not resolve names or imports, does not look into function bodies for
// variables, and never reads a file: callers hand it bytes. Lines are 1-based
// and ranges include both ends. The same bytes give the same Outline in every
// process.
package outline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

// An Outline is what one file defines.
type Outline struct {
	// Symbols are the definitions, ordered by From, then the enclosing before
	// the enclosed. The range of a symbol lies within the range of the one
	// that encloses it.
	Symbols []satchel.Symbol

	// Imports are the modules and files that the text names, as written:
	// "net/http", "./util", "..core.models", "std::io::Read", "stdio.h".
	// Grouped imports are spelled out, one each. Python's "from a import b" is
	// both "a" and "a.b", since b may be a module.
	Imports []string

	// Comments are the lines that hold nothing but comments, and Python's
	// documentation strings; ascending and disjoint.
	Comments []satchel.Range

	// Partial says that the outline may lack definitions that the language's
	// own parser would have found, and Why says why, in a few words.
	Partial bool
	Why     string
}

// Limits on what a parser for one language is given. Larger files, and files
// with longer lines, are data or machine-made and go to the line outliner.
const (
	maxBytes = 1 << 20
	maxLine  = 20_000
)

// Limits on what one symbol may carry. A longer signature or sentence says no
// more to a reader who has the line number.
const (
	maxSignature = 240
	maxDoc       = 200
	maxName      = 300
	maxHeading   = 110
	maxPath      = 400    // dotted names; what lies deeper is named by what is not
	maxSymbols   = 50_000 // of one file
	maxImport    = 500
	maxImports   = 5_000
)

// A Parser outlines files. Its zero value is ready, and safe for concurrent use.
type Parser struct{}

// Parse outlines src. An error means that ctx has ended: any text has an Outline, an
// empty one at worst.
func (p *Parser) Parse(ctx context.Context, lang string, src []byte) (Outline, error) {
	if err := ctx.Err(); err != nil {
		return Outline{}, err
	}
	if len(src) > maxBytes {
		return outlineLines(lang, src, fmt.Sprintf("larger than %d bytes", maxBytes)), nil
	}
	if bytes.IndexByte(src, 0) >= 0 {
		// A file whose first bytes hold one is binary and does not come here.
		why := ""
		if lang == "go" || isTreeLanguage(lang) {
			why = "a NUL byte"
		}
		return outlineLines(lang, src, why), nil
	}
	if inner, innerLang, ok := script(lang, src); ok {
		src, lang = inner, innerLang
	}
	if (lang == "go" || isTreeLanguage(lang)) && longLine(src, maxLine) {
		return outlineLines(lang, src, fmt.Sprintf("a line longer than %d bytes", maxLine)), nil
	}
	if lang == "go" {
		return outlineGo(src), nil
	}
	return outlineLines(lang, src, ""), nil
}

// treeLanguages are those that have a grammar of their own here, and that the oracle
// knows: tree-sitter, in programs built with the tag oracle, and cgo.
var treeLanguages = []string{
	"bash", "c", "cpp", "csharp", "java", "javascript", "kotlin", "php",
	"python", "ruby", "rust", "scala", "tsx", "typescript",
}

func isTreeLanguage(lang string) bool { return slices.Contains(treeLanguages, lang) }

// longLine reports whether src has a line of more than limit bytes.
func longLine(src []byte, limit int) bool {
	for len(src) > limit {
		i := bytes.LastIndexByte(src[:limit+1], '\n')
		if i < 0 {
			return true
		}
		src = src[i+1:]
	}
	return false
}

// countLines returns the number of lines of src. A last line need not end in a
// newline.
func countLines(src []byte) int {
	n := bytes.Count(src, []byte{'\n'})
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}

// A found symbol, with the index of the one that encloses it, or -1.
type found struct {
	satchel.Symbol
	up int
}

// A collector gathers what an outliner finds and puts it in order.
type collector struct {
	symbols  []found
	imports  []string
	comments []satchel.Range
	seen     map[string]bool // imports
}

// add appends a symbol and returns its index. A symbol without a name, or
// beyond the limit, is dropped, and its parent's index returned instead.
func (c *collector) add(s satchel.Symbol, up int) int {
	if s.Name == "" || len(s.Name) > maxName || len(c.symbols) >= maxSymbols {
		return up
	}
	s.Name, s.Parent = plain(s.Name), plain(s.Parent)
	c.symbols = append(c.symbols, found{s, up})
	return len(c.symbols) - 1
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

func (c *collector) imported(path string) {
	path = plain(path)
	if path == "" || len(path) > maxImport || len(c.imports) >= maxImports || c.seen[path] {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[path] = true
	c.imports = append(c.imports, path)
}

// comment adds lines from..to, which may touch or repeat the last ones.
func (c *collector) comment(from, to int) {
	if n := len(c.comments); n > 0 {
		last := &c.comments[n-1]
		if from >= last.From && from <= last.To+1 {
			last.To = max(last.To, to)
			return
		}
	}
	c.comments = append(c.comments, satchel.Range{From: from, To: to})
}

// outline returns what was found, with ranges forced into the file and into
// the enclosing symbol.
func (c *collector) outline(lines int) Outline {
	for i := range c.symbols {
		s := &c.symbols[i]
		lo, hi := 1, max(lines, 1)
		if s.up >= 0 {
			lo, hi = c.symbols[s.up].From, c.symbols[s.up].To
		}
		s.NameLine = min(max(s.NameLine, lo), hi)
		s.From = min(max(s.From, lo), s.NameLine)
		s.To = max(min(s.To, hi), s.NameLine)
	}
	order := c.symbols
	slices.SortStableFunc(order, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To), cmp.Compare(a.NameLine, b.NameLine))
	})
	out := Outline{Imports: c.imports}
	if len(order) > 0 {
		out.Symbols = make([]satchel.Symbol, len(order))
		for i := range order {
			out.Symbols[i] = order[i].Symbol
		}
	}
	slices.SortFunc(c.comments, func(a, b satchel.Range) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	for _, r := range c.comments {
		r.From, r.To = max(r.From, 1), min(r.To, lines)
		if r.From > r.To {
			continue
		}
		if n := len(out.Comments); n > 0 && r.From <= out.Comments[n-1].To+1 {
			out.Comments[n-1].To = max(out.Comments[n-1].To, r.To)
			continue
		}
		out.Comments = append(out.Comments, r)
	}
	return out
}

// join returns the dotted path of name within parent.
func join(parent, name string) string {
	if parent == "" {
		return name
	}
	if name == "" || len(parent)+len(name) > maxPath {
		return parent
	}
	return parent + "." + name
}

// signature returns text on one line, each run of white space a single blank,
// without the opening of a body at its end.
func signature(text []byte) string {
	text = text[:min(len(text), 8<<10)]
	var b strings.Builder
	b.Grow(min(len(text), maxSignature+4))
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
		if b.Len() >= maxSignature {
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
