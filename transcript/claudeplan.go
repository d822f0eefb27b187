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

	bound int // node of the last compaction
	kept  [][]byte
	head  []byte // of a kept segment
	tail  []byte
	hook  []byte // the record behind which the kept ones come

	main, side int // messages
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
	if x.flags&isTurn != 0 {
		if x.flags&isSide != 0 {
			p.side++
		} else {
			p.main++
		}
	}
	added := p.tree.add(uuid, x)
	if x.flags&isBound != 0 && x.flags&isSide == 0 && added.flags&isCopy == 0 {
		p.bound = len(p.tree.nodes) - 1
		p.preserved(metadata)
	}
}

// preserved reads which records a compaction left in place.
func (p *claudePlan) preserved(metadata []byte) {
	p.kept, p.head, p.tail, p.hook = nil, nil, nil, nil
	if list := field(metadata, "preservedMessages"); isObject(list) {
		p.hook = bytes.Clone(field(list, "anchorUuid"))
		for it := walk(field(list, "uuids")); it.next(); {
			p.kept = append(p.kept, bytes.Clone(it.val))
		}
		return
	}
	if seg := field(metadata, "preservedSegment"); isObject(seg) {
		p.hook = bytes.Clone(field(seg, "anchorUuid"))
		p.head = bytes.Clone(field(seg, "headUuid"))
		p.tail = bytes.Clone(field(seg, "tailUuid"))
	}
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
	path, mended := t.path(leaf, true, func(i int) bool {
		n := &t.nodes[i]
		if n.flags&isBound != 0 {
			return true
		}
		return n.flags&isSummary != 0 && p.bound < 0 // of a version that wrote no boundary line before it
	})
	if mended > 0 {
		out.notes = append(out.notes, fmt.Sprintf("%d links to a parent that is missing or makes a circle: bridged", mended))
	}
	top := path[len(path)-1]
	from := 0
	if t.nodes[top].flags&(isBound|isSummary) != 0 {
		from = top
		for i := range t.nodes[:top+1] {
			if t.nodes[i].flags&(isBound|isCopy|isSide) == isBound {
				out.compactions++
			}
		}
		out.compactions = max(out.compactions, 1)
		out.bound = int(t.nodes[top].record)
	}
	for _, i := range path {
		t.nodes[i].flags |= inPath
	}
	if top == p.bound {
		p.keep(&out, path)
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

// keep adds the records that the compaction left in place. They stand before
// the summary in the file and come behind it in the conversation.
func (p *claudePlan) keep(out *plan, path []int) {
	t := p.tree
	var kept []int
	whole := true
	for _, id := range p.kept {
		i, ok := t.find(hashBytes(id))
		if whole = whole && ok; ok {
			kept = append(kept, i)
		}
	}
	if p.tail != nil {
		i, ok := t.find(hashBytes(p.tail))
		whole = ok
		for seen := map[int]bool{}; ok && !seen[i]; i, ok = t.find(t.nodes[i].parent) {
			seen[i] = true
			kept = append(kept, i)
			if h, found := t.find(hashBytes(p.head)); found && h == i {
				break
			}
		}
		h, found := t.find(hashBytes(p.head))
		whole = whole && found && slices.Contains(kept, h)
	}
	if len(kept) == 0 {
		return
	}
	if !whole {
		out.notes = append(out.notes, "the last compaction names records to keep that are missing: it is read without them")
		return
	}
	for _, i := range kept {
		t.nodes[i].flags |= inPath
	}
	hook, ok := t.find(hashBytes(p.hook))
	if !ok {
		return
	}
	for _, i := range slices.Backward(path) {
		if i <= hook {
			out.first = append(out.first, int(t.nodes[i].record))
		}
	}
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
