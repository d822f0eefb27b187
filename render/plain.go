package render

import "strings"

// plain writes headings that start with a row of equals signs, longer than any
// at the start of a line of text:
//
//	Excerpts from …
//	==== most likely files
//	…
//	==== file path/to/file.go
//	10-12 func Outlined()
//	==== lines 30-42 Shown
//	func Shown() {
//	…
//	==== receipt
//	…
func plain(v *view) []part {
	n := 4
	for i := range v.files {
		f := &v.files[i]
		for _, l := range f.list {
			n = max(n, leading(l, '=')+1)
		}
		for j := range f.blocks {
			for _, q := range f.blocks[j].texts {
				n = max(n, leadingRun(q.text, '=')+1)
			}
		}
	}
	mark := strings.Repeat("=", n) + " "

	ps := &parts{section: "frame"}
	ps.say(intro, "\n")
	ps.pack(v, func(_, title string, lines []string) {
		ps.say(mark, strings.ToLower(title), "\n", strings.Join(lines, "\n"), "\n")
	}, func(f *fileView) {
		ps.say(mark, "file ", f.word, f.provenance(), "\n")
		for _, n := range f.notes {
			ps.say("Note: ", n, "\n")
		}
		if len(f.list) > 0 {
			ps.say(strings.Join(f.list, "\n"), "\n")
		}
		for j := range f.blocks {
			b := &f.blocks[j]
			ps.say(mark, b.heading(), "\n")
			for _, q := range b.texts {
				ps.quote(q.text, q.tokens)
			}
		}
	})
	return ps.done()
}

// leadingRun returns the longest run of c at the start of a line of s.
func leadingRun(s string, c byte) int {
	longest := leading(s, c)
	for {
		i := strings.Index(s, "\n"+string(c))
		if i < 0 {
			return longest
		}
		s = s[i+1:]
		longest = max(longest, leading(s, c))
	}
}

func leading(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}
