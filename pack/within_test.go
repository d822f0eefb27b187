package pack_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
)

func TestWithin(t *testing.T) {
	each := func(n int) func(int) int { return func(limit int) int { return 100 + n*limit } }
	for _, tt := range []struct {
		name   string
		budget int
		r      pack.Range
		size   func(limit int) int
		want   int // the limit; 0 if nothing fits
	}{
		{"the first guess is right", 1000, pack.Range{First: 900, Each: 1}, each(1), 900},
		{"it is too small", 1000, pack.Range{First: 1, Each: 1}, each(1), 900},
		{"it is too large", 1000, pack.Range{First: 5000, Each: 1}, each(1), 900},
		{"it is below 1", 1000, pack.Range{First: -40, Each: 1}, each(1), 900},
		{"elements of unknown size", 1000, pack.Range{First: 3}, each(7), 128},
		{"no more than there are", 1000, pack.Range{First: 3, Most: 20}, each(7), 20},
		{"one of them", 1000, pack.Range{First: 16, Most: 1}, each(7), 1},
		{"none of none", 1000, pack.Range{First: 16, Most: -1}, func(int) int { return 2000 }, 0},
		{"only the least fits", 107, pack.Range{First: 5000}, each(7), 1},
		{"nothing fits", 100, pack.Range{First: 5000}, each(7), 0},
		{"a step between two limits", 1000, pack.Range{First: 10, Each: 1}, func(limit int) int {
			if limit < 777 {
				return 10
			}
			return 2000
		}, 776},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok, err := pack.Within(tt.budget, tt.r, func(limit int) (pack.Layout[int], error) {
				return pack.Layout[int]{Shown: limit, Size: tt.size(limit)}, nil
			})
			if err != nil || got != tt.want || ok != (tt.want > 0) {
				t.Errorf("got limit %d, %t, %v; want %d", got, ok, err, tt.want)
			}
		})
	}
}

func TestWithinErrors(t *testing.T) {
	fail := errors.New("fail")
	lay := func(limit int) (pack.Layout[int], error) {
		switch {
		case limit > 50:
			return pack.Layout[int]{Size: 1000}, nil
		case limit == 50:
			return pack.Layout[int]{Shown: limit, Size: 50}, nil
		}
		return pack.Layout[int]{}, fail
	}
	if _, _, err := pack.Within(100, pack.Range{First: 10}, lay); err != fail {
		t.Errorf("an error of the layout: got %v", err)
	}
	small := &satchel.OverflowError{Need: 9, Limit: 1}
	if _, _, err := pack.Within(100, pack.Range{First: 10}, func(int) (pack.Layout[int], error) { return pack.Layout[int]{}, small }); err != small {
		t.Errorf("an overflow before anything fits: got %v", err)
	}
	got, ok, err := pack.Within(100, pack.Range{First: 50, Each: 1}, func(limit int) (pack.Layout[int], error) {
		if limit > 50 {
			return pack.Layout[int]{}, small
		}
		return lay(limit)
	})
	if got != 50 || !ok || err != nil {
		t.Errorf("an overflow after something fitted: got %d, %t, %v", got, ok, err)
	}
}

