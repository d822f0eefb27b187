package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-dev/satchel"
)

func TestContainerRoundTrip(t *testing.T) {
	sections := [][]byte{{}, []byte("a"), bytes.Repeat([]byte{7}, 100), {}}
	b := encodeContainer(magicDocuments, 9, sections)
	got, err := decodeContainer(b, magicDocuments, 9)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sections {
		if !bytes.Equal(got[i], sections[i]) {
			t.Errorf("section %d = %q, want %q", i, got[i], sections[i])
		}
	}
	if _, err := decodeContainer(b, magicDocuments, 8); err != errStale {
		t.Errorf("another version: %v, want %v", err, errStale)
	}
	if _, err := decodeContainer(b, magicCommits, 9); err == nil {
		t.Error("another kind was opened")
	}
}

// smallSegment is the file of a segment with a little of everything.
func smallSegment(t testing.TB) []byte {
	t.Helper()
	b := builder{version: 1}
	for i := range 3 {
		b.add(randomDocument(rand.New(rand.NewPCG(1, uint64(i))), i))
	}
	b.addFact(factKey{1}, fact{"source", "go"})
	data := b.finish()
	if _, err := openSegment("", data, 1); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTruncatedSegment(t *testing.T) {
	b := smallSegment(t)
	for n := range b {
		if _, err := openSegment("", b[:n:n], 1); err == nil {
			t.Fatalf("a segment of %d bytes opened after %d", len(b), n)
		}
	}
	if _, err := openSegment("", append(slices.Clone(b), 0), 1); err == nil {
		t.Error("a segment opened with a byte too many")
	}
}

func TestFlippedBits(t *testing.T) {
	b := smallSegment(t)
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if _, err := openSegment("", b, 1); err == nil {
				t.Fatalf("a segment opened with bit %d of byte %d flipped", bit, i)
			}
			b[i] ^= 1 << bit
		}
	}
}

// reseal makes the checks of a damaged container right again, as a forger would.
func reseal(b []byte) {
	le := binary.LittleEndian
	if len(b) < headerBytes {
		return
	}
	le.PutUint64(b[16:], uint64(len(b)))
	n := int(min(le.Uint32(b[24:]), maxSections))
	if headerBytes+entryBytes*n > len(b) {
		return
	}
	for i := range n {
		e := b[headerBytes+entryBytes*i:]
		off, size := le.Uint64(e), le.Uint64(e[8:])
		if off <= uint64(len(b)) && size <= uint64(len(b))-off {
			le.PutUint32(e[16:], crc32.Checksum(b[off:off+size], castagnoli))
		}
	}
	le.PutUint32(b[28:], 0)
	le.PutUint32(b[28:], crc32.Checksum(b[:headerBytes+entryBytes*n], castagnoli))
}

// exercise reads everything there is in a segment.
func exercise(s *segment) {
	for i := range s.ndocs {
		s.doc(i)
		s.docTerms(nil, i)
		s.symbols(i)
		s.imports(i)
		s.partial(i)
	}
	chunks := make([]int32, s.nchunks)
	for i := range s.nterms {
		s.lookup(s.term(i))
		appendLive(nil, s.list(i), chunks)
	}
	s.find(docKey{1})
	s.fact(factKey{1})
	for i := 0; i < len(s.facts); i += factBytes {
		s.factAt(i)
	}
	mergeSegments([]*segment{s, s}, 1, wanted{})
}

// A forged segment may say anything, but must not crash its reader.
func FuzzSegment(f *testing.F) {
	f.Add(smallSegment(f), uint16(0), byte(0))
	f.Add(smallSegment(f), uint16(500), byte(0xff))
	f.Fuzz(func(t *testing.T, b []byte, at uint16, x byte) {
		b = slices.Clone(b)
		if int(at) < len(b) {
			b[at] ^= x
		}
		reseal(b)
		if s, err := openSegment("", b, 1); err == nil {
			exercise(s)
		}
	})
}

