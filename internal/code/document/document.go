// Package document takes a document apart: its sections with the trail of
// headings that leads to each, its front matter, what it links to, and which
// files and names of the program it mentions.
//
// It knows Markdown (MDX too), reStructuredText, AsciiDoc, org, plain text and
// the documentation comments of packages. Headings are those that package
// outline found; everything else is read here, line by line. Nothing a document
// says is executed, expanded or followed: a front matter is a few known keys,
// and a link is text.
//
// Documents are hostile. Time is linear in their length, and what is returned is
// bounded by the limits below. All lines are 1-based, and ranges include both
// ends. Start with [Parse].
package document

import (
	"bytes"
	"path"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/markdown"
)

// A Document is a document taken apart.
type Document struct {
	Front    Front
	Sections []Section // they tile the lines of the file
	Links    []Link    // in the order of their lines
	Mentions []Mention // in the order of their lines
	Code     []bool    // of each line: it stands in a block of code
	Hidden   []bool    // of each line: it is a comment, which no reader sees
}

// Limits on what is taken from one document.
const (
	maxLine     = 4000 // bytes of a line that are looked at
	maxLinks    = 5000
	maxMentions = 20_000
	maxTarget   = 300 // bytes of a link's target
)

// Languages lists the languages of documents, as package outline names them.
var Languages = []string{"markdown", "rst", "asciidoc", "org", "text"}

// Parse takes the text of a file apart. name is its path, symbols are those that
// package outline found in it.
func Parse(name, lang string, text []byte, symbols []satchel.Symbol) *Document {
	lines := split(text)
	d := &Document{Front: front(lang, lines)}
	fences := fenced(lang, lines)
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	d.Sections = sections(lines, fences, headings(symbols, lines), d.Front, stem)
	d.Code, d.Hidden = make([]bool, len(lines)), make([]bool, len(lines))
	s := scanner{lang: lang, d: d}
	for i, line := range lines {
		d.Code[i], d.Hidden[i] = fences[i] == code, fences[i] == comment
		if i >= d.Front.To {
			s.line(i+1, line[:min(len(line), maxLine)], fences[i])
		}
	}
	return d
}

// split returns the lines of a text, without their ends.
func split(text []byte) [][]byte {
	if len(text) == 0 {
		return nil
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	for i, l := range lines {
		lines[i] = bytes.TrimSuffix(l, []byte("\r"))
	}
	return lines
}

// A part is what a line is part of.
type part uint8

const (
	prose   = part(markdown.Prose)
	fence   = part(markdown.Fence) // the mark that opens or closes a block of code
	code    = part(markdown.Code)  // inside of one
	comment = code + 1             // of HTML, which no reader sees
)

// fenced says of each line whether it is prose or code.
func fenced(lang string, lines [][]byte) []part {
	out := make([]part, len(lines))
	switch lang {
	case "markdown":
		var fences markdown.Fences
		for i, l := range lines {
			out[i] = part(fences.Line(l[:min(len(l), maxLine)]))
		}
		comments(lines, out)
	case "asciidoc":
		delimited(lines, out)
	case "org":
		inside := false
		for i, l := range lines {
			t := bytes.ToLower(bytes.TrimSpace(l[:min(len(l), maxLine)]))
			switch {
			case bytes.HasPrefix(t, []byte("#+begin_src")), bytes.HasPrefix(t, []byte("#+begin_example")):
				inside, out[i] = true, fence
			case bytes.HasPrefix(t, []byte("#+end_")):
				inside, out[i] = false, fence
			case inside:
				out[i] = code
			}
		}
	case "rst":
		// A block is what is indented after a line that ends in two colons, or
		// after a directive for code.
		indent := -1
		for i, l := range lines {
			l = l[:min(len(l), maxLine)]
			t := bytes.TrimSpace(l)
			if len(t) == 0 {
				continue
			}
			at := len(l) - len(bytes.TrimLeft(l, " \t"))
			if indent >= 0 && at > indent {
				out[i] = code
				continue
			}
			indent = -1
			switch {
			case bytes.HasPrefix(t, []byte(".. code")), bytes.HasPrefix(t, []byte(".. sourcecode")), bytes.HasPrefix(t, []byte(".. prompt")):
				out[i], indent = fence, at
			case bytes.HasPrefix(t, []byte(".. ")):
			case bytes.HasSuffix(t, []byte("::")):
				indent = at
			case bytes.HasPrefix(t, []byte(">>> ")):
				out[i] = code
			}
		}
	}
	return out
}

// delimited marks the blocks of AsciiDoc: between two lines of four or more
// hyphens or dots, or between fences of backticks. A block ends at a line of
// nothing but the mark, at least as long as the one that opened it; one that
// nobody closes lasts to the end.
func delimited(lines [][]byte, out []part) {
	open := ""
	for i, l := range lines {
		t := strings.TrimSpace(string(l[:min(len(l), maxLine)]))
		n := 0
		for n < len(t) && t[n] == t[0] {
			n++
		}
		switch {
		case open != "" && n == len(t) && strings.HasPrefix(t, open):
			out[i], open = fence, ""
		case open != "":
			out[i] = code
		case n >= 4 && n == len(t) && (t[0] == '-' || t[0] == '.'), // else a list, or an ellipsis
			n >= 3 && t[0] == '`' && !strings.Contains(t[n:], "`"): // else a span of code
			out[i], open = fence, t[:n]
		}
	}
}

// comments marks the lines of HTML comments that begin a line: licences, hints to
// whoever fills in a template. One that nobody closes is text.
func comments(lines [][]byte, out []part) {
	for i := 0; i < len(lines); i++ {
		if out[i] != prose || !bytes.HasPrefix(bytes.TrimSpace(lines[i][:min(len(lines[i]), maxLine)]), []byte("<!--")) {
			continue
		}
		for j := i; j < len(lines) && j < i+maxComment && out[j] == prose; j++ {
			if k := bytes.Index(lines[j][:min(len(lines[j]), maxLine)], []byte("-->")); k >= 0 {
				if len(bytes.TrimSpace(lines[j][k+3:])) == 0 {
					for ; i <= j; i++ {
						out[i] = comment
					}
				}
				i = j
				break
			}
		}
	}
}

// maxComment is how many lines a comment may have, so that one nobody closes
// costs little.
const maxComment = 100
