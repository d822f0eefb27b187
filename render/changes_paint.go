package render

import (
	"fmt"
	"strings"
)

// PaintDiff colors the text of a Diff for a terminal: a step over the finished
// lines, so that what people and models read cannot differ. Lines that come from
// a repository begin with a mark or a space, so that they never look like ours.
func PaintDiff(text string) string {
	var p painter
	return paintLines(text, p.color)
}

// paintLines colors each line of a text; "" leaves it as it is.
func paintLines(text string, color func(line string) string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		code := color(body)
		if code == "" || body == "" {
			b.WriteString(line)
			continue
		}
		b.WriteString("\x1b[" + code + "m" + body + "\x1b[0m" + line[len(body):])
	}
	return b.String()
}

// A painter knows where in the text it is.
type painter struct {
	heading  bool // between the rules of a file
	old, now int  // lines that the current hunk still has, on either side
}

// color returns the color of a line, "" for none.
func (p *painter) color(line string) string {
	const bold, dim, red, green, cyan = "1", "2", "31", "32", "36"
	if p.old > 0 || p.now > 0 {
		switch {
		case strings.HasPrefix(line, "+"):
			p.now--
			return green
		case strings.HasPrefix(line, "-"):
			p.old--
			return red
		case strings.HasPrefix(line, "\\"):
			return dim
		}
		p.old--
		p.now--
		return ""
	}
	switch {
	case strings.HasPrefix(line, "━"):
		p.heading = !p.heading
		return dim
	case p.heading && strings.HasPrefix(line, "📄"), strings.HasPrefix(line, "=== "), strings.HasPrefix(line, "### "), strings.HasPrefix(line, "## "):
		return bold
	case strings.HasPrefix(line, "Reasons: "):
		return dim
	case p.heading:
		return dim
	case strings.HasPrefix(line, "@@ "):
		p.hunk(line)
		return cyan
	case strings.HasPrefix(line, "["):
		return cyan
	case strings.HasPrefix(line, "  +"):
		return green
	case strings.HasPrefix(line, "  -"):
		return red
	case strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "index "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return dim
	}
	return ""
}

// hunk reads the ranges of a hunk.
func (p *painter) hunk(line string) {
	fields := strings.Fields(line)
	if len(fields) >= 3 {
		p.old, p.now = rangeLines(fields[1]), rangeLines(fields[2])
	}
}

// rangeLines returns the number of lines of a range such as -1,3.
func rangeLines(s string) int {
	n := 1
	if _, lines, ok := strings.Cut(s, ","); ok {
		if _, err := fmt.Sscanf(lines, "%d", &n); err != nil {
			return 0
		}
	}
	return n
}
