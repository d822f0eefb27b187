package tokens

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

func encodings() []*Encoding { return []*Encoding{O200k(), Cl100k()} }

// TestVocabulary looks up every token, so it also fails if lab/train/vocabulary and this
// package disagree about the layout or the hash.
func TestVocabulary(t *testing.T) {
	for _, c := range []struct {
		e            *Encoding
		name         string
		count, bytes int
	}{
		{O200k(), "o200k_base", 199_998, 1_397_670},
		{Cl100k(), "cl100k_base", 100_256, 643_830},
	} {
		if c.e.Name() != c.name || c.e.vocabulary.count != c.count {
			t.Errorf("%s has %d tokens, want %s with %d", c.e.Name(), c.e.vocabulary.count, c.name, c.count)
		}
		var all []byte
		for id := range uint32(c.count) {
			b, err := c.e.Decode(nil, []uint32{id})
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > maxToken {
				t.Errorf("%s: token %d has %d bytes, want at most %d", c.name, id, len(b), maxToken)
			}
			if got := c.e.vocabulary.rankAt(b, 0, len(b)); got != id {
				t.Fatalf("%s: rank of %q = %d, want %d", c.name, b, got, id)
			}
			padded := slices.Concat([]byte("a"), b, make([]byte, 20))
			if got := c.e.vocabulary.rankAt(padded, 1, 1+len(b)); got != id {
				t.Fatalf("%s: rank of %q in a larger buffer = %d, want %d", c.name, b, got, id)
			}
			all = append(all, b...)
		}
		if len(all) != c.bytes {
			t.Errorf("%s: tokens have %d bytes, want %d", c.name, len(all), c.bytes)
		}
		for b := range 256 {
			if c.e.vocabulary.rankAt([]byte{byte(b)}, 0, 1) == none {
				t.Errorf("%s: byte %#x is no token", c.name, b)
			}
		}
		for ab := range 1 << 16 {
			pair := []byte{byte(ab), byte(ab >> 8)}
			if got, want := c.e.vocabulary.pair(pair[0], pair[1]), c.e.vocabulary.rankAt(pair, 0, 2); got != want {
				t.Errorf("%s: pair(%q) = %d, want %d", c.name, pair, got, want)
			}
		}
	}
}

// lastAssigned is beyond the last character of Unicode 16.0, except for some
// marks in plane 14 and the planes for private use, of which a sample will do.
const lastAssigned = 0x33500

func TestClasses(t *testing.T) {
	skipNewer(t)
	classes := []struct {
		class uint8
		is    func(rune) bool
	}{
		{newline, breaks},
		{space, blank},
		{upper, in("Lu", "Lt")},
		{lower, in("Ll")},
		{caseless, in("Lm", "Lo")},
		{mark, in("M")},
		{number, in("N")},
		{other, func(rune) bool { return true }},
	}
	for r := range rune(utf8.MaxRune + 1) {
		if !utf8.ValidRune(r) || r > lastAssigned && r%97 != 0 {
			continue
		}
		var want uint8
		for _, c := range classes {
			if c.is(r) {
				want = c.class
				break
			}
		}
		b := utf8.AppendRune(nil, r)
		if got, n := classAt(b, 0); got != want || n != len(b) {
			t.Errorf("class of %U = %d, %d bytes, want %d, %d", r, got, n, want, len(b))
		}
		if got := isLetter(want); got != letters(r) {
			t.Errorf("isLetter(%U) = %v", r, got)
		}
	}
}

// TestRandom is a fuzz target with a fixed seed, over an alphabet of what goes
// wrong more often than random bytes do.
func TestRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	skipNewer(t)
	alphabet := []string{
		" ", " ", "  ", "\n", "\r\n", "\r", "\t", "\u0085", "\u2028", "\u00a0", "\u3000", "/", "//", "'", "'s", "'RE", "'ll", "'\u017f", "\u017f",
		"a", "e", "the", "ing", "tion", "A", "THE", "Foo", "é", "É", "ß", "\u01c5", "\u02b0", "ж", "Ж", "漢", "か", "한", "\u0301", "\u093e", "\u20dd",
		"0", "1", "23", "456", "²", "Ⅳ", "١", ".", ",", ";", "(", ")", "{", "}", "!", "==", "_", "-", "*", "\"", "#", "<|endoftext|>", "\\",
		"😀", "👍🏽", "\u200d", "\U00010400", "\U00010428", "\U0001D400", "\ufffd", "\ufeff", "\x00", "\x80", "\xe2\x82", "\xf0\x9f", "\xed\xa0\x80",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		var b strings.Builder
		for range 1 + random.IntN(20) {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		text := b.String()
		valid := replaceIllFormed(text)
		for _, c := range []struct {
			e   *Encoding
			ref reference
		}{{O200k(), o200kReference()}, {Cl100k(), cl100kReference()}} {
			if got, want := c.e.Encode(nil, text), c.ref.encode(valid); !slices.Equal(got, want) {
				t.Errorf("%s: Encode(%q) = %v, want %v", c.e.Name(), text, got, want)
			} else if n := c.e.Count(text); n != len(want) {
				t.Errorf("%s: Count(%q) = %d, want %d", c.e.Name(), text, n, len(want))
			}
		}
	}
}

