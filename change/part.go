package change

import (
	"strings"

	"github.com/satchel-dev/satchel"
)

// A Part is a hunk, or a part of a long one: what is shown or not. A new file of a
// thousand lines is one hunk, and worth more in parts. A file without hunks has one
// Part, without a Body.
type Part struct {
	satchel.Hunk
	Body string // lines of the hunk's, byte for byte
}

// Sizes of the parts of a hunk, in lines. Most hunks have fewer, and stay whole;
// a screen or so is what a reader takes in at once. They do not depend on the
// budget, so that the parts of a diff always have the same numbers.
const (
	longHunk  = 64 // longer ones are divided
	leastPart = 16
	mostPart  = 48
)

// AppendParts appends the parts of a file's hunks to dst, in reading order. Every
// line is in exactly one. file is the place of the file in its Report.
func AppendParts(dst []Part, file int, f *File) []Part {
	if len(f.Hunks) == 0 {
		return append(dst, Part{Hunk: satchel.Hunk{File: file, Part: 1, Parts: 1}})
	}
	for k := range f.Hunks {
		dst = divide(dst, file, k+1, &f.Hunks[k])
	}
	return dst
}

// divide appends the parts of a hunk to dst.
func divide(dst []Part, file, number int, h *Hunk) []Part {
	first := len(dst)
	p := Part{
		Hunk: satchel.Hunk{
			File: file, Number: number, Section: h.Section,
			OldFrom: h.OldFrom, OldLines: h.OldLines, NewFrom: h.NewFrom, NewLines: h.NewLines,
			Added: h.Added, Removed: h.Removed,
		},
		Body: h.Body,
	}
	if strings.Count(h.Body, "\n") <= longHunk {
		dst = append(dst, p)
	} else {
		dst = appendCut(dst, p, bodyLines(h.Body))
	}
	for i := first; i < len(dst); i++ {
		dst[i].Part, dst[i].Parts = i-first+1, len(dst)-first
	}
	return dst
}

// bodyLines returns the lines of a hunk. A mark that a line has no end belongs to
// the line before.
func bodyLines(body string) []string {
	lines := make([]string, 0, strings.Count(body, "\n")+1)
	for line := range strings.Lines(body) {
		if n := len(lines); n > 0 && line[0] == '\\' {
			lines[n-1] += line
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// appendCut appends the parts of p, which has these lines.
func appendCut(dst []Part, p Part, lines []string) []Part {
	oldLine, newLine := p.OldFrom, p.NewFrom
	if p.OldLines == 0 {
		oldLine++ // git names the line before
	}
	if p.NewLines == 0 {
		newLine++
	}
	body, at := p.Body, 0
	for from := 0; from < len(lines); {
		to := len(lines)
		if to-from > longHunk {
			to = cutAt(lines, from)
		}

		q := p
		q.CutBefore = from > 0 && !between(lines, from)
		q.CutAfter = to < len(lines) && !between(lines, to)
		q.OldFrom, q.NewFrom = oldLine, newLine
		q.OldLines, q.NewLines, q.Added, q.Removed = 0, 0, 0, 0
		start := at
		for _, l := range lines[from:to] {
			at += len(l)
			q.count(l[0])
		}

		oldLine += q.OldLines
		newLine += q.NewLines
		if q.OldLines == 0 {
			q.OldFrom--
		}
		if q.NewLines == 0 {
			q.NewFrom--
		}
		q.Body = body[start:at]
		dst = append(dst, q)
		from = to
	}
	return dst
}

// count counts a line with this mark.
func (p *Part) count(mark byte) {
	switch mark {
	case '+':
		p.Added++
		p.NewLines++
	case '-':
		p.Removed++
		p.OldLines++
	default:
		p.OldLines++
		p.NewLines++
	}
}

// between reports whether a cut before line i has unchanged lines on both sides,
// so that both parts are patches by themselves.
func between(lines []string, i int) bool { return lines[i-1][0] == ' ' && lines[i][0] == ' ' }

// cutAt chooses where the part that starts at from ends: between two changes if
// there is such a place, else where a definition seems to begin, else after a
// blank line, else anywhere; the last such place of all.
func cutAt(lines []string, from int) int {
	best, rank := from+mostPart, 0
	for i := min(from+mostPart, len(lines)-1); i >= from+leastPart; i-- {
		r := 0
		switch {
		case between(lines, i):
			r = 3
		case lines[i][0] != lines[i-1][0]:
			continue // what was removed stays with what took its place
		case strings.TrimSpace(lines[i-1][1:]) != "":
		case len(lines[i]) > 1 && lines[i][1] != ' ' && lines[i][1] != '\t' && lines[i][1] != '\n':
			r = 2
		default:
			r = 1
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}

// Enclosing returns the signature of the definition that the part's first changed
// line stands in: of symbols of the new side, or of the old one if the part only
// removes. It is empty if there is none.
func (p *Part) Enclosing(olds, news []satchel.Symbol) string {
	symbols, line := news, p.NewFrom
	if p.Added == 0 && p.Removed > 0 && olds != nil {
		symbols, line = olds, p.OldFrom
	}
	for l := range strings.Lines(p.Body) {
		if l[0] == '+' || l[0] == '-' {
			break
		}
		line++
	}
	best := -1
	for i := range symbols {
		s := &symbols[i]
		if s.From <= line && line <= s.To && (best < 0 || s.To-s.From <= symbols[best].To-symbols[best].From) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return symbols[best].Signature
}
