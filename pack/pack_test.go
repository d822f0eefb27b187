package pack_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
)

// A little language for cases: one candidate a line,
//
//	path[:from-to] score form=tokens… [group=name] [pinned]
//
// and a line "limit N" with what is wanted after it: a line for each entry.
func parse(t *testing.T, text string) (cands []satchel.Candidate, limit int, want string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || strings.HasPrefix(line, "#"):
		case f[0] == "limit":
			fmt.Sscan(f[1], &limit)
			want = strings.Join(f[3:], " ")
		default:
			var c satchel.Candidate
			path, lines, ok := strings.Cut(f[0], ":")
			c.Ref = satchel.Ref{Kind: satchel.KindSnippet, Path: path}
			if ok {
				fmt.Sscanf(lines, "%d-%d", &c.Ref.From, &c.Ref.To)
			}
			var score float64
			fmt.Sscan(f[1], &score)
			c.Score.Add("rank", score)
			for _, s := range f[2:] {
				k, v, _ := strings.Cut(s, "=")
				if s == "pinned" {
					c.Pinned = true
				} else if k == "group" {
					c.Group = v
				} else {
					d, err := satchel.ParseDetail(k)
					if err != nil {
						t.Fatal(err)
					}
					var n int
					fmt.Sscan(v, &n)
					c.Forms = append(c.Forms, satchel.Form{Detail: d, Tokens: n})
				}
			}
			cands = append(cands, c)
		}
	}
	return cands, limit, want
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		o          pack.Options
	}{
		{"everything fits", `
			a 1 full=100 outline=10
			b 0 full=100 outline=10
			limit 200 want a=full b=full`, pack.Options{}},
		{"no limit", `
			a 1 full=100 outline=10
			b -99 full=100000
			limit 0 want a=full b=full`, pack.Options{}},
		{"the better one at more detail", `
			a 3 full=100 outline=10
			b 0 full=100 outline=10
			limit 120 want a=full b=outline`, pack.Options{}},
		{"a dominated form is passed over", `
			# trimmed is worth 0.8 for 99 tokens, full 1 for 100
			a 0 full=100 trimmed=99 mention=2
			limit 100 want a=full`, pack.Options{}},
		{"short before long at equal score", `
			a 0 full=100
			b 0 full=60
			c 0 full=60
			limit 120 want b=full c=full`, pack.Options{}},
		{"length near 0 looks at value alone", `
			a 0.1 full=100
			b 0 full=60
			c 0 full=60
			limit 120 want a=full`, pack.Options{Length: 1e-9}},
		{"room left is filled", `
			a 9 full=100
			b 8 full=100
			c 0 full=30
			d 0 full=40
			limit 170 want a=full c=full d=full`, pack.Options{}},
		{"a pinned one grows first", `
			a 9 full=100 mention=5
			b -9 full=100 mention=5 pinned
			limit 110 want a=mention b=full`, pack.Options{}},
		{"a pinned one shrinks if need be", `
			b -9 full=100 mention=5 pinned
			limit 99 want b=mention`, pack.Options{}},
		{"a group comes whole", `
			a 9 full=60 group=g
			b -9 full=60 group=g
			c 1 full=60
			limit 120 want a=full b=full`, pack.Options{}},
		{"or not at all", `
			a 9 full=60 group=g
			b -9 full=70 group=g
			c 1 full=60
			limit 120 want c=full`, pack.Options{}},
		{"its members have forms of their own", `
			a 9 full=60 group=g
			b -9 full=70 outline=20 group=g
			limit 120 want a=full b=outline`, pack.Options{}},
		{"a cap on detail", `
			a 9 full=60 trimmed=30 outline=5
			b 9 full=60
			limit 1000 want a=outline`, pack.Options{Detail: satchel.Outline}},
		{"and the pinned that has nothing within it", `
			a 9 full=60 trimmed=30 pinned
			limit 1000 want a=trimmed`, pack.Options{Detail: satchel.Outline}},
		{"ties go by path, not by place", `
			c 0 full=60
			b 0 full=60
			a 0 full=60
			limit 120 want a=full b=full`, pack.Options{}},
		{"a heading counts", `
			a 0 full=100
			limit 109 want `, pack.Options{Overhead: pack.Overhead{File: func(string) int { return 10 }}}},
		{"and is paid once a file", `
			a:1-5 0 full=50
			a:9-12 0 full=50
			b 0 full=100
			limit 110 want a:1-5=full a:9-12=full`, pack.Options{Overhead: pack.Overhead{File: func(string) int { return 10 }}}},
		{"texts that touch share a block", `
			a:1-5 0 full=50
			a:6-9 0 full=50
			a:10-12 0 full=50
			b:9-12 0 full=50
			limit 160 want a:1-5=full a:6-9=full a:10-12=full`, pack.Options{Overhead: pack.Overhead{Block: 10}}},
		{"a bridge between two blocks", `
			a:1-5 1 full=50
			a:6-9 0 full=55
			a:10-12 1 full=50
			limit 165 want a:1-5=full a:6-9=full a:10-12=full`, pack.Options{Overhead: pack.Overhead{Block: 10}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cands, limit, want := parse(t, tt.text)
			tt.o.Limit = limit
			r, err := pack.Fit(cands, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range r.Entries {
				got = append(got, fmt.Sprintf("%v=%v", e.Ref, e.Detail))
			}
			if got := strings.Join(got, " "); got != want {
				t.Errorf("limit %d: got %q, want %q", limit, got, want)
			}
			check(t, cands, tt.o, r)
		})
	}
}

