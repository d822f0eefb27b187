package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// mergeSegments returns the parts of the file of one segment that holds what the
// given ones do, in their order. A document that several hold is taken once; what is
// not wanted is dropped.
func mergeSegments(segs []*segment, version uint64, keep wanted) [][]byte {
	m := merger{segs: segs, out: make([][]byte, docSections)}
	m.reserve()
	m.documents(keep)
	m.terms()
	m.finish()
	return containerParts(magicDocuments, version, m.out)
}

// A merger is a merged segment on its way.
type merger struct {
	segs     []*segment
	out      [][]byte
	names    nameTable[uint16]
	docs     []docRecord
	from     []mergedDoc // where each of docs comes from
	chunks   [][]int32   // of each segment: new numbers of its chunks, -1 if dropped
	ordinals [][]int32   // of each segment: new numbers of its terms, -1 if dropped
	facts    []factRecord
}

type mergedDoc struct{ seg, doc int }

// reserve makes room for the large sections, so that none is copied as it grows.
func (m *merger) reserve() {
	var size [docSections]int
	for _, s := range m.segs {
		size[secChunks] += len(s.chunks)
		size[secOutlines] += len(s.outlines)
		size[secTerms] += len(s.terms)
		size[secOffsets] += len(s.offsets)
		size[secPostings] += len(s.postings)
		size[secForward] += len(s.forward)
	}
	for i, n := range size {
		m.out[i] = make([]byte, 0, n+n/8) // other numbers may be longer
	}
}

func (m *merger) documents(keep wanted) {
	seen := map[docKey]bool{}
	for k, s := range m.segs {
		chunks := make([]int32, s.nchunks)
		for i := range chunks {
			chunks[i] = -1
		}
		m.chunks = append(m.chunks, chunks)
		for i := range s.ndocs {
			r := s.doc(i)
			if seen[r.key] || keep.doc != nil && !keep.doc(r.key) {
				continue
			}
			seen[r.key] = true
			outline := s.outlineOf(i)
			n := r
			n.lang = m.names.id(s.names[r.lang])
			n.chunk0 = int32(len(m.out[secChunks]) / chunkBytes)
			n.outline = uint32(len(m.out[secOutlines]))
			m.out[secOutlines] = append(m.out[secOutlines], outline...)
			for c := r.chunk0; c < r.chunk1; c++ {
				chunks[c] = int32(len(m.out[secChunks]) / chunkBytes)
				m.out[secChunks] = append(m.out[secChunks], s.chunks[chunkBytes*c:][:chunkBytes]...)
			}
			m.docs = append(m.docs, n)
			m.from = append(m.from, mergedDoc{k, i})
		}
		for i := 0; i < len(s.facts); i += factBytes {
			if f, ok := s.factAt(i); ok {
				key := factKey(s.facts[i:])
				if keep.fact == nil || keep.fact(key) {
					m.facts = append(m.facts, factRecord{key, m.names.id(f.class), m.names.id(f.lang)})
				}
			}
		}
	}
}

// terms merges the dictionaries, and the postings behind them.
func (m *merger) terms() {
	le := binary.LittleEndian
	next := make([]int, len(m.segs))
	for _, s := range m.segs {
		o := make([]int32, s.nterms)
		for i := range o {
			o[i] = -1
		}
		m.ordinals = append(m.ordinals, o)
	}
	var ps []Posting
	for {
		var term uint64
		found := false
		for k, s := range m.segs {
			if next[k] < s.nterms && (!found || s.term(next[k]) < term) {
				term, found = s.term(next[k]), true
			}
		}
		if !found {
			break
		}
		ps = ps[:0]
		ordinal := int32(len(m.out[secTerms]) / 8)
		for k, s := range m.segs {
			if next[k] < s.nterms && s.term(next[k]) == term {
				ps = appendLive(ps, s.list(next[k]), m.chunks[k])
				m.ordinals[k][next[k]] = ordinal
				next[k]++
			}
		}
		if len(ps) == 0 {
			continue // the number goes to the next term; no document refers to it
		}
		m.out[secTerms] = le.AppendUint64(m.out[secTerms], term)
		m.out[secOffsets] = le.AppendUint32(m.out[secOffsets], uint32(len(m.out[secPostings])))
		last := int32(0)
		for _, p := range ps {
			m.out[secPostings] = appendPosting(m.out[secPostings], uint32(p.Chunk-last), p.Body, p.Def, p.Comment)
			last = p.Chunk
		}
	}
	m.out[secOffsets] = le.AppendUint32(m.out[secOffsets], uint32(len(m.out[secPostings])))
}

