package base

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// Color reports whether text on a stream may be coloured.
func (a *App) Color(tty bool) bool {
	switch a.Settings.Color {
	case "always":
		return true
	case "never":
		return false
	}
	switch {
	case a.Getenv("NO_COLOR") != "":
		return false
	case a.Getenv("CLICOLOR_FORCE") != "" && a.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return tty && a.Getenv("CLICOLOR") != "0" && a.Getenv("TERM") != "dumb"
}

// A Brush paints text for a terminal, or leaves it as it is.
type Brush bool

func (s Brush) Paint(code, text string) string {
	if !s {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s Brush) Bold(text string) string { return s.Paint("1", text) }
func (s Brush) Dim(text string) string  { return s.Paint("2", text) }
func (s Brush) Path(text string) string { return s.Paint("36", text) }

// A Report builds text for people.
type Report struct {
	bytes.Buffer
	Paint  Brush
	Width  int  // of a line; 0 means no limit
	Titles bool // above the columns
}

// Table returns an empty list for standard output. Columns have titles only on a
// terminal: programs read rows.
func (a *App) Table() *Report {
	return &Report{Paint: Brush(a.Color(a.Env.StdoutTTY)), Width: a.Width(), Titles: a.Env.StdoutTTY}
}

// Width returns the width of the terminal on standard output, or 0 without one.
func (a *App) Width() int {
	if a.Env.StdoutTTY {
		return a.Env.Width
	}
	return 0
}

// Header adds the titles of the columns.
func (t *Report) Header(titles string) {
	if t.Titles {
		t.WriteString(t.Paint.Dim(titles) + "\n")
	}
}

// Detail adds an indented line, cut at the width of the terminal.
func (t *Report) Detail(text string) {
	const indent = "    "
	t.WriteString(indent + FitWidth(strings.TrimRight(text, " "), Rest(t.Width, len(indent))) + "\n")
}

// FitWidth cuts a text to a width; 0 means no limit.
func FitWidth(text string, width int) string {
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

// Narrow is the width below which a title has a separate line.
const Narrow = 90

// Tail cuts a path at its beginning; 0 means no limit.
func Tail(path string, width int) string {
	if width <= 0 {
		return path
	}
	return render.Truncate(path, width)
}

// Rest returns the cells that are left of a width; 0 stays 0, for no limit.
func Rest(width, used int) int {
	if width <= 0 {
		return 0
	}
	return max(width-used, 10)
}

// ShareText formats a share as a percentage.
func ShareText(n, of int) string {
	switch {
	case n == 0 || of <= 0:
		return "0%"
	case 100*n < of:
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(of))
}

// BytesText formats a size with a unit.
func BytesText(n int64) string {
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

// Tilde writes ~ for the home folder in the paths of a text.
func (a *App) Tilde(text string) string {
	const slash = string(filepath.Separator)
	home := a.Getenv("HOME")
	if home == "" || filepath.Clean(home) == filepath.VolumeName(home)+slash {
		return text
	}
	return strings.ReplaceAll(text, filepath.Clean(home)+slash, "~"+slash)
}

// shownReasons is the number of reasons of a score that are shown; the others are
// summed in one line.
const shownReasons = 5

// Reasons adds the strongest reasons of a score in plain words, and the rest as
// one line, so that the sum stays the score.
func (t *Report) Reasons(score satchel.Score) {
	reasons := rank.Plainly(score)
	rest := 0.0
	for _, r := range reasons[min(shownReasons, len(reasons)):] {
		rest += r.Add
	}
	for _, r := range reasons[:min(shownReasons, len(reasons))] {
		fmt.Fprintf(t, "    %s\n", t.Paint.Dim(fmt.Sprintf("%+6.2f  %s", r.Add, clean.Inline(r.Why))))
	}
	if n := len(reasons) - shownReasons; n > 0 {
		fmt.Fprintf(t, "    %s\n", t.Paint.Dim(fmt.Sprintf("%+6.2f  %s", rest, render.Plural(n, "other reason"))))
	}
}