func TestOverflow(t *testing.T) {
	cands, _, _ := parse(t, `
		a 1 full=100 mention=10 pinned
		b 1 full=50 pinned
		c 1 full=5`)
	o := pack.Options{Overhead: pack.Overhead{File: func(string) int { return 3 }, Block: 2, List: 1}}
	const need = 10 + 50 + 3 + 3 + 2 + 1
	o.Limit = need - 1
	_, err := pack.Fit(cands, o)
	var over *satchel.OverflowError
	if !errors.As(err, &over) || over.Need != need || over.Limit != need-1 {
		t.Fatalf("Fit(limit %d): %v, want an satchel.OverflowError with Need %d", need-1, err, need)
	}
	if want := fmt.Sprintf("at least %d tokens are needed, limit is %d (1 short)", need, need-1); err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	o.Limit = over.Need
	if _, err := pack.Fit(cands, o); err != nil {
		t.Errorf("with the limit that the error named: %v", err)
	}
}

func TestOddNumbers(t *testing.T) {
	one := []satchel.Form{{Detail: satchel.Full, Tokens: 10}}
	var cands []satchel.Candidate
	for i, s := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 0} {
		c := satchel.Candidate{Item: satchel.Item{Ref: satchel.Ref{Path: fmt.Sprint(i)}, Forms: one}}
		c.Score.Add("x", s)
		cands = append(cands, c)
	}
	cands = append(cands,
		satchel.Candidate{Item: satchel.Item{Ref: satchel.Ref{Path: "negative"}, Forms: []satchel.Form{{Detail: satchel.Full, Tokens: -5}}}},
		satchel.Candidate{Item: satchel.Item{Ref: satchel.Ref{Path: "formless"}}},
		satchel.Candidate{Item: satchel.Item{Ref: satchel.Ref{Path: "formless and pinned"}, Pinned: true}},
		satchel.Candidate{Item: satchel.Item{Ref: satchel.Ref{Path: "unknown detail"}, Forms: []satchel.Form{{Detail: 99, Tokens: 1}}}},
	)
	for _, limit := range []int{0, 1, 25, 1000} {
		o := pack.Options{Limit: limit}
		r, err := pack.Fit(cands, o)
		if err != nil {
			t.Fatal(err)
		}
		check(t, cands, o, r)
	}
	if _, err := pack.Fit(nil, pack.Options{Limit: -1}); err == nil {
		t.Error("a negative limit: no error")
	}
}

