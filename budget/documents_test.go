package budget

import "testing"

// The number of documents grows with each thing that makes a task larger.
func TestDocumentsGrow(t *testing.T) {
	for _, test := range []struct {
		why  string
		c    Complexity
		want int // of 5
	}{
		{"says nothing about the repository", Complexity{}, 0},
		{"a typo in one file", Complexity{Files: 1, Words: 6}, 1},
		{"a question about one folder", Complexity{Directories: 1, Words: 8}, 2},
		{"two folders", Complexity{Directories: 2, Words: 20}, 3},
		{"a report that names files", Complexity{Files: 3, Directories: 3, Words: 200}, 4},
		{"a cross-cutting change", Complexity{Files: 12, Directories: 5, Words: 900, Imports: 12}, 5},
		{"no task exceeds the most", Complexity{Files: 1e6, Directories: 1e6, Words: 1e6}, 5},
		{"nonsense", Complexity{Files: -5, Directories: -5, Words: -5, Imports: -5}, 0},
	} {
		if got := Documents(test.c, 5); got != test.want {
			t.Errorf("%s: Documents(%+v, 5) = %d, want %d", test.why, test.c, got, test.want)
		}
	}
	if got := Documents(Complexity{Files: 9, Directories: 9}, 0); got != 0 {
		t.Errorf("none allowed: got %d", got)
	}
}

// FuzzDocuments checks the bounds, and that no part of a task makes the number
// or the share smaller.
func FuzzDocuments(f *testing.F) {
	f.Add(1, 2, 30, 4, 5)
	f.Fuzz(func(t *testing.T, files, dirs, words, imports, most int) {
		most %= 1000
		c := Complexity{Files: files, Directories: dirs, Words: words, Imports: imports}
		k, s := Documents(c, most), DocumentShare(c)
		if k < 0 || k > max(most, 0) || !(s >= docFloor && s <= docCeiling) {
			t.Errorf("%+v of %d: %d documents, share %v", c, most, k, s)
		}
		for _, more := range []Complexity{{files / 2, dirs, words, imports}, {files, dirs / 2, words, imports}, {files, dirs, words / 2, imports}, {files, dirs, words, imports / 2}} {
			if more.Files < files || more.Directories < dirs || more.Words < words || more.Imports < imports {
				more, c := c, more
				if Documents(more, most) < Documents(c, most) || DocumentShare(more) < DocumentShare(c) {
					t.Errorf("%+v gets less than %+v", more, c)
				}
			}
		}
	})
}
