package transcript

import (
	"bytes"
	"fmt"
	"slices"
)

// claudePlan finds the conversation that Claude Code would resume, as its own
// loader does: from the newest message up by parentUuid to the last compaction;
// then the parts of the same answers that stand on a sibling branch (parallel
// calls fork the tree), their results, and what hangs on the newest message.
type claudePlan struct {
	tree *tree

	cuts [2]claudeCut // the last compaction of the conversation, and of sidechains
	main int          // messages of no sidechain
}

// A claudeCut is a compaction: its node, -1 if there is none, and which records
// it left in place, by id: a list, or a segment from head to tail.
type claudeCut struct {
	node       int
	kept       [][]byte
	head, tail []byte
	hook       []byte // the record behind which they come
}

func newClaudePlan() *claudePlan {
	return &claudePlan{tree: newTree(), cuts: [2]claudeCut{{node: -1}, {node: -1}}}
}

// newestCut is the compaction that counts. The transcript of a subagent is one
// sidechain from end to end.
func (p *claudePlan) newestCut() *claudeCut {
	if p.main == 0 {
		return &p.cuts[1]
	}
	return &p.cuts[0]
}

func (p *claudePlan) skim(n int, raw []byte) {
	var kind, subtype, uuid, parent, side, message, compact, source, result, metadata []byte
	read(raw,
		member{"type", &kind}, member{"subtype", &subtype}, member{"uuid", &uuid}, member{"parentUuid", &parent},
		member{"isSidechain", &side}, member{"message", &message}, member{"isCompactSummary", &compact},
		member{"sourceToolAssistantUUID", &source}, member{"toolUseResult", &result},
		member{"compactMetadata", &metadata},
	)
	if !isString(uuid) {
		return
	}
	x := node{record: n}
	if isString(parent) {
		x.parent = hashBytes(parent)
	}
	if isTrue(side) {
		x.flags |= isSide
	}
	switch {
	case is(kind, "assistant"):
		x.flags |= isTurn | isAnswer
		if id := field(message, "id"); isString(id) {
			x.group = hashBytes(id)
		}
	case is(kind, "user"):
		x.flags |= isTurn
		if isTrue(compact) {
			x.flags |= isSummary
		}
		if result != nil || bytes.Contains(message, []byte(`"tool_result"`)) {
			x.flags |= hasResult
			if isString(source) {
				x.group = hashBytes(source)
			}
		}
	case is(subtype, "compact_boundary"):
		x.flags |= isBound
	}
	if x.flags&(isTurn|isSide) == isTurn {
		p.main++
	}
	if i, f := p.tree.add(uuid, x); f&(isBound|isCopy) == isBound {
		cut := &p.cuts[0]
		if x.flags&isSide != 0 {
			cut = &p.cuts[1]
		}
		*cut = preserved(metadata)
		cut.node = i
	}
}

// preserved reads which records a compaction left in place.
func preserved(metadata []byte) (c claudeCut) {
	if list := field(metadata, "preservedMessages"); isObject(list) {
		c.hook = bytes.Clone(field(list, "anchorUuid"))
		for it := walk(field(list, "uuids")); it.next(); {
			c.kept = append(c.kept, bytes.Clone(it.val))
		}
		return c
	}
	if seg := field(metadata, "preservedSegment"); isObject(seg) {
		c.hook = bytes.Clone(field(seg, "anchorUuid"))
		c.head = bytes.Clone(field(seg, "headUuid"))
		c.tail = bytes.Clone(field(seg, "tailUuid"))
	}
	return c
}

