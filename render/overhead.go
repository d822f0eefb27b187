package render

import (
	"math"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
)

// Overhead returns what this format adds to the tokens of the forms. Headings
// are counted once for each path; what differs from entry to entry is
// estimated from lengths, a little high, since it is asked for every form of
// every candidate. [Settle] tells the exact sum.
//
// What it returns remembers paths, and serves one Fit at a time.
func Overhead(f Format, count func(string) int) pack.Overhead {
	heads := make(map[string]int)
	// head counts what layout puts before and after the text of one file.
	head := func(write func(path string) string) func(string) int {
		return func(path string) int {
			n, ok := heads[path]
			if !ok {
				n = count(write(quotePath(path)))
				heads[path] = n
			}
			return n
		}
	}
	switch f {
	case XML:
		return pack.Overhead{
			File: head(func(path string) string {
				return "<file" + attr("path", path) + attr("lang", "go") + ">\n</file>\n"
			}),
			Block: count("<text lines=\"1042-1099\"><![CDATA[\n]]></text>\n"),
			List:  count("<list><![CDATA[\n]]></list>\n"),
			Entry: func(c *satchel.Candidate, f *satchel.Form) int { return entry(c, f, 4) },
		}
	case Plain:
		return pack.Overhead{
			File:  head(func(path string) string { return "==== file " + path + "\n" }),
			Block: count("==== lines 1042-1099\n"),
			Entry: func(c *satchel.Candidate, f *satchel.Form) int { return entry(c, f, 0) },
		}
	case JSON:
		fixed := count(`{"ref":{"kind":"snippet","path":"","from":1042,"to":1099},"title":"","lang":"go","blob":"","detail":"trimmed","lines":[{"from":1042,"to":1099}],"text":"","tokens":1042,"score":[]},` + "\n" + strings.Repeat("0123456789abcdef", 3)[:40])
		path := head(func(path string) string { return path })
		reason := count(`{"why":"identifier","add":0.1234567890123456},`)
		return pack.Overhead{
			Entry: func(c *satchel.Candidate, f *satchel.Form) int {
				n := fixed + path(c.Ref.Path) + words(c.Title.String()) + reason*len(c.Score)
				if !c.Note.IsZero() {
					n += words(c.Note.String()) + 3
				}
				// A newline, tab, quote or backslash becomes two characters,
				// which seldom join what stands around them.
				text := f.Text.String()
				escapes := strings.Count(text, "\n") + strings.Count(text, "\t") + strings.Count(text, `"`) + strings.Count(text, `\`)
				return n + int(math.Ceil(0.6*float64(escapes)))
			},
		}
	}
	return pack.Overhead{
		File:  head(func(path string) string { return "### " + path + "\n```go\n```\n" }),
		Block: count("@@ 1042-1099\n"),
		Entry: func(c *satchel.Candidate, f *satchel.Form) int { return entry(c, f, 0) },
	}
}

// entry estimates the tokens of an entry's title and line numbers. A title
// takes extra tokens for what the format puts around it.
func entry(c *satchel.Candidate, f *satchel.Form, extra int) int {
	if pack.IsText(c.Ref.Kind, f.Detail) {
		n := 1 // a newline at the end, or two words that no longer join
		if !c.Note.IsZero() {
			n += words(c.Note.String()) + 3
		}
		const far = 4096 // names stand near the start
		if t := untold(c.Title.String(), []quote{{text: f.Text.String()[:min(f.Text.Len(), far)]}}, 0); t != "" {
			n += words(t) + extra
		}
		if f.Detail < satchel.Full {
			n += extra
		}
		return n
	}
	n := 1
	if extra > 0 {
		n++ // in a list between marks, words join less
	}
	if f.Text.IsZero() {
		n += words(c.Title.String())
	}
	if c.Ref.From > 0 {
		n += 2 + digits(c.Ref.From) + digits(c.Ref.To)
	}
	return n
}

// words estimates the tokens of a title: one for about four letters.
func words(s string) int { return len(s)/4 + 1 }

// digits returns the tokens of a number, three digits each.
func digits(n int) int {
	if n < 1000 {
		return 1
	}
	return 2
}
