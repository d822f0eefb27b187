package state

import "strings"

// maxCompared bounds a comparison, in pairs of lines; beyond it everything has
// changed.
const maxCompared = 400_000

// changedLines returns the lines that an edit brought, and those that it took
// out. What the two texts share is found as a reader would: the longest run of
// lines in common first, then those on either side of it.
func changedLines(before, after string) (added, removed []string) {
	a, b := split(before), split(after)
	if len(a)*len(b) >= maxCompared {
		return b, a
	}
	at := map[string][]int{} // of a line in b
	for j, l := range b {
		at[l] = append(at[l], j)
	}
	d := differ{a: a, b: b, at: at, inA: make([]bool, len(a)), inB: make([]bool, len(b))}
	d.match(0, len(a), 0, len(b))
	for j, l := range b {
		if !d.inB[j] {
			added = append(added, l)
		}
	}
	for i, l := range a {
		if !d.inA[i] {
			removed = append(removed, l)
		}
	}
	return added, removed
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// A differ marks the lines that two texts have in common.
type differ struct {
	a, b     []string
	at       map[string][]int
	inA, inB []bool
}

func (d *differ) match(a0, a1, b0, b1 int) {
	i, j, n := d.longest(a0, a1, b0, b1)
	if n == 0 {
		return
	}
	for k := range n {
		d.inA[i+k], d.inB[j+k] = true, true
	}
	d.match(a0, i, b0, j)
	d.match(i+n, a1, j+n, b1)
}

// longest returns the longest run of common lines, the first of several.
func (d *differ) longest(a0, a1, b0, b1 int) (i, j, n int) {
	var runs map[int]int // length of the run that ends at a line of b
	for x := a0; x < a1; x++ {
		next := map[int]int{}
		for _, y := range d.at[d.a[x]] {
			if y < b0 || y >= b1 {
				continue
			}
			k := runs[y-1] + 1
			next[y] = k
			if k > n {
				i, j, n = x-k+1, y-k+1, k
			}
		}
		runs = next
	}
	return i, j, n
}
