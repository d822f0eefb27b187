package ask

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// The shares of a broad context's budget that its parts may take. They were measured on
// the facts of people's commit messages (docs/design/010-asks.md).
const (
	broadLedger = 0.25
	broadNames  = 0.12
)

// lineShare is the part of a budget, in tokens, that a line may have in bytes, so
// that no line of a small prompt takes more than some fiftieth of it.
const lineShare = 12

// leastFile is how many tokens of a file's changed lines are worth showing.
const leastFile = 48

// A view is a text that shows some rows of a change.
type view struct {
	text    string
	masks   []mask // of the sheets
	whole   bool   // every row that can be shown is
	context int    // how many sheets show their context
	beside  int    // how many pieces of other files are shown
}

// A broad context says something of every file of a change: that is what the
// message of a commit is made of.
//
// It begins with the ledger. Then come changed lines, without those around them:
// water is poured over the files, and in each over its runs of changed lines, so
// that small ones are shown whole and large ones equally far. Names of what stays
// below the water are listed. Files that nobody reads get what is left, and all of
// it if nothing else changed; after them, the lines around the changes.
type broad struct {
	before string // what stands above the change
	budget int    // tokens of all of it

	sheets []*sheet // readable ones, then folded ones
	first  int      // how many are poured over first
	ledger string
	names  string
}

// newBroad prepares the files of a change, most relevant first.
func newBroad(files []*change.Scored, before string, budget int) *broad {
	b := &broad{before: before, budget: budget}
	b.sheets = sheetsOf(files, 4*budget, max(leastLine, min(longestLine, budget/lineShare)))
	slices.SortStableFunc(b.sheets, func(x, y *sheet) int { return x.turn() - y.turn() })
	for b.first < len(b.sheets) && b.sheets[b.first].turn() == 0 {
		b.first++
	}
	b.first = cmp.Or(b.first, len(b.sheets))
	b.ledger = ledger(files, int(broadLedger*float64(budget)), all)
	return b
}

// turn is when a sheet gets its room: 0 if its lines are worth reading.
func (s *sheet) turn() int {
	if s.folded != "" || len(s.rows) == 0 {
		return 1
	}
	return 0
}

// show lays the context out.
func (b *broad) show() (*view, error) {
	least := b.write(nil, 0)
	if n := tokens.O200k().Count(least.text); n > b.budget {
		return nil, &satchel.OverflowError{Need: n, Limit: b.budget}
	}
	room := int(broadNames * float64(b.budget))
	v, err := b.pour(least, b.budget-room, 0, b.first)
	if err != nil {
		return nil, err
	}
	if !b.full(v, b.first) {
		b.names = missing(words(b.sheets), v.text, room)
		return b.pour(b.write(nil, 0), b.budget, 0, b.first)
	}
	if v, err = b.pour(v, b.budget, b.first, len(b.sheets)); err != nil || !b.full(v, len(b.sheets)) {
		return v, err
	}
	return widen(v, 0, b.budget, len(b.sheets), func(n int) *view { return b.write(v.masks, n) })
}

// full reports whether a view shows all that is loaded of the first n sheets.
func (b *broad) full(v *view, n int) bool {
	for i := range b.sheets[:n] {
		if !b.sheets[i].complete(v.masks[i]) {
			return false
		}
	}
	return true
}

// pour shows as much of the sheets from..to as a budget holds, beside what v shows
// of those before.
func (b *broad) pour(v *view, budget, from, to int) (*view, error) {
	most := 1
	for _, s := range b.sheets[from:to] {
		most = max(most, s.size)
	}
	left := budget - tokens.O200k().Count(v.text)
	if n := max(1, left/leastFile); to-from > n {
		to = from + n
	}
	w, ok, err := pack.Within(budget, pack.Range{First: left / max(1, to-from), Most: most}, func(limit int) (pack.Layout[*view], error) {
		masks := slices.Clone(v.masks)
		for i := from; i < to; i++ {
			masks[i] = b.sheets[i].fill(min(limit, b.sheets[i].size))
		}
		w := b.write(masks, 0)
		size := tokens.O200k().Count(w.text)
		return pack.Layout[*view]{Shown: w, Size: size, Done: pack.Filled(size, budget)}, nil
	})
	if err != nil || ok {
		return w, err
	}
	return b.glimpse(v, budget, from, to), nil
}

// glimpse shows one row of the sheets from..to, if one fits: the shortest that says
// something of the first that has such a row.
func (b *broad) glimpse(v *view, budget, from, to int) *view {
	for k, s := range b.sheets[from:to] {
		best := -1
		for i := range s.rows[:s.loaded] {
			if r := &s.rows[i]; r.changes() && len(r.text) >= leastQuote && (best < 0 || r.tokens < s.rows[best].tokens) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		masks := slices.Clone(v.masks)
		masks[from+k] = make(mask, len(s.rows))
		masks[from+k][best] = true
		if w := b.write(masks, 0); tokens.O200k().Count(w.text) <= budget {
			return w
		}
	}
	return v
}

// widen shows the largest number of most things more that fits a budget, of which
// other messages take a part.
func widen(v *view, elsewhere, budget, most int, write func(n int) *view) (*view, error) {
	if most == 0 {
		return v, nil
	}
	w, ok, err := pack.Within(budget, pack.Range{First: most, Most: most}, func(n int) (pack.Layout[*view], error) {
		w := write(n)
		return pack.Layout[*view]{Shown: w, Size: elsewhere + tokens.O200k().Count(w.text)}, nil
	})
	if !ok {
		w = v
	}
	return w, err
}

// write writes what masks show; of the first context sheets, with the lines around
// the changes.
func (b *broad) write(masks []mask, context int) *view {
	v := &view{masks: masks, context: context}
	if masks == nil {
		v.masks = make([]mask, len(b.sheets))
	}
	var lines strings.Builder
	for i, s := range b.sheets {
		switch {
		case i < context:
			s.write(&lines, s.all(true), false, true)
		case v.masks[i] != nil:
			s.write(&lines, v.masks[i], false, false)
		}
	}
	var out strings.Builder
	out.WriteString(b.before)
	out.WriteString(ledgerHead + "\n" + render.Fenced("", b.ledger))
	if b.names != "" {
		out.WriteString("Names in changed lines that are not shown:\n" + render.Fenced("", b.names))
	}
	if lines.Len() > 0 {
		out.WriteString(linesHead + "\n" + render.Fenced("diff", lines.String()))
	}
	v.text = out.String()
	return v
}

// linesHead explains changed lines as [sheet.write] writes them.
const linesHead = "Changed lines, below @ path:line; ⋮ n marks n more that are not shown; absent files are not shown either."
