package vectors

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-dev/satchel/internal/world/database"
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

// TestCosines compares rounded vectors with whole ones.
func TestCosines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "dimensions")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		v, q := random(r, n), random(r, n)
		if got, want := quantise(v).cosine(q), dot(q, v); math.Abs(got-want) > 0.01 {
			t.Fatalf("cosine %v, want %v", got, want)
		}
		if got := quantise(make([]float32, n)).cosine(q); got != 0 {
			t.Fatalf("cosine with zero: %v", got)
		}
	})
}

// TestDamage reports a file that is not a database, and the way to mend it.
func TestDamage(t *testing.T) {
	dir := folder(t)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, fileName)
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := openStore(dir, "m", 3)
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "not a database") {
		t.Errorf("%v: want the path and the reason", err)
	}
}

// TestMode keeps vectors from other users.
func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir, "m", 3).add([]textKey{keyOf("a")}, [][]float32{unit(1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(filepath.Join(dir, fileName)); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

// TestKilledWriter reads what was kept before a process was killed while it added more.
func TestKilledWriter(t *testing.T) {
	dir, copied := folder(t), folder(t)
	if err := open(t, dir, "m", 3).add([]textKey{keyOf("a")}, [][]float32{unit(1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", database.URL(filepath.Join(dir, fileName), url.Values{"_pragma": {"cache_size(1)"}}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 { // more than the cache holds
		if _, err := tx.Exec("INSERT INTO vector VALUES ('m', 3, ?, 1, zeroblob(3000))", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(copied, fileName+"-journal")); err != nil {
		t.Fatal("the writer has no journal:", err)
	}
	if s := open(t, copied, "m", 3); len(s.vectors) != 1 {
		t.Errorf("%d vectors, want 1", len(s.vectors))
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
	if s := open(t, dir, "m", 4); len(s.vectors) != 80 {
		t.Errorf("%d vectors, want 80", len(s.vectors))
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
	if s := open(t, dir, strings.Repeat("\x01", maxModel), 3); len(s.vectors) != 1 {
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
