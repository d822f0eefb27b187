package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/satchel-dev/satchel"
)

// Sections of a document segment.
const (
	secNames    = iota // languages and classes: a list of strings
	secKeys            // sorted { docKey, document uint32 }
	secDocs            // records of docBytes, see docRecord
	secChunks          // records of chunkBytes: first and last line, terms, symbol+1
	secOutlines        // per document: partial, imports, symbols
	secTerms           // sorted uint64
	secOffsets         // per term, and one more: uint32 offset into secPostings
	secPostings        // per term: see appendPosting
	secForward         // per document: its terms and their body counts
	secFacts           // sorted { factKey, class uint16, lang uint16 }
	docSections
)

const (
	keyBytes   = 20
	docBytes   = 56
	chunkBytes = 16
	factBytes  = 20
)

// A segment is an immutable set of documents. It checks every offset it
// follows, so that even a forged one can give wrong answers only.
type segment struct {
	name    string // file name; "" if in memory only
	bytes   int    // size of the file
	passing bool   // holds what is only in the work tree; see writer

	names                  []string
	keys, docs, chunks     []byte
	outlines               []byte
	terms, offsets         []byte
	postings, forward      []byte
	facts                  []byte
	ndocs, nchunks, nterms int
}

// A docRecord describes one document of a segment.
type docRecord struct {
	key                docKey
	bytes, lines       int32
	body, def, comment int32
	chunk0, chunk1     int32
	outline, forward   uint32 // offsets
	lang               uint16
	forwardTerms       uint32
}

func (r *docRecord) append(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, r.key[:]...)
	for _, v := range [...]int32{r.bytes, r.lines, r.body, r.def, r.comment, r.chunk0} {
		b = le.AppendUint32(b, uint32(v))
	}
	b = le.AppendUint32(b, r.outline)
	b = le.AppendUint32(b, r.forward)
	b = le.AppendUint32(b, r.forwardTerms)
	return le.AppendUint32(b, uint32(r.lang))
}

// doc returns the record of document i.
func (s *segment) doc(i int) (r docRecord) {
	b := s.docs[docBytes*i:][:docBytes]
	le := binary.LittleEndian
	copy(r.key[:], b)
	for k, p := range [...]*int32{&r.bytes, &r.lines, &r.body, &r.def, &r.comment, &r.chunk0} {
		*p = int32(le.Uint32(b[16+4*k:]))
	}
	r.outline, r.forward = le.Uint32(b[40:]), le.Uint32(b[44:])
	r.forwardTerms = le.Uint32(b[48:])
	r.lang = uint16(le.Uint32(b[52:]))
	r.chunk1 = int32(s.nchunks)
	if i+1 < s.ndocs {
		r.chunk1 = int32(le.Uint32(s.docs[docBytes*(i+1)+36:]))
	}
	return r
}

// openSegment reads a segment from the bytes of its file, which it keeps.
func openSegment(name string, b []byte, version uint64) (*segment, error) {
	sec, err := decodeContainer(b, magicDocuments, version)
	if err != nil {
		return nil, err
	}
	if len(sec) != docSections {
		return nil, errors.New("wrong number of sections")
	}
	s := &segment{
		name: name, bytes: len(b),
		keys: sec[secKeys], docs: sec[secDocs], chunks: sec[secChunks], outlines: sec[secOutlines],
		terms: sec[secTerms], offsets: sec[secOffsets], postings: sec[secPostings], forward: sec[secForward],
		facts: sec[secFacts],
	}
	s.ndocs, s.nchunks, s.nterms = len(s.docs)/docBytes, len(s.chunks)/chunkBytes, len(s.terms)/8
	if len(s.docs) != docBytes*s.ndocs || len(s.chunks) != chunkBytes*s.nchunks || len(s.terms) != 8*s.nterms ||
		len(s.keys) != keyBytes*s.ndocs || len(s.offsets) != 4*(s.nterms+1) || len(s.facts)%factBytes != 0 {
		return nil, errors.New("sections of wrong lengths")
	}
	c := cursor{b: sec[secNames]}
	for range c.count() {
		s.names = append(s.names, c.string())
	}
	if c.bad {
		return nil, errors.New("damaged names")
	}
	return s, s.check()
}

