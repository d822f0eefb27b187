package document

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// A Section is what stands under one heading, up to the next one, whatever its
// level; a long one is several Sections with the same Trail. The first of a file
// is what precedes all headings.
type Section struct {
	From, To int      // lines
	Trail    []string // titles from the document's to its own, outermost first; never empty
	Level    int      // of its heading; 0 for what precedes the first
	Part     int      // of a long section: 0 for the first piece, which has the heading
}

// Title is the section's own heading.
func (s *Section) Title() string { return s.Trail[len(s.Trail)-1] }

// Path is the trail as people read it: "README > Build > Windows".
func (s *Section) Path() string { return strings.Join(s.Trail, " > ") }

// Sizes of sections, in lines: a longer one is cut at the last blank line that
// leaves at least half of it. As long as the longest chunk of the index, so that
// both mean about as much by "a place in a file".
const (
	maxSection = 80
	maxTrail   = 12 // headings deeper than this keep the innermost ones
)

// A heading of a document.
type heading struct {
	line  int // the first that belongs to it
	level int // 1 is the highest
	title string
}

// headings returns the headings among symbols, by line, each line once.
func headings(symbols []satchel.Symbol, lines [][]byte) []heading {
	var out []heading
	for _, s := range symbols {
		if s.Kind != "heading" || s.NameLine < 1 || s.NameLine > len(lines) {
			continue
		}
		level := len(s.Signature) - len(strings.TrimLeft(s.Signature, "#"))
		h := heading{s.NameLine, max(level, 1), s.Name}
		// A line of marks above belongs to the heading, as below.
		if h.line > 1 && h.line < len(lines) && ruled(lines[h.line-2]) && bytes.Equal(bytes.TrimSpace(lines[h.line-2]), bytes.TrimSpace(lines[h.line])) {
			h.line--
		}
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b heading) int { return a.line - b.line })
	return slices.CompactFunc(out, func(a, b heading) bool { return a.line == b.line })
}

// ruled reports whether a line is a row of one mark.
func ruled(line []byte) bool {
	t := bytes.TrimSpace(line)
	return len(t) >= 3 && !alphanumeric(t[0]) && len(bytes.Trim(t, string(t[:1]))) == 0
}

// sections tiles the lines by headings.
func sections(lines [][]byte, fences []part, hs []heading, f Front, stem string) []Section {
	if len(lines) == 0 {
		return nil
	}
	// The document's title is the only heading of the highest level, if there is
	// one such and it comes first.
	root := f.Title
	if root == "" {
		root = stem
		if len(hs) > 0 && !slices.ContainsFunc(hs[1:], func(h heading) bool { return h.level <= hs[0].level }) {
			root = hs[0].title
		}
	}
	var out []Section
	add := func(from, to, level int, trail []string) {
		for part := 0; from <= to; part++ {
			end := pieceEnd(lines, fences, from, to)
			out = append(out, Section{from, end, trail, level, part})
			from = end + 1
		}
	}
	first := len(lines) + 1
	if len(hs) > 0 {
		first = hs[0].line
	}
	add(1, first-1, 0, []string{root})
	var open []heading
	for i, h := range hs {
		for len(open) > 0 && open[len(open)-1].level >= h.level {
			open = open[:len(open)-1]
		}
		open = append(open, h)
		trail := make([]string, 0, len(open)+1)
		if open[0].title != root {
			trail = append(trail, root)
		}
		for _, o := range open {
			trail = append(trail, o.title)
		}
		if n := len(trail); n > maxTrail {
			trail = slices.Delete(trail, 1, n-maxTrail+1)
		}
		to := len(lines)
		if i+1 < len(hs) {
			to = hs[i+1].line - 1
		}
		add(h.line, to, h.level, trail)
	}
	return out
}

// pieceEnd returns the last line of a piece of lines that starts at from.
func pieceEnd(lines [][]byte, fences []part, from, to int) int {
	if to-from < maxSection {
		return to
	}
	end := from + maxSection - 1
	for l := end; l >= from+maxSection/2; l-- {
		if len(bytes.TrimSpace(lines[l-1])) == 0 && fences[l-1] != code {
			return l
		}
	}
	return end
}
