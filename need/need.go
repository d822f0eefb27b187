// Package need reads what an agent asks for. An agent that lacks something says
// so on a line of its own:
//
//	NEED_CODE: internal/auth/login.go:10-40
//	NEED_DOC: docs/auth.md#tokens
//	NEED_SYMBOL: Store.Flush
//	NEED_DIFF: internal/auth/login.go
//
// The grammar is
//
//	line    = "NEED_" kind ":" space* locator [ ":" from [ "-" [ to ] ] ] space*
//	kind    = "CODE" | "DOC" | "SYMBOL" | "DIFF"
//	locator = one line of UTF-8 without control characters, at most 512 bytes;
//	          backticks or quotes around it are dropped
//
// with NEED_ at the very start of the line and outside fenced code, so that an
// agent can quote such a line without asking. Anything else that starts with
// NEED_ is a [Bad] line: it is answered too, with what is wrong about it.
//
// The package finds out what was asked, not whether it may be had: paths are as
// hostile as the text they stand in. [Parse] reads a text; a [Scanner] reads the
// output of an agent while it is printed, plain or as JSON lines.
package need

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/text/markdown"
)

// An itemKind says what is asked for.
type itemKind string

// The kinds of needs.
const (
	Code   itemKind = "CODE"   // a file, or lines of it
	Doc    itemKind = "DOC"    // a document, or after # the section with that heading
	Symbol itemKind = "SYMBOL" // a definition, by its name
	Diff   itemKind = "DIFF"   // what changed: in a path, or in a range such as HEAD~2..HEAD
)

// A Need is one thing that an agent asks for.
type Need struct {
	Kind    itemKind `json:"kind"`
	Locator string   `json:"locator"`
	From    int      `json:"from,omitempty"` // first line, 1-based; 0 means the whole
	To      int      `json:"to,omitempty"`   // last line, inclusive; 0 means the end
}

// String returns the line that asks for it. Parse of that line is the Need
// again.
func (n Need) String() string {
	s := "NEED_" + string(n.Kind) + ": " + n.Locator
	switch {
	case n.From == 0:
		return s
	case n.To == n.From:
		return fmt.Sprintf("%s:%d", s, n.From)
	case n.To == 0:
		return fmt.Sprintf("%s:%d-", s, n.From)
	}
	return fmt.Sprintf("%s:%d-%d", s, n.From, n.To)
}

// A Bad line starts like a need and is none.
type Bad struct {
	Text string `json:"text"` // the line, cut if it is long
	Why  string `json:"why"`
}

// Limits of what is heeded. Real requests are far below them.
const (
	maxLocator = 512
	maxLine    = 4 << 10 // a longer line is no need
	maxDigits  = 7       // of a line's number
	maxKept    = 100     // needs and bad lines of one Scanner; the rest is counted
	maxBadText = 120
)

// Parse returns what a text asks for, each thing once, in order, and the lines
// that only look like it.
func Parse(text string) ([]Need, []Bad) {
	var f finder
	f.text(text)
	return f.needs, f.bad
}

// A finder collects the needs of texts.
type finder struct {
	needs []Need
	bad   []Bad
	more  int // that were not kept

	fences markdown.Fences
}

// text reads a text that begins outside of any fence.
func (f *finder) text(s string) {
	f.fences = markdown.Fences{}
	for line := range strings.Lines(s) {
		f.line(line)
	}
}

// line reads a line of a text.
func (f *finder) line(line string) {
	line = strings.TrimRight(line, "\r\n")
	if strings.HasPrefix(line, "    ") { // indented code, in which a fence is none
		return
	}
	if f.fences.Line([]byte(line)) != markdown.Prose || !strings.HasPrefix(line, "NEED_") {
		return
	}
	n, why := parseLine(line)
	switch {
	case why != "":
		if f.full() {
			return
		}
		text := strings.ToValidUTF8(line, "\uFFFD")
		f.bad = append(f.bad, Bad{clip.Bytes(text, maxBadText), why})
	case !slices.Contains(f.needs, n) && !f.full():
		f.needs = append(f.needs, n)
	}
}

// full counts what is not kept any more.
func (f *finder) full() bool {
	if len(f.needs)+len(f.bad) < maxKept {
		return false
	}
	f.more++
	return true
}

// parseLine reads a line that starts with NEED_.
func parseLine(line string) (n Need, why string) {
	kind, rest, ok := strings.Cut(strings.TrimPrefix(line, "NEED_"), ":")
	if !ok {
		return n, "want NEED_CODE, NEED_DOC, NEED_SYMBOL or NEED_DIFF, a colon and a name"
	}
	n.Kind = itemKind(kind)
	switch n.Kind {
	case Code, Doc, Symbol, Diff:
	default:
		return n, "unknown request: want NEED_CODE, NEED_DOC, NEED_SYMBOL or NEED_DIFF"
	}
	switch {
	case len(line) > maxLine:
		return n, "the line is too long"
	case !utf8.ValidString(rest):
		return n, "the line is not UTF-8"
	}
	n.Locator = rest
	ranged := false
	for {
		s := strings.Trim(n.Locator, " \t")
		if len(s) > 1 && strings.IndexByte("`\"'", s[0]) >= 0 && s[len(s)-1] == s[0] {
			s = s[1 : len(s)-1]
		} else if !ranged {
			var bad bool
			if s, n.From, n.To, bad = cutRange(s); bad {
				return n, "the lines are wrong: want path:from-to with 1 <= from <= to"
			}
			ranged = n.From > 0
		}
		if s == n.Locator {
			break
		}
		n.Locator = s
	}
	switch {
	case n.Locator == "":
		return n, "nothing follows the colon"
	case len(n.Locator) > maxLocator:
		return n, "the locator is too long"
	case strings.ContainsFunc(n.Locator, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }):
		return n, "the locator holds control characters"
	case n.From > 0 && (n.Kind == Symbol || n.Kind == Diff):
		return n, "only NEED_CODE and NEED_DOC take lines"
	}
	return n, ""
}

// cutRange cuts :from-to off a locator. from is 0 if there is none.
func cutRange(s string) (rest string, from, to int, bad bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || i == len(s)-1 {
		return s, 0, 0, false
	}
	first, last, open := strings.Cut(s[i+1:], "-")
	if !digits(first) || open && last != "" && !digits(last) {
		return s, 0, 0, false
	}
	if len(first) > maxDigits || len(last) > maxDigits {
		return s, 0, 0, true
	}
	from, _ = strconv.Atoi(first) // digits, and few
	switch {
	case !open:
		to = from
	case last != "":
		to, _ = strconv.Atoi(last)
	}
	if from < 1 || open && last != "" && to < from {
		return s, 0, 0, true
	}
	return s[:i], from, to, false
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