// check verifies that the fixed records refer to things that exist.
func (s *segment) check() error {
	le := binary.LittleEndian
	last := int32(0)
	var outline, forward uint32
	for i := range s.ndocs {
		r := s.doc(i)
		if r.outline < outline || r.forward < forward {
			return fmt.Errorf("damaged document %d", i)
		}
		outline, forward = r.outline, r.forward
		if r.chunk0 < last || int(r.chunk0) > s.nchunks || int(r.lang) >= len(s.names) ||
			int(r.outline) > len(s.outlines) || int(r.forward) > len(s.forward) || r.bytes < 0 || r.lines < 0 {
			return fmt.Errorf("damaged document %d", i)
		}
		if le.Uint32(s.keys[keyBytes*i+16:]) >= uint32(s.ndocs) {
			return fmt.Errorf("damaged key %d", i)
		}
		last = r.chunk0
	}
	if s.ndocs > 0 && s.doc(0).chunk0 != 0 || s.ndocs == 0 && s.nchunks > 0 {
		return errors.New("chunks without a document")
	}
	off := uint32(0)
	for i := range s.nterms + 1 {
		next := le.Uint32(s.offsets[4*i:])
		if next < off || int(next) > len(s.postings) {
			return fmt.Errorf("damaged term %d", i)
		}
		off = next
	}
	return nil
}

// find returns the document with the key, or -1.
func (s *segment) find(key docKey) int {
	i := findRow(s.keys, keyBytes, key[:])
	if i < 0 {
		return -1
	}
	return int(binary.LittleEndian.Uint32(s.keys[keyBytes*i+16:]))
}

// A factKey names a file as far as its class and language depend on it.
type factKey [16]byte

// A fact is what was found out about a file by looking at its bytes.
type fact struct{ class, lang string }

// fact returns what is known about a file.
func (s *segment) fact(key factKey) (fact, bool) {
	i := findRow(s.facts, factBytes, key[:])
	if i < 0 {
		return fact{}, false
	}
	return s.factAt(factBytes * i)
}

// factAt returns the fact at an offset.
func (s *segment) factAt(at int) (fact, bool) {
	le := binary.LittleEndian
	class, lang := le.Uint16(s.facts[at+16:]), le.Uint16(s.facts[at+18:])
	if int(class) >= len(s.names) || int(lang) >= len(s.names) {
		return fact{}, false
	}
	return fact{s.names[class], s.names[lang]}, true
}

// guesses is how often a search interpolates before it halves instead: evenly
// spread keys are found in three or four steps.
const guesses = 8

// findRow returns the number of the row of a sorted table that starts with the key,
// or -1. Rows have stride bytes. Keys have at least eight, and are evenly spread,
// because they are hashes.
func findRow(table []byte, stride int, key []byte) int {
	want := binary.BigEndian.Uint64(key)
	lo, hi := 0, len(table)/stride
	var below, above uint64 = 0, 1<<64 - 1 // want is between them
	for step := 0; lo < hi; step++ {
		mid := guess(step, lo, hi, want, below, above)
		row := table[stride*mid:][:len(key)]
		got := binary.BigEndian.Uint64(row)
		switch {
		case got < want:
			lo, below = mid+1, got
		case got > want:
			hi, above = mid, got
		default:
			switch c := bytes.Compare(row[8:], key[8:]); {
			case c < 0:
				lo = mid + 1
			case c > 0:
				hi = mid
			default:
				return mid
			}
		}
	}
	return -1
}

// guess returns where in [lo, hi) to look for a value next.
func guess(step, lo, hi int, want, below, above uint64) int {
	if step >= guesses || above <= below {
		return (lo + hi) / 2
	}
	at := lo + int(float64(want-below)/float64(above-below)*float64(hi-lo))
	return max(lo, min(at, hi-1))
}

func (s *segment) term(i int) uint64 { return binary.LittleEndian.Uint64(s.terms[8*i:]) }

