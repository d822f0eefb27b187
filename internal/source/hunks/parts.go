package hunks

import (
	"bytes"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/render"
)

// A Part is a hunk, or a part of a long one: what is shown or not. A new
// file of a thousand lines is one hunk, and worth more in parts.
type Part struct {
	File   int32 // of Report.Files
	Number int32 // of the hunk, from 1; 0 for a file without hunks
	part   int32 // from 1
	parts  int32
	Ord    int32 // among the parts of the file, from 1

	OldFrom, OldLines int32 // as in change.Hunk
	NewFrom, NewLines int32
	Added, Removed    int32

	cutBefore, cutAfter bool
	section             string
	body                string

	Weight float64 // what showing all of it is worth, beside others of its file
	shown  *shownText
}

// A shownText is the text of a part as it may be shown.
type shownText struct {
	Text    string
	exact   bool // it is byte for byte that of the patch
	clipped int  // bytes of long lines that are left out
}

// Sizes of the parts of a hunk, in lines. Most hunks have fewer, and stay whole;
// a screen or so is what a reader takes in at once. They do not depend on the
// budget, so that the parts of a diff always have the same numbers.
const (
	longHunk  = 64 // longer ones are divided
	leastPart = 16
	mostPart  = 48
)

// divide appends the parts of a hunk to dst. Every line is in exactly one.
func divide(dst []Part, file int32, number int, h *change.Hunk) []Part {
	first := len(dst)
	p := Part{
		File: file, Number: int32(number), section: h.Section,
		OldFrom: int32(h.OldFrom), OldLines: int32(h.OldLines), NewFrom: int32(h.NewFrom), NewLines: int32(h.NewLines),
		Added: int32(h.Added), Removed: int32(h.Removed), body: h.Body,
	}
	if strings.Count(h.Body, "\n") <= longHunk {
		dst = append(dst, p)
	} else {
		dst = appendParts(dst, p, bodyLines(h.Body))
	}
	for i := first; i < len(dst); i++ {
		dst[i].part, dst[i].parts = int32(i-first+1), int32(len(dst)-first)
	}
	return dst
}

// bodyLines returns the lines of a hunk. A mark that a line has no end belongs to
// the line before.
func bodyLines(body string) []string {
	lines := make([]string, 0, strings.Count(body, "\n")+1)
	for len(body) > 0 {
		n := strings.IndexByte(body, '\n') + 1
		if n == 0 {
			n = len(body)
		}
		if n < len(body) && body[n] == '\\' {
			if m := strings.IndexByte(body[n:], '\n'); m >= 0 {
				n += m + 1
			} else {
				n = len(body)
			}
		}
		lines = append(lines, body[:n])
		body = body[n:]
	}
	return lines
}

// appendParts appends the parts of p, which has these lines.
func appendParts(dst []Part, p Part, lines []string) []Part {
	oldLine, newLine := int(p.OldFrom), int(p.NewFrom)
	if p.OldLines == 0 {
		oldLine++ // git names the line before
	}
	if p.NewLines == 0 {
		newLine++
	}
	body, at := p.body, 0
	for from := 0; from < len(lines); {
		to := len(lines)
		if to-from > longHunk {
			to = cutAt(lines, from)
		}
		q := p
		q.cutBefore = from > 0 && !between(lines, from)
		q.cutAfter = to < len(lines) && !between(lines, to)
		q.OldFrom, q.NewFrom = int32(oldLine), int32(newLine)
		q.OldLines, q.NewLines, q.Added, q.Removed = 0, 0, 0, 0
		start := at
		for _, l := range lines[from:to] {
			at += len(l)
			switch l[0] {
			case '+':
				q.Added++
				q.NewLines++
			case '-':
				q.Removed++
				q.OldLines++
			default:
				q.OldLines++
				q.NewLines++
			}
		}
		oldLine += int(q.OldLines)
		newLine += int(q.NewLines)
		if q.OldLines == 0 {
			q.OldFrom--
		}
		if q.NewLines == 0 {
			q.NewFrom--
		}
		q.body = body[start:at]
		dst = append(dst, q)
		from = to
	}
	return dst
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

// Text returns the lines of the part as they may be shown: secrets redacted,
// and what a terminal would obey spelled out.
func (p *Part) Text(path string) *shownText {
	if p.shown == nil {
		text := redactPatch(path, p.body)
		text, _ = render.CleanPatch(text)
		text, clipped := clipLines(text)
		p.shown = &shownText{text, text == p.body, clipped}
	}
	return p.shown
}

// longestLine is how many bytes of a line are shown: longer ones are data in
// practice, and cannot be divided.
const longestLine = 2000

// clipLines cuts lines that are too long, and returns how many bytes went.
func clipLines(text string) (string, int) {
	if !hasLongLine(text) {
		return text, 0
	}
	var b strings.Builder
	clipped := 0
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		if len(body) <= longestLine {
			b.WriteString(line)
			continue
		}
		clipped += len(body) - longestLine
		b.WriteString(strings.ToValidUTF8(body[:longestLine], ""))
		b.WriteString("… " + render.Plural(len(body)-longestLine, "byte") + " more\n")
	}
	return b.String(), clipped
}

