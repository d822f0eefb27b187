package terms

import (
	"slices"
	"testing"
)

func TestNumbers(t *testing.T) {
	number := func(n string) uint64 { return hash(KindWord, []byte("#"+n)) }
	for _, c := range []struct {
		text string
		want []string
	}{
		{"fix #12, (#13) and GH-14, gh-15", []string{"12", "13", "14", "15"}},
		{"#7", []string{"7"}},
		{"see https://example.org/o/n/issues/3 and https://example.org/o/n/pull/4#issuecomment-5, o/n/-/merge_requests/6", []string{"3", "4", "6"}},
		{"other/name#12 &#39; ##3 #x4 #12345678 a#1 page/#2", nil},
		{"Merge pull request #2845 from x/fix-2844\n\nfix issue #2844", []string{"2845", "2844"}},
	} {
		var got, want []uint64
		Numbers(c.text, func(t uint64) { got = append(got, t) })
		for _, n := range c.want {
			want = append(want, number(n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has %d numbers, want %q", c.text, len(got), c.want)
		}
	}
}