// lookup returns the ordinal of a term, -1 if it is not there.
func (s *segment) lookup(term uint64) int {
	lo, hi := 0, s.nterms
	var below, above uint64 = 0, 1<<64 - 1
	for step := 0; lo < hi; step++ {
		mid := guess(step, lo, hi, term, below, above)
		switch t := s.term(mid); {
		case t == term:
			return mid
		case t < term:
			lo, below = mid+1, t
		default:
			hi, above = mid, t
		}
	}
	return -1
}

// list returns the encoded postings of the term with the ordinal.
func (s *segment) list(ordinal int) []byte {
	le := binary.LittleEndian
	return s.postings[le.Uint32(s.offsets[4*ordinal:]):le.Uint32(s.offsets[4*ordinal+4:])]
}

// Postings of a term are encoded one after the other, by ascending chunk:
//
//	varint (chunk - previous chunk)<<2 | extra<<1 | many
//	varint body             if many; else it is 1
//	varint def, comment     if extra; else both are 0
const (
	postingMany  = 1
	postingExtra = 2
)

func appendPosting(b []byte, delta uint32, body, def, comment uint16) []byte {
	head := uint64(delta) << 2
	if body != 1 {
		head |= postingMany
	}
	if def|comment != 0 {
		head |= postingExtra
	}
	b = binary.AppendUvarint(b, head)
	if body != 1 {
		b = binary.AppendUvarint(b, uint64(body))
	}
	if def|comment != 0 {
		b = binary.AppendUvarint(b, uint64(def))
		b = binary.AppendUvarint(b, uint64(comment))
	}
	return b
}

// appendLive decodes all postings of a list; see [postingReader.next].
func appendLive(dst []Posting, list []byte, chunks []int32) []Posting {
	r := postingReader{list: list}
	return r.next(dst, chunks, math.MaxInt)
}

// A postingReader decodes the postings of a term.
type postingReader struct {
	list  []byte
	at    int
	chunk uint32
}

// next decodes postings and appends those whose chunk is in a view, under
// the number that chunks gives it, until dst has most elements or nothing is left.
func (r *postingReader) next(dst []Posting, chunks []int32, most int) []Posting {
	list, i, chunk := r.list, r.at, r.chunk
	for i < len(list) && len(dst) < most {
		head := uint64(list[i])
		i++
		if head >= 0x80 {
			v, n := binary.Uvarint(list[i-1:])
			if n <= 0 {
				i = len(list)
				break
			}
			head, i = v, i-1+n
		}
		p := Posting{Body: 1}
		if head&postingMany != 0 {
			if i < len(list) && list[i] < 0x80 {
				p.Body = uint16(list[i])
				i++
			} else {
				v, n := binary.Uvarint(list[i:])
				if n <= 0 {
					i = len(list)
					break
				}
				p.Body, i = uint16(v), i+n
			}
		}
		if head&postingExtra != 0 {
			def, n := binary.Uvarint(list[i:])
			if n <= 0 {
				i = len(list)
				break
			}
			i += n
			com, n := binary.Uvarint(list[i:])
			if n <= 0 {
				i = len(list)
				break
			}
			p.Def, p.Comment, i = uint16(def), uint16(com), i+n
		}
		chunk += uint32(head >> 2)
		if int(chunk) >= len(chunks) {
			i = len(list)
			break
		}
		if p.Chunk = chunks[chunk]; p.Chunk >= 0 {
			dst = append(dst, p)
		}
	}
	r.at, r.chunk = i, chunk
	return dst
}

// skip decodes postings up to the next whose chunk is in a view, and returns the
// number that chunks gives it; ok is false at the end.
func (r *postingReader) skip(chunks []int32) (chunk int32, ok bool) {
	for r.at < len(r.list) {
		head, n := uint64(r.list[r.at]), 1
		if head >= 0x80 {
			if head, n = binary.Uvarint(r.list[r.at:]); n <= 0 {
				break
			}
		}
		r.at += n
		more := 0 // numbers that follow
		if head&postingMany != 0 {
			more++
		}
		if head&postingExtra != 0 {
			more += 2
		}
		for range more {
			for r.at < len(r.list) && r.list[r.at] >= 0x80 {
				r.at++
			}
			r.at++
		}
		r.chunk += uint32(head >> 2)
		if r.at > len(r.list) || int(r.chunk) >= len(chunks) {
			break
		}
		if c := chunks[r.chunk]; c >= 0 {
			return c, true
		}
	}
	r.at = len(r.list)
	return 0, false
}

