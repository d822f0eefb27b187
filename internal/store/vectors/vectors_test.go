package vectors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func folder(t testing.TB) string { return filepath.Join(t.TempDir(), "satchel", "vectors") }

func open(t testing.TB, dir, model string, dimensions int) *store {
	t.Helper()
	s, err := openStore(dir, model, dimensions)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func unit(v ...float64) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x / math.Sqrt(sum))
	}
	return out
}

func random(r *rand.Rand, n int) []float32 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return unit(v...)
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// What is kept says the same cosines, to a hundredth.
func TestCosines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "dimensions")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		s := &store{dimensions: n, at: make(map[textKey]int32)}
		var keys []textKey
		var vs [][]float32
		for i := range rapid.IntRange(1, 7).Draw(t, "texts") {
			v := random(r, n)
			factor, q := quantise(v)
			b := make([]byte, n)
			for k, x := range q {
				b[k] = byte(x)
			}
			k := keyOf(fmt.Sprint(i))
			s.put(k, factor, b)
			keys, vs = append(keys, k), append(vs, v)
		}
		keys = append(keys, keyOf("absent"))
		q := random(r, n)
		alike, known := s.similar(q, keys)
		for i, v := range vs {
			if !known[i] || math.Abs(alike[i]-dot(q, v)) > 0.01 {
				t.Fatalf("cosine %v (%v), want %v", alike[i], known[i], dot(q, v))
			}
		}
		if known[len(vs)] || alike[len(vs)] != 0 {
			t.Fatal("a vector that is not there")
		}
	})
}

