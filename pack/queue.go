package pack

// A queue holds steps, highest priority first. Of equal priorities, the
// candidate that compares least comes first, so that the order never depends
// on the input's.
//
// It is a binary heap of plain values: container/heap would allocate each
// step and call through an interface, which takes most of the time of a Fit.
type queue struct {
	p    *packer
	heap []queued
}

type queued struct {
	priority float64
	node     int32
	stamp    uint32 // stale unless it equals packer.stamps[node]
}

func (q *queue) reset(p *packer) { q.p, q.heap = p, q.heap[:0] }

// len counts what is queued, stale steps included.
func (q *queue) len() int { return len(q.heap) }

// add appends a step without regard to order; see order.
func (q *queue) add(priority float64, node int) {
	q.p.stamps[node]++
	q.heap = append(q.heap, queued{priority, int32(node), q.p.stamps[node]})
}

// order makes a heap of what was added.
func (q *queue) order() {
	for i := len(q.heap)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

// keep drops the steps of all nodes that want refuses.
func (q *queue) keep(want func(node int) bool) {
	kept := q.heap[:0]
	for _, s := range q.heap {
		if want(int(s.node)) {
			kept = append(kept, s)
		}
	}
	q.heap = kept
	q.order()
}

// push queues a step. It replaces an earlier step of the same node.
func (q *queue) push(priority float64, node int) {
	q.add(priority, node)
	h := q.heap
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !q.before(h[i], h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// pop removes the first step that is not stale.
func (q *queue) pop() (node int, priority float64, ok bool) {
	for len(q.heap) > 0 {
		top := q.heap[0]
		last := len(q.heap) - 1
		q.heap[0] = q.heap[last]
		q.heap = q.heap[:last]
		q.down(0)
		if top.stamp == q.p.stamps[top.node] {
			return int(top.node), top.priority, true
		}
	}
	return 0, 0, false
}

func (q *queue) down(i int) {
	h := q.heap
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && q.before(h[c+1], h[c]) {
			c++
		}
		if !q.before(h[c], h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

func (q *queue) before(a, b queued) bool {
	if a.priority != b.priority {
		return a.priority > b.priority
	}
	if a.node == b.node {
		return a.stamp < b.stamp
	}
	n := int32(len(q.p.items))
	x, y := q.p.first(a.node), q.p.first(b.node)
	if c := compare(q.p.items[x].c, q.p.items[y].c); c != 0 {
		return c < 0
	}
	return a.node < n && b.node >= n // an item before a group
}

// first returns the least item of a node.
func (p *packer) first(node int32) int32 {
	if n := int32(len(p.items)); node >= n {
		return p.groups[node-n].items[0]
	}
	return node
}
