package tokens

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"
)

// This file is a second implementation, written to be read beside the
// published patterns and not to be fast. The tests compare the package with it.

// A matcher tries to match text at i and calls then with every position where
// the match can end, the preferred one first, until then returns true: the
// semantics of a backtracking regular expression.
type matcher func(text []rune, i int, then func(i int) bool) bool

func seq(ms ...matcher) matcher {
	if len(ms) == 0 {
		return func(_ []rune, i int, then func(int) bool) bool { return then(i) }
	}
	first, rest := ms[0], seq(ms[1:]...)
	return func(text []rune, i int, then func(int) bool) bool {
		return first(text, i, func(j int) bool { return rest(text, j, then) })
	}
}

func alt(ms ...matcher) matcher {
	return func(text []rune, i int, then func(int) bool) bool {
		for _, m := range ms {
			if m(text, i, then) {
				return true
			}
		}
		return false
	}
}

// rep is m{least,most}, greedy, for a matcher of one character.
func rep(least, most int, one func(rune) bool) matcher {
	return func(text []rune, i int, then func(int) bool) bool {
		n := 0
		for n < most && i+n < len(text) && one(text[i+n]) {
			n++
		}
		for ; n >= least; n-- {
			if then(i + n) {
				return true
			}
		}
		return false
	}
}

const many = 1 << 30

func opt(one func(rune) bool) matcher       { return rep(0, 1, one) }
func star(one func(rune) bool) matcher      { return rep(0, many, one) }
func plus(one func(rune) bool) matcher      { return rep(1, many, one) }
func is(s string) func(rune) bool           { return func(r rune) bool { return strings.ContainsRune(s, r) } }
func maybe(m matcher) matcher               { return alt(m, seq()) }
func not(f func(rune) bool) func(rune) bool { return func(r rune) bool { return !f(r) } }

func anyOf(fs ...func(rune) bool) func(rune) bool {
	return func(r rune) bool {
		for _, f := range fs {
			if f(r) {
				return true
			}
		}
		return false
	}
}

// in matches the characters of general categories, as "Lu", or groups, as "L".
func in(categories ...string) func(rune) bool {
	return func(r rune) bool {
		if c, ok := newerCategories()[r]; ok {
			return slices.Contains(categories, c) || slices.Contains(categories, c[:1])
		}
		for _, c := range categories {
			if unicode.Is(unicode.Categories[c], r) {
				return true
			}
		}
		return false
	}
}

// newerCategories reads what lab/train/vocabulary adds to package unicode.
var newerCategories = sync.OnceValue(func() map[rune]string {
	file, err := os.ReadFile("testdata/unicode16.txt")
	if err != nil {
		panic(err)
	}
	m := make(map[rune]string)
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var from, to rune
		var category string
		if _, err := fmt.Sscanf(line, "%X-%X %s", &from, &to, &category); err != nil {
			if _, err := fmt.Sscanf(line, "%X %s", &from, &category); err != nil {
				panic(line)
			}
			to = from
		}
		for r := from; r <= to; r++ {
			m[r] = category
		}
	}
	return m
})

// skipNewer skips a test if package unicode knows characters that the tables
// do not.
func skipNewer(t testing.TB) {
	t.Helper()
	if unicode.Version != "15.0.0" && unicode.Version != "16.0.0" {
		t.Skipf("this Go release has Unicode %s, the tables have 16.0.0", unicode.Version)
	}
}

// fold is (?i:s) for an s in lower case.
func fold(s string) matcher {
	return func(text []rune, i int, then func(int) bool) bool {
		for _, want := range s {
			if i == len(text) || !equalFold(text[i], want) {
				return false
			}
			i++
		}
		return then(i)
	}
}

func equalFold(r, want rune) bool {
	for f := unicode.SimpleFold(r); ; f = unicode.SimpleFold(f) {
		if f == want {
			return true
		}
		if f == r {
			return false
		}
	}
}

// notBeforeText is (?!\S).
func notBeforeText(text []rune, i int, then func(int) bool) bool {
	return (i == len(text) || unicode.IsSpace(text[i])) && then(i)
}

