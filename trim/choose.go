package trim

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// Choosing looks for what is worth most for its tokens: it begins with what the
// dearest token could be worth, and asks each unit for the runs of lines that are
// worth at least that; then it asks for less, again and again.
const (
	steps    = 120
	lowering = 0.7
	slack    = 0.8 // of the price at which a run may be taken, since others were taken meanwhile
)

// A chooser is the state of choosing.
type chooser struct {
	t     *cutter
	left  float64
	shown []uint8         // how often a name is shown
	said  []bool          // whether a phrase is
	asked []bool          // whether the user's words have a name
	fixed map[uint64]bool // keys of the long lines that stand in place
	taken []choice
	why   string // of what is taken for another reason than its worth

	worth            []float64 // of names
	ref, gram, quote float64   // weights, divided by what there is to expect
	seen             []uint8   // scratch: how often a name came in the unit so far
	came             []bool    // scratch: whether a phrase did
	states           []int8    // scratch of runs
	scores           []float64 // the same
	run              []int     // the same
}

// A choice is what was taken at once, to be given back.
type choice struct {
	unit  *unit
	lines []int
	cost  float64
	worth bool   // it was taken for what a token of it is worth
	why   string // of what was taken for another reason
}

// longLine is the length of a line that is not shown again if it stands in place.
const longLine = 15

// newChooser returns one that knows what stands in place.
func (t *cutter) newChooser() *chooser {
	c, s := t.conv, &t.shape
	k := &chooser{t: t, shown: make([]uint8, len(c.Entities)), said: make([]bool, len(c.Grams)), asked: make([]bool, len(c.Entities)),
		seen: make([]uint8, len(c.Entities)), came: make([]bool, len(c.Grams)), fixed: make(map[uint64]bool), worth: make([]float64, len(c.Entities))}
	refs, grams, edits := 1.0, 10.0, 3.0
	for i := range c.Entities {
		k.worth[i] = math.Pow(c.Entities[i].P, s.Power) * c.Entities[i].Rarity
		refs += k.worth[i]
	}
	for i := range c.Grams {
		grams += c.Grams[i].P
	}
	counted := make(map[uint64]bool, len(t.quotes))
	for i := range c.Lines { // in order: sums of the same numbers differ by theirs
		if key := c.Lines[i].Key; !counted[key] {
			counted[key] = true
			edits += t.quotes[key]
		}
	}
	k.ref, k.gram, k.quote = s.Ref/refs, s.Gram/grams, s.Edit/edits
	for p := range c.Parts {
		part := &c.Parts[p]
		if part.Group < t.first || t.cut[p] {
			continue
		}
		for i := part.From; i < part.To; i++ {
			l := &c.Lines[i]
			k.cover(l, false)
			if len(l.Text) > longLine {
				k.fixed[l.Key] = true
			}
		}
	}
	return k
}

// cover notes that a line is shown.
func (k *chooser) cover(l *reuse.Line, user bool) {
	for _, r := range k.t.conv.Refs(l) {
		if user {
			k.asked[r] = true
		} else {
			k.shown[r] = min(k.shown[r]+1, 3)
		}
	}
	for _, g := range k.t.conv.Phrases(l) {
		k.said[g] = true
	}
}

// name is what a name is worth that was shown n times.
func (k *chooser) name(r int32, n uint8) float64 {
	v := k.worth[r] * k.ref
	for ; n > 0; n-- {
		v *= k.t.shape.Repeat
	}
	if k.asked[r] {
		v *= k.t.shape.Asked
	}
	return v
}

