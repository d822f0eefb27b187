package pack

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel"
)

// A packer is the state of one Fit.
type packer struct {
	limit, used int
	length      float64
	over        *Overhead
	file, gap   int // of Options

	items     []item
	files     []file
	groups    []group
	anyPinned bool
	least     int  // lower bound of what showing another item costs
	again     bool // something became cheaper after other things were passed over

	queue  queue
	stamps []uint32 // of each node: its newest place in the queue
}

// An item is a candidate and the form that it has now.
type item struct {
	c      *satchel.Candidate
	forms  []satchel.Form // those allowed, most detailed first
	costs  []int          // of each form, with the overhead of its entry
	values []float64      // of each form
	score  float64
	least  int   // lower bound of what showing it costs; see bound
	now    int   // index of the form shown, or -1
	file   int32 // index in files
	place  int32 // index in the file's items
	group  int32 // index in groups, or -1
	pinned bool
	ok     bool // it, and every member of its group, has a form
}

// A file is all items of one path.
type file struct {
	path  string
	items []int32 // by lines
	head  int     // tokens of the heading
	shown int     // items shown, in any form
	lists int     // items shown as lines of a list
}

type group struct {
	items  []int32
	pinned bool
	taken  bool
	ok     bool
}

func newPacker(cands []satchel.Candidate, o *Options) *packer {
	p := &packer{limit: o.Limit, length: o.Length, over: &o.Overhead, file: o.File, gap: o.Gap, items: make([]item, len(cands))}
	p.length = cmp.Or(p.length, 1)
	most := o.Detail
	if most == satchel.Omitted {
		most = satchel.Full
	}
	for i := range cands {
		it := &p.items[i]
		it.c = &cands[i]
		it.now, it.group, it.file = -1, -1, -1
		it.score = it.c.Score.Value()
		it.pinned = it.c.Pinned
	}
	p.findGroups()
	p.findFiles()

	total := 0
	best := math.Inf(-1)
	for i := range p.items {
		it := &p.items[i]
		it.forms = allowed(it.c, most, it.pinned)
		total += len(it.forms)
		if it.score > best && !math.IsInf(it.score, 1) {
			best = it.score
		}
		it.ok = len(it.forms) > 0
		if it.group >= 0 && !it.ok {
			p.groups[it.group].ok = false
		}
	}

	// The forms' costs and values, in two slabs.
	costs := make([]int, 0, total)
	values := make([]float64, 0, total)
	for i := range p.items {
		it := &p.items[i]
		// Relative to the best score, so that no sum of scores overflows; and
		// never quite nothing, so that the worst candidate still fills room.
		base := max(math.Exp(min(it.score-best, 0)), 1e-200)
		for j := range it.forms {
			f := &it.forms[j]
			cost := max(f.Tokens, 0)
			if o.Overhead.Entry != nil {
				cost += max(o.Overhead.Entry(it.c, f), 0)
			}
			value := base * factor(f)
			if o.Value != nil {
				value = o.Value(it.c, f)
			}
			if !(value > 0) { // NaN too
				value = 0
			}
			costs = append(costs, cost)
			values = append(values, min(value, math.MaxFloat64/4))
		}
		n := len(it.forms)
		it.costs = costs[len(costs)-n:]
		it.values = values[len(values)-n:]
	}
	p.least = math.MaxInt
	for i := range p.items {
		it := &p.items[i]
		if it.group >= 0 {
			it.ok = p.groups[it.group].ok
		}
		it.least = p.bound(it)
		p.least = min(p.least, it.least)
	}
	p.stamps = make([]uint32, len(p.items)+len(p.groups))
	return p
}

// bound returns a lower bound of the cost of showing an item that is not shown,
// beside the heading of its file.
func (p *packer) bound(it *item) int {
	least := math.MaxInt
	for j, c := range it.costs {
		if text, _ := it.shape(j); text {
			c -= p.over.Block // it may join two blocks
		}
		least = min(least, c)
	}
	return least
}

