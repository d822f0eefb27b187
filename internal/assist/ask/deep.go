package ask

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// What of the budget of a deep context the ledger may take, and in it the names of
// what files define of which not all is shown.
const (
	deepLedger = 0.17
	deepNames  = 0.04
)

// A deep context shows whole files of a change, most relevant first: defects are
// found by those who see all of a change, not by those who see a little of
// everything.
//
// The changed lines of a file come before any of the next, but for the middle of long
// removals, which comes after all of them, and before any line around the changes;
// those come next, then what stands beside the change: callers,
// tests, files that usually change with these. Lines carry their numbers, which
// findings name. What is cut is listed with its lines.
type deep struct {
	before, after string // what stands above and below
	elsewhere     int    // tokens of other messages
	budget        int
	files         []*change.Scored
	sheets        []*sheet // of the files, in the order that they are shown in
	around        []satchel.Entry
	plain         bool // lines have no numbers
}

// newDeep prepares files, most relevant first. Those that nobody reads come last,
// and those that are gone before them: nothing in them can be wrong.
func newDeep(files []*change.Scored, budget int) *deep {
	d := &deep{budget: budget, files: files, sheets: sheetsOf(files, 2*budget, longestLine)}
	slices.SortStableFunc(d.sheets, func(x, y *sheet) int { return x.late() - y.late() })
	return d
}

func (s *sheet) late() int {
	switch {
	case s.turn() > 0:
		return 2
	case s.Status == change.Deleted:
		return 1
	}
	return 0
}

// show lays the context out.
func (d *deep) show() (*view, error) {
	least := d.write(make([]mask, len(d.sheets)), 0, 0)
	if n := d.count(least); n > d.budget {
		return nil, &satchel.OverflowError{Need: n, Limit: d.budget}
	}
	most := leastFile
	for _, s := range d.sheets {
		most += s.numberedSize()
	}
	v, ok, err := pack.Within(d.budget, pack.Range{First: d.budget - d.count(least), Most: most, Each: 1}, func(limit int) (pack.Layout[*view], error) {
		v := d.write(d.take(limit), 0, 0)
		size := d.count(v)
		return pack.Layout[*view]{Shown: v, Size: size, Done: pack.Filled(size, d.budget)}, nil
	})
	if err != nil || !ok {
		return least, err
	}
	if !v.whole {
		return v, nil
	}
	if v, err = widen(v, d.elsewhere, d.budget, len(d.sheets), func(n int) *view { return d.write(v.masks, n, 0) }); err != nil || v.context < len(d.sheets) {
		return v, err
	}
	return widen(v, d.elsewhere, d.budget, len(d.around), func(n int) *view { return d.write(v.masks, v.context, n) })
}

// hidden returns the files of which a view does not show all.
func (d *deep) hidden(v *view) map[*change.Scored]bool {
	list := map[*change.Scored]bool{}
	for i, s := range d.sheets {
		if !s.complete(v.masks[i]) {
			list[s.Scored] = true
		}
	}
	return list
}

func (d *deep) count(v *view) int { return d.elsewhere + tokens.O200k().Count(v.text) }

// numbers is about how many tokens the number of a line takes.
const numbers = 3

// numberedSize is what a sheet takes with numbers.
func (s *sheet) numberedSize() int { return s.size + numbers*s.shown(s.all(false)) }

// take shows rows of the sheets, one after the other, of about as many tokens; then
// the dull rows, in the same order, if all others are shown.
func (d *deep) take(limit int) []mask {
	masks := make([]mask, len(d.sheets))
	for k, s := range d.sheets {
		if len(s.rows) == 0 {
			continue
		}
		if limit < leastFile {
			return masks
		}
		masks[k] = s.brief()
		if n := s.numberedSize() - s.dull; n <= limit {
			limit -= n
			continue
		}
		limit -= s.above
		for i := range masks[k] {
			if masks[k][i] {
				masks[k][i] = limit > 0
				limit -= int(s.rows[i].tokens) + numbers
			}
		}
		return masks
	}
	for k, s := range d.sheets {
		if s.dull == 0 {
			continue
		}
		if limit -= s.dull; limit < 0 {
			break
		}
		masks[k] = s.all(false)
	}
	return masks
}