// value returns the values of the lines of a unit that are not shown, which it keeps.
func (k *chooser) value(u *unit) []float64 {
	c, s := k.t.conv, &k.t.shape
	v := u.values[:0]
	kind := &s.Kinds[u.kind]
	base := s.Line * 1e-3 * kind.Line * math.Exp(-float64(len(c.Groups)-u.group)/s.Half)
	factor := u.weight * (1 + s.Recent*min(1, float64(u.group)/float64(max(1, k.t.first))))
	for i := range u.lines {
		l := &u.lines[i]
		if l.shown || l.stale || len(l.text) > minSaid && (u.topic.said[l.Key] || k.fixed[l.Key]) {
			v = append(v, 0)
			continue
		}
		x := base
		for _, r := range c.Refs(l.Line) {
			x += k.name(r, min(3, k.shown[r]+k.seen[r]))
			k.seen[r] = min(k.seen[r]+1, 3)
		}
		for _, g := range c.Phrases(l.Line) {
			p := c.Grams[g].P * k.gram
			if k.said[g] || k.came[g] {
				p *= s.RepeatGram
			}
			x += p
			k.came[g] = true
		}
		if u.kind != ofWas {
			x += l.Edit * k.quote
		}
		v = append(v, x*factor)
	}
	for i := range u.lines {
		for _, r := range c.Refs(u.lines[i].Line) {
			k.seen[r] = 0
		}
		for _, g := range c.Phrases(u.lines[i].Line) {
			k.came[g] = false
		}
	}
	u.values = v
	return v
}

// heading returns what it costs and what it is worth to show the first line of a
// topic.
func (k *chooser) heading(u *unit) (cost, value float64) {
	top := u.topic
	switch {
	case top.open:
		return 0, 0
	case u.kind == ofCall: // what it printed is named, if not shown
		return markSize, 0
	}
	for _, l := range top.names {
		for _, r := range k.t.conv.Refs(l) {
			value += k.name(r, k.shown[r])
		}
	}
	return top.heading + k.t.shape.Heading, value
}

// markSize are the tokens of a mark with a handle.
const markSize = 5.0

// cost returns the tokens of lines that are not shown yet.
func (u *unit) cost(lines []int) (n float64) {
	for _, i := range lines {
		if !u.lines[i].shown {
			n += u.lines[i].cost
		}
	}
	return n
}

// take shows lines of a unit, and what is above them. worth says
// that they are taken for what a token of them is worth.
func (k *chooser) take(u *unit, lines []int, cost float64, worth bool) {
	fresh := make([]int, 0, len(lines))
	top := u.topic
	switch {
	case u.kind == ofCall:
		top.lent = false
	case !top.open:
		for _, l := range top.names {
			k.cover(l, false)
		}
		if top.call != nil {
			top.lent = true
			for i := range headed(top.call) {
				top.call.lines[i].shown = true
			}
		}
	}
	top.open = true
	if u.kind == ofCall && !u.lines[0].shown { // what it is stands in its first line
		lines = append([]int{0}, lines...)
		cost += u.lines[0].cost
	}
	for _, i := range lines {
		l := &u.lines[i]
		if l.shown {
			continue
		}
		l.shown = true
		top.said[l.Key] = true
		k.cover(l.Line, false)
		fresh = append(fresh, i)
	}
	k.left -= cost
	k.taken = append(k.taken, choice{u, fresh, cost, worth, k.why})
}

// giveBack takes back what was taken last, for some tokens. It reports whether there
// was anything.
func (k *chooser) giveBack(tokens float64) bool {
	any := len(k.taken) > 0
	for tokens > 0 && len(k.taken) > 0 {
		last := k.taken[len(k.taken)-1]
		k.taken = k.taken[:len(k.taken)-1]
		for _, i := range last.lines {
			last.unit.lines[i].shown = false
			delete(last.unit.topic.said, last.unit.lines[i].Key)
		}
		top := last.unit.topic
		top.open = slices.ContainsFunc(top.units, func(u *unit) bool { return u.any() && !(u.kind == ofCall && top.lent) })
		if !top.open && top.lent {
			top.call.hide()
			top.lent = false
		}
		tokens -= max(last.cost, 1)
	}
	return any
}

// all returns the lines of a unit that can be shown and say something.
func (u *unit) all() []int {
	var out []int
	for i := range u.lines {
		if l := &u.lines[i]; !l.shown && !l.stale && !l.blank() {
			out = append(out, i)
		}
	}
	return out
}

