// Package terms turns code and prose into the terms that the index stores and
// the ranker asks for.
//
// A word such as parseHTTPHeader becomes its lower-case, lightly stemmed parts
// (parse, http, header) and, because it is compound, the whole identifier
// (parsehttpheader) as one more term. Stop words and single letters are dropped.
// Words are compared in Unicode's normal form NFKC: é is one letter however a file
// encodes it, and full-width letters are ASCII letters.
// Terms are 64-bit hashes: nothing in satchel needs their spelling back, and at
// a million distinct terms the chance that any two collide is below 1 in 10^7.
//
// Start with [Analyzer.Each]. The package reads no files and keeps no state
// outside an Analyzer, which is not safe for concurrent use.
package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"golang.org/x/text/unicode/norm"
)

// Version changes whenever the same text would give other terms.
const Version = 3

// maxWord is the longest word that is taken apart, in bytes. Longer ones are long
// names, or data such as hashes and base64: each is one term.
const maxWord = 64

// A Kind says what a term was made from. The two lowest bits of a term hold it.
type Kind uint64

// The kinds of terms.
const (
	KindWord   Kind = iota // a stemmed word, or part of a compound
	KindIdent              // a whole compound identifier, lower case
	kindDef                // the exact name of a definition
	kindImport             // a component of an import path
)

// KindOf returns the kind of a term.
func KindOf(term uint64) Kind { return Kind(term & 3) }

// Def returns the term of a definition's exact name.
func Def(name string) uint64 { return hash(kindDef, []byte(Normal(name))) }

// Import returns the term of one component of an import path.
func Import(component string) uint64 { return hash(kindImport, []byte(component)) }

// Ident returns the term of a whole compound identifier, in any case.
func Ident(name string) uint64 {
	return hash(KindIdent, []byte(strings.Trim(strings.ToLower(Normal(name)), "_")))
}

// Word returns the term of a single lower-case word, stemmed.
func Word(word string) uint64 {
	w := []byte(Normal(word))
	if len(w) <= maxWord {
		w = stem(w)
	}
	return hash(KindWord, w)
}

