package render

import (
	"cmp"
	"strings"
)

// markdown writes
//
//	Excerpts from …
//	## Most likely files
//	…
//	### path/to/file.go
//	```go
//	10-12 func Outlined()
//	@@ 30 Shown
//	func Shown() {
//	…
//	```
//	## Receipt
//	…
//
// Every line that is not in a fence starts with a word of ours. One fence holds
// all that is shown of a file, outlines first: a fence for each block took three
// times the tokens. The mark of a block has more signs than any at the start of a
// line in the fence.
func markdown(v *view) []part {
	ps := &parts{section: "frame"}
	ps.say(intro, "\n")
	ps.pack(v, func(kind, title string, lines []string) {
		text := strings.Join(lines, "\n") + "\n"
		if kind == "tests" || kind == "related" { // they have text of the repository
			text = Fenced("", text)
		}
		ps.say("## ", title, "\n", text)
	}, func(f *fileView) {
		ps.say("### ", f.word, f.provenance(), "\n")
		for _, n := range f.notes {
			ps.say("Note: ", n, "\n")
		}
		if len(f.list)+len(f.blocks) == 0 {
			return
		}
		list := strings.Join(f.list, "\n")
		run, mark, lang := longestRun(list, '`')+1, max(2, leadingRun(list, '@')+1), ""
		if len(f.blocks) > 0 {
			lang = cmp.Or(f.lang, "text")
		}
		for j := range f.blocks {
			for _, q := range f.blocks[j].texts {
				run = max(run, longestRun(q.text, '`')+1)
				mark = max(mark, leadingRun(q.text, '@')+1)
			}
		}
		fence := ticks(run)
		ps.say(fence, lang, "\n")
		if list != "" {
			ps.say(list, "\n")
		}
		for j := range f.blocks {
			b := &f.blocks[j]
			ps.say(strings.Repeat("@", mark), " ", b.mark(), "\n")
			for _, q := range b.texts {
				ps.quote(q.text, q.tokens)
			}
		}
		ps.say(fence, "\n")
	})
	return ps.done()
}

// Fenced puts a text, which is clean already, into a fence that no line of it closes.
func Fenced(lang, text string) string {
	fence := ticks(longestRun(text, '`') + 1)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + lang + "\n" + text + fence + "\n"
}

// ticks returns a fence of n backticks, at least three.
func ticks(n int) string {
	if n <= 3 {
		return "```"
	}
	return strings.Repeat("`", n)
}

// provenance returns what follows the path in a heading: nothing for what the
// commit that the receipt names has under this path.
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