func (p *claudePlan) plan() plan {
	t := p.tree
	out := plan{skip: t.records(isCopy).has, sent: bitset(nil).has}
	leaf := p.leaf()
	if leaf < 0 {
		return out
	}
	head, ok := p.relink()
	if !ok {
		out.notes = append(out.notes, "the last compaction names records to keep that are missing: read without them")
	}
	top, passed := leaf, false // the last node, and whether head was on the way
	mended := t.walk(leaf, true, func(i int) bool {
		if passed {
			out.first = append(out.first, t.record(i))
		}
		passed = passed || i == head
		top = i
		f := t.is(i)
		*f |= inPath
		return *f&isBound == 0 && (*f&isSummary == 0 || p.newestCut().node >= 0) // the latter of a version that wrote no boundary line before it
	})
	slices.Reverse(out.first)
	if mended > 0 {
		out.notes = append(out.notes, fmt.Sprintf("%d links to a parent that is missing or makes a circle: bridged", mended))
	}
	from := 0
	if *t.is(top)&(isBound|isSummary) != 0 {
		from = top
		for i := range top + 1 {
			if *t.is(i)&(isBound|isCopy|isSide) == isBound|*t.is(top)&isSide {
				out.compactions++
			}
		}
		out.compactions = max(out.compactions, 1)
		out.bound = t.record(top)
	}
	p.siblings(from)
	p.behind(leaf)
	out.sent = t.records(inPath).has
	return out
}

// leaf returns the node that the conversation ends with, or -1: the last message
// that is of no sidechain. The transcript of a subagent is one sidechain from
// end to end.
func (p *claudePlan) leaf() int {
	for i := p.tree.len() - 1; i >= 0; i-- {
		f := *p.tree.is(i)
		if f&isTurn != 0 && f&isCopy == 0 && (f&isSide == 0 || p.main == 0) {
			return i
		}
	}
	return -1
}

// relink puts the records that the last compaction left in place behind the
// record that it names, and what hung on that behind the last of them. It
// returns the node of the first, -1 if the compaction left none, and whether all
// that it names are there.
func (p *claudePlan) relink() (head int, ok bool) {
	t, c := p.tree, p.newestCut()
	var kept []int // nodes
	for _, id := range c.kept {
		i, ok := t.find(hashBytes(id))
		if !ok {
			return -1, false
		}
		kept = append(kept, i)
	}
	if len(kept) == 0 && c.tail != nil {
		first, ok := t.find(hashBytes(c.head))
		if !ok {
			return -1, false
		}
		seen := map[int]bool{}
		i, ok := t.find(hashBytes(c.tail))
		for ; ; i, ok = t.parent(i) {
			if !ok || seen[i] {
				return -1, false
			}
			seen[i] = true
			kept = append(kept, i)
			if i == first {
				break
			}
		}
		slices.Reverse(kept)
	}
	if len(kept) == 0 {
		return -1, true
	}
	hook, ok := t.find(hashBytes(c.hook))
	if !ok {
		return -1, false
	}
	last := t.nodes[kept[len(kept)-1]].id
	for i := range t.nodes {
		if at, ok := t.parent(i); ok && at == hook {
			t.nodes[i].parent = last
		}
	}
	for _, i := range kept {
		t.nodes[i].parent = t.nodes[hook].id
		hook = i
	}
	return kept[0], true
}

// siblings adds the other parts of the answers on the path, from node from on,
// and the results of their calls.
func (p *claudePlan) siblings(from int) {
	t := p.tree
	groups := make(map[uint64]bool)
	for _, n := range t.nodes {
		if n.flags&(inPath|isAnswer) == inPath|isAnswer && n.group != 0 {
			groups[n.group] = true
		}
	}
	for i := from; i < t.len(); i++ {
		f := t.is(i)
		if *f&(inPath|isCopy) != 0 {
			continue
		}
		switch {
		case *f&isAnswer != 0:
			if groups[t.nodes[i].group] {
				*f |= inPath
			}
		case *f&hasResult != 0:
			for _, id := range []uint64{t.nodes[i].parent, t.nodes[i].group} {
				if a, ok := t.find(id); ok && *t.is(a)&(inPath|isAnswer) == inPath|isAnswer {
					*f |= inPath
				}
			}
		}
	}
}

// behind adds what hangs on the leaf and is no turn: reminders that would be
// sent with the next prompt.
func (p *claudePlan) behind(leaf int) {
	t := p.tree
	for i := leaf + 1; i < t.len(); i++ {
		if *t.is(i)&(isTurn|isBound|isCopy) != 0 {
			continue
		}
		if a, ok := t.parent(i); ok && a >= leaf && *t.is(a)&inPath != 0 {
			*t.is(i) |= inPath
		}
	}
}
