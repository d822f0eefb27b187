package render

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// Settle fills what only rendering knows: Used and Sections, the tokens of the
// text that [Pack] will write in this format, and Diagnostics about characters that
// it will show otherwise. The sum of the sections is Used.
//
// The count function returns the tokens of a text, as a byte-pair encoding of
// the o200k or cl100k kind counts them. Settle calls it only for what it does
// not know: the Tokens of an Entry are believed to be those of its Text, which
// makes a second count of a large Pack cheap. Texts are counted apart only
// where such an encoding never joins what stands on both sides, so that the
// sum is the count of the whole.
func Settle(p *satchel.Pack, f Format, count func(string) int) error {
	if f == JSON {
		j := newJSON(p)
		p.Diagnostics = withDiagnostics(p.Diagnostics, j.diags)
		body, bodySections := measureParts(j.body, count)
		// JSON states its own count, which is part of what is counted. Numbers
		// settle after a round or two; if they keep moving, the larger count
		// is kept, and a token too many is stated.
		p.Used, p.Sections = 0, nil
		for range 6 {
			tail, tailSections := measureParts(j.tail(p, p.Used, p.Sections), count)
			if body+tail <= p.Used {
				break
			}
			p.Used = body + tail
			p.Sections = slices.Clone(bodySections)
			for _, s := range tailSections {
				p.Sections = addSection(p.Sections, s.Name, s.Tokens)
			}
		}
		return j.err
	}
	parts, diags, err := layOut(p, f)
	if err != nil {
		return err
	}
	p.Diagnostics = withDiagnostics(p.Diagnostics, diags)
	p.Used, p.Sections = measureParts(parts, count)
	return nil
}

func addSection(sections []satchel.Section, name string, tokens int) []satchel.Section {
	for i := range sections {
		if sections[i].Name == name {
			sections[i].Tokens += tokens
			return sections
		}
	}
	return append(sections, satchel.Section{Name: name, Tokens: tokens})
}

// measureParts counts parts, and sums them up by section, in order of appearance.
func measureParts(parts []part, count func(string) int) (used int, sections []satchel.Section) {
	var joined strings.Builder
	for i := 0; i < len(parts); {
		if parts[i].free {
			i++
			continue
		}
		first := i
		for i++; i < len(parts) && !parts[i].free && !apart(parts[i-1].text, parts[i].text); i++ {
		}
		n := parts[first].tokens
		switch {
		case i == first+1 && n < 0:
			n = count(parts[first].text)
		case i > first+1:
			joined.Reset()
			for _, p := range parts[first:i] {
				joined.WriteString(p.text)
			}
			n = count(joined.String())
		}
		used += n
		sections = addSection(sections, parts[first].section, n)
	}
	return used, sections
}

// apart reports whether a and b in a row have as many tokens as a and b. The
// encodings split text into words before they merge bytes, and a newline ends
// a word unless more newlines follow, or slashes after punctuation.
func apart(a, b string) bool {
	if a == "" || b == "" || a[len(a)-1] != '\n' {
		return false
	}
	if b[0] == '/' {
		// The newline belongs to no punctuation if it follows a letter or digit.
		return len(a) > 1 && alphanumeric(a[len(a)-2])
	}
	for i := range len(b) {
		switch c := b[i]; {
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		default:
			// Some whitespace is not ASCII.
			return c != '\n' && c != '\r' && c < 0x80
		}
	}
	return false
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
