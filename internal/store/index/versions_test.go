package index

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// openOf opens an index as another version of satchel does: what it writes, it writes
// and reads as that version.
func openOf(t testing.TB, dir string, other uint64) *Index {
	t.Helper()
	x, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	x.version, x.store, x.segs, x.commits = other, openStore(dir, other), nil, nil
	c := x.store.load(nil, x.diagnose)
	x.segs, x.commits = c.docs, c.commits
	return x
}

// TestOtherVersion: an index that another version wrote, an older or a newer one, is
// built again without a word, and that version finds its way back in the same way.
func TestOtherVersion(t *testing.T) {
	r := sample(t)
	want := dumped(view(t, openIndex(t, Options{}), r.open(), "HEAD"))
	dir := t.TempDir()
	for i, v := range []uint64{version(), version() + 1, version(), version() - 1, version()} {
		x := openOf(t, dir, v)
		if n := len(x.segs); n > 0 {
			t.Errorf("%d: %d segments of another version are read", i, n)
		}
		if got := dumped(view(t, x, r.open(), "HEAD")); got != want {
			t.Errorf("%d: the view differs:\n%s\nwant:\n%s", i, got, want)
		}
		if d := x.Diagnostics(); len(d) > 0 {
			t.Errorf("%d: %v", i, d)
		}
		if again := openOf(t, dir, v); len(again.segs) == 0 {
			t.Errorf("%d: the version does not find what it has written", i)
		}
	}
}

// TestTwoVersionsAtOnce: two versions write and read the same folder at the same time;
// each answers as if it were alone, and neither reads a file of the other.
func TestTwoVersionsAtOnce(t *testing.T) {
	r := sample(t)
	want := dumped(view(t, openIndex(t, Options{}), r.open(), "HEAD"))
	dir := t.TempDir()
	var all sync.WaitGroup
	for _, v := range []uint64{version(), version() + 1} {
		all.Go(func() {
			for i := range 10 {
				x := openOf(t, dir, v)
				if w, err := x.View(t.Context(), r.open(), "HEAD"); err != nil || dumped(w) != want {
					t.Errorf("version %d, %d: error %v, or the view differs", v-version(), i, err)
				}
				for _, d := range x.Diagnostics() {
					t.Errorf("version %d, %d: %s: %s", v-version(), i, d.Path, d.Text)
				}
			}
		})
	}
	all.Wait()
	if got := dumped(view(t, openOf(t, dir, version()), r.open(), "HEAD")); got != want {
		t.Errorf("in the end the view differs:\n%s\nwant:\n%s", got, want)
	}
	if temp, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); err != nil || len(temp) > 0 {
		t.Errorf("files are left: %q, %v", temp, err)
	}
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err != nil {
		t.Error(err)
	}
}
