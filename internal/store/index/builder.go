package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// A builder gathers documents and writes them as one segment. Chunks and documents
// keep their order.
type builder struct {
	version  uint64
	names    nameTable[uint16]
	docs     []docRecord
	chunks   []byte
	outlines []byte
	dict     dictionary
	postings []posting
	facts    []factRecord
	source   int // bytes of text behind the documents
}

// A posting is one chunk's count of one term, while a segment is built.
type posting struct {
	term, chunk        uint32 // term: in order of first appearance
	body, def, comment uint16
}

type factRecord struct {
	key         factKey
	class, lang uint16
}

// full reports whether to write the segment before adding more, because its text
// takes enough memory.
func (b *builder) full() bool {
	return b.source >= flushBytes || len(b.outlines) > maxSection/4
}

func (b *builder) empty() bool { return len(b.docs) == 0 && len(b.facts) == 0 }

func (b *builder) add(d *document) {
	nchunks := uint32(len(b.chunks) / chunkBytes)
	r := docRecord{
		key: d.key, bytes: int32(d.bytes), lines: int32(d.lines),
		body: int32(d.body), def: int32(d.def), comment: int32(d.comment),
		chunk0: int32(nchunks), outline: uint32(len(b.outlines)), lang: b.names.id(d.lang),
	}
	b.outlines = appendOutline(b.outlines, d)
	at := 0
	for _, c := range d.chunks {
		b.chunks = appendChunk(b.chunks, c.from, c.to, c.terms, c.symbol)
		for _, n := range d.counts[at : at+c.counts] {
			b.postings = append(b.postings, posting{b.dict.id(n.term), nchunks, n.body, n.def, n.comment})
		}
		at += c.counts
		nchunks++
	}
	b.docs = append(b.docs, r)
	b.source += d.bytes
}

func (b *builder) addFact(key factKey, f fact) {
	b.facts = append(b.facts, factRecord{key, b.names.id(f.class), b.names.id(f.lang)})
}

func appendChunk(b []byte, from, to, terms, symbol int) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(from))
	b = le.AppendUint32(b, uint32(to))
	b = le.AppendUint32(b, uint32(terms))
	return le.AppendUint32(b, uint32(symbol+1))
}

// finish returns the segment's file. The builder is empty afterwards.
func (b *builder) finish() []byte {
	le := binary.LittleEndian
	sec := make([][]byte, docSections)

	// Postings come by chunk; sort them by term, keeping the chunks ascending.
	order, rank := b.dict.sorted()
	start := make([]uint32, len(order)+1)
	for _, p := range b.postings {
		start[rank[p.term]+1]++
	}
	for i := range order {
		start[i+1] += start[i]
	}
	byTerm := make([]posting, len(b.postings))
	next := slices.Clone(start[:len(order)])
	for _, p := range b.postings {
		p.term = rank[p.term]
		byTerm[next[p.term]] = p
		next[p.term]++
	}
	b.postings = nil

	// The lists, and how many terms each document has.
	owner := b.owners()
	list := make([]byte, 0, 3*len(byTerm))
	sec[secTerms] = make([]byte, 0, 8*len(order))
	sec[secOffsets] = make([]byte, 0, 4*len(order)+4)
	for i, t := range order {
		sec[secTerms] = le.AppendUint64(sec[secTerms], t)
		sec[secOffsets] = le.AppendUint32(sec[secOffsets], uint32(len(list)))
		chunk, doc := uint32(0), int32(-1)
		for _, p := range byTerm[start[i]:start[i+1]] {
			list = appendPosting(list, p.chunk-chunk, p.body, p.def, p.comment)
			chunk = p.chunk
			if o := owner[p.chunk]; p.body > 0 && o != doc {
				doc = o
				b.docs[o].forwardTerms++
			}
		}
	}
	sec[secOffsets] = le.AppendUint32(sec[secOffsets], uint32(len(list)))
	sec[secPostings] = list

	sec[secForward] = b.forward(byTerm, owner)
	for i := range b.docs {
		sec[secDocs] = b.docs[i].append(sec[secDocs])
	}
	sec[secKeys] = sortedKeys(b.docs)
	sec[secFacts] = sortedFacts(b.facts)
	sec[secNames] = b.names.encode()
	sec[secChunks], sec[secOutlines] = b.chunks, b.outlines
	out := encodeContainer(magicDocuments, b.version, sec)
	*b = builder{version: b.version}
	return out
}