// FuzzWithin checks the laws of Within and Least on made-up layouts: sizes that
// grow with the limit in steps, or that only mostly do.
func FuzzWithin(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed, uint32(seed*seed), uint32(seed*7))
	}
	f.Fuzz(func(t *testing.T, seed uint64, budget, first uint32) {
		r := rand.New(rand.NewPCG(seed, 1))
		grows := r.IntN(3) > 0
		frame, each, lump := r.IntN(300), 1+r.IntN(40), 1+r.IntN(50)
		size := func(limit int) int {
			n := frame + each*(limit/lump)*lump
			if !grows {
				n += int(uint64(limit)*seed%97) - 48
			}
			return n
		}
		rg := pack.Range{First: int(first % 1e6), Each: []float64{0, 1, float64(each)}[r.IntN(3)]}
		if r.IntN(2) == 0 {
			rg.Most = 1 + r.IntN(1e5)
		}
		room := int(budget % 1e6)

		asked := map[int]bool{}
		least := rg.First
		got, ok, err := pack.Within(room, rg, func(limit int) (pack.Layout[int], error) {
			if limit < 1 || rg.Most > 0 && limit > rg.Most || asked[limit] {
				t.Fatalf("asked for limit %d of 1 to %d; before: %v", limit, rg.Most, asked)
			}
			asked[limit] = true
			least = min(least, limit)
			return pack.Layout[int]{Shown: limit, Size: size(limit)}, nil
		})
		switch {
		case err != nil:
			t.Fatal(err)
		case len(asked) > 24:
			t.Fatalf("%d layouts", len(asked))
		case ok && size(got) > room:
			t.Fatalf("limit %d takes %d of %d", got, size(got), room)
		case ok && !asked[got]:
			t.Fatalf("limit %d was never laid out", got)
		case !grows || len(asked) == 24:
		case !ok && size(1) <= room:
			t.Fatalf("nothing, but limit 1 takes %d of %d; asked %v", size(1), room, asked)
		case ok && got != rg.Most && size(got+1) <= room && rg.Each <= float64(each) && size(got+1) > size(got):
			t.Fatalf("limit %d of %d takes %d, the next %d of %d; asked %v", got, rg.Most, size(got), size(got+1), room, asked)
		}
	})
}

// FuzzLeast checks that what Least returns works, and that one less does not.
func FuzzLeast(f *testing.F) {
	for seed := range uint32(100) {
		f.Add(seed*seed, seed*3, seed*50)
	}
	f.Fuzz(func(t *testing.T, budget, guess, need uint32) {
		b := int(budget % 1e6)
		want := b + 1 + int(need%1e6)
		got, ok, err := pack.Least(b, int(guess%1e6), func(n int) (bool, error) { return n >= want, nil })
		if got != want || !ok || err != nil {
			t.Fatalf("budget %d, guess %d: got %d, %t, %v; want %d", b, guess, got, ok, err, want)
		}
	})
}

func TestLeastNever(t *testing.T) {
	if need, ok, err := pack.Least(1, 2, func(int) (bool, error) { return false, nil }); ok || err != nil {
		t.Errorf("what never works: got %d, %t, %v", need, ok, err)
	}
	fail := errors.New("fail")
	if _, _, err := pack.Least(1, 2, func(int) (bool, error) { return false, fail }); err != fail {
		t.Errorf("an error: got %v", err)
	}
}

func TestCursor(t *testing.T) {
	sum := pack.Sum("a", "b")
	if sum == pack.Sum("ab") || sum == pack.Sum("a", "b", "") || len(sum) != 16 {
		t.Errorf("Sum(a, b) = %s, which is that of other parts", sum)
	}
	for _, want := range []pack.Cursor{{At: 0, Digest: sum}, {At: 17, First: 4000, Digest: sum}, {At: 17, First: 4000, Flag: "j", Digest: sum}} {
		got, err := pack.ParseCursor(want.String())
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", want, got, err)
		}
	}
	for _, bad := range []string{"", "x", "1", "1.", "-1." + sum, "1." + strings.ToUpper(sum) + "G", "1234567890." + sum, "1." + sum + "0", " 1." + sum, "1-." + sum} {
		_, err := pack.ParseCursor(bad)
		if !errors.As(err, new(*pack.CursorError)) {
			t.Errorf("%q: got error %v", bad, err)
		}
	}
	if msg := (&pack.CursorError{Cursor: strings.Repeat("é\n", 1000), Why: "no"}).Error(); len(msg) > 200 || strings.Contains(msg, "\n") {
		t.Errorf("an error about a long cursor: %q", msg)
	}
}