// TestMerge merges pieces near the limit by scan and by heap.
func TestMerge(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		e   *Encoding
		ref reference
	}{{O200k(), o200kReference()}, {Cl100k(), cl100kReference()}} {
		for _, unit := range []string{"a", "ab", "the", "=", " ", "é", "漢", "\n", "aaaab", "\x00", "getHTTPResponse"} {
			for _, n := range []int{2, 3, 15, 16, 30, maxScan - 1, maxScan, maxScan + 1, 3 * maxScan, 500} {
				piece := strings.Repeat(unit, n)
				from := random.IntN(len(unit))
				piece = piece[from : from+n]
				want := []uint32{0}
				for _, p := range c.ref.merge(piece) {
					want = append(want, want[len(want)-1]+uint32(len(p)))
				}
				var s scratch
				if parts := c.e.vocabulary.mergeLong(&s, []byte(piece)); parts != len(want)-1 || !slices.Equal(s.starts, want) {
					t.Errorf("%s: %q by heap: %d parts at %v, want %v", c.e.Name(), piece, parts, s.starts, want)
				}
				if n > maxScan {
					continue
				}
				if parts := c.e.vocabulary.mergeScan(&s, []byte(piece), 0, n); parts != len(want)-1 || !slices.Equal(s.starts, want) {
					t.Errorf("%s: %q by scan: %d parts at %v, want %v", c.e.Name(), piece, parts, s.starts, want)
				}
			}
		}
	}
}

// TestHuge counts pieces that a quadratic merge would take minutes for.
func TestHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("giant words")
	}
	const n = 1 << 16
	for _, unit := range []string{"a", " ", "=", "\n", "ab", "漢", "\xff"} {
		text := strings.Repeat(unit, n/len(unit))
		for _, e := range encodings() {
			ids := e.Encode(nil, text)
			if got := e.Count(text); got != len(ids) {
				t.Errorf("%s: Count of %q = %d, but Encode has %d", e.Name(), unit, got, len(ids))
			}
			back, err := e.Decode(nil, ids)
			if want := string(appendValid(nil, []byte(text))); err != nil || string(back) != want {
				t.Errorf("%s: Decode(Encode) of %q differs, %v", e.Name(), unit, err)
			}
		}
	}
}

func TestDecode(t *testing.T) {
	e := O200k()
	dst := []byte("before ")
	for _, bad := range []uint32{199_998, 199_999, 1 << 24, 1<<32 - 1} {
		got, err := e.Decode(dst, []uint32{0, bad})
		if want := fmt.Sprintf("o200k_base: token 1 is %d, the last one is 199997", bad); err == nil || err.Error() != want {
			t.Errorf("Decode(%d) = %v, want %s", bad, err, want)
		}
		if !bytes.Equal(got, dst) {
			t.Errorf("Decode(%d) = %q with its error, want %q", bad, got, dst)
		}
	}
	got, err := e.Decode(dst, e.Encode(nil, "漢字 <|endoftext|>"))
	if err != nil || string(got) != "before 漢字 <|endoftext|>" {
		t.Errorf("Decode = %q, %v", got, err)
	}
}

func TestConcurrent(t *testing.T) {
	vs := readVectors(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range vs {
				v := vs[(i+g*50)%len(vs)]
				if got := O200k().Count(v.Text); got != len(v.O200k) {
					t.Errorf("Count(%q) = %d, want %d", v.Text, got, len(v.O200k))
				}
				if got := Cl100k().Encode(nil, v.Text); len(got) != len(v.Cl100k) {
					t.Errorf("Encode(%q) = %v, want %v", v.Text, got, v.Cl100k)
				}
				if got, err := Cl100k().Decode(nil, v.Cl100k); err != nil || v.Hex == "" && string(got) != v.Text {
					t.Errorf("Decode(%v) = %q, %v, want %q", v.Cl100k, got, err, v.Text)
				}
			}
		})
	}
	wg.Wait()
}

// TestAllocs holds the promise that counting allocates nothing once a scratch
// is in the pool.
func TestAllocs(t *testing.T) {
	text := []byte(strings.Repeat("func (e *Encoding) Name() string { return e.name } // \"naïve\"\n", 50))
	for _, e := range encodings() {
		e.CountBytes(text)
		if n := testing.AllocsPerRun(20, func() { e.CountBytes(text) }); n > 1 {
			t.Errorf("%s: CountBytes allocates %v times", e.Name(), n)
		}
	}
}
