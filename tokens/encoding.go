package tokens

import (
	_ "embed"
	"fmt"
	"sync"
	"unicode/utf8"
	"unsafe"
)

//go:generate go -C ../lab run ./train/vocabulary -o200k $O200K -cl100k $CL100K

//go:embed vocabulary/o200k_base.bin
var o200kTable []byte

//go:embed vocabulary/cl100k_base.bin
var cl100kTable []byte

// O200k returns the encoding of GPT-4o and later OpenAI models.
func O200k() *Encoding { return o200k() }

// Cl100k returns the encoding of GPT-4 and GPT-3.5.
func Cl100k() *Encoding { return cl100k() }

var o200k = sync.OnceValue(func() *Encoding {
	return &Encoding{name: "o200k_base", vocabulary: openVocabulary(o200kTable), next: nextO200k}
})

var cl100k = sync.OnceValue(func() *Encoding {
	return &Encoding{name: "cl100k_base", vocabulary: openVocabulary(cl100kTable), next: nextCl100k}
})

// An Encoding turns text into tokens by byte-pair encoding: it cuts the text
// into pieces, and replaces the pairs of neighbours in each piece, lowest
// rank first, until no pair is left that the vocabulary knows.
//
// Use [O200k] or [Cl100k]; there is no other way to make one.
type Encoding struct {
	name       string
	vocabulary vocabulary
	next       func(text []byte, i int) int // end of the piece of valid text that starts at i
	scratches  sync.Pool                    // of *scratch

	index   sync.Once // guards offsets
	offsets []uint32  // where the record of each token begins
}

// Name returns the name that OpenAI gave the encoding, such as "o200k_base".
func (e *Encoding) Name() string { return e.name }

// Count returns the number of tokens of text. It is the length of what
// [Encoding.Encode] appends, and several times faster to come by.
func (e *Encoding) Count(text string) int {
	return e.CountBytes(unsafe.Slice(unsafe.StringData(text), len(text))) // only read
}

// CountBytes is Count for a text in a []byte.
func (e *Encoding) CountBytes(text []byte) int {
	s := e.scratch()
	defer e.release(s)
	text = s.valid(text)
	count := 0
	for i := 0; i < len(text); {
		j := e.next(text, i)
		switch n := j - i; {
		case n == 1: // every byte is a token
			count++
		case n <= maxKey:
			k := keyAt(text, i, n)
			h := k.hash()
			c := &s.counts[h>>(64-countBits)]
			if c.lo != k.lo || c.hi&^countMask != k.hi {
				tokens := 1
				if _, ok := e.vocabulary.lookup(k, h); !ok {
					tokens = e.vocabulary.merge(s, text, i, j)
				}
				*c = key{k.lo, k.hi | uint64(tokens)<<countShift}
			}
			count += int(c.hi & countMask >> countShift)
		case n <= maxLongKey && i+32 <= len(text):
			k := longKeyAt(text, i, n)
			c := &s.long[k.hash()>>(64-longBits)]
			if c[0] != k[0] || c[1] != k[1] || c[2] != k[2] || c[3]&^longCountMask != k[3] {
				*c = k
				c[3] |= uint64(e.vocabulary.countPiece(s, text, i, j)) << longCountShift
			}
			count += int(c[3] & longCountMask >> longCountShift)
		default:
			count += e.vocabulary.countPiece(s, text, i, j)
		}
		i = j
	}
	return count
}

// countPiece returns the number of tokens of a piece.
func (v *vocabulary) countPiece(s *scratch, text []byte, i, j int) int {
	if v.rankAt(text, i, j) != none {
		return 1
	}
	return v.merge(s, text, i, j)
}

// Encode appends the tokens of text to dst and returns the extended slice.
func (e *Encoding) Encode(dst []uint32, text string) []uint32 {
	s := e.scratch()
	defer e.release(s)
	valid := s.valid(unsafe.Slice(unsafe.StringData(text), len(text))) // only read
	for i := 0; i < len(valid); {
		j := e.next(valid, i)
		if id := e.vocabulary.rankAt(valid, i, j); id != none {
			dst = append(dst, id)
		} else {
			parts := e.vocabulary.merge(s, valid, i, j)
			for p := range parts {
				dst = append(dst, e.vocabulary.rankAt(valid, i+int(s.starts[p]), i+int(s.starts[p+1])))
			}
		}
		i = j
	}
	return dst
}

// Decode appends the text of tokens to dst and returns the extended slice.
// Tokens may end in the middle of a character, so the text of some tokens need
// not be valid UTF-8; the text of all tokens of a valid text is that text.
// A number that is no token is an error, and then dst is returned as it was.
func (e *Encoding) Decode(dst []byte, tokens []uint32) ([]byte, error) {
	e.index.Do(func() { e.offsets = e.vocabulary.index() })
	out := dst
	for i, t := range tokens {
		if int64(t) >= int64(len(e.offsets)) {
			return dst, fmt.Errorf("%s: token %d is %d, the last one is %d", e.name, i, t, len(e.offsets)-1)
		}
		out = append(out, e.vocabulary.token(e.offsets[t])...)
	}
	return out, nil
}

func (e *Encoding) scratch() *scratch {
	if s, ok := e.scratches.Get().(*scratch); ok {
		return s
	}
	return new(scratch)
}

func (e *Encoding) release(s *scratch) {
	s.trim()
	e.scratches.Put(s)
}

// valid returns text, or a copy in which U+FFFD stands for what is no UTF-8.
func (s *scratch) valid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	s.text = appendValid(s.text[:0], text)
	return s.text
}

// appendValid appends text to dst with U+FFFD in place of each maximal
// ill-formed sequence, as the WHATWG decoder and Unicode's recommendation
// (section 3.9, "substitution of maximal subparts") have it: a truncated
// character is one U+FFFD, where Go's own conversion makes one of each byte.
func appendValid(dst, text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			n = illFormed(text)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// illFormed returns the length of the ill-formed sequence that text begins
// with: the longest start of a character, at least one byte.
func illFormed(text []byte) int {
	low, high, need := byte(0x80), byte(0xBF), 0
	switch c := text[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 { // shorter forms
			low = 0xA0
		} else if c == 0xED { // surrogates
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 { // shorter forms
			low = 0x90
		} else if c == 0xF4 { // beyond U+10FFFF
			high = 0x8F
		}
	}
	n := 1
	for ; n <= need && n < len(text) && low <= text[n] && text[n] <= high; n++ {
		low, high = 0x80, 0xBF
	}
	return n
}