// owners returns the document of each chunk.
func (b *builder) owners() []int32 {
	owner := make([]int32, len(b.chunks)/chunkBytes)
	for i := range b.docs {
		to := len(owner)
		if i+1 < len(b.docs) {
			to = int(b.docs[i+1].chunk0)
		}
		for c := int(b.docs[i].chunk0); c < to; c++ {
			owner[c] = int32(i)
		}
	}
	return owner
}

// forward encodes each document's terms and body counts, from postings sorted
// by term, whose numbers per document are known.
func (b *builder) forward(byTerm []posting, owner []int32) []byte {
	type termCount struct{ term, n uint32 }
	at := make([]uint32, len(b.docs)+1)
	for i := range b.docs {
		at[i+1] = at[i] + b.docs[i].forwardTerms
	}
	all := make([]termCount, at[len(b.docs)])
	next := slices.Clone(at[:len(b.docs)])
	for _, p := range byTerm {
		if p.body == 0 {
			continue
		}
		o := owner[p.chunk]
		if n := next[o]; n > at[o] && all[n-1].term == p.term {
			all[n-1].n += uint32(p.body)
			continue
		}
		all[next[o]] = termCount{p.term, uint32(p.body)}
		next[o]++
	}
	out := make([]byte, 0, 3*len(all))
	for i := range b.docs {
		b.docs[i].forward = uint32(len(out))
		last := uint32(0)
		for _, c := range all[at[i]:at[i+1]] {
			out = appendForward(out, c.term-last, c.n)
			last = c.term
		}
	}
	return out
}

func sortedKeys(docs []docRecord) []byte {
	order := make([]uint32, len(docs))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(bytes.Compare(docs[a].key[:], docs[b].key[:]), cmp.Compare(a, b))
	})
	b := make([]byte, 0, keyBytes*len(order))
	for _, i := range order {
		b = append(b, docs[i].key[:]...)
		b = binary.LittleEndian.AppendUint32(b, i)
	}
	return b
}

func sortedFacts(facts []factRecord) []byte {
	slices.SortStableFunc(facts, func(a, b factRecord) int { return bytes.Compare(a.key[:], b.key[:]) })
	facts = slices.CompactFunc(facts, func(a, b factRecord) bool { return a.key == b.key })
	b := make([]byte, 0, factBytes*len(facts))
	for _, f := range facts {
		b = append(b, f.key[:]...)
		b = binary.LittleEndian.AppendUint16(b, f.class)
		b = binary.LittleEndian.AppendUint16(b, f.lang)
	}
	return b
}

// A nameTable numbers strings in order of first appearance.
type nameTable[N uint16 | uint32] struct {
	ids   map[string]N
	names []string
}

func (t *nameTable[N]) id(s string) N {
	id, ok := t.ids[s]
	if !ok {
		if t.ids == nil {
			t.ids = map[string]N{}
		}
		id = N(len(t.names))
		t.ids[s] = id
		t.names = append(t.names, s)
	}
	return id
}

func (t *nameTable[N]) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(t.names)))
	for _, s := range t.names {
		b = appendString(b, s)
	}
	return b
}

// A dictionary numbers terms in order of first appearance.
type dictionary struct {
	slots []uint32 // number+1 of a term; 0 if free; a power of two
	terms []uint64
}

func (d *dictionary) id(term uint64) uint32 {
	if 2*len(d.terms) >= len(d.slots) {
		d.grow()
	}
	mask := uint64(len(d.slots) - 1)
	for i := term & mask; ; i = (i + 1) & mask {
		n := d.slots[i]
		if n == 0 {
			d.terms = append(d.terms, term)
			d.slots[i] = uint32(len(d.terms))
			return uint32(len(d.terms) - 1)
		}
		if d.terms[n-1] == term {
			return n - 1
		}
	}
}

func (d *dictionary) grow() {
	d.slots = make([]uint32, max(1<<12, 2*len(d.slots)))
	mask := uint64(len(d.slots) - 1)
	for n, t := range d.terms {
		i := t & mask
		for d.slots[i] != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = uint32(n + 1)
	}
}

// sorted returns the terms in ascending order, and the rank of each number.
func (d *dictionary) sorted() (order []uint64, rank []uint32) {
	order = slices.Clone(d.terms)
	slices.Sort(order)
	rank = make([]uint32, len(order))
	for r, t := range order {
		rank[d.id(t)] = uint32(r)
	}
	return order, rank
}
