package trim

import (
	"math"
	"strings"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// A pick is what choosing knows about a line.
type pick struct {
	base  float32 // value that does not depend on what else is chosen
	bonus float32 // from chosen neighbours
	lends float32 // what it gives its neighbours, once chosen
	state state
}

type state uint8

const (
	out   state = iota // no candidate: blank, a repetition, or not ours to choose
	open               // may be chosen
	taken              // chosen
	fixed              // shown whole
)

// choose picks lines for the tokens that are left, the most valuable for their
// size first. The value of a line falls as its names and phrases are already
// shown, so that values are looked at again before a line is taken (a lazy
// greedy knapsack).
func (t *cutter) choose(left float64) *knapsack {
	c := t.conv
	k := &knapsack{t: t, shown: make([]uint8, len(c.Entities)), said: make([]uint8, len(c.Grams)), asked: make([]bool, len(c.Entities)), alike: make(map[uint64]int)}
	k.weigh()
	t.lines = make([]pick, len(c.Lines)+len(c.Parts))
	t.shown = make([]bool, len(c.Parts))
	seen := make(map[uint64]bool)
	for p := len(c.Parts) - 1; p >= 0; p-- {
		part := &c.Parts[p]
		verbatim := !t.free[p]
		t.shown[p] = verbatim
		for i := part.To - 1; i >= part.From; i-- {
			l := &c.Lines[i]
			switch {
			case verbatim:
				t.lines[i].state = fixed
				k.cover(l)
				seen[l.Key] = true
			case t.isPlanned(i):
				t.lines[i].state, t.shown[p] = fixed, true
				k.cover(l)
				seen[l.Key] = true
			case blank(l.Text):
			case len(l.Text) > 15 && seen[l.Key]:
			default:
				seen[l.Key] = true
				t.lines[i].state = open
			}
		}
	}
	t.findEnds()
	for i := range c.Lines {
		if t.lines[i].state == open {
			t.lines[i].base = k.base(i)
			k.items = append(k.items, item{int32(i), k.density(i)})
		}
	}
	if t.shape.Facts > 0 {
		for p := range c.Parts {
			// Of a short result a line says more.
			if i := len(c.Lines) + p; c.Parts[p].Source.Result() && t.free[p] && t.zones[c.Parts[p].Group] == digest && t.partSize(p) > 2*t.headSize(p) {
				v := t.shape.Facts * math.Exp(-float64(len(c.Groups)-c.Parts[p].Group)/25)
				if t.factsOf(p).failed {
					v *= failedFacts
				}
				t.lines[i] = pick{state: open, base: float32(v)}
				k.items = append(k.items, item{int32(i), k.density(i)})
			}
		}
	}
	for p := range c.Parts { // in place, a command says at least how its output begins and ends
		if t.zones[c.Parts[p].Group] == middle && !t.shown[p] {
			left -= k.takeEnds(p, left)
		}
	}
	k.items.order()
	k.fill(left)
	return k
}

// failedFacts is how much more it is worth to say what became of a command that
// failed.
const failedFacts = 30

// repeat lets lines be chosen that say what another one says, which is for when
// there is room for everything else. It reports whether there are any; the
// second time there are none.
func (k *knapsack) repeat() bool {
	t, any := k.t, false
	for i := range t.conv.Lines {
		if l := &t.conv.Lines[i]; t.lines[i].state == out && t.free[l.Part] && !blank(l.Text) {
			t.lines[i] = pick{state: open, base: k.base(i)}
			k.items.push(item{int32(i), k.density(i)}) //nolint:gosec // lines are counted in 32 bits
			any = true
		}
	}
	return any
}

// fill chooses lines for the tokens that are left.
func (k *knapsack) fill(left float64) {
	t := k.t
	var passed []item // too long for what is left
	for len(k.items) > 0 && left > 2 {
		top := k.items[0]
		i := int(top.line)
		if p := i - len(t.conv.Lines); p >= 0 && t.shown[p] { // a line of it is shown, and its head with it
			k.items.pop()
			continue
		}
		if t.lines[i].state != open {
			k.items.pop()
			continue
		}
		if d := k.density(i); d < top.density-1e-12 {
			k.items[0].density = d
			k.items.down(0)
			continue
		}
		k.items.pop()
		cost := t.cost(i)
		if cost > left {
			passed = append(passed, top)
			continue
		}
		left -= cost
		if i < len(t.conv.Lines) && !t.ended[t.conv.Lines[i].Part] {
			k.takeEnds(t.conv.Lines[i].Part, math.Inf(1)) // the cost has them
		}
		if t.lines[i].state == open {
			k.take(i)
		}
	}
	for _, it := range passed {
		k.items.push(it)
	}
}

// cost returns the tokens that a line adds: its own, the header of its part if
// it is the first, and what becomes of the marks of gaps around it.
func (t *cutter) cost(i int) float64 {
	if p := i - len(t.conv.Lines); p >= 0 {
		return t.headSize(p) - t.shape.Head
	}
	l := &t.conv.Lines[i]
	n := l.Tokens
	if !t.shown[l.Part] && t.zones[t.conv.Parts[l.Part].Group] == digest {
		n += t.headSize(l.Part)
	}
	if !t.ended[l.Part] {
		for _, e := range t.ends[l.Part] {
			if e >= 0 && int(e) != i && t.lines[e].state == open {
				n += t.conv.Lines[e].Tokens + gapSize
			}
		}
	}
	part := &t.conv.Parts[l.Part]
	before := i == part.From || t.lines[i-1].state == taken
	after := i == part.To-1 || t.lines[i+1].state == taken
	switch {
	case before && after:
		n -= gapSize
	case !before && !after:
		n += gapSize
	}
	return max(n, 1)
}

const (
	headerSize = 6.0
	gapSize    = 1.42 // "…" on a line of its own
)

// A knapsack is the state of choose.
type knapsack struct {
	t     *cutter
	items queue
	shown []uint8        // how often a name is shown
	said  []uint8        // how often a phrase is
	asked []bool         // whether the user's words show a name
	alike map[uint64]int // how many lines of a pattern are shown

	worth            []float64 // of names
	prompts          int       // parts that hold the user's words
	ref, gram, quote float64   // weights, divided by what there is to expect
}

// alike is what a line is worth if another one is shown that differs in its
// numbers only.
const alike = 0.6

// weigh divides the weights by the sums of what is expected, so that a value is
// a share of what the agent is going to need.
func (k *knapsack) weigh() {
	c, s := k.t.conv, &k.t.shape
	refs, grams, edits := 1.0, 10.0, 3.0
	k.worth = make([]float64, len(c.Entities))
	for i := range c.Entities {
		k.worth[i] = math.Pow(c.Entities[i].P, s.Power) * c.Entities[i].Rarity
		refs += k.worth[i]
	}
	for i := range c.Grams {
		grams += c.Grams[i].P
	}
	for i := range c.Lines {
		edits += c.Lines[i].Edit
	}
	for p := range c.Parts {
		if c.Parts[p].Source == reuse.User {
			k.prompts++
		}
	}
	k.ref, k.gram, k.quote = s.Ref/refs, s.Gram/grams, s.Edit/edits
}

// cover notes that a line is shown.
func (k *knapsack) cover(l *reuse.Line) {
	user := k.t.conv.Parts[l.Part].Source == reuse.User
	for _, r := range k.t.conv.Refs(l) {
		if user {
			k.asked[r] = true
		} else {
			k.shown[r] = min(k.shown[r]+1, 3)
		}
	}
	for _, g := range k.t.conv.Phrases(l) {
		k.said[g] = 1
	}
	if l.Pattern != 0 {
		k.alike[l.Pattern]++
	}
}

// base returns the value of a line that does not change.
func (k *knapsack) base(i int) float32 {
	c, s := k.t.conv, &k.t.shape
	l := &c.Lines[i]
	p := &c.Parts[l.Part]
	age := float64(len(c.Groups) - p.Group)
	kind := 0.25
	switch p.Source {
	case reuse.Read:
		kind = 1
	case reuse.Call, reuse.Answer:
		kind = 2
	case reuse.User:
		kind = 3
	}
	v := l.Edit*k.quote + s.Line*1e-3*kind*math.Exp(-age/25)
	if p.Source == reuse.Command || p.Failed { // what went wrong, and how it ended
		if l.Failing || p.Failed && p.To-p.From < 8 {
			v += s.Error * math.Exp(-age/12)
		} else if i >= p.To-2 {
			v += s.Error / 2 * math.Exp(-age/12)
		}
	}
	if p.Source == reuse.User {
		v += s.User / float64(k.prompts) / float64(p.To-p.From)
	}
	return float32(v)
}

// names returns the value of the names of a line that are not shown yet.
func (k *knapsack) names(i int) float64 {
	c, s := k.t.conv, &k.t.shape
	v := 0.0
	for _, r := range c.Refs(&c.Lines[i]) {
		x := k.worth[r]
		for n := k.shown[r]; n > 0; n-- {
			x *= s.Repeat
		}
		if k.asked[r] {
			x *= s.Asked
		}
		v += x
	}
	return v * k.ref
}

func (k *knapsack) density(i int) float64 {
	c, s := k.t.conv, &k.t.shape
	if p := i - len(c.Lines); p >= 0 {
		if k.t.shown[p] {
			return 0
		}
		return float64(k.t.lines[i].base) / (k.t.cost(i) + 1)
	}
	l := &c.Lines[i]
	v := k.names(i)
	for _, g := range c.Phrases(l) {
		x := c.Grams[g].P * k.gram
		if k.said[g] > 0 {
			x *= s.RepeatGram
		}
		v += x
	}
	if n := k.alike[l.Pattern]; n > 0 && l.Pattern != 0 {
		v *= math.Pow(alike, float64(n))
	}
	age := float64(c.Parts[l.Part].Group) / float64(max(1, k.t.first))
	v = v*(1+s.Recent*min(age, 1)) + float64(k.t.lines[i].base) + float64(k.t.lines[i].bonus)
	return v / (k.t.cost(i) + 1)
}

// take chooses a line and raises the value of its neighbours.
func (k *knapsack) take(i int) {
	t := k.t
	if p := i - len(t.conv.Lines); p >= 0 {
		t.lines[i].state = taken
		t.shown[p] = true
		t.chosen = append(t.chosen, int32(i))
		return
	}
	l := &t.conv.Lines[i]
	v := k.names(i) + float64(t.lines[i].base)
	t.lines[i].state = taken
	t.shown[l.Part] = true
	t.chosen = append(t.chosen, int32(i))
	k.cover(l)
	part := &t.conv.Parts[l.Part]
	t.lines[i].lends = float32(t.shape.Adjacent * v)
	for _, d := range [...]int{-1, 1} {
		j := i + d
		if j < part.From || j >= part.To {
			continue
		}
		if st := t.lines[j].state; st == taken || st == fixed { // they have each other now
			k.lend(j, -d, -(1 - t.shape.Region))
			t.lines[i].lends *= float32(t.shape.Region)
		}
	}
	for _, d := range [...]int{-2, -1, 1, 2} {
		if j := i + d; j >= part.From && j < part.To && t.lines[j].state == open {
			share := float32(0.5)
			if d == 2 || d == -2 {
				share = 0.25
			}
			t.lines[j].bonus += t.lines[i].lends * share
			k.items.push(item{int32(j), k.density(j)})
		}
	}
}

// lend changes what a chosen line lends to its other neighbour, by a share.
func (k *knapsack) lend(i, d int, share float64) {
	t := k.t
	part := &t.conv.Parts[t.conv.Lines[i].Part]
	if j := i - d; j >= part.From && j < part.To && t.lines[j].state == open {
		t.lines[j].bonus += t.lines[i].lends * float32(share) * 0.5
		t.lines[j].bonus = max(t.lines[j].bonus, 0)
	}
	t.lines[i].lends *= float32(1 + share)
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
