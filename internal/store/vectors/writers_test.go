package vectors

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// What several processes add of the same texts is kept once, and each of them
// knows what the others added; a file that was deleted meanwhile is begun anew.
func TestSameWriters(t *testing.T) {
	dir := folder(t)
	add := func(s *store, texts ...string) {
		t.Helper()
		var keys []textKey
		var vs [][]float32
		for _, text := range texts {
			keys, vs = append(keys, keyOf(text)), append(vs, unit(1, float64(len(text)), 0))
		}
		if err := s.add(keys, vs); err != nil {
			t.Fatal(err)
		}
	}
	check := func(s *store, want int) {
		t.Helper()
		files, err := List(dir)
		if err != nil || len(files) != 1 || files[0].Vectors != want {
			t.Fatalf("%+v, %v, want %d vectors", files, err, want)
		}
		if again := open(t, dir, "m", 3); again.Len() != want || again.Damaged != 0 {
			t.Fatalf("%d vectors, %d damaged, want %d", again.Len(), again.Damaged, want)
		}
		if s.Damaged != 0 {
			t.Fatalf("%d damaged", s.Damaged)
		}
	}
	x, y := open(t, dir, "m", 3), open(t, dir, "m", 3) // before there is a file
	add(x, "a", "bb")
	add(y, "bb", "ccc", "ccc")
	check(y, 3)
	if !y.has(keyOf("a")) || x.has(keyOf("ccc")) {
		t.Error("y lacks what x added, or x has what it has not read")
	}
	add(x, "ccc", "a", "dddd")
	add(y, "dddd")
	check(x, 4)
	if x.Len() != 4 || y.Len() != 4 {
		t.Errorf("%d and %d vectors are known, want 4", x.Len(), y.Len())
	}

	// Half a record of a process that died is no record.
	b, err := os.ReadFile(x.file())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(x.file(), b[:len(b)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	add(x, "dddd", "a") // the file is another one: both may be gone from it
	check(x, 4)

	if err := os.Remove(x.file()); err != nil {
		t.Fatal(err)
	}
	add(y, "a")
	check(y, 1)
	add(x, "a", "bb")
	check(x, 2)

	var wg sync.WaitGroup
	for range 6 {
		s := open(t, dir, "m", 3)
		wg.Go(func() {
			for i := range 20 {
				if err := s.add([]textKey{keyOf(fmt.Sprint(i))}, [][]float32{unit(1, 0, 0)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	check(x, 22)
}
