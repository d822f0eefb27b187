package index

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
)

// Counts remembers the token counts of texts in one encoding, by the object id of the
// text. An id identifies the exact bytes, so no entry gets out of date. It is safe
// for concurrent use.
type Counts struct {
	x    *Index
	name string // of the file that holds it; "" if nothing is kept

	old []byte // rows as in the file

	mu    sync.Mutex
	fresh map[countKey]uint32 // not in old
}

// A countKey is the start of an object id.
type countKey [16]byte

// Rows of the file: a countKey and a count, sorted.
const countBytes = 20

// maxCounts bounds the file: 4 MB, as much as thirty versions of a repository
// of 7,000 files have in common with none of the others.
const maxCounts = 200_000

// Counts returns what is remembered for an encoding, which is named in the style
// of "o200k_base". A file that is damaged counts as empty.
func (x *Index) Counts(encoding string) *Counts {
	c := &Counts{x: x}
	if x.store == nil {
		return c
	}
	c.name = fmt.Sprintf("n-%s.counts", encoding)
	c.old = x.readCounts(c.name)
	return c
}

func (x *Index) readCounts(name string) []byte {
	b, err := x.store.readFile(name)
	if err != nil {
		return nil
	}
	sec, err := decodeContainer(b, magicCounts, x.version)
	if err != nil || len(sec) != 1 || len(sec[0])%countBytes != 0 {
		return nil
	}
	return sec[0]
}

func countKeyOf(id string) (k countKey, ok bool) {
	if len(id) < 2*len(k) {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(id[:2*len(k)]))
	return k, err == nil
}

// Find returns the tokens of the text with an object id.
func (c *Counts) Find(id string) (tokens int, ok bool) {
	k, ok := countKeyOf(id)
	if !ok {
		return 0, false
	}
	if i := findRow(c.old, countBytes, k[:]); i >= 0 {
		return int(binary.LittleEndian.Uint32(c.old[countBytes*i+len(k):])), true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.fresh[k]
	return int(n), ok
}

// Add remembers the tokens of the text with an object id.
func (c *Counts) Add(id string, tokens int) {
	k, ok := countKeyOf(id)
	if !ok || c.name == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fresh == nil {
		c.fresh = map[countKey]uint32{}
	}
	c.fresh[k] = uint32(tokens)
}

// Keep writes what was added, beside what other processes wrote meanwhile. If it
// cannot, the texts are counted again next time.
func (c *Counts) Keep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.fresh) == 0 {
		return
	}
	c.x.building.Lock()
	defer c.x.building.Unlock()
	unlock, err := c.x.lock()
	if err != nil {
		return
	}
	defer unlock()
	type row struct {
		key countKey
		n   uint32
	}
	rows := make([]row, 0, len(c.fresh))
	for k, n := range c.fresh {
		rows = append(rows, row{k, n})
	}
	slices.SortFunc(rows, func(a, b row) int { return bytes.Compare(a.key[:], b.key[:]) })
	now := c.x.readCounts(c.name)
	if len(now)/countBytes+len(rows) > maxCounts {
		now = nil // start over: what is in use comes back in one run
	}
	rows = rows[:min(len(rows), maxCounts)]
	out := make([]byte, 0, len(now)+countBytes*len(rows))
	for len(now) > 0 || len(rows) > 0 {
		order := -1
		if len(now) == 0 {
			order = 1
		} else if len(rows) > 0 {
			order = bytes.Compare(now[:len(countKey{})], rows[0].key[:])
		}
		if order <= 0 {
			out, now = append(out, now[:countBytes]...), now[countBytes:]
		}
		if order == 0 {
			rows = rows[1:]
		}
		if order > 0 {
			out = append(out, rows[0].key[:]...)
			out = binary.LittleEndian.AppendUint32(out, rows[0].n)
			rows = rows[1:]
		}
	}
	_ = c.x.store.write(c.name, encodeContainer(magicCounts, c.x.version, [][]byte{out}))
}
