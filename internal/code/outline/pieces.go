package outline

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/symbols"
)

// A Piece is lines that were cut out of a text, such as one side of a hunk.
type Piece struct {
	// Heading is a line above them that perhaps encloses them, as git prints it
	// behind the line numbers of a hunk: trimmed, cut short; "" if there is none.
	Heading string
	Text    []byte
}

// Pieces outlines what can be told of a text by pieces of it. Lines are counted
// through all pieces, the heading of each as one line before its own, even where
// it is empty. A definition that ends below its piece ends with it.
//
// Each piece is completed to a text: before it stands its heading, and as many
// blocks as the indentation of its lines and the ends of blocks in it say that it
// stands in. A heading whose definition holds the lines of the piece is a
// definition of one line and those; of a type, only if the piece begins directly in
// it rather than in one of its methods.
func Pieces(lang string, pieces []Piece) (out Outline) {
	r := readerOf(lang, pieces)
	line := 0
	for _, p := range pieces {
		o := r.outline(p)
		for _, s := range o.Symbols {
			s.From, s.To, s.NameLine = s.From+line, s.To+line, s.NameLine+line
			out.Symbols = append(out.Symbols, s)
		}
		out.Imports = append(out.Imports, o.Imports...)
		for _, c := range PieceComments(lang, p.Text) {
			out.Comments = append(out.Comments, satchel.Range{From: c.From + line + 1, To: c.To + line + 1})
		}
		line += 1 + countLines(p.Text)
	}
	return out
}

// A pieceReader outlines the pieces of one text.
type pieceReader struct {
	lang string
	row  *language // nil if nothing is known
	step int       // columns of one level of indentation
}

func readerOf(lang string, pieces []Piece) *pieceReader {
	r := &pieceReader{lang: lang, row: byName[lang], step: stepOf(pieces)}
	if r.row != nil && r.row.outline.find == nil && r.row.Family == "javascript" {
		r.lang, r.row = "typescript", byName["typescript"] // a component without its tags
	}
	return r
}

func (r *pieceReader) outline(p Piece) Outline {
	if r.row == nil || r.row.outline.find == nil {
		return Outline{}
	}
	h := r.head(p)
	above := strings.Count(h.text, "\n")
	out := Parse(r.lang, append([]byte(h.text), p.Text...))
	out.Comments = nil
	kept := out.Symbols[:0]
	for _, s := range out.Symbols {
		s.From, s.To, s.NameLine = max(1, s.From-above+1), max(1, s.To-above+1), max(1, s.NameLine-above+1)
		if s.NameLine == 1 {
			if !h.kept || len(kept) > 0 {
				continue
			}
			s.From, s.Signature = 1, symbols.Signature([]byte(strings.TrimRight(p.Heading, " \t{:")))
		}
		if s.NameLine > 1 {
			s.From = max(s.From, 2)
		}
		s.Parent = withoutStandIn(s.Parent)
		kept = append(kept, s)
	}
	out.Symbols = kept
	return out
}

// standIn is the name of a type that is not known.
const standIn = "_"

func withoutStandIn(parent string) string {
	if !strings.Contains(parent, standIn) {
		return parent
	}
	names := strings.Split(parent, ".")
	kept := names[:0]
	for _, n := range names {
		if n != standIn {
			kept = append(kept, n)
		}
	}
	return strings.Join(kept, ".")
}

// PieceComments is [CommentLines] for a piece of a text, which may begin within a
// comment: one ends in it before one begins, or its first line looks like the inside
// of one.
func PieceComments(lang string, text []byte) []satchel.Range {
	row := byName[lang]
	y := &slashSyntax
	if row != nil && row.syntax != nil {
		y = row.syntax
	}
	if !y.within(text) {
		return CommentLines(lang, text)
	}
	found := CommentLines(lang, append([]byte(y.open+"\n"), text...))
	var out []satchel.Range
	for _, c := range found {
		if c.To > 1 {
			out = append(out, satchel.Range{From: max(c.From-1, 1), To: c.To - 1})
		}
	}
	return out
}

