package style

import (
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/text/markdown"
)

// Mend makes good what needs no judgement: what would act is taken out as the guard
// says, and told; the subject is one line without a full stop, unless people here set
// one; a blank line stands behind it; and the body is wrapped at 72 characters, but for
// code, tables, trailers and words that are longer. Mending twice is mending once.
func (c *Convention) Mend(text string, guard *hygiene.Guard) (string, []hygiene.Taken) {
	g := hygiene.Guard{}
	if guard != nil {
		g = *guard
	}
	g.Message = true
	text, taken := g.Text(text)
	for range 4 { // what a wrap brings together is looked at again
		head, body, _ := strings.Cut(strings.TrimSpace(text), "\n")
		mended := c.subject(head)
		if body = wrap(body); body != "" {
			mended = strings.TrimSpace(mended + "\n\n" + body)
		}
		if mended == text {
			break
		}
		again, more := g.Text(mended)
		text, taken = again, append(taken, more...)
	}
	return text, taken
}

// subject mends a subject.
func (c *Convention) subject(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for len(s) > 2 && strings.ContainsRune("\"'`*", rune(s[0])) && s[0] == s[len(s)-1] && strings.Count(s, s[:1]) == 2 {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	if !c.Stop && strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "..") {
		s = strings.TrimSuffix(s, ".")
	}
	return s
}

// A paragraph is lines of a body that belong together. Those that are kept stay as
// they are: blank lines, code, tables, quotes and trailers.
type paragraph struct {
	lines  []string
	indent string // of all lines but the first, as in a list
	kept   bool
}

var item = lazy.Regexp(`^(\s{0,3}(?:[-*+•]|\d{1,3}[.)])\s+)\S`)

// paragraphs divides a body.
func paragraphs(body string) (list []paragraph) {
	var fences markdown.Fences
	for _, line := range strings.Split(body, "\n") {
		line = strings.TrimRight(line, " \t\r")
		part := fences.Line([]byte(line))
		open := len(list) > 0 && !list[len(list)-1].kept
		m := item().FindStringSubmatch(line)
		switch {
		case part != markdown.Prose || strings.TrimSpace(line) == "" || strings.ContainsAny(line[:1], "|>") || trailer().MatchString(line) && !strings.Contains(line, ". "),
			m == nil && !open && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")):
			list = append(list, paragraph{lines: []string{line}, kept: true})
		case m != nil:
			list = append(list, paragraph{lines: []string{line}, indent: strings.Repeat(" ", utf8.RuneCountInString(m[1]))})
		case open && (list[len(list)-1].indent == "" || strings.HasPrefix(line, " ")):
			p := &list[len(list)-1]
			p.lines = append(p.lines, line)
		default:
			list = append(list, paragraph{lines: []string{line}})
		}
	}
	return list
}

// wrap breaks the lines of a body that are too long, and takes the blank lines off
// its ends.
func wrap(body string) string {
	var out []string
	for _, p := range paragraphs(body) {
		long := false
		for _, l := range p.lines {
			long = long || utf8.RuneCountInString(l) > bodyWidth
		}
		if p.kept || !long {
			out = append(out, p.lines...)
			continue
		}
		out = append(out, fill(p)...)
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// fill writes the words of a paragraph in lines that are short enough.
func fill(p paragraph) (out []string) {
	first := p.lines[0]
	line := first[:len(first)-len(strings.TrimLeft(first, " \t"))]
	n, begun := utf8.RuneCountInString(line), false
	for _, word := range strings.Fields(strings.Join(p.lines, " ")) {
		w := utf8.RuneCountInString(word)
		if begun && n+1+w > bodyWidth && !opens(word) {
			out = append(out, line)
			line, n, begun = p.indent, len(p.indent), false
		}
		if begun {
			line, n = line+" ", n+1
		}
		line, n, begun = line+word, n+w, true
	}
	return append(out, line)
}

// opens reports whether a word means something else at the beginning of a line: an
// item of a list, a quote, a comment of git, a block of code, an order to a program, a
// breaking change.
func opens(word string) bool {
	return strings.ContainsAny(word[:1], "-*+•|>#`~/:") || item().MatchString(word+" x") || strings.HasSuffix(word, ":") || word == hygiene.Breaking
}