// check verifies the laws of a result by counting anew.
func check(t *testing.T, cands []satchel.Candidate, o pack.Options, r *pack.Result) {
	t.Helper()
	if used := used(r.Entries, o.Overhead); used > r.Used {
		t.Errorf("the entries take %d tokens, Used is %d", used, r.Used)
	}
	if o.Limit > 0 && r.Used > o.Limit {
		t.Errorf("used %d of %d tokens", r.Used, o.Limit)
	}
	if got, want := len(r.Entries)+len(r.Omitted), len(cands); got != want {
		t.Errorf("accounted for %d of %d candidates", got, want)
	}
	in := make(map[satchel.Ref]bool)
	for _, e := range r.Entries {
		if in[e.Ref] {
			t.Errorf("%v is there twice", e.Ref)
		}
		in[e.Ref] = true
	}
	for _, m := range r.Omitted {
		if in[m.Ref] {
			t.Errorf("%v is both in and out", m.Ref)
		}
		if m.Why == "" {
			t.Errorf("%v omitted without a reason", m.Ref)
		}
	}
	groups := make(map[string]bool)
	for _, c := range cands {
		if c.Pinned && !in[c.Ref] {
			t.Errorf("pinned %v left out", c.Ref)
		}
		if c.Group == "" {
			continue
		}
		if was, seen := groups[c.Group]; seen && was != in[c.Ref] {
			t.Errorf("group %s is split", c.Group)
		}
		groups[c.Group] = in[c.Ref]
	}
}

// used counts what entries take, in the plainest way.
func used(entries []satchel.Entry, over pack.Overhead) int {
	entries = slices.SortedFunc(slices.Values(entries), func(a, b satchel.Entry) int {
		return cmp.Or(strings.Compare(a.Ref.Path, b.Ref.Path), cmp.Compare(a.Ref.From, b.Ref.From), cmp.Compare(a.Ref.To, b.Ref.To))
	})
	n := 0
	list := make(map[string]bool)
	var last *satchel.Entry
	for i := range entries {
		e := &entries[i]
		n += e.Tokens
		if over.Entry != nil {
			n += over.Entry(&satchel.Candidate{Item: satchel.Item{Ref: e.Ref, Title: e.Title}}, &satchel.Form{Detail: e.Detail, Tokens: e.Tokens})
		}
		if over.File != nil && (i == 0 || entries[i-1].Ref.Path != e.Ref.Path) {
			n += over.File(e.Ref.Path)
		}
		if !pack.IsText(e.Ref.Kind, e.Detail) {
			if !list[e.Ref.Path] {
				n += over.List
			}
			list[e.Ref.Path] = true
			continue
		}
		if last == nil || !pack.Touch(last.Ref, e.Ref) {
			n += over.Block
		}
		last = e
	}
	return n
}

// random returns candidates of a few files, in snippets that partly touch.
func random(r *rand.Rand) []satchel.Candidate {
	var cands []satchel.Candidate
	for f := range r.IntN(6) {
		line := 1
		for range r.IntN(8) {
			var c satchel.Candidate
			if r.IntN(3) == 0 {
				line += r.IntN(20)
			}
			n := 1 + r.IntN(40)
			c.Ref = satchel.Ref{Kind: satchel.KindSnippet, Path: fmt.Sprint("f", f), From: line, To: line + n - 1}
			line += n
			c.Pinned = r.IntN(12) == 0
			if r.IntN(5) == 0 {
				c.Group = fmt.Sprint("g", r.IntN(4))
			}
			tokens := 1 + r.IntN(200)
			for d := satchel.Full; d > satchel.Omitted && tokens > 0; d-- {
				if r.IntN(3) > 0 {
					c.Forms = append(c.Forms, satchel.Form{Detail: d, Tokens: tokens})
				}
				tokens /= 1 + r.IntN(4)
			}
			c.Score.Add("rank", float64(r.IntN(5))-2)
			cands = append(cands, c)
		}
	}
	return cands
}

