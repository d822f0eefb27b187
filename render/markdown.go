package render

import "strings"

// markdown writes
//
//	Excerpts from …
//	### path/to/file.go blob 1a2b3c4d
//	```
//	10-12 func Outlined()
//	```
//	lines 30-42 Shown
//	```go
//	func Shown() {
//	…
//	```
//	## Most likely files
//	…
//	## Receipt
//	…
//
// Every line that is not in a fence starts with a word of ours.
func markdown(v *view) []part {
	ps := &parts{section: "frame"}
	ps.say(intro, "\n")
	for i := range v.files {
		f := &v.files[i]
		ps.in(f.section)
		ps.say("### ", f.word, f.provenance(), "\n")
		if f.note != "" {
			ps.say(f.note, "\n")
		}
		if len(f.list) > 0 {
			text := strings.Join(f.list, "\n")
			fence := ticks(longestRun(text, '`') + 1)
			ps.say(fence, "\n", text, "\n", fence, "\n")
		}
		for j := range f.blocks {
			b := &f.blocks[j]
			ps.say(b.heading(), "\n")
			n := 0
			for _, q := range b.texts {
				n = max(n, longestRun(q.text, '`')+1)
			}
			fence := ticks(n)
			lang := f.lang
			if lang == "" {
				// A word here also keeps the text's first line apart from the
				// fence's when tokens are counted.
				lang = "text"
			}
			ps.say(fence, lang, "\n")
			for _, q := range b.texts {
				ps.quote(q.text, q.tokens)
			}
			ps.say(fence, "\n")
		}
	}
	if len(v.paths) > 0 {
		ps.in("paths")
		ps.say("## Most likely files\n", strings.Join(v.paths, "\n"), "\n")
	}
	if len(v.named) > 0 {
		ps.in("paths")
		ps.say("## Files not shown\n", strings.Join(v.named, "\n"), "\n")
	}
	if lines := v.receipt.lines(); len(lines) > 0 {
		ps.in("receipt")
		ps.say("## Receipt\n", strings.Join(lines, "\n"), "\n")
	}
	return ps.done()
}

// ticks returns a fence of n backticks, at least three.
func ticks(n int) string {
	if n <= 3 {
		return "```"
	}
	return strings.Repeat("`", n)
}

// provenance returns what follows the path in a heading.
func (f *fileView) provenance() string {
	s := ""
	if f.blob != "" {
		s = " blob " + f.blob
	}
	if f.dirty {
		s += " (uncommitted)"
	}
	return s
}

// longestRun returns the length of the longest run of c in s if it is at least
// 3, and otherwise 2 or less.
func longestRun(s string, c byte) int {
	three := strings.Repeat(string(c), 3)
	longest := 0
	for {
		i := strings.Index(s, three)
		if i < 0 {
			return longest
		}
		n := i + 3
		for n < len(s) && s[n] == c {
			n++
		}
		longest = max(longest, n-i)
		s = s[n:]
	}
}
