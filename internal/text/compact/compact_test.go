package compact

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestIndex: an Index answers as a map does, whatever the hashes are like.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, x := range []struct {
		name string
		hash func(i int) uint64
	}{
		{"random", func(int) uint64 { return r.Uint64() }},
		{"from 0", func(i int) uint64 { return uint64(i) }},
		{"high bits", func(i int) uint64 { return uint64(i) << 40 }},
		{"often again", func(int) uint64 { return r.Uint64N(5000) }},
	} {
		t.Run(x.name, func(t *testing.T) {
			var index Index
			want := map[uint64]int{}
			for i := range 3 * few {
				h := x.hash(i)
				if i%7 == 0 {
					if got := index.Skip(); got != index.Len()-1 {
						t.Fatalf("Skip = %d of %d", got, index.Len())
					}
				}
				n, seen := want[h]
				if !seen {
					n = index.Len()
					want[h] = n
				}
				if got, added := index.Add(h); got != n || added == seen {
					t.Fatalf("Add(%d) = %d, %v; want %d, %v", h, got, added, n, !seen)
				}
			}
			for h, n := range want {
				if got, ok := index.Find(h); got != n || !ok {
					t.Fatalf("Find(%d) = %d, %v; want %d", h, got, ok, n)
				}
			}
			for range 1000 {
				h := r.Uint64() | 1<<39
				if _, known := want[h]; known {
					continue
				}
				if n, ok := index.Find(h); ok {
					t.Fatalf("Find(%d) = %d, want none", h, n)
				}
			}
		})
	}
	var empty Index
	if _, ok := empty.Find(0); ok || empty.Len() != 0 {
		t.Error("an empty Index holds something")
	}
}

// TestIndexFlood: hashes that stand next to each other in one Index do not in
// another, so nobody can choose them to make it slow.
func TestIndexFlood(t *testing.T) {
	const n = few / 2
	var known, x Index
	known.Add(0)
	for h := uint64(0); x.Len() < n; h++ {
		if known.mix(h)<<partBits>>56 == 0 { // in one place of 256
			x.Add(h)
		}
	}
	steps := 0
	for i := range n {
		m := x.mix(*x.hashes.At(i))
		p := x.part(m)
		for at := p.home(m); p.places[at] != uint32(i+1); at = p.next(at) {
			steps++
		}
	}
	if each := float64(steps) / n; each > 20 { // 3.5 is expected where 7/8 of the places are taken
		t.Errorf("a hash is found after %.0f others", each)
	}
}

// TestIndexBytes: an element takes no more than the package says.
func TestIndexBytes(t *testing.T) {
	const n = 1 << 20
	var x Index
	for i := range n {
		x.Add(uint64(i))
	}
	size := 8 * chunk * len(x.hashes.chunks)
	for _, p := range x.parts {
		size += 4 * cap(p.places)
	}
	if each := float64(size) / n; each > 14.5 {
		t.Errorf("an element takes %.1f bytes", each)
	}
}

func TestList(t *testing.T) {
	var l List[int32]
	for i := range 3*chunk + 5 {
		if l.Len() != i {
			t.Fatalf("Len = %d, want %d", l.Len(), i)
		}
		l.Append(int32(i))
	}
	*l.At(chunk) = -1
	for i := range l.Len() {
		if want := int32(i); *l.At(i) != want && i != chunk || i == chunk && *l.At(i) != -1 {
			t.Fatalf("At(%d) = %d", i, *l.At(i))
		}
	}
}

// FuzzTape: what is written is read again.
func FuzzTape(f *testing.F) {
	f.Add(uint64(1), 10)
	f.Add(uint64(2), 100_000)
	f.Fuzz(func(t *testing.T, seed uint64, n int) {
		n = min(max(n, 0), 200_000)
		var tape Tape
		write := rand.New(rand.NewPCG(seed, 1))
		number := func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) }
		for range n {
			switch write.IntN(3) {
			case 0:
				tape.Byte(byte(number(write)))
			case 1:
				tape.Uint(number(write))
			default:
				tape.Int(int64(number(write)) - math.MaxInt32)
			}
		}
		again, r := rand.New(rand.NewPCG(seed, 1)), tape.Read()
		for i := range n {
			if !r.more() {
				t.Fatalf("%d numbers, want %d", i, n)
			}
			var got, want any
			switch again.IntN(3) {
			case 0:
				got, want = r.Byte(), byte(number(again))
			case 1:
				got, want = r.Uint(), number(again)
			default:
				got, want = r.Int(), int64(number(again))-math.MaxInt32
			}
			if got != want {
				t.Fatalf("number %d = %v, want %v", i, got, want)
			}
		}
		if r.more() || r.Uint() != 0 || r.Int() != 0 || r.Byte() != 0 {
			t.Error("more than was written")
		}
	})
}