// allowed returns the forms of a candidate with at most the given detail. A
// pinned candidate that has none gets its least detailed form, or if it has no
// form at all, a bare mention.
func allowed(c *satchel.Candidate, most satchel.Detail, pinned bool) []satchel.Form {
	fits := func(f satchel.Form) bool { return f.Detail > satchel.Omitted && f.Detail <= most }
	n := len(c.Forms)
	first := slices.IndexFunc(c.Forms, fits)
	if first < 0 {
		switch {
		case !pinned:
			return nil
		case n == 0:
			return []satchel.Form{{Detail: satchel.Mention}}
		}
		return c.Forms[n-1:]
	}
	for _, f := range c.Forms[first:] {
		if !fits(f) {
			return slices.DeleteFunc(slices.Clone(c.Forms[first:]), func(f satchel.Form) bool { return !fits(f) })
		}
	}
	return c.Forms[first:]
}

func (p *packer) findFiles() {
	byPath := make(map[string]int32, len(p.items)/4)
	for i := range p.items {
		it := &p.items[i]
		at, ok := byPath[it.c.Ref.Path]
		if !ok {
			at = int32(len(p.files))
			byPath[it.c.Ref.Path] = at
			f := file{path: it.c.Ref.Path}
			if p.over.File != nil {
				f.head = max(p.over.File(it.c.Ref.Path), 0)
			}
			p.files = append(p.files, f)
		}
		it.file = at
		p.files[at].items = append(p.files[at].items, int32(i))
	}
	for n := range p.files {
		f := &p.files[n]
		if len(f.items) > 1 {
			slices.SortFunc(f.items, func(a, b int32) int {
				c, d := p.items[a].c, p.items[b].c
				if o := cmp.Or(c.Hunk.Compare(d.Hunk), cmp.Compare(c.Ref.From, d.Ref.From), cmp.Compare(c.Ref.To, d.Ref.To)); o != 0 {
					return o
				}
				return compare(c, d)
			})
		}
		for place, i := range f.items {
			p.items[i].place = int32(place)
		}
	}
}

func (p *packer) findGroups() {
	byName := make(map[string]int32)
	for i := range p.items {
		it := &p.items[i]
		p.anyPinned = p.anyPinned || it.pinned
		if it.c.Group == "" {
			continue
		}
		at, ok := byName[it.c.Group]
		if !ok {
			at = int32(len(p.groups))
			byName[it.c.Group] = at
			p.groups = append(p.groups, group{ok: true})
		}
		g := &p.groups[at]
		it.group = at
		g.items = append(g.items, int32(i))
		g.pinned = g.pinned || it.pinned
	}
	for n := range p.groups {
		g := &p.groups[n]
		slices.SortFunc(g.items, func(a, b int32) int { return compare(p.items[a].c, p.items[b].c) })
		for _, i := range g.items {
			p.items[i].pinned = g.pinned
		}
	}
}

// shape says how the form j of an item is shown.
func (it *item) shape(j int) (text, list bool) {
	if j < 0 {
		return false, false
	}
	text = IsText(it.c.Ref.Kind, it.forms[j].Detail)
	return text, !text
}

func (it *item) cost(j int) int {
	if j < 0 {
		return 0
	}
	return it.costs[j]
}

func (it *item) value(j int) float64 {
	if j < 0 {
		return 0
	}
	return it.values[j]
}

// delta returns what it costs to show an item in its form j (-1: not at all)
// instead of the form that it has now.
func (p *packer) delta(it *item, j int) int {
	d := it.cost(j) - it.cost(it.now)
	f := &p.files[it.file]
	switch {
	case it.now < 0 && j >= 0 && f.shown == 0:
		d += f.head
	case it.now >= 0 && j < 0 && f.shown == 1:
		d -= f.head
	}
	wasText, wasList := it.shape(it.now)
	text, list := it.shape(j)
	switch {
	case list && !wasList && f.lists == 0:
		d += p.over.List
	case !list && wasList && f.lists == 1:
		d -= p.over.List
	}
	if text != wasText && p.over.Block != 0 {
		d += p.blocks(it, text) * p.over.Block
	}
	return d
}