// An offer is a run of lines and what it is worth for a token.
type offer struct {
	density float64
	unit    *unit
	order   int // of the unit
	lines   []int
}

// unitMark is what a unit seems to cost besides its lines.
const unitMark = 2

// offers, by the values that the unit had when they were looked at last, which only
// fall, appends the runs of a unit that are worth at least a price for a token.
func (k *chooser) offers(out []offer, order int, u *unit, price float64) []offer {
	heading, worth := k.heading(u)
	if u.whole {
		lines := u.all()
		if len(lines) == 0 {
			return out
		}
		cost, v := u.cost(lines)+heading+unitMark, worth
		for _, i := range lines {
			v += u.values[i]
		}
		if v > price*cost && (u.kind == ofCall || cost-heading-unitMark+k.t.shape.Gap <= k.left) {
			out = append(out, offer{v / cost, u, order, lines})
		}
		return out
	}
	for _, run := range k.runs(u, price, heading, worth) {
		cost, v := k.t.shape.Gap+heading, worth
		for _, i := range run {
			if !u.lines[i].shown {
				v += u.values[i]
				cost += u.lines[i].cost
			}
		}
		out = append(out, offer{v / cost, u, order, run})
	}
	return out
}

// fill takes what is worth most, for the tokens that are left.
func (k *chooser) fill(units []*unit) {
	k.why = ""
	price := 0.0
	for _, u := range units {
		u.bound = k.bound(u)
		price = max(price, u.bound)
	}
	var all []offer
	for step := 0; step < steps && price > 1e-12 && k.left > 8; step++ {
		price *= lowering
		all = all[:0]
		for i, u := range units {
			if u.bound >= price {
				all = k.offers(all, i, u, price)
			}
		}
		slices.SortFunc(all, func(a, b offer) int {
			return cmp.Or(cmp.Compare(b.density, a.density), cmp.Compare(b.order, a.order), cmp.Compare(a.lines[0], b.lines[0]))
		})
		for _, o := range all {
			heading, worth := k.heading(o.unit)
			cost := o.unit.cost(o.lines) + heading + k.t.shape.Gap
			if cost > k.left || cost == heading+k.t.shape.Gap {
				o.unit.refused = o.unit.refused || cost > k.left
				continue
			}
			values, v := k.value(o.unit), worth
			for _, i := range o.lines {
				v += values[i]
			}
			if v >= price*slack*cost {
				k.take(o.unit, o.lines, cost, true)
			}
		}
	}
}

// smallGap is what lines between two that are shown may take and are shown, too: a
// mark that says that they were left out takes nearly as much.
const smallGap = 6.0

// closeGaps shows what was left out between lines that are shown, where it is little.
func (k *chooser) closeGaps(units []*unit) {
	k.why = "little, between lines that are shown"
	for _, u := range units {
		if c := u.topic.command; c != nil && u.topic.open && u.part == c.Last().Result && !u.any() {
			if lines := u.all(); u.cost(lines) <= 2*markSize {
				k.takeWithin(k.left, u, lines)
			}
			continue
		}
		var hole []int
		cost, begun := 0.0, false
		for i := range u.lines {
			l := &u.lines[i]
			switch {
			case l.shown:
				if begun && len(hole) > 0 && cost <= min(smallGap, k.left) {
					k.take(u, hole, cost, false)
				}
				hole, cost, begun = nil, 0, true
			case l.stale:
				begun = false
			case !l.blank():
				hole, cost = append(hole, i), cost+l.cost
			}
		}
	}
}

// bound returns the most that a token of a unit can be worth.
func (k *chooser) bound(u *unit) float64 {
	_, worth := k.heading(u)
	values := k.value(u)
	if u.whole {
		sum, cost := worth, 1.0
		for i := range u.lines {
			sum += values[i]
			cost += u.lines[i].cost
		}
		return sum / cost
	}
	most := 0.0
	for i := range u.lines {
		if !u.lines[i].stale {
			most = max(most, (values[i]+worth)/(u.lines[i].cost+1))
		}
	}
	return most
}
