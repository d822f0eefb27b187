package state

import "testing"

func TestStale(t *testing.T) {
	s := new(talk).
		calls("Read", "1\tconst limit = 10 * megabyte\n2\tvar x int", false, "file_path", "/a.go").
		edit("/a.go", "const limit = 10 * megabyte", "const limit = 20 * megabyte")
	for _, c := range []struct {
		name, shown string
		want        float64
	}{
		{"the file as it was read", "const limit = 10 * megabyte\nvar x int", 1},
		{"then what replaced it", "const limit = 10 * megabyte\nvar x int\n…\nconst limit = 20 * megabyte", 0},
		{"then, further on, the old one", "const limit = 20 * megabyte\n…\nconst limit = 10 * megabyte", 1},
		{"as the field of an edit", "old_string: const limit = 10 * megabyte\n…", 0},
		{"as a line of a patch", "-const limit = 10 * megabyte", 0},
		{"below words that say so", "< a.go, edited since\nconst limit = 10 * megabyte", 0},
		{"only the new one", "const limit = 20 * megabyte", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Of(s.ms).Recall(digest(c.shown)).Stale; got != c.want {
				t.Errorf("Stale = %v, want %v", got, c.want)
			}
		})
	}
	s.calls("Grep", "/b.go: nothing\nconst limit = 10 * megabyte", false, "pattern", "limit")
	if got := Of(s.ms).Recall(digest("const limit = 10 * megabyte")).Stale; got != 0 {
		t.Errorf("Stale = %v of a line that stands elsewhere still, want 0", got)
	}
}

func TestReopened(t *testing.T) {
	const failure = "cc main.c\nmain.c:3: error: no such type\nmake: stopped"
	s := new(talk).run("make build 2>&1 | tail -3", failure, true).run("make build", "cc main.c", false)
	for shown, want := range map[string]float64{
		"$ make build\n" + failure:                        1,
		"$ make build\n" + failure + "\n$ make build\ncc": 0,
		"resolved since:\n" + failure:                     0,
		"main.c:3: error: no such type":                   0,
	} {
		if got := Of(s.ms).Recall(digest(shown)).Reopened; got != want {
			t.Errorf("Reopened = %v for %q, want %v", got, shown, want)
		}
	}
}

// TestTrue: what is shown wrong is taken off, each share like that of a kind.
func TestTrue(t *testing.T) {
	s := new(talk).edit("/a.go", "const limit = 10 * megabyte", "const limit = 20 * megabyte").edit("/b.go", "x", "const other = 1 * megabyte")
	r := Of(s.ms).Recall(digest("a.go\nb.go\nconst other = 1 * megabyte\nconst limit = 10 * megabyte"))
	if m, _ := r.Mean(); m != 0.75 { // half the edits, all files
		t.Errorf("Mean() = %v, want 0.75", m)
	}
	if m, _ := r.True(); m != 0.5 { // less one of two files, over two kinds
		t.Errorf("True() = %v, want 0.5", m)
	}
}