func TestForgedSegments(t *testing.T) {
	good := smallSegment(t)
	opened := 0
	for i := range good {
		for _, x := range []byte{1, 0x7f, 0x80, 0xff} {
			b := slices.Clone(good)
			b[i] ^= x
			reseal(b)
			if s, err := openSegment("", b, 1); err == nil {
				opened++
				exercise(s)
			}
		}
	}
	if opened == 0 {
		t.Error("no forged segment opened: the test tests nothing")
	}
}

// randomDocument returns a document whose terms come from a small vocabulary.
func randomDocument(r *rand.Rand, i int) *document {
	d := &document{key: docKey{byte(i), byte(i >> 8), byte(r.Uint32())}, lang: []string{"go", "python", ""}[r.IntN(3)], bytes: r.IntN(9999)}
	for range r.IntN(5) {
		c := docChunk{span: span{d.lines + 1, d.lines + 1 + r.IntN(9), -1}}
		d.lines = c.to
		seen := map[uint64]bool{}
		for range r.IntN(20) {
			n := count{term: uint64(r.IntN(40)) * 0x9e3779b97f4a7c15, body: uint16(r.IntN(4))}
			if r.IntN(4) == 0 {
				n.def, n.comment = uint16(r.IntN(3)), uint16(r.IntN(300))
			}
			if !seen[n.term] {
				seen[n.term] = true
				d.counts = append(d.counts, n)
				c.counts++
				c.terms += int(n.body)
			}
		}
		d.body += c.terms
		if r.IntN(2) == 0 {
			c.symbol = len(d.symbols)
			d.symbols = append(d.symbols, satchel.Symbol{
				Kind: "func", Name: fmt.Sprint("f", r.IntN(99)), Parent: "T", Signature: "func f()", Doc: "It is.",
				From: c.from, To: c.to, NameLine: c.from,
			})
		}
		d.chunks = append(d.chunks, c)
	}
	if r.IntN(2) == 0 {
		d.imports = []string{"fmt", "a/b"}
	}
	return d
}

// A segment answers as a plain map of its documents does; so does a merged one.
func TestSegmentMatchesReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(uint64(rapid.Uint32().Draw(t, "seed")), 0))
		var segs []*segment
		var docs []*document
		for range rapid.IntRange(1, 4).Draw(t, "segments") {
			b := builder{version: 1}
			for range rapid.IntRange(0, 6).Draw(t, "documents") {
				d := randomDocument(r, len(docs))
				docs = append(docs, d)
				b.add(d)
			}
			segs = append(segs, mustOpen(t, b.finish()))
		}
		drop := rapid.IntRange(0, 3).Draw(t, "drop")
		keep := func(k docKey) bool { return int(k[0])%3 != drop }
		kept := slices.DeleteFunc(slices.Clone(docs), func(d *document) bool { return !keep(d.key) })
		rand.New(rand.NewPCG(3, 4)).Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })

		want := reference(kept)
		if diff := gocmp.Diff(want, answers(segs, kept)); diff != "" {
			t.Fatalf("segments (-want +got):\n%s", diff)
		}
		merged := mustOpen(t, slices.Concat(mergeSegments(append(segs, segs[0]), 1, wanted{doc: keep})...))
		if merged.ndocs != len(kept) {
			t.Fatalf("merged segment has %d documents, want %d", merged.ndocs, len(kept))
		}
		if diff := gocmp.Diff(want, answers([]*segment{merged}, kept)); diff != "" {
			t.Fatalf("merged (-want +got):\n%s", diff)
		}
	})
}

