package secrets

import "strings"

// The scan looks at every byte of a text once. An anchor is three bytes, in
// either case, of something that every secret of some rule has; the rule's own
// matcher runs only where its anchor stands. Three bytes are rare enough in
// code that the matchers take little of the time, and hash into a table that
// stays in the processor's first cache.

// A matcher looks for a secret around an anchor that stands at i, and appends
// its spans.
type matcher func(text []byte, i int, spans []span) []span

// An anchored matcher runs where the anchor stands.
type anchored struct {
	anchor uint32
	match  matcher
}

// tableBits is the size of the table: 16 KiB. With 64 KiB, the scan was a third
// slower.
const tableBits = 14

// hashAnchor spreads three bytes over the table. The factor is the golden
// ratio of 32 bits.
func hashAnchor(v uint32) uint32 { return v * 0x9e3779b1 >> (32 - tableBits) }

func anchorOf(s string) uint32 {
	return uint32(s[0]|0x20)<<16 | uint32(s[1]|0x20)<<8 | uint32(s[2]|0x20)
}

// A table finds the matchers of an anchor. The first slot stays free, so that
// 0 in index means none.
type table struct {
	index [1 << tableBits]uint8
	slots [][]anchored
}

var anchors = newTable()

func newTable() *table {
	t := &table{slots: make([][]anchored, 1)}
	for i := range rules {
		r := &rules[i]
		at := r.anchor()
		t.add(r.prefix[at:at+3], func(text []byte, i int, spans []span) []span {
			return r.match(text, i-at, spans)
		})
	}
	for _, m := range special {
		t.add(m.anchor, m.match)
	}
	for _, p := range providers {
		t.add(p.name[:3], p.match)
	}
	return t
}

func (t *table) add(anchor string, m matcher) {
	a := anchorOf(anchor)
	h := hashAnchor(a)
	if t.index[h] == 0 {
		if len(t.slots) > 255 {
			panic("secrets: more anchors than the table has slots")
		}
		t.index[h] = uint8(len(t.slots))
		t.slots = append(t.slots, nil)
	}
	n := t.index[h]
	t.slots[n] = append(t.slots[n], anchored{a, m})
}

// scan appends the spans of all secrets that are known by their form.
func scan(text []byte, spans []span) []span {
	if len(text) < 3 {
		return spans
	}
	index := &anchors.index
	v := uint32(text[0]|0x20)<<8 | uint32(text[1]|0x20)
	for i, c := range text[2:] {
		v = (v<<8 | uint32(c|0x20)) & 0xffffff
		n := index[hashAnchor(v)&(1<<tableBits-1)]
		if n == 0 {
			continue
		}
		for _, a := range anchors.slots[n] {
			if a.anchor == v {
				spans = a.match(text, i, spans)
			}
		}
	}
	return spans
}

// common letters and marks make poor anchors.
const common = "etaoinsrhldcumfpgwybvk"

// anchor returns where in its prefix the rule's anchor stands: at the three
// bytes that look rarest.
func (r *rule) anchor() int {
	best, least := 0, 1<<30
	for i := 0; i+3 <= len(r.prefix); i++ {
		sum := 0
		for _, c := range []byte(r.prefix[i : i+3]) {
			if rank := strings.IndexByte(common, c|0x20); rank >= 0 {
				sum += len(common) - rank
			}
		}
		// Underscores and hyphens in a row are common where nothing else is.
		if sum < least && r.prefix[i:i+3] != "---" {
			best, least = i, sum
		}
	}
	return best
}

// match checks the rule where its prefix would start.
func (r *rule) match(text []byte, start int, spans []span) []span {
	end := start + len(r.prefix)
	if start < 0 || end > len(text) || string(text[start:end]) != r.prefix || !boundary(text, start) {
		return spans
	}
	n := run(text[end:], r.class, r.max+1)
	if n > r.max {
		return spans
	}
	rest := text[end : end+n]
	for len(rest) > 0 && rest[len(rest)-1] == '.' {
		rest = rest[:len(rest)-1]
	}
	if after := end + len(rest); after < len(text) && isWord(text[after]) {
		return spans
	}
	if r.shape != nil {
		rest = rest[:r.shape(rest)]
	}
	if len(rest) < r.min || placeholder(rest) {
		return spans
	}
	// Of a web hook, the address may stay.
	if i := strings.LastIndexByte(r.prefix, '/'); i >= 0 {
		start += i + 1
	}
	return append(spans, span{start: start, end: end + len(rest), kind: r.kind})
}

// run returns how many bytes at the start of text are of a class, at most max.
func run(text []byte, c *class, max int) int {
	n := 0
	for n < len(text) && n < max && c[text[n]] {
		n++
	}
	return n
}

// line returns the bounds of the line that holds i, at most reach bytes away on
// either side: a minified file is one line of a megabyte.
func line(text []byte, i int) (start, end int) {
	const reach = 512
	start, end = i, i
	for start > 0 && text[start-1] != '\n' && i-start < reach {
		start--
	}
	for end < len(text) && text[end] != '\n' && end-i < reach {
		end++
	}
	return start, end
}
