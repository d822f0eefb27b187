package trim

// An item is a line, or the first line of a part, and what it is worth for a
// token, as it was when it was queued.
type item struct {
	line    int32
	density float64
}

// A queue is a binary heap of plain values, the densest first and newer lines
// first among equals. container/heap would allocate each item and call through
// an interface.
type queue []item

func (a item) before(b item) bool {
	if a.density != b.density {
		return a.density > b.density
	}
	return a.line > b.line
}

// order makes a heap of what was appended.
func (q queue) order() {
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

func (q *queue) push(it item) {
	h := append(*q, it)
	*q = h
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !it.before(h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// pop removes the first item.
func (q *queue) pop() {
	last := len(*q) - 1
	(*q)[0] = (*q)[last]
	*q = (*q)[:last]
	q.down(0)
}

// down moves an item to its place after its density has fallen.
func (q queue) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(q) {
			return
		}
		if c+1 < len(q) && q[c+1].before(q[c]) {
			c++
		}
		if !q[c].before(q[i]) {
			return
		}
		q[i], q[c] = q[c], q[i]
		i = c
	}
}
