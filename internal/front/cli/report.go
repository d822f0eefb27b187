package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/render"
)

// color reports whether text on a stream may be coloured.
func (a *app) color(tty bool) bool {
	switch a.settings.Color {
	case "always":
		return true
	case "never":
		return false
	}
	switch {
	case a.getenv("NO_COLOR") != "":
		return false
	case a.getenv("CLICOLOR_FORCE") != "" && a.getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return tty && a.getenv("CLICOLOR") != "0" && a.getenv("TERM") != "dumb"
}

// A brush paints text for a terminal, or leaves it as it is.
type brush bool

func (s brush) paint(code, text string) string {
	if !s {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s brush) bold(text string) string { return s.paint("1", text) }
func (s brush) dim(text string) string  { return s.paint("2", text) }
func (s brush) path(text string) string { return s.paint("36", text) }

// A report is what people read, in the making.
type report struct {
	bytes.Buffer
	paint  brush
	width  int  // of a line; 0 means no limit
	titles bool // above the columns
}

// table returns an empty list for standard output. Columns have titles only on a
// terminal: programs read rows.
func (a *app) table() *report {
	return &report{paint: brush(a.color(a.env.StdoutTTY)), width: a.width(), titles: a.env.StdoutTTY}
}

// sheet returns an empty report for standard output, laid out for no more than
// sheetWidth cells.
func (a *app) sheet() *report {
	t := a.table()
	if t.width == 0 || t.width > sheetWidth {
		t.width = sheetWidth
	}
	return t
}

// sheetWidth is how wide a report is at most: wider lines are hard to follow.
const sheetWidth = 100

// width returns the width of the terminal on standard output, or 0 without one.
func (a *app) width() int {
	if a.env.StdoutTTY {
		return a.env.Width
	}
	return 0
}

// header adds the titles of the columns.
func (t *report) header(titles string) {
	if t.titles {
		t.WriteString(t.paint.dim(titles) + "\n")
	}
}

// detail adds an indented line, cut at the width of the terminal.
func (t *report) detail(text string) {
	const indent = "    "
	t.WriteString(indent + fitWidth(strings.TrimRight(text, " "), rest(t.width, len(indent))) + "\n")
}

// field writes one fact behind its name, on as many lines as it takes.
func (t *report) field(name, value string) {
	const column = 10
	name = t.paint.bold(render.Pad(name, column-2)) + "  "
	room := rest(t.width, column)
	for value != "" {
		line, more := broken(value, room)
		t.WriteString(name + line + "\n")
		name, value = strings.Repeat(" ", column), more
	}
}

// wrapped writes parts on as many lines as they take, and nothing for an empty
// part.
func (t *report) wrapped(first, next, gap string, parts []string) {
	line, n := first, 0
	for _, p := range parts {
		if p == "" {
			continue
		}
		switch {
		case n == 0:
			line += p
		case visible(line)+render.Width(gap)+visible(p) > t.width:
			t.WriteString(t.cutToWidth(strings.TrimRight(line, " ")) + "\n")
			line = next + p
		default:
			line += gap + p
		}
		n++
	}
	t.WriteString(t.cutToWidth(line) + "\n")
}

// cutToWidth returns a line within the width of the report, without paint if it was
// cut.
func (t *report) cutToWidth(line string) string {
	if visible(line) <= t.width {
		return line
	}
	return fitWidth(unpainted(line), t.width)
}

// visible is the width of a text without what paints it.
func visible(s string) int { return render.Width(unpainted(s)) }

// unpainted is a text without what paints it.
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

// text writes a sentence, broken at spaces.
func (t *report) text(paint func(string) string, s string) {
	for s != "" {
		var line string
		line, s = broken(s, t.width)
		if paint != nil {
			line = paint(line)
		}
		t.WriteString(line + "\n")
	}
}

// indented writes a sentence, broken at spaces, some cells from the left.
func (t *report) indented(cells int, s string) {
	cells = min(cells, t.width-1)
	for s != "" {
		var line string
		line, s = broken(s, t.width-cells)
		t.WriteString(strings.Repeat(" ", cells) + line + "\n")
	}
}

// Parts of lines.

// broken breaks a text at the last space that leaves a line of at most width
// cells, or within a word that is longer; 0 means no limit.
func broken(text string, width int) (line, more string) {
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

// fitWidth cuts a text to a width; 0 means no limit.
func fitWidth(text string, width int) string {
	if width <= 0 || render.Width(text) <= width {
		return text
	}
	n := 0
	for i, r := range text {
		w := render.Width(string(r))
		if n+w > width-1 {
			return text[:i] + "…"
		}
		n += w
	}
	return text
}

// narrow is the width below which a title has a separate line.
const narrow = 90

// tail cuts a path at its beginning; 0 means no limit.
func tail(path string, width int) string {
	if width <= 0 {
		return path
	}
	return render.Truncate(path, width)
}

// rest is what of a width is left; a line without a width has no limit.
func rest(width, used int) int {
	if width <= 0 {
		return 0
	}
	return max(width-used, 10)
}

// shareText writes a share as people read it.
func shareText(n, of int) string {
	switch {
	case n == 0 || of <= 0:
		return "0%"
	case 100*n < of:
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(of))
}

func nonEmpty(words ...string) (out []string) {
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// bytesText writes a size as people read it.
func bytesText(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", n/1_000)
	case n < 10_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// thousands writes a number as people read it.
func thousands(n int) string { return render.Thousands(n) }

// count writes a number of tokens, with ~ if it is estimated.
func count(n int, off float64) string {
	if off > 0 {
		return "~" + render.Compact(n)
	}
	return render.Compact(n)
}

// tilde shortens the paths of a text that lie below the home.
func (a *app) tilde(text string) string {
	const slash = string(filepath.Separator)
	home := a.getenv("HOME")
	if home == "" || filepath.Clean(home) == filepath.VolumeName(home)+slash {
		return text
	}
	return strings.ReplaceAll(text, filepath.Clean(home)+slash, "~"+slash)
}