// FuzzFit checks the laws of packing.
func FuzzFit(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed, uint16(seed*11))
	}
	f.Fuzz(func(t *testing.T, seed uint64, limit uint16) {
		r := rand.New(rand.NewPCG(seed, 0))
		o := pack.Options{Limit: int(limit), Length: []float64{0, 0.3, 1}[r.IntN(3)], Detail: satchel.Detail(r.IntN(5))}
		if r.IntN(3) > 0 {
			o.Overhead = pack.Overhead{
				File:  func(path string) int { return 4 + int(path[1]-'0') },
				Block: r.IntN(12),
				List:  r.IntN(6),
				Entry: func(c *satchel.Candidate, f *satchel.Form) int { return c.Ref.From%3 + int(f.Detail) },
			}
		}
		cands := random(r)
		got, err := pack.Fit(cands, o)
		if over := new(satchel.OverflowError); errors.As(err, &over) {
			if over.Need <= over.Limit {
				t.Fatalf("overflow error for a fitting load: %v", over)
			}
			o.Limit = over.Need
			if got, err = pack.Fit(cands, o); err != nil {
				t.Fatalf("with the limit that the error named: %v", err)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		check(t, cands, o, got)
		// The snippets do not overlap, so Used is exact.
		if n := used(got.Entries, o.Overhead); n != got.Used {
			t.Errorf("the entries take %d tokens, Used is %d", n, got.Used)
		}
		if o.Limit > 0 {
			maximal(t, cands, o, got)
		}

		// The order of the input does not matter.
		r.Shuffle(len(cands), func(i, j int) { cands[i], cands[j] = cands[j], cands[i] })
		again, err := pack.Fit(cands, o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(got, again); diff != "" {
			t.Errorf("another input order (-first +second):\n%s", diff)
		}
	})
}

// maximal checks that nothing left out would fit, and that nothing shown could
// grow, without a change to the rest.
func maximal(t *testing.T, cands []satchel.Candidate, o pack.Options, r *pack.Result) {
	t.Helper()
	most := cmp.Or(o.Detail, satchel.Full)
	for _, c := range cands {
		if c.Group != "" {
			continue // a group is tried whole; see TestFit
		}
		at := slices.IndexFunc(r.Entries, func(e satchel.Entry) bool { return e.Ref == c.Ref })
		for _, f := range c.Forms {
			if f.Detail > most || at >= 0 && f.Detail <= r.Entries[at].Detail {
				continue
			}
			e := satchel.Entry{Ref: c.Ref, Detail: f.Detail, Tokens: f.Tokens}
			with := slices.Clone(r.Entries)
			if at >= 0 {
				with[at] = e
			} else {
				with = append(with, e)
			}
			if n := used(with, o.Overhead); n <= o.Limit {
				t.Errorf("%v in form %v would make %d of %d tokens", c.Ref, f.Detail, n, o.Limit)
			}
		}
	}
}

// TestUse checks that the room is used when there is enough to say.
func TestUse(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	seeds := uint64(50)
	if os.Getenv("SATCHEL_SOAK_ROUNDS") != "" {
		seeds = 200
	}
	for seed := range seeds {
		cands := load(seed, 400)
		for _, limit := range []int{2_000, 4_000, 8_000, 16_000, 32_000} {
			for _, length := range []float64{0.3, 1} {
				r, err := pack.Fit(cands, pack.Options{Limit: limit, Length: length, Overhead: overhead})
				if err != nil {
					t.Fatal(err)
				}
				if r.Used < limit*9/10 {
					t.Errorf("seed %d, length %v: used %d of %d tokens", seed, length, r.Used, limit)
				}
			}
		}
	}
}

var overhead = pack.Overhead{
	File:  func(path string) int { return 15 },
	Block: 10,
	List:  5,
	Entry: func(c *satchel.Candidate, f *satchel.Form) int { return 4 },
}

// load returns n candidates like the functions of a repository: 12 a file,
// lengths as they are in code, scores that fall off.
func load(seed uint64, n int) []satchel.Candidate {
	r := rand.New(rand.NewPCG(seed, 1))
	cands := make([]satchel.Candidate, n)
	line := 1
	for i := range cands {
		c := &cands[i]
		if i%12 == 0 {
			line = 1
		}
		lines := 3 + int(math.Exp(r.NormFloat64()*0.9+2.3))
		c.Ref = satchel.Ref{Kind: satchel.KindSnippet, Path: fmt.Sprintf("dir%d/file%d.go", i/120, i/12), From: line, To: line + lines - 1}
		line += lines
		full := lines * 10
		c.Forms = []satchel.Form{
			{Detail: satchel.Full, Tokens: full},
			{Detail: satchel.Outline, Tokens: 20 + r.IntN(20)},
			{Detail: satchel.Mention, Tokens: 6},
		}
		for range 8 {
			c.Score.Add("signal", r.NormFloat64())
		}
	}
	return cands
}

func BenchmarkFit(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		for _, limit := range []int{16_000, 500_000, 0} {
			b.Run(fmt.Sprintf("items=%d/limit=%d", n, limit), func(b *testing.B) {
				cands := load(1, n)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := pack.Fit(cands, pack.Options{Limit: limit, Overhead: overhead}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
