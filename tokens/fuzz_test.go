package tokens

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// longestFuzzed keeps the reference, which is quadratic and recursive, from
// taking over the fuzzing.
const longestFuzzed = 1 << 10

func seed(f *testing.F) {
	f.Helper()
	skipNewer(f)
	for _, v := range readVectors(f) {
		f.Add(v.Text)
	}
	f.Add(strings.Repeat("a", 300))
	f.Add(strings.Repeat(" ", 150) + strings.Repeat("=", 150))
}

// FuzzCount compares counts with the reference, and counts of a text with
// those of its place in a larger buffer, where the fast paths may read on.
func FuzzCount(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > longestFuzzed {
			t.Skip()
		}
		for _, c := range []struct {
			e   *Encoding
			ref reference
		}{{O200k(), o200kReference()}, {Cl100k(), cl100kReference()}} {
			want := len(c.ref.encode(replaceIllFormed(text)))
			if got := c.e.Count(text); got != want {
				t.Errorf("%s: Count(%q) = %d, want %d", c.e.Name(), text, got, want)
			}
			larger := []byte("x" + text + "'s Aa0 \n漢/")
			if got := c.e.CountBytes(larger[1 : 1+len(text)]); got != want {
				t.Errorf("%s: CountBytes(%q) in a larger buffer = %d, want %d", c.e.Name(), text, got, want)
			}
		}
	})
}

// FuzzEncode compares tokens with the reference and decodes them again.
func FuzzEncode(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > longestFuzzed {
			t.Skip()
		}
		valid := replaceIllFormed(text)
		if utf8.ValidString(text) && valid != text {
			t.Fatalf("replaceIllFormed(%q) = %q", text, valid)
		}
		for _, c := range []struct {
			e   *Encoding
			ref reference
		}{{O200k(), o200kReference()}, {Cl100k(), cl100kReference()}} {
			want := c.ref.encode(valid)
			got := c.e.Encode(nil, text)
			if !slices.Equal(got, want) {
				t.Errorf("%s: Encode(%q) = %v, want %v", c.e.Name(), text, got, want)
			}
			if n := c.e.Count(text); n != len(got) {
				t.Errorf("%s: Count(%q) = %d, but Encode has %d", c.e.Name(), text, n, len(got))
			}
			back, err := c.e.Decode(nil, got)
			if err != nil || string(back) != valid {
				t.Errorf("%s: Decode(Encode(%q)) = %q, %v, want %q", c.e.Name(), text, back, err, valid)
			}
		}
	})
}
