package finding

import (
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// Code is what a change stands in. Each of its functions may be nil: then nothing is
// known but the change, and every name.
type Code struct {
	// Text returns the text of a file on a side of the change; false if it has none,
	// or none that may be shown.
	Text func(path string, side Side) (string, bool)

	// Symbols returns the definitions of a file on a side of the change.
	Symbols func(path string, side Side) []satchel.Symbol

	// Known reports whether a name stands anywhere: in the change, in the code on
	// either side, or as that of a file.
	Known func(name string) bool
}

// A Change is a changeset whose lines are looked up. It keeps what it has looked at,
// so it is not safe for concurrent use.
type Change struct {
	files  []*file
	byPath map[string]*file
	code   Code
	guard  hygiene.Guard
	texts  map[sided][]line
}

type sided struct {
	path string
	side Side
}

// A file is a changed file.
type file struct {
	*change.File
	sides map[Side][]line // lines in hunks, ascending; nil until they are asked for
}

// A line is one line of one side, as it is compared and as it is shown.
type line struct {
	number int
	hunk   int // from 1; 0 outside of hunks
	mark   byte
	text   string // clean, without its end
	plain  string // without outer space, as it stands in the file
	shown  string // text without outer space
}

// NewChange returns a changeset whose lines can be looked up. The guard, nil for one
// that lets nothing, says what may stay in the words of findings.
func NewChange(files []change.File, code Code, guard *hygiene.Guard) *Change {
	c := &Change{byPath: map[string]*file{}, code: code, texts: map[sided][]line{}}
	if guard != nil {
		c.guard = *guard
	}
	for i := range files {
		f := &file{File: &files[i]}
		c.files = append(c.files, f)
		c.byPath[f.Path] = f
	}
	for _, f := range c.files {
		if _, taken := c.byPath[f.OldPath]; f.OldPath != "" && !taken {
			c.byPath[f.OldPath] = f
		}
	}
	return c
}

// lines returns the lines that the hunks of a file have of a side.
func (f *file) lines(side Side) []line {
	if f.sides == nil {
		f.sides = map[Side][]line{Old: nil, New: nil}
		for k := range f.Hunks {
			f.read(&f.Hunks[k], k+1)
		}
	}
	return f.sides[side]
}

// read appends the lines of a hunk to both sides.
func (f *file) read(h *change.Hunk, number int) {
	shown := strings.Split(clean.Patch(f.Path, h.Body).String(), "\n")
	oldAt, newAt, i := h.OldFrom, h.NewFrom, 0
	for raw := range strings.Lines(h.Body) {
		text := ""
		if i < len(shown) {
			text = strings.TrimSuffix(shown[i], "\r")
		}
		i++
		mark := raw[0]
		switch mark {
		case '\\':
			continue
		case '+', '-', ' ':
			raw, text = raw[1:], strings.TrimPrefix(text, string(mark))
		default:
			mark = ' ' // some programs cut the space off an empty line
		}
		l := line{hunk: number, mark: mark, text: text, plain: strings.TrimSpace(raw), shown: strings.TrimSpace(text)}
		if mark != '+' {
			l.number = oldAt
			f.sides[Old] = append(f.sides[Old], l)
			oldAt++
		}
		if mark != '-' {
			l.number = newAt
			f.sides[New] = append(f.sides[New], l)
			newAt++
		}
	}
}

// text returns all lines of a file on a side, nil if there are none.
func (c *Change) text(path string, side Side) []line {
	k := sided{path, side}
	if lines, ok := c.texts[k]; ok || c.code.Text == nil {
		return lines
	}
	var out []line
	if text, ok := c.code.Text(path, side); ok && text != "" {
		text = strings.TrimSuffix(text, "\n")
		plain := strings.Split(text, "\n")
		shown := strings.Split(strings.TrimSuffix(clean.New(path, text).String(), "\n"), "\n")
		for i, raw := range plain {
			l := line{number: i + 1, mark: ' ', plain: strings.TrimSpace(raw)}
			if i < len(shown) {
				l.text, l.shown = shown[i], strings.TrimSpace(shown[i])
			}
			out = append(out, l)
		}
	}
	c.texts[k] = out
	return out
}

// numbered is a line as views print it, with its number at the left.
var numbered = lazy.Regexp(`^\s*\d{1,9}(?:\s*[+|:-]|\s)\s?(.*)$`)

// A quoted is a line of a quote in the ways that it may have been copied: as it is,
// behind its mark, behind a number.
type quoted []string

// quote takes a quote apart: its lines without blank ones around them; nil for none.
func quote(s string) (list []quoted) {
	for raw := range strings.Lines(strings.TrimRight(strings.TrimLeft(s, "\n\r"), " \t\r\n")) {
		var q quoted
		add := func(s string) {
			s = strings.TrimSpace(s)
			q = append(q, s)
			if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
				q = append(q, strings.TrimSpace(s[1:]))
			}
		}
		add(raw)
		if m := numbered().FindStringSubmatch(strings.TrimRight(raw, "\r\n")); m != nil && strings.TrimSpace(m[1]) != "" {
			add(m[1])
		}
		list = append(list, q)
		if len(list) > mostQuoted {
			return nil
		}
	}
	if len(list) == 0 || list[0][0] == "" {
		return nil
	}
	return list
}

// mostQuoted is how many lines a quote may have: a finding copies one.
const mostQuoted = 40

// is reports whether a line is the quoted one. No mark and no number alone makes a
// quote of a blank line. A line that is too long to be shown whole is quoted as it is
// shown.
func (q quoted) is(l *line) bool {
	for i, s := range q {
		if (s == l.plain || s == l.shown) && (s != "" || i == 0) {
			return true
		}
		if s, ok := beginning(s); ok && strings.HasPrefix(l.shown, s) {
			return true
		}
	}
	return false
}

// leastBeginning is how many bytes of a line tell which one it is.
const leastBeginning = 60

// beginning returns what stands before the mark of a line that was cut: "…", and how
// much more there is.
func beginning(s string) (string, bool) {
	i := strings.LastIndex(s, "…")
	if i < leastBeginning {
		return "", false
	}
	rest := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(s[i:], "…"), "s"), "more byte")
	return s[:i], strings.Trim(rest, " 0123456789") == ""
}

// find returns the places, indexes into lines, at which all of a quote stands in
// lines that follow each other in one hunk.
func find(lines []line, q []quoted) (at []int) {
	for i := range lines {
		if standsAt(lines, i, q) {
			at = append(at, i)
		}
	}
	return at
}

func standsAt(lines []line, i int, q []quoted) bool {
	if i+len(q) > len(lines) {
		return false
	}
	for k := range q {
		if l := &lines[i+k]; l.hunk != lines[i].hunk || !q[k].is(l) {
			return false
		}
	}
	return true
}

// search is find for a quote as it is, and only if that stands nowhere without what
// may be a mark or a number: a list's dash is both. What stands at the line that was
// named is found in any case.
func search(lines []line, q []quoted, number int) []int {
	all := find(lines, q)
	for _, i := range all {
		if lines[i].number == number {
			return all
		}
	}
	if at := find(lines, asItIs(q)); len(at) > 0 {
		return at
	}
	return all
}

// asItIs returns a quote without the other ways in which it may have been copied.
func asItIs(q []quoted) []quoted {
	out := make([]quoted, len(q))
	for i := range q {
		out[i] = q[i][:1]
	}
	return out
}
