package finding

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

const (
	near     = 15 // lines: a quote that stands several times is the one nearer than this
	telling  = 12 // bytes of a quote that may say of itself which file it is of
	mostSpan = 200
	mostRows = 12 // lines of a finding that are kept to be shown
)

// Resolve finds the lines that a finding is about, and returns it clean, with its
// Anchor, its fingerprint, and what is wrong with its claims.
//
// The quote decides; the line and the file that were named only choose between its
// places, since models count badly and copy well. In this order:
//
//   - it stands at the line, on the side: exact
//   - elsewhere in the hunks of the file on that side, then on the other: moved; of
//     several places the nearest, if that is nearer than 15 lines and not tied, else
//     the file is all that is known
//   - at the line of the file, outside of the hunks: context
//   - once in the hunks of another file: moved, to that file
//   - elsewhere in the file: context
//   - nowhere: unverified
//
// No model is asked to find it, since it would have to answer something.
func (c *Change) Resolve(f Finding) Finding {
	c.scrub(&f)
	said := f.Path
	given := f
	f.Path, f.Anchor, f.From, f.To = named(f.Path), Unverified, 0, 0
	q := quote(f.Quote)
	switch {
	case q == nil:
		f.note("it quotes no line")
	case !c.anchor(&f, q, &given):
		f.note("its quote was not found")
	}
	if f.Anchor == Unverified {
		f.Path, f.From, f.To = clip.Cut(clean.Inline(said), longPath), given.From, given.To
		f.Quote = clip.Cut(clean.Line(f.Quote).String(), longQuote)
	}
	c.claims(&f)
	c.evidence(&f)
	c.identify(&f)
	return f
}

