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

// cut is the compaction that counts. The transcript of a subagent is one
// sidechain from end to end.
func (p *claudePlan) cut() *claudeCut {
	if p.main == 0 {
		return &p.cuts[1]
	}
	return &p.cuts[0]
}

func (p *claudePlan) skim(n int, raw []byte) {
	var kind, subtype, uuid, parent, side, message, compact, source, result, metadata []byte
	for it := walk(raw); it.next(); {
		switch string(it.key) {
		case "type":
			kind = it.val
		case "subtype":
			subtype = it.val
		case "uuid":
			uuid = it.val
		case "parentUuid":
			parent = it.val
		case "isSidechain":
			side = it.val
		case "message":
			message = it.val
		case "isCompactSummary":
			compact = it.val
		case "sourceToolAssistantUUID":
			source = it.val
		case "toolUseResult":
			result = it.val
		case "compactMetadata":
			metadata = it.val
		}
	}
	if !isString(uuid) {
		return
	}
	x := node{record: int32(n)}
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
	if added := p.tree.add(uuid, x); added.flags&(isBound|isCopy) == isBound {
		cut := &p.cuts[0]
		if x.flags&isSide != 0 {
			cut = &p.cuts[1]
		}
		*cut = preserved(metadata)
		cut.node = len(p.tree.nodes) - 1
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
	var copies, sent bitset
	for i := range t.nodes {
		if n := &t.nodes[i]; n.flags&isCopy != 0 {
			copies.set(int(n.record))
		}
	}
	leaf := p.leaf()
	out := plan{sent: sent.has, skip: copies.has}
	if leaf < 0 {
		return out
	}
	head, ok := p.relink()
	if !ok {
		out.notes = append(out.notes, "the last compaction names records to keep that are missing: read without them")
	}
	path, mended := t.path(leaf, true, func(i int) bool {
		n := &t.nodes[i]
		if n.flags&isBound != 0 {
			return true
		}
		return n.flags&isSummary != 0 && p.cut().node < 0 // of a version that wrote no boundary line before it
	})
	if mended > 0 {
		out.notes = append(out.notes, fmt.Sprintf("%d links to a parent that is missing or makes a circle: bridged", mended))
	}
	top := path[len(path)-1]
	from := 0
	if t.nodes[top].flags&(isBound|isSummary) != 0 {
		from = top
		for i := range t.nodes[:top+1] {
			if t.nodes[i].flags&(isBound|isCopy|isSide) == isBound|t.nodes[top].flags&isSide {
				out.compactions++
			}
		}
		out.compactions = max(out.compactions, 1)
		out.bound = int(t.nodes[top].record)
	}
	for _, i := range path {
		t.nodes[i].flags |= inPath
	}
	if at := slices.Index(path, head); head >= 0 && at >= 0 {
		for _, i := range slices.Backward(path[at+1:]) {
			out.first = append(out.first, int(t.nodes[i].record))
		}
	}
	p.siblings(from)
	p.behind(leaf)
	for i := range t.nodes {
		if t.nodes[i].flags&inPath != 0 {
			sent.set(int(t.nodes[i].record))
		}
	}
	out.sent = sent.has
	return out
}

// leaf returns the node that the conversation ends with, or -1: the last message
// that is of no sidechain. The transcript of a subagent is one sidechain from
// end to end.
func (p *claudePlan) leaf() int {
	for i := len(p.tree.nodes) - 1; i >= 0; i-- {
		f := p.tree.nodes[i].flags
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
	t, c := p.tree, p.cut()
	var kept []uint64 // ids
	for _, id := range c.kept {
		kept = append(kept, hashBytes(id))
	}
	if len(kept) == 0 && c.tail != nil {
		first := hashBytes(c.head)
		seen := map[uint64]bool{}
		for id := hashBytes(c.tail); ; {
			i, ok := t.find(id)
			if !ok || seen[id] {
				return -1, false
			}
			seen[id] = true
			kept = append(kept, id)
			if id == first {
				break
			}
			id = t.nodes[i].parent
		}
		slices.Reverse(kept)
	}
	if len(kept) == 0 {
		return -1, true
	}
	hook := hashBytes(c.hook)
	for _, id := range slices.Concat(kept, []uint64{hook}) {
		if _, ok := t.find(id); !ok {
			return -1, false
		}
	}
	for i := range t.nodes {
		if n := &t.nodes[i]; n.parent == hook {
			n.parent = kept[len(kept)-1]
		}
	}
	for _, id := range kept {
		i, _ := t.find(id)
		t.nodes[i].parent = hook
		hook = id
	}
	head, _ = t.find(kept[0])
	return head, true
}

// siblings adds the other parts of the answers on the path, from node from on,
// and the results of their calls.
func (p *claudePlan) siblings(from int) {
	t := p.tree
	groups := map[uint64]bool{}
	for i := range t.nodes {
		if n := &t.nodes[i]; n.flags&(inPath|isAnswer) == inPath|isAnswer && n.group != 0 {
			groups[n.group] = true
		}
	}
	for i := from; i < len(t.nodes); i++ {
		n := &t.nodes[i]
		if n.flags&(inPath|isCopy) != 0 {
			continue
		}
		switch {
		case n.flags&isAnswer != 0:
			if groups[n.group] {
				n.flags |= inPath
			}
		case n.flags&hasResult != 0:
			for _, id := range []uint64{n.parent, n.group} {
				if a, ok := t.find(id); ok && t.nodes[a].flags&(inPath|isAnswer) == inPath|isAnswer {
					n.flags |= inPath
				}
			}
		}
	}
}

// behind adds what hangs on the leaf and is no turn: reminders that would be
// sent with the next prompt.
func (p *claudePlan) behind(leaf int) {
	t := p.tree
	for i := leaf + 1; i < len(t.nodes); i++ {
		n := &t.nodes[i]
		if n.flags&(isTurn|isBound|isCopy) != 0 {
			continue
		}
		if a, ok := t.find(n.parent); ok && a >= leaf && t.nodes[a].flags&inPath != 0 {
			n.flags |= inPath
		}
	}
}