// docTerms appends the terms of a document and their body counts, ascending.
func (s *segment) docTerms(dst []TermCount, doc int) []TermCount {
	r := s.doc(doc)
	c := cursor{b: s.forward[r.forward:]}
	ordinal := 0
	for range r.forwardTerms {
		head := c.uvarint()
		n := int32(1)
		if head&1 != 0 {
			n = int32(c.int())
		}
		ordinal += int(head >> 1 & (1<<31 - 1))
		if c.bad || ordinal >= s.nterms {
			break
		}
		dst = append(dst, TermCount{s.term(ordinal), n})
	}
	return dst
}

func appendForward(b []byte, delta uint32, n uint32) []byte {
	if n == 1 {
		return binary.AppendUvarint(b, uint64(delta)<<1)
	}
	b = binary.AppendUvarint(b, uint64(delta)<<1|1)
	return binary.AppendUvarint(b, uint64(n))
}

// appendOutline encodes what the parser found in a document.
func appendOutline(b []byte, d *document) []byte {
	b = appendString(b, d.partial)
	b = binary.AppendUvarint(b, uint64(len(d.imports)))
	for _, s := range d.imports {
		b = appendString(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(d.symbols)))
	for i := range d.symbols {
		s := &d.symbols[i]
		b = appendString(b, s.Kind)
		b = appendString(b, s.Name)
		b = appendString(b, s.Parent)
		for _, v := range [...]int{s.From, s.To - s.From, s.NameLine - s.From} {
			b = binary.AppendVarint(b, int64(v))
		}
		b = appendString(b, s.Signature)
		b = appendString(b, s.Doc)
	}
	return b
}

// outlineAt returns a cursor at the outline of a document.
func (s *segment) outlineAt(doc int) *cursor {
	return &cursor{b: s.outlines[s.doc(doc).outline:]}
}

// partial returns why the outline of a document is not whole; "" if it is.
func (s *segment) partial(doc int) string { return s.outlineAt(doc).string() }

func (s *segment) imports(doc int) []string {
	c := s.outlineAt(doc)
	c.bytes()
	n := c.count()
	if n == 0 {
		return nil
	}
	imports := make([]string, 0, n)
	for range n {
		imports = append(imports, c.string())
	}
	if c.bad {
		return nil
	}
	return imports
}

func (s *segment) symbols(doc int) []satchel.Symbol {
	c := s.outlineAt(doc)
	c.bytes()
	for range c.count() {
		c.bytes()
	}
	n := c.count()
	if n == 0 {
		return nil
	}
	// A symbol takes at least eight bytes.
	symbols := make([]satchel.Symbol, 0, min(n, len(c.b)/8+1))
	for range n {
		y := satchel.Symbol{Kind: c.string(), Name: c.string(), Parent: c.string()}
		y.From = c.varint()
		y.To = y.From + c.varint()
		y.NameLine = y.From + c.varint()
		y.Signature, y.Doc = c.string(), c.string()
		if c.bad {
			return nil
		}
		symbols = append(symbols, y)
	}
	return symbols
}

// chunk returns chunk i, without its document.
func (s *segment) chunk(i int) Chunk {
	b := s.chunks[chunkBytes*i:][:chunkBytes]
	le := binary.LittleEndian
	return Chunk{
		From: int32(le.Uint32(b)), To: int32(le.Uint32(b[4:])),
		Terms: int32(le.Uint32(b[8:])), Symbol: int32(le.Uint32(b[12:])) - 1,
	}
}

// outlineOf returns the encoded outline of a document.
func (s *segment) outlineOf(doc int) []byte {
	to := uint32(len(s.outlines))
	if doc+1 < s.ndocs {
		to = binary.LittleEndian.Uint32(s.docs[docBytes*(doc+1)+40:])
	}
	return s.outlines[s.doc(doc).outline:to]
}