// named returns the path that a model means, "" if that can be none.
func named(path string) string {
	path = strings.Trim(strings.ReplaceAll(path, `\`, "/"), "`\"' \t\n")
	path = strings.TrimPrefix(path, "./")
	if !fs.ValidPath(path) || path == "." {
		return ""
	}
	return path
}

// file returns the changed file of a path; nil if it is none. Marks of a patch and
// folders that were left out are made good, if that says which one it is.
func (c *Change) file(path string) *file {
	if f := c.byPath[path]; f != nil || path == "" {
		return f
	}
	if rest, ok := strings.CutPrefix(path, "a/"); ok && c.byPath[rest] != nil {
		return c.byPath[rest]
	}
	if rest, ok := strings.CutPrefix(path, "b/"); ok && c.byPath[rest] != nil {
		return c.byPath[rest]
	}
	var found *file
	for _, f := range c.files {
		if strings.HasSuffix(f.Path, "/"+path) {
			if found != nil {
				return nil
			}
			found = f
		}
	}
	return found
}

// anchor sets where the finding is. given is what was said of it.
func (c *Change) anchor(f *Finding, q []quoted, given *Finding) bool {
	file := c.file(f.Path)
	if file != nil {
		f.Path = file.Path
		if c.within(f, file, q, given) {
			return true
		}
	}
	if f.Path != "" && c.unchanged(f, q, given, true) {
		return true
	}
	return c.elsewhere(f, file, q, given) || f.Path != "" && c.unchanged(f, q, given, false)
}

// within looks in the hunks of the file that was named.
func (c *Change) within(f *Finding, file *file, q []quoted, given *Finding) bool {
	for _, side := range []Side{given.Side, other(given.Side)} {
		lines := file.lines(side)
		at := search(lines, q, given.From)
		if len(at) == 0 {
			continue
		}
		f.Side = side
		i, sure := choose(lines, at, given.From)
		switch {
		case !sure:
			f.Anchor = File
			f.Quote = lines[at[0]].shown
			f.note(fmt.Sprintf("its quote is at %d places", len(at)))
		case lines[i].number == given.From && side == given.Side:
			f.Anchor = Exact
			f.place(lines, i, len(q), given)
		default:
			f.Anchor = Moved
			f.place(lines, i, len(q), given)
			f.note(fmt.Sprintf("moved from line %d: its quote is here", given.From))
			if side != given.Side {
				f.note("on the " + string(side) + " side")
			}
		}
		return true
	}
	return false
}

// choose returns which of the places a line number means: the one there, the only
// one, or the nearest. Otherwise it is not sure.
func choose(lines []line, at []int, number int) (index int, sure bool) {
	if len(at) == 1 {
		return at[0], true
	}
	best, distance, tied := -1, near, false
	for _, i := range at {
		d := max(lines[i].number-number, number-lines[i].number)
		switch {
		case d < distance:
			best, distance, tied = i, d, false
		case d == distance && best >= 0:
			tied = true
		}
	}
	return best, best >= 0 && !tied
}

// elsewhere looks in the hunks of the other files, for a quote that says enough to
// be found by itself.
func (c *Change) elsewhere(f *Finding, not *file, q []quoted, given *Finding) bool {
	for _, way := range [][]quoted{asItIs(q), q} {
		for _, side := range []Side{given.Side, other(given.Side)} {
			var found *file
			count, index := 0, 0
			for _, file := range c.files {
				if file == not {
					continue
				}
				if at := find(file.lines(side), way); len(at) > 0 {
					found, index = file, at[0]
					count += len(at)
				}
			}
			if count > 1 {
				return false
			}
			if count == 0 || len(found.lines(side)[index].plain) < telling {
				continue
			}
			f.Path, f.Side, f.Anchor = found.Path, side, Moved
			f.place(found.lines(side), index, len(q), given)
			f.note("moved from " + clip.Cut(clean.Inline(given.Path), longPath) + ": its quote is here")
			return true
		}
	}
	return false
}

// pathOn returns what a file is called on a side.
func (c *Change) pathOn(path string, side Side) string {
	if file := c.byPath[path]; file != nil && side == Old && file.OldPath != "" {
		return file.OldPath
	}
	return path
}

// unchanged looks in all of the file that was named: at the line only, or anywhere.
func (c *Change) unchanged(f *Finding, q []quoted, given *Finding, there bool) bool {
	for _, side := range []Side{given.Side, other(given.Side)} {
		lines := c.text(c.pathOn(f.Path, side), side)
		if there {
			if i := given.From - 1; i < 0 || i >= len(lines) || !standsAt(lines, i, q) {
				continue
			}
			f.Side, f.Anchor = side, Context
			f.place(lines, given.From-1, len(q), given)
			return true
		}
		at := search(lines, q, 0)
		if len(at) == 0 {
			continue
		}
		f.Side = side
		if i, sure := choose(lines, at, given.From); sure {
			f.Anchor = Context
			f.place(lines, i, len(q), given)
		} else {
			f.Anchor, f.Quote = File, lines[at[0]].shown
			f.note(fmt.Sprintf("its quote is at %d places", len(at)))
		}
		return true
	}
	return false
}

// place sets the lines of a finding: those of the quote, which stand at index i, and
// as many more as were named, if they stand in the same hunk.
func (f *Finding) place(lines []line, i, quoted int, given *Finding) {
	last := i + quoted - 1
	if end := i + given.To - given.From; end > last && end < len(lines) && lines[end].hunk == lines[i].hunk {
		last = end
	}
	f.From, f.To = lines[i].number, lines[last].number
	f.Quote = clip.Cut(lines[i].shown, longQuote)
	f.Inline = lines[i].hunk > 0
	f.Lines = nil
	for _, l := range lines[i:min(last+1, i+mostRows)] {
		f.Lines = append(f.Lines, Line{l.number, string(l.mark), clip.Cut(l.text, longRow)})
	}
	f.replace(lines, i, last)
}

// replace sets what takes the place of the lines, if the fix is nothing but a block
// of code that takes exactly their place: it begins after the line before them and
// ends before the line after them.
func (f *Finding) replace(lines []line, first, last int) {
	f.Replacement = ""
	code, ok := block(f.Fix)
	if !ok || !f.Inline || f.Side != New || last-first >= mostRows {
		return
	}
	rows := strings.Split(code, "\n")
	var was []string
	for _, l := range lines[first : last+1] {
		was = append(was, l.text)
	}
	same := func(row string, at int) bool {
		row = strings.TrimSpace(row)
		return at >= 0 && at < len(lines) && len(row) > 1 && row == lines[at].shown
	}
	if same(rows[0], first-1) || same(rows[len(rows)-1], last+1) || slices.Equal(rows, was) || alike(code, strings.Join(was, "\n")) < leastAlike {
		return
	}
	f.Replacement = code
}

// leastAlike is how much a replacement has in common with what it replaces: less, and
// it is about something else.
const leastAlike = 0.2

// block returns the code of a text that is one fenced block and nothing else.
func block(s string) (code string, ok bool) {
	s = strings.TrimSpace(s)
	open, rest, found := strings.Cut(s, "\n")
	mark := open[:len(open)-len(strings.TrimLeft(open, "`~"))]
	if !found || len(mark) < 3 {
		return "", false
	}
	code, ok = strings.CutSuffix(rest, "\n"+mark)
	return code, ok && code != "" && !strings.Contains(code, mark)
}

func other(s Side) Side {
	if s == New {
		return Old
	}
	return New
}

// note adds to why the finding is where or what it is.
func (f *Finding) note(why string) {
	if f.Why != "" {
		why = f.Why + "; " + why
	}
	f.Why = why
}