// blocks returns how many more blocks there are when the text of an item is shown,
// or is not shown any more.
func (p *packer) blocks(it *item, text bool) int {
	n := 1
	if prev := p.neighbor(it, -1); prev != nil && Touch(prev.c.Ref, it.c.Ref) {
		if t, _ := prev.shape(prev.now); t {
			n--
		}
	}
	if next := p.neighbor(it, 1); next != nil && Touch(it.c.Ref, next.c.Ref) {
		if t, _ := next.shape(next.now); t {
			n--
		}
	}
	if !text {
		return -n
	}
	return n
}

// scatter returns what a step costs a reader besides its tokens.
func (p *packer) scatter(it *item, j int) (cost int) {
	if it.now < 0 && p.files[it.file].shown == 0 {
		cost += p.file
	}
	wasText, _ := it.shape(it.now)
	if text, _ := it.shape(j); text != wasText && p.gap > 0 {
		cost += p.blocks(it, text) * p.gap
	}
	return cost
}

// neighbor returns the item that stands before (-1) or after (1) another in
// its file, or nil.
func (p *packer) neighbor(it *item, by int32) *item {
	f := &p.files[it.file]
	at := it.place + by
	if at < 0 || int(at) >= len(f.items) {
		return nil
	}
	return &p.items[f.items[at]]
}

// set shows item i in its form j (-1: not at all).
func (p *packer) set(i, j int) {
	it := &p.items[i]
	p.used += p.delta(it, j)
	f := &p.files[it.file]
	if it.now < 0 && j >= 0 {
		f.shown++
	} else if it.now >= 0 && j < 0 {
		f.shown--
	}
	_, wasList := it.shape(it.now)
	_, list := it.shape(j)
	if list && !wasList {
		f.lists++
	} else if wasList && !list {
		f.lists--
	}
	it.now = j
}

// shortest returns the form of an item that takes the fewest tokens; of equal
// ones, the most detailed.
func (p *packer) shortest(it *item) int {
	least, at := math.MaxInt, 0
	for j := range it.forms {
		c := it.costs[j]
		if text, _ := it.shape(j); text {
			c += p.over.Block
		} else {
			c += p.over.List
		}
		if c < least {
			least, at = c, j
		}
	}
	return at
}

// pin shows all pinned items in their shortest forms.
func (p *packer) pin() error {
	for i := range p.items {
		if it := &p.items[i]; it.pinned {
			p.set(i, p.shortest(it))
		}
	}
	for n := range p.groups {
		if g := &p.groups[n]; g.pinned {
			g.taken = true
		}
	}
	if p.used > p.limit {
		return &satchel.OverflowError{Need: p.used, Limit: p.limit}
	}
	return nil
}

// step finds the best step of item i among those that cost at most room. It
// returns the form to take, or -1 if there is none.
func (p *packer) step(i, room int) (form int, priority float64, cost int) {
	it := &p.items[i]
	form = -1
	has := it.value(it.now)
	for j, v := range it.values {
		if j == it.now || v <= has {
			continue
		}
		d := p.delta(it, j)
		if d > room {
			continue
		}
		pr := p.priority(v-has, d+p.scatter(it, j))
		if form < 0 || pr > priority || pr == priority && d < cost {
			form, priority, cost = j, pr, d
		}
	}
	return form, priority, cost
}

// priority weighs a gain in value against its cost in tokens.
func (p *packer) priority(gain float64, cost int) float64 {
	switch {
	case cost <= 0:
		return math.Inf(1)
	case p.length == 1:
		return gain / float64(cost)
	}
	return gain / math.Pow(float64(cost), p.length)
}

// groupStep finds what it costs, at least, to show a group that is not shown.
// It tries it on and takes it back.
func (p *packer) groupStep(g *group) (priority float64, cost int) {
	before := p.used
	gain := 0.0
	for _, i := range g.items {
		it := &p.items[i]
		j := p.shortest(it)
		gain += it.value(j)
		p.set(int(i), j)
	}
	cost = p.used - before
	for _, i := range slices.Backward(g.items) {
		p.set(int(i), -1)
	}
	if gain <= 0 {
		return 0, cost
	}
	return p.priority(gain, cost), cost
}