func (m *merger) finish() {
	for i := range m.docs {
		r, home := &m.docs[i], m.from[i]
		s := m.segs[home.seg]
		r.forward = uint32(len(m.out[secForward]))
		m.out[secForward] = s.renumber(m.out[secForward], home.doc, m.ordinals[home.seg])
		m.out[secDocs] = r.append(m.out[secDocs])
	}
	m.out[secKeys] = sortedKeys(m.docs)
	m.out[secFacts] = sortedFacts(m.facts)
	m.out[secNames] = m.names.encode()
}

// renumber appends the forward list of a document with other term numbers.
func (s *segment) renumber(b []byte, doc int, ordinals []int32) []byte {
	r := s.doc(doc)
	c := cursor{b: s.forward[r.forward:]}
	ordinal, last := 0, uint32(0)
	for range r.forwardTerms {
		head := c.uvarint()
		n := 1
		if head&1 != 0 {
			n = c.int()
		}
		ordinal += int(head >> 1 & (1<<31 - 1))
		if c.bad || ordinal >= s.nterms {
			break
		}
		to := uint32(ordinals[ordinal])
		b = appendForward(b, to-last, uint32(n))
		last = to
	}
	return b
}

// compact merges segments when there are more than a query should look into,
// smallest first, so that each document is merged a few times at most. It merges
// those on disk if this process is the writer, and those in memory always.
func (x *Index) compact(writer bool) error {
	for _, disk := range [...]bool{false, true} {
		if disk && !writer {
			break
		}
		var segs []*segment
		for _, s := range x.snapshot() {
			if !s.passing && (s.name != "") == disk {
				segs = append(segs, s)
			}
		}
		if len(segs) > maxSegments {
			if err := x.replace(smallest(segs), disk, wanted{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace merges segments into one, which takes the place of the first of them.
func (x *Index) replace(old []*segment, disk bool, keep wanted) error {
	parts := mergeSegments(old, x.version, keep)
	name := ""
	if disk {
		var err error
		if name, err = x.store.add("d", parts...); err != nil {
			x.cannotWrite(err)
			return nil // they go on as they are
		}
		x.mu.Lock()
		x.store.forget() // all was read, and most of it is of no use any more
		x.mu.Unlock()
	}
	merged, err := x.openNew(name, parts...)
	if err != nil {
		return fmt.Errorf("index: a merged segment %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var segs []*segment
	for _, s := range x.segs {
		if !slices.Contains(old, s) {
			segs = append(segs, s)
			continue
		}
		if merged != nil {
			segs = append(segs, merged)
			merged = nil
		}
	}
	x.segs = segs
	if disk {
		x.publish()
	}
	return nil
}

// smallest returns the segments to merge, in their order: the smaller half of
// what there is, and then every one that is not larger than those before it
// together.
func smallest(segs []*segment) []*segment {
	order := slices.Clone(segs)
	slices.SortStableFunc(order, func(a, b *segment) int { return cmp.Compare(a.bytes, b.bytes) })
	n, sum := 0, 0
	for n < len(order) && (n <= len(order)/2 || order[n].bytes <= sum) {
		sum += order[n].bytes
		n++
	}
	order = order[:n]
	var out []*segment
	for _, s := range segs {
		if slices.Contains(order, s) {
			out = append(out, s)
		}
	}
	return out
}