func mustOpen(t interface{ Fatal(...any) }, b []byte) *segment {
	s, err := openSegment("", b, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An answer is what a View says, in a form that is easy to compare.
type answer struct {
	Docs     []Doc
	Chunks   []Chunk
	Postings map[uint64][]Posting
	Terms    [][]TermCount
	Symbols  [][]satchel.Symbol
	Imports  [][]string
}

// answers asks a View of the documents.
func answers(segs []*segment, docs []*document) answer {
	v := &View{body: new(body)}
	var places []place
	for _, d := range docs {
		v.files = append(v.files, File{})
		places = append(places, findPlace(segs, d.key))
	}
	v.assemble(places)
	a := answer{Docs: v.docs, Chunks: v.chunks, Postings: map[uint64][]Posting{}}
	for i := range 41 {
		term := uint64(i) * 0x9e3779b97f4a7c15
		if ps := v.Postings(nil, term); len(ps) > 0 {
			a.Postings[term] = ps
		}
	}
	for i := range docs {
		a.Terms = append(a.Terms, v.DocTerms(nil, int32(i)))
		a.Symbols = append(a.Symbols, v.Symbols(int32(i)))
		a.Imports = append(a.Imports, v.Imports(int32(i)))
	}
	return a
}

// reference computes the same from the documents themselves.
func reference(docs []*document) answer {
	a := answer{Postings: map[uint64][]Posting{}}
	for i, d := range docs {
		n := int32(len(a.Chunks))
		a.Docs = append(a.Docs, Doc{int32(d.bytes), int32(d.lines), int32(d.body), int32(d.def), int32(d.comment), n, n + int32(len(d.chunks))})
		counts, at := map[uint64]int32{}, 0
		for _, c := range d.chunks {
			for _, k := range d.counts[at : at+c.counts] {
				a.Postings[k.term] = append(a.Postings[k.term], Posting{int32(len(a.Chunks)), k.body, k.def, k.comment})
				if k.body > 0 {
					counts[k.term] += int32(k.body)
				}
			}
			at += c.counts
			a.Chunks = append(a.Chunks, Chunk{int32(i), int32(c.from), int32(c.to), int32(c.terms), int32(c.symbol)})
		}
		var terms []TermCount
		for _, t := range slices.Sorted(maps.Keys(counts)) {
			terms = append(terms, TermCount{t, counts[t]})
		}
		a.Terms = append(a.Terms, terms)
		a.Symbols = append(a.Symbols, d.symbols)
		a.Imports = append(a.Imports, d.imports)
	}
	return a
}

// order is tested on its own: most lists are too short for its fast path.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	v := &View{body: &body{chunks: make([]Chunk, 1000)}}
	for range 3 { // the scratch space is used again
		var ps []Posting
		for _, c := range r.Perm(1000)[:500] {
			ps = append(ps, Posting{Chunk: int32(c), Body: uint16(c)})
		}
		want := slices.Clone(ps)
		slices.SortFunc(want, func(a, b Posting) int { return cmp.Compare(a.Chunk, b.Chunk) })
		v.order(ps)
		if !slices.Equal(ps, want) {
			t.Fatal("postings are not in order")
		}
	}
}

func TestLookup(t *testing.T) {
	// Unevenly spread terms, where interpolation is of no help.
	var want []uint64
	b := builder{version: 1}
	d := &document{chunks: []docChunk{{span: span{1, 1, -1}}}, lines: 1}
	for i := range 2000 {
		term := uint64(i) * uint64(i) * uint64(i)
		if i%3 == 0 {
			term = 1<<63 + uint64(i)
		}
		want = append(want, term)
	}
	want = append(want, 1<<64-1)
	slices.Sort(want)
	want = slices.Compact(want)
	for _, t := range want {
		d.counts = append(d.counts, count{term: t, body: 1})
	}
	d.chunks[0].counts = len(d.counts)
	b.add(d)
	s := mustOpen(t, b.finish())
	for i, term := range want {
		if got := s.lookup(term); got != i {
			t.Fatalf("lookup(%#x) = %d, want %d", term, got, i)
		}
		if i > 0 && want[i-1]+1 < term {
			if got := s.lookup(term - 1); got != -1 {
				t.Fatalf("lookup(%#x) = %d, want -1", term-1, got)
			}
		}
	}
}