// climb takes steps, best first, until none fits. It reports whether it took
// any. Nodes of the queue are items, and after them groups.
func (p *packer) climb(pinnedOnly bool) (moved bool) {
	n := len(p.items)
	p.queue.reset(p)
	for i := range p.items {
		it := &p.items[i]
		if !it.ok || pinnedOnly && !it.pinned || it.group >= 0 && !p.groups[it.group].taken {
			continue
		}
		// Steps that do not fit now are kept: they may become cheaper.
		if form, pr, _ := p.step(i, math.MaxInt); form >= 0 {
			p.queue.add(pr, i)
		}
	}
	if !pinnedOnly {
		for k := range p.groups {
			if g := &p.groups[k]; g.ok && !g.taken {
				if pr, _ := p.groupStep(g); pr > 0 {
					p.queue.add(pr, n+k)
				}
			}
		}
	}
	p.queue.order()

	full := false    // there is no room for another item
	dropped := false // something was passed over since it did not fit
	for {
		at, popped, ok := p.queue.pop()
		if !ok {
			return moved
		}
		room := p.limit - p.used
		if room < p.least && !full {
			// From here on, only what is shown can grow.
			full, dropped = true, true
			p.queue.keep(func(node int) bool { return node < n && p.items[node].now >= 0 })
		}
		if at >= n {
			g := &p.groups[at-n]
			pr, cost := p.groupStep(g)
			switch {
			case cost > room:
				dropped = true
			case pr < popped && p.queue.len() > 0:
				p.queue.push(pr, at)
			default:
				g.taken, moved = true, true
				for _, i := range g.items {
					p.take(int(i), p.shortest(&p.items[i]), pinnedOnly)
				}
				p.again = p.again || dropped
			}
			continue
		}
		if it := &p.items[at]; it.now < 0 {
			least := it.least
			if f := &p.files[it.file]; f.shown == 0 {
				least += f.head
			}
			if least > room {
				dropped = true
				continue
			}
		}
		form, pr, cost := p.step(at, room)
		switch {
		case form < 0:
			dropped = true
		case pr < popped && p.queue.len() > 0:
			p.queue.push(pr, at) // its best step no longer fits, another does
		default:
			moved = true
			opened := p.take(at, form, pinnedOnly)
			p.again = p.again || dropped && (opened || cost < 0)
		}
	}
}

// take shows item i in form j and queues what it makes possible: its own next
// step, and the steps of its file that became cheaper. It reports whether
// others became cheaper.
func (p *packer) take(i, j int, pinnedOnly bool) bool {
	it := &p.items[i]
	f := &p.files[it.file]
	shown, lists := f.shown, f.lists
	wasText, _ := it.shape(it.now)
	p.set(i, j)
	text, _ := it.shape(j)
	p.requeue(i, pinnedOnly)
	switch {
	case shown == 0 && f.shown > 0 && (f.head > 0 || lists == 0 && f.lists > 0),
		lists == 0 && f.lists > 0 && p.over.List > 0,
		lists > 0 && f.lists == 0 && p.over.List > 0:
		for _, k := range f.items {
			if int(k) != i {
				p.requeue(int(k), pinnedOnly)
			}
		}
	case text != wasText && p.over.Block > 0:
		for _, by := range []int32{-1, 1} {
			if near := p.neighbor(it, by); near != nil {
				p.requeue(int(p.files[near.file].items[near.place]), pinnedOnly)
			}
		}
	default:
		return false
	}
	return len(f.items) > 1
}

// requeue queues the best step of an item anew.
func (p *packer) requeue(i int, pinnedOnly bool) {
	it := &p.items[i]
	if !it.ok || pinnedOnly && !it.pinned || it.group >= 0 && !p.groups[it.group].taken {
		return
	}
	if form, pr, _ := p.step(i, p.limit-p.used); form >= 0 {
		p.queue.push(pr, i)
	} else {
		p.stamps[i]++ // what it had in the queue is void
	}
}