// Whatever byte a file ends at, what stands whole before it is found, and the
// next Add mends the end.
func TestTornEnd(t *testing.T) {
	dir := folder(t)
	s := open(t, dir, "m", 3)
	keys := []textKey{keyOf("a"), keyOf("b"), keyOf("c")}
	if err := s.add(keys, [][]float32{unit(1, 0, 0), unit(0, 1, 0), unit(1, 1, 1)}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.file())
	if err != nil {
		t.Fatal(err)
	}
	head, size := len(s.header.bytes()), overhead+3
	for n := range whole {
		if err := os.WriteFile(s.file(), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		got := open(t, dir, "m", 3)
		if want := max(0, n-head) / size; got.Len() != want {
			t.Fatalf("%d bytes: %d vectors, want %d", n, got.Len(), want)
		}
		if err := got.add([]textKey{keyOf("new")}, [][]float32{unit(0, 0, 1)}); err != nil {
			t.Fatal(err)
		}
		again := open(t, dir, "m", 3)
		if again.Len() != got.Len() || !again.has(keyOf("new")) || again.Damaged != 0 {
			t.Fatalf("%d bytes: %d vectors after an Add, %d damaged", n, again.Len(), again.Damaged)
		}
	}
}

func TestDamage(t *testing.T) {
	dir := folder(t)
	s := open(t, dir, "m", 3)
	if err := s.add([]textKey{keyOf("a"), keyOf("b")}, [][]float32{unit(1, 0, 0), unit(0, 1, 0)}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.file())
	if err != nil {
		t.Fatal(err)
	}
	for at := len(s.header.bytes()); at < len(b); at++ {
		c := slices.Clone(b)
		c[at] ^= 0x40
		if err := os.WriteFile(s.file(), c, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := open(t, dir, "m", 3); got.Len() != 1 || got.Damaged != 1 {
			t.Fatalf("byte %d: %d vectors, %d damaged", at, got.Len(), got.Damaged)
		}
	}
}

func TestManyWriters(t *testing.T) {
	dir := folder(t)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			s, err := openStore(dir, "m", 4)
			for i := range 10 {
				if err == nil {
					err = s.add([]textKey{keyOf(fmt.Sprint(w, " ", i))}, [][]float32{unit(1, float64(w), float64(i), 0)})
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if s := open(t, dir, "m", 4); s.Len() != 80 || s.Damaged != 0 {
		t.Errorf("%d vectors, %d damaged", s.Len(), s.Damaged)
	}
}

func TestModelsDoNotMix(t *testing.T) {
	dir := folder(t)
	for _, m := range []string{"b", "a"} {
		for _, n := range []int{2, 3} {
			if err := open(t, dir, m, n).add([]textKey{keyOf("x")}, [][]float32{make([]float32, n)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := List(dir)
	if err != nil || len(all) != 4 || all[0].Model != "a" || all[3].Model != "b" || all[0].Vectors != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
}

func TestWrongRequests(t *testing.T) {
	dir := folder(t)
	for _, tt := range []struct {
		model string
		n     int
	}{{"m", 0}, {"m", -1}, {"m", 1 << 20}, {"", 3}, {strings.Repeat("m", 2000), 3}, {"\xff", 3}} {
		if _, err := openStore(dir, tt.model, tt.n); err == nil {
			t.Errorf("%.10q %d: no error", tt.model, tt.n)
		}
	}
	if err := open(t, dir, strings.Repeat("\x01", maxModel), 3).add([]textKey{keyOf("a")}, [][]float32{unit(1, 2, 3)}); err != nil {
		t.Error(err)
	}
	if s := open(t, dir, strings.Repeat("\x01", maxModel), 3); s.Len() != 1 {
		t.Error("a long name loses its vectors")
	}
	if err := open(t, dir, "m", 3).add([]textKey{keyOf("a")}, [][]float32{unit(1, 2)}); err == nil {
		t.Error("a short vector is taken")
	}
}

// A model gives vectors of n numbers; the text says which.
type model struct {
	n     int
	asked []string
	fail  int // texts after which there is an error; 0: none
}

func (m *model) Embed(_ context.Context, texts []string, batch int, got func(int, [][]float32) error) error {
	if batch == 0 {
		batch = 2
	}
	for from := 0; from < len(texts); from += batch {
		var vs [][]float32
		for _, t := range texts[from:min(from+batch, len(texts))] {
			if m.fail != 0 && len(m.asked) >= m.fail {
				return errors.New("the server is gone")
			}
			m.asked = append(m.asked, t)
			v := make([]float64, m.n)
			v[len(t)%m.n] = 1
			vs = append(vs, unit(v...))
		}
		if err := got(from, vs); err != nil {
			return err
		}
	}
	return nil
}

func TestFinder(t *testing.T) {
	ctx := context.Background()
	m := &model{n: 5, fail: 3}
	f := &Finder{Client: m, Dir: folder(t), Model: "m"}
	texts := []string{"", "1", "22", "333", "1", "4444"}
	if alike, without, err := f.Similar(ctx, "x", texts); err != nil || without != len(texts) || len(alike) != len(texts) || len(m.asked) != 0 {
		t.Fatalf("without vectors: %v %d %v, asked %q", alike, without, err, m.asked)
	}
	if n, err := f.Build(ctx, texts, nil); n != 2 || err == nil {
		t.Fatalf("%d vectors, %v: want those of the first request, and the error", n, err)
	}
	m.fail = 0
	f = &Finder{Client: m, Dir: f.Dir, Model: "m"} // another process
	if left, err := f.Missing(texts); err != nil || !slices.Equal(left, []string{"333", "4444"}) {
		t.Fatalf("missing %q, %v", left, err)
	}
	if n, err := f.Build(ctx, texts, nil); n != 2 || err != nil {
		t.Fatalf("%d vectors, %v", n, err)
	}
	m.asked = nil
	alike, without, err := f.Similar(ctx, "yyy", texts)
	if err != nil || without != 1 || !slices.Equal(m.asked, []string{"yyy"}) {
		t.Fatalf("%d without, asked %q, %v", without, m.asked, err)
	}
	if want := []float64{.2, 0, 0, 1, 0, 0}; !slices.EqualFunc(alike, want, func(a, b float64) bool { return math.Abs(a-b) < 0.01 }) {
		t.Errorf("%v, want %v", alike, want)
	}

	m.n = 7
	if _, _, err := f.Similar(ctx, "x", texts); err == nil || !strings.Contains(err.Error(), "build them again") {
		t.Errorf("another length: %v", err)
	}
	m.asked = nil
	if n, err := f.Build(ctx, append(texts, "55555"), nil); n != 5 || err != nil {
		t.Fatalf("another length: %d vectors, %v, asked %q", n, err, m.asked)
	}
	if all, err := List(f.Dir); err != nil || len(all) != 2 {
		t.Errorf("%v, %v: the old vectors stay", all, err)
	}
	if _, without, err := f.Similar(ctx, "x", texts[1:]); err != nil || without != 0 {
		t.Errorf("%d without, %v", without, err)
	}

	// Where no vector is missing, one text tells whether they still fit.
	m.asked = nil
	if n, err := f.Build(ctx, texts, nil); n != 0 || err != nil || len(m.asked) != 1 {
		t.Errorf("nothing missing: %d vectors, %v, asked %q", n, err, m.asked)
	}
	m.n = 6
	if n, err := f.Build(ctx, texts, nil); n != 4 || err != nil {
		t.Errorf("another length, nothing missing: %d vectors, %v", n, err)
	}
	if _, without, err := f.Similar(ctx, "x", texts[1:]); err != nil || without != 0 {
		t.Errorf("%d without, %v", without, err)
	}
	if n, err := f.Build(ctx, nil, nil); n != 0 || err != nil {
		t.Errorf("no texts: %d, %v", n, err)
	}
}

func TestClip(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""}, {"short", "short"},
		{strings.Repeat("a", maxText), strings.Repeat("a", maxText)},
		{strings.Repeat("a", maxText+1), strings.Repeat("a", maxText)},
		{strings.Repeat("a", maxText-1) + "é", strings.Repeat("a", maxText-1)},
		{strings.Repeat("a", maxText-2) + "éa", strings.Repeat("a", maxText-2) + "é"},
	} {
		if got := Clip(tt.text); got != tt.want {
			t.Errorf("Clip of %d bytes: %d bytes, want %d", len(tt.text), len(got), len(tt.want))
		}
	}
	for n := range 8 { // bytes that are no text
		if got := Clip(strings.Repeat("\x80", maxText+n)); len(got) < maxText-4 {
			t.Errorf("%d bytes left", len(got))
		}
	}
}

func BenchmarkSimilar(b *testing.B) {
	const n, dimensions = 100_000, 256
	r := rand.New(rand.NewPCG(1, 2))
	s := &store{dimensions: dimensions, at: make(map[textKey]int32)}
	keys := make([]textKey, n)
	numbers := make([]byte, dimensions)
	for i := range keys {
		keys[i] = keyOf(fmt.Sprint(i))
		for k := range numbers {
			numbers[k] = byte(r.IntN(256))
		}
		s.put(keys[i], 1.0/2000, numbers)
	}
	q := random(r, dimensions)
	for b.Loop() {
		s.similar(q, keys)
	}
}

func FuzzOpen(f *testing.F) {
	s := &store{dimensions: 2, header: header{"m", 2}}
	f.Add(s.header.bytes())
	f.Add(append(s.header.bytes(), make([]byte, 40)...))
	f.Add([]byte(magic + `{"model":"m","dimensions":99999999}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := folder(t)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.header.name()), b, 0o600); err != nil {
			t.Fatal(err)
		}
		got := open(t, dir, "m", 2)
		before := got.Len()
		if err := got.add([]textKey{keyOf("k")}, [][]float32{unit(3, 4)}); err != nil {
			t.Fatal(err)
		}
		if after := open(t, dir, "m", 2); after.Len() != before+1 && !(before == after.Len() && got.has(keyOf("k"))) {
			t.Fatalf("%d vectors before, %d after", before, after.Len())
		}
	})
}