// within reports whether a text seems to begin within a block comment.
func (y *syntax) within(text []byte) bool {
	if y.open != "/*" {
		return false
	}
	first := true
	for line := range bytes.Lines(text) {
		t := bytes.TrimSpace(line)
		if len(t) == 0 {
			continue
		}
		star := len(t) == 1 && t[0] == '*' || bytes.HasPrefix(t, []byte("* ")) || bytes.HasPrefix(t, []byte("*/"))
		if first && star || bytes.HasSuffix(t, []byte("*/")) && !bytes.Contains(t, []byte("/*")) {
			return true
		}
		if bytes.Contains(t, []byte("/*")) {
			return false
		}
		first = false
	}
	return false
}

// A head is what completes a piece.
type head struct {
	text string // whole lines
	kept bool   // the first definition that begins in it is real
}

// head makes what stands before a piece.
func (r *pieceReader) head(p Piece) head {
	inComment := r.row.syntax != nil && r.row.syntax.within(p.Text)
	h := head{}
	depth := r.depth(p.Text, inComment)
	kind, own := "", 0
	if depth > 0 {
		h.text, kind, own = r.heading(p.Heading)
	}
	more := max(0, depth-own)
	function := kind == "func" || kind == "method"
	h.kept = function || kind != "" && more == 0
	if kind == "namespace" && more > 0 && r.row.outline.braces {
		h.text += " class " + standIn + " {"
		kind = "class"
		more--
	}
	h.text += r.blocks(more, kind != "" && !function)
	switch {
	case r.lang == "go" && !hasLine(p.Text, "package "):
		h.text = "package " + standIn + ";" + h.text
	case r.tags() && !bytes.Contains(p.Text, []byte("<?php")):
		h.text = "<?php " + h.text
	}
	if inComment {
		h.text += "\n" + r.row.syntax.open
	}
	h.text += "\n"
	return h
}

func (r *pieceReader) tags() bool { return r.row.syntax != nil && r.row.syntax.tags }

// blocks opens n blocks that mean nothing else, the first of them a function among
// the members of a type.
func (r *pieceReader) blocks(n int, typ bool) string {
	if n == 0 {
		return ""
	}
	if r.row.opens() == "" { // indentation tells
		if r.row.member == "" {
			return ""
		}
		if typ {
			return "\n" + strings.Repeat(" ", r.step) + r.row.member
		}
		return "\n" + r.row.member
	}
	if typ && r.row.member != "" {
		return " " + r.row.member + strings.Repeat(" "+r.row.opens(), n-1)
	}
	return strings.Repeat(" "+r.row.opens(), n)
}

func hasLine(text []byte, prefix string) bool {
	return bytes.HasPrefix(text, []byte(prefix)) || bytes.Contains(text, []byte("\n"+prefix))
}

// heading completes the line of a heading so that what it defines holds the lines
// below. It returns "" if the heading holds nothing, the kind of what it defines, if
// anything, and how many blocks it opens.
func (r *pieceReader) heading(s string) (line, kind string, own int) {
	s = strings.TrimSpace(s)
	switch s {
	case "":
		return "", "", 0
	case "public:", "private:", "protected:":
		return "class " + standIn + " {", "", 1
	}
	braces, parens := r.unclosed(s)
	switch {
	case braces < 0:
		return "", "", 0
	case braces > 0:
		return s, r.kindOf(s), braces
	}
	whole := s + strings.Repeat(")", parens)
	switch {
	case r.row.outline.braces:
		whole += " {"
	case r.row.outline.find != nil && parens > 0:
		whole += ":"
	}
	if kind = r.kindOf(whole); kind != "" {
		return whole, kind, 1
	}
	if parens > 0 { // import (
		return s, "", 1
	}
	return "", "", 0
}