var (
	breaks  = is("\r\n")
	blank   = unicode.IsSpace
	letters = in("L")
	numbers = in("N")
	uppers  = in("Lu", "Lt", "Lm", "Lo", "M")
	lowers  = in("Ll", "Lm", "Lo", "M")
	prefix  = opt(not(anyOf(breaks, letters, numbers)))                                                  // [^\r\n\p{L}\p{N}]?
	ending  = alt(fold("'s"), fold("'t"), fold("'re"), fold("'ve"), fold("'m"), fold("'ll"), fold("'d")) // (?i:'s|'t|'re|'ve|'m|'ll|'d)
	symbols = plus(not(anyOf(blank, letters, numbers)))                                                  // [^\s\p{L}\p{N}]+

	o200kPattern = alt(
		seq(prefix, star(uppers), plus(lowers), maybe(ending)),
		seq(prefix, plus(uppers), star(lowers), maybe(ending)),
		rep(1, 3, numbers),
		seq(opt(is(" ")), symbols, star(is("\r\n/"))),
		seq(star(blank), plus(breaks)),
		seq(plus(blank), notBeforeText),
		plus(blank),
	)
	cl100kPattern = alt(
		ending,
		seq(prefix, plus(letters)),
		rep(1, 3, numbers),
		seq(opt(is(" ")), symbols, star(breaks)),
		seq(star(blank), plus(breaks)),
		seq(plus(blank), notBeforeText),
		plus(blank),
	)
)

// A reference is an encoding as its definition reads.
type reference struct {
	pattern matcher
	ranks   map[string]uint32
}

var o200kReference = sync.OnceValue(func() reference { return newReference(O200k(), o200kPattern) })
var cl100kReference = sync.OnceValue(func() reference { return newReference(Cl100k(), cl100kPattern) })

func newReference(e *Encoding, pattern matcher) reference {
	r := reference{pattern, make(map[string]uint32, e.vocabulary.count)}
	for id := range uint32(e.vocabulary.count) {
		b, err := e.Decode(nil, []uint32{id})
		if err != nil {
			panic(err)
		}
		r.ranks[string(b)] = id
	}
	return r
}

func (r reference) split(text string) []string {
	runes := []rune(text)
	var pieces []string
	for i := 0; i < len(runes); {
		end := i
		r.pattern(runes, i, func(j int) bool { end = j; return true })
		if end == i {
			panic("the pattern does not match " + text)
		}
		pieces = append(pieces, string(runes[i:end]))
		i = end
	}
	return pieces
}

// encode expects valid UTF-8.
func (r reference) encode(text string) []uint32 {
	var ids []uint32
	for _, piece := range r.split(text) {
		if id, ok := r.ranks[piece]; ok {
			ids = append(ids, id)
			continue
		}
		for _, p := range r.merge(piece) {
			ids = append(ids, r.ranks[p])
		}
	}
	return ids
}

// merge joins the parts of a piece, at first its bytes.
func (r reference) merge(piece string) []string {
	var parts []string
	for i := range len(piece) {
		parts = append(parts, piece[i:i+1])
	}
	for {
		best, at := none, -1
		for p := range len(parts) - 1 {
			if rank, ok := r.ranks[parts[p]+parts[p+1]]; ok && rank < best {
				best, at = rank, p
			}
		}
		if at < 0 {
			return parts
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
}

// replaceIllFormed is the definition of a maximal subpart, in the words of the
// Unicode standard: the longest initial subsequence of a well-formed sequence,
// or one byte.
func replaceIllFormed(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		if r, n := utf8.DecodeRuneInString(text); r != utf8.RuneError || n > 1 {
			b.WriteString(text[:n])
			text = text[n:]
			continue
		}
		n := 1
		for n < len(text) && n < 3 && beginsCharacter(text[:n+1]) {
			n++
		}
		b.WriteString("\uFFFD")
		text = text[n:]
	}
	return b.String()
}

// beginsCharacter reports whether some character's encoding begins with s, of
// at least two bytes: only the second has limits of its own.
func beginsCharacter(s string) bool {
	for ; len(s) <= utf8.UTFMax; s += "\x80" {
		if utf8.ValidString(s) {
			return utf8.RuneCountInString(s) == 1
		}
	}
	return false
}