func hasLongLine(text string) bool {
	for len(text) > longestLine {
		n := strings.IndexByte(text, '\n')
		if n < 0 || n > longestLine {
			return true
		}
		text = text[n+1:]
	}
	return false
}

// redactPatch takes the secrets out of lines that have a mark each: they are
// looked for without the marks, as they stand in the file.
func redactPatch(path, body string) string {
	if body == "" {
		return body
	}
	plain := make([]byte, 0, len(body))
	for line := range strings.Lines(body) {
		plain = append(plain, line[1:]...)
	}
	clean, found := secrets.RedactExcerpt(path, plain)
	if len(found) == 0 {
		return body
	}
	var b strings.Builder
	for line := range strings.Lines(body) {
		n := bytes.IndexByte(clean, '\n') + 1
		if n == 0 {
			n = len(clean)
		}
		b.WriteByte(line[0])
		b.Write(clean[:n])
		clean = clean[n:]
	}
	return b.String()
}

// What a trimmed form keeps of a hunk.
const (
	trimContext = 1  // lines around a change
	trimRun     = 12 // longer runs of changed lines lose their middle
	trimEnd     = 5  // lines kept at both ends of such a run
	trimLeast   = 10 // shorter hunks are not trimmed
)

// A trimmed is what is left of a part.
type trimmed struct {
	text                         string
	lines, bytes, added, removed int // that are kept
}

// Trim returns the lines of a part that say most: the changed ones, the middle
// of long runs left out, with little around them. ok is false if that is hardly
// less than all.
func Trim(text string) (t trimmed, ok bool) {
	all := bodyLines(text)
	if len(all) < trimLeast {
		return t, false
	}
	keep := make([]bool, len(all))
	for i := 0; i < len(all); {
		to := i + 1
		for to < len(all) && all[to][0] == all[i][0] {
			to++
		}
		if all[i][0] != ' ' {
			for k := i; k < to; k++ {
				keep[k] = to-i <= trimRun || k-i < trimEnd || to-k <= trimEnd
			}
			for k := max(0, i-trimContext); k < i; k++ {
				keep[k] = true
			}
			for k := to; k < min(len(all), to+trimContext); k++ {
				keep[k] = true
			}
		}
		i = to
	}
	var b strings.Builder
	for i := 0; i < len(all); {
		if keep[i] {
			b.WriteString(all[i])
			t.lines++
			t.bytes += len(all[i])
			switch all[i][0] {
			case '+':
				t.added++
			case '-':
				t.removed++
			}
			i++
			continue
		}
		to := i
		for to < len(all) && !keep[to] {
			to++
		}
		b.WriteString("⋮ " + render.Plural(to-i, "line") + "\n")
		i = to
	}
	t.text = b.String()
	return t, 10*t.lines <= 7*len(all)
}

// enclosing returns the signature of the definition that the part's first
// changed line stands in: of symbols of the new side, or of the old one if the
// part only removes.
func (p *Part) enclosing(olds, news []satchel.Symbol) string {
	symbols, line := news, int(p.NewFrom)
	if p.Added == 0 && p.Removed > 0 && olds != nil {
		symbols, line = olds, int(p.OldFrom)
	}
	for l := range strings.Lines(p.body) {
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
