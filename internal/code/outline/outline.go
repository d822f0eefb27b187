// Package outline says what a file is and what it defines: its language and
// class, its symbols with line ranges, its imports and its comment lines.
//
// [Language] and [Classify] judge a path, the bytes and git's attributes.
// [Parse] outlines text: Go with go/parser, everything else with an outliner that
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
	"fmt"

	"github.com/satchel-dev/satchel"
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

// maxHeading is how long a name may be that is a line of text, in bytes.
const maxHeading = 110

// Parse outlines src: any text has an Outline, an empty one at worst.
func Parse(lang string, src []byte) Outline {
	if len(src) > maxBytes {
		return outlineLines(lang, src, fmt.Sprintf("larger than %d bytes", maxBytes))
	}
	if bytes.IndexByte(src, 0) >= 0 {
		// A file whose first bytes hold one is binary and does not come here.
		why := ""
		if hasGrammar(lang) {
			why = "a NUL byte"
		}
		return outlineLines(lang, src, why)
	}
	if inner, innerLang, ok := script(lang, src); ok {
		src, lang = inner, innerLang
	}
	if hasGrammar(lang) && longLine(src, maxLine) {
		return outlineLines(lang, src, fmt.Sprintf("a line longer than %d bytes", maxLine))
	}
	if lang == "go" {
		return outlineGo(src)
	}
	return outlineLines(lang, src, "")
}

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