// mask returns a text of the language without comments and strings.
func (r *pieceReader) mask(before, text string) []byte {
	src := []byte(before + text)
	if r.row.syntax == nil {
		return src
	}
	if r.tags() && !strings.Contains(text, "<?php") {
		masked := r.row.syntax.mask(append([]byte("<?php "), src...), func(int, int) {}, nil)
		return masked[len("<?php "):]
	}
	return r.row.syntax.mask(src, func(int, int) {}, nil)
}

// unclosed counts the brackets that a heading leaves open.
func (r *pieceReader) unclosed(s string) (braces, parens int) {
	for _, c := range r.mask("", s) {
		switch c {
		case '{':
			braces++
		case '}':
			braces--
		case '(':
			parens++
		case ')':
			parens--
		}
	}
	return braces, max(parens, 0)
}

// kindOf returns the kind of what a line defines, "" if it defines nothing.
func (r *pieceReader) kindOf(line string) string {
	if r.lang == "go" {
		line = "package " + standIn + ";" + line
	}
	if r.tags() {
		line = "<?php " + line
	}
	end := "\n}\n"
	if !r.row.outline.braces {
		end = "\n" + strings.Repeat(" ", r.step) + "x\n"
	}
	if found := Parse(r.lang, []byte(line+end)).Symbols; len(found) > 0 {
		return found[0].Kind
	}
	return ""
}

// depth returns in how many blocks the first line of a piece stands: one more than
// the first end of a block is indented whose beginning is not there, or as many as the
// line that is indented least; where indentation ends blocks, as many as the first line.
func (r *pieceReader) depth(text []byte, inComment bool) int {
	before := ""
	if inComment {
		before = r.row.syntax.open
	}
	open, least := 0, -1
	for line := range bytes.Lines(r.mask(before, string(text))) {
		t := bytes.TrimSpace(line)
		if len(t) == 0 || label(t) {
			continue
		}
		level, deep := r.level(line), open > 0
		switch {
		case r.row.opens() == "":
			return level
		case !r.row.outline.braces:
			if string(t) == "end" && (least < 0 || level < least) {
				return level + 1
			}
		default:
			if open = follow(t, open); open < 0 {
				return level + 1
			}
		}
		if !deep && (least < 0 || level < least) {
			least = level
		}
	}
	return max(least, 0)
}

// follow counts the open braces behind a line; it is negative where one ends that is
// not there.
func follow(line []byte, open int) int {
	for _, c := range line {
		switch c {
		case '{':
			open++
		case '}':
			if open--; open < 0 {
				return open
			}
		}
	}
	return open
}

// label reports whether a line is a label, which many indent less than what
// follows: public:, out:, default:.
func label(t []byte) bool {
	return t[len(t)-1] == ':' && bytes.IndexFunc(t[:len(t)-1], func(c rune) bool { return c < 0x80 && !isWord(byte(c)) }) < 0
}

// level returns how deep a line is indented.
func (r *pieceReader) level(line []byte) int {
	tabs, blanks := 0, 0
	for _, c := range line {
		switch c {
		case '\t':
			tabs++
		case ' ':
			blanks++
		default:
			return tabs + blanks/r.step
		}
	}
	return tabs + blanks/r.step
}

// stepOf returns how many blanks make a level: those by which lines most often are
// indented deeper or less than the line before; where
// all stand alike, four, or fewer if they are indented by fewer.
func stepOf(pieces []Piece) int {
	var steps [maxStep + 1]int
	least := usualStep
	for _, p := range pieces {
		last := -1
		for line := range bytes.Lines(p.Text) {
			t := bytes.TrimLeft(line, " ")
			if len(bytes.TrimSpace(t)) == 0 || t[0] == '\t' || t[0] == '*' {
				continue
			}
			n := len(line) - len(t)
			if by := max(n-last, last-n); last >= 0 && by > 1 && by <= maxStep {
				steps[by]++
			}
			if n > 1 {
				least = min(least, n)
			}
			last = n
		}
	}
	best := least
	for by, n := range steps {
		if n > steps[best] {
			best = by
		}
	}
	return best
}

// Steps of indentation, in blanks.
const (
	maxStep   = 8
	usualStep = 4
)
