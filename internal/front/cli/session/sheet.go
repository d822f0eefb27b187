package session

import (
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/render"
)

// A sheet is a report of at most sheetWidth cells.
type sheet struct{ *base.Report }

// sheetWidth is the largest width of a report. Longer lines are hard to read.
const sheetWidth = 100

// sheet returns an empty sheet for standard output.
func (a *app) sheet() *sheet {
	t := a.Table()
	if t.Width == 0 || t.Width > sheetWidth {
		t.Width = sheetWidth
	}
	return &sheet{t}
}

// field writes a name and its value, wrapped.
func (t *sheet) field(name, value string) {
	const column = 10
	name = t.Paint.Bold(render.Pad(name, column-2)) + "  "
	room := base.Rest(t.Width, column)
	for value != "" {
		line, more := breakLine(value, room)
		t.WriteString(name + line + "\n")
		name, value = strings.Repeat(" ", column), more
	}
}

// wrapped writes the parts that are not empty, wrapped.
func (t *sheet) wrapped(first, next, gap string, parts []string) {
	line, n := first, 0
	for _, p := range parts {
		if p == "" {
			continue
		}
		switch {
		case n == 0:
			line += p
		case visible(line)+render.Width(gap)+visible(p) > t.Width:
			t.WriteString(t.cutToWidth(strings.TrimRight(line, " ")) + "\n")
			line = next + p
		default:
			line += gap + p
		}
		n++
	}
	t.WriteString(t.cutToWidth(line) + "\n")
}

// cutToWidth cuts a line to the width of the report. A cut line has no colours.
func (t *sheet) cutToWidth(line string) string {
	if visible(line) <= t.Width {
		return line
	}
	return base.FitWidth(unpainted(line), t.Width)
}

// text writes a sentence, wrapped.
func (t *sheet) text(paint func(string) string, s string) {
	for s != "" {
		var line string
		line, s = breakLine(s, t.Width)
		if paint != nil {
			line = paint(line)
		}
		t.WriteString(line + "\n")
	}
}

// indented writes a sentence, wrapped and indented by some cells.
func (t *sheet) indented(cells int, s string) {
	cells = min(cells, t.Width-1)
	for s != "" {
		var line string
		line, s = breakLine(s, t.Width-cells)
		t.WriteString(strings.Repeat(" ", cells) + line + "\n")
	}
}

// visible returns the width of a text without its colours.
func visible(s string) int { return render.Width(unpainted(s)) }

// unpainted returns a text without its colours.
func unpainted(s string) string {
	for {
		from := strings.Index(s, "\x1b[")
		if from < 0 {
			return s
		}
		to := strings.IndexByte(s[from:], 'm')
		if to < 0 {
			return s
		}
		s = s[:from] + s[from+to+1:]
	}
}

// breakLine splits a text after at most width cells, at a space if possible. A width of 0
// means no limit.
func breakLine(text string, width int) (line, more string) {
	if width <= 0 || render.Width(text) <= width {
		return text, ""
	}
	n, space := 0, -1
	for i, r := range text {
		if r == ' ' {
			space = i
		}
		if n += render.Width(string(r)); n > width {
			if i == 0 {
				i = len(string(r)) // wider than a line
			}
			if space <= 0 {
				return text[:i], text[i:]
			}
			return text[:space], strings.TrimLeft(text[space:], " ")
		}
	}
	return text, ""
}

func nonEmpty(words ...string) (out []string) {
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// countText formats a number of tokens, with ~ if it is an estimate.
func countText(n int, off float64) string {
	if off > 0 {
		return "~" + render.Compact(n)
	}
	return render.Compact(n)
}