// write writes what masks show; of the first context sheets, with the lines around
// the changes; and the first beside of what stands beside them.
func (d *deep) write(masks []mask, context, beside int) *view {
	v := &view{masks: masks, context: context, beside: beside, whole: true}
	var lines, cut strings.Builder
	var gone []string
	for i, s := range d.sheets {
		if len(s.rows) == 0 && s.Elided == 0 {
			continue
		}
		switch n := s.shown(masks[i]); {
		case n == 0:
			v.whole = v.whole && s.loaded == len(s.rows) && s.changed == 0
			gone = append(gone, clean.Inline(s.Path))
			continue
		case n < s.changed:
			v.whole = v.whole && s.complete(masks[i])
			h := s.account(masks[i]).Cut
			fmt.Fprintf(&cut, "Not shown of %s: lines %s.\n", clean.Inline(s.Path), lineList(h))
		}
		if i < context {
			s.write(&lines, s.all(true), !d.plain, true)
		} else {
			s.write(&lines, masks[i], !d.plain, false)
		}
	}
	if len(gone) > 0 {
		fmt.Fprintf(&cut, "No line is shown of %s: %s.\n", render.Plural(len(gone), "file"), SomeOf(gone, mostGone))
	}
	var out strings.Builder
	out.WriteString(d.before)
	if lines.Len() > 0 {
		head := numberedHead
		if d.plain {
			head = linesHead
		}
		out.WriteString(head + "\n" + render.Fenced("diff", lines.String()))
	}
	out.WriteString(cut.String())
	if beside > 0 {
		out.WriteString("Code around the change, as it is now:\n")
		for i := range d.around[:beside] {
			writeEntry(&out, &d.around[i])
		}
	}
	out.WriteString(d.after)
	v.text = out.String()
	return v
}

// numberedHead explains changed lines with their numbers.
const numberedHead = "Changed lines, below @ path:line, with the number that each has on its side; + is new, - is old."

// mostGone is how many files are named of which no line is shown; the ledger has
// them all.
const mostGone = 12

// mostCut is how many places are named at which a file is cut.
const mostCut = 8

// SomeOf joins the first most words of a list, and counts the others.
func SomeOf(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// lineList names the lines of what is cut: of the new side, or of the old one where
// lines only went away.
func lineList(cut []satchel.Hunk) string {
	var list []string
	for i := range cut {
		s := cut[i].Lines().String()
		if cut[i].NewLines == 0 {
			s += " (old)"
		}
		list = append(list, s)
	}
	return SomeOf(list, mostCut)
}

// writeEntry writes a piece of the repository below a line that names it, its lines
// numbered if all of them are there.
func writeEntry(b *strings.Builder, e *satchel.Entry) {
	b.WriteString(clean.Inline(e.Ref.Path))
	for i, r := range e.Lines {
		sep := ","
		if i == 0 {
			sep = ":"
		}
		b.WriteString(sep + r.String())
	}
	if len(e.Score) > 0 {
		b.WriteString(" (" + clean.Inline(e.Score[0].Why) + ")")
	}
	b.WriteString("\n")
	b.WriteString(render.Fenced(e.Lang, numberedText(e)))
}

// numberedText returns the text of an entry with the number of each line before it,
// or as it is if not all of it are lines of the file.
func numberedText(e *satchel.Entry) string {
	text := e.Text.String()
	var lines []int
	for _, r := range e.Lines {
		for n := r.From; n <= r.To && len(lines) <= len(text); n++ {
			lines = append(lines, n)
		}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line == ranking.Mark {
			b.WriteString(line)
			continue
		}
		if len(lines) == 0 {
			return text
		}
		b.WriteString(strconv.Itoa(lines[0]) + "  " + line)
		lines = lines[1:]
	}
	if len(lines) > 0 {
		return text
	}
	return b.String()
}