// hash is FNV-1a with a finaliser, so that the high bits are usable as they are,
// and the kind in the low ones.
func hash(kind Kind, s []byte) uint64 {
	h := uint64(14695981039346656037)
	h = (h ^ uint64(kind)) * 1099511628211
	for _, c := range s {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return h&^3 | uint64(kind)
}

// An Analyzer finds the terms of texts. Its zero value is ready to use.
type Analyzer struct {
	cache []cached
	word  [maxWord]byte
}

// cached holds the terms of a word seen before: code repeats its words.
type cached struct {
	word  [30]byte
	len   uint8
	n     uint8
	terms [4]uint64
}

const cacheBits = 12

// Each calls fn for every term of text, in order of appearance.
func (a *Analyzer) Each(text []byte, fn func(term uint64)) {
	Words(text, func(from, to int) { a.EachOfWord(text[from:to], fn) })
}

// EachOfWord calls fn for every term of one word, as [Words] finds it.
func (a *Analyzer) EachOfWord(w []byte, fn func(term uint64)) {
	if len(w) < 2 {
		return
	}
	if a.cache == nil {
		a.cache = make([]cached, 1<<cacheBits)
	}
	var c *cached
	if len(w) <= len(c.word) {
		c = &a.cache[hash(KindWord, w)>>(64-cacheBits)]
		if int(c.len) == len(w) && string(c.word[:c.len]) == string(w) {
			for _, t := range c.terms[:c.n] {
				fn(t)
			}
			return
		}
	}
	var found [4]uint64
	n := 0
	a.analyze(w, func(t uint64) {
		if n < len(found) {
			found[n] = t
		}
		n++
		fn(t)
	})
	if c != nil && n <= len(found) {
		c.len, c.n, c.terms = uint8(copy(c.word[:], w)), uint8(n), found
	}
}

// analyze calls fn for the terms of a word. In normal form it may be several words, since
// full-width punctuation becomes ASCII.
func (a *Analyzer) analyze(w []byte, fn func(term uint64)) {
	if ascii(w) || norm.NFKC.IsNormal(w) {
		a.analyzeNormal(w, fn)
		return
	}
	w = norm.NFKC.Bytes(w)
	Words(w, func(from, to int) { a.analyzeNormal(w[from:to], fn) })
}

func (a *Analyzer) analyzeNormal(w []byte, fn func(term uint64)) {
	if !ascii(w) {
		w = []byte(strings.ToLower(string(w)))
		if ideographs(w, fn) {
			return
		}
	}
	if len(w) > maxWord {
		if s := string(w); Compound(s) {
			fn(Ident(s))
		} else {
			fn(Word(strings.ToLower(s)))
		}
		return
	}
	parts := 0
	Split(w, func(from, to int) {
		parts++
		p := a.word[:to-from]
		for i := range p {
			p[i] = lower(w[from+i])
		}
		if len(p) < 2 || stop[string(p)] {
			return
		}
		fn(hash(KindWord, stem(p)))
	})
	if parts > 1 {
		p := a.word[:len(w)]
		for i := range p {
			p[i] = lower(w[i])
		}
		fn(hash(KindIdent, trim(p)))
	}
}

// Words calls fn with the bounds of every identifier-like word of text: runs of
// letters, digits, underscores and bytes above 0x7f that do not start with a digit.
func Words(text []byte, fn func(from, to int)) {
	for i := 0; i < len(text); i++ {
		if class[text[i]]&start == 0 {
			continue
		}
		from := i
		for i++; i < len(text) && class[text[i]] != 0; i++ {
		}
		fn(from, i)
	}
}

// Split calls fn with the bounds of the parts of a camelCase, snake_case or
// mixed word. Digits are parts of their own.
func Split(w []byte, fn func(from, to int)) {
	from := 0
	for i := 0; i < len(w); i++ {
		c := class[w[i]]
		if c&under != 0 {
			if i > from {
				fn(from, i)
			}
			from = i + 1
			continue
		}
		if i == from {
			continue
		}
		p := class[w[i-1]]
		cut := false
		switch {
		case c&upper != 0 && p&upper == 0:
			cut = true
		case c&upper != 0 && i+1 < len(w) && class[w[i+1]]&(upper|digit|under) == 0 && class[w[i+1]] != 0:
			cut = true
		case (c^p)&digit != 0:
			cut = true
		}
		if cut {
			fn(from, i)
			from = i
		}
	}
	if len(w) > from {
		fn(from, len(w))
	}
}

// Compound reports whether w reads as an identifier rather than as prose: it
// holds an inner underscore or an inner change to upper case.
func Compound(w string) bool {
	if len(w) < 3 {
		return false
	}
	if strings.Contains(strings.Trim(w, "_"), "_") {
		return true
	}
	for i := 1; i < len(w); i++ {
		if class[w[i]]&upper != 0 && w[i-1] >= 'a' && w[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// Name returns the term of a whole name: that of [Ident] for a word that consists of
// parts, else that of [Word].
func Name(w string) uint64 {
	w = strings.Trim(w, "_")
	parts := 0
	Split([]byte(w), func(int, int) { parts++ })
	if parts > 1 {
		return Ident(w)
	}
	return Word(strings.ToLower(w))
}

// Normal returns a text in Unicode's normal form NFKC, so that equal words are equal
// bytes.
func Normal(text string) string { return norm.NFKC.String(text) }

// Stop reports whether the lower-case word says nothing about a text.
func Stop(w string) bool { return stop[w] }

// ideographs emits overlapping pairs of characters for text written without
// spaces between words, and reports whether w was such text.
func ideographs(w []byte, fn func(uint64)) bool {
	prev, seen := 0, 0
	for i := 0; i < len(w); {
		r, n := utf8.DecodeRune(w[i:])
		if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return false
		}
		if seen > 0 {
			fn(hash(KindWord, w[prev:i+n]))
		}
		prev = i
		i += n
		seen++
	}
	if seen == 1 {
		fn(hash(KindWord, w))
	}
	return true
}

func ascii(w []byte) bool {
	for _, c := range w {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func trim(w []byte) []byte {
	for len(w) > 0 && w[0] == '_' {
		w = w[1:]
	}
	for len(w) > 0 && w[len(w)-1] == '_' {
		w = w[:len(w)-1]
	}
	return w
}

func lower(c byte) byte {
	if class[c]&upper != 0 {
		return c + 'a' - 'A'
	}
	return c
}

// Classes of bytes.
const (
	start = 1 << iota // may begin a word
	upper
	digit
	under
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c == '_':
			t[c] = start | under
		case c >= 'a' && c <= 'z', c >= 0x80:
			t[c] = start
		case c >= 'A' && c <= 'Z':
			t[c] = start | upper
		case c >= '0' && c <= '9':
			t[c] = digit
		}
	}
	return t
}()

// cites finds what refers to an issue or a change request of the same repository:
// #12, GH-12, and the addresses of hosts. owner/name#12 is another's.
var cites = lazy.Regexp(`(?:^|[^\w/&#])(?:#|(?i:GH-))(\d{1,7})\b|/(?:issues|pull|merge_requests)/(\d{1,7})\b`)

// Numbers calls fn with the term of each issue or change request that a text
// refers to by its number, in order, repetitions included. They are no words: no
// [Analyzer] yields them.
func Numbers(text string, fn func(term uint64)) {
	for _, m := range cites().FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		fn(hash(KindWord, []byte("#"+text[from:to])))
	}
}

// longestCompared is how many bytes of a word [Distance] compares, so that a hostile word
// costs no time.
const longestCompared = 100

// Distance returns the number of edits that turn a into b: bytes inserted, deleted or
// replaced, or neighbours swapped (optimal string alignment). Only the first 100 bytes of
// each count.
func Distance(a, b string) int {
	a, b = a[:min(len(a), longestCompared)], b[:min(len(b), longestCompared)]
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
