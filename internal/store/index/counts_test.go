package index

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/git"
)

func openIn(t *testing.T, dir string) *Index {
	t.Helper()
	x, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func idOf(text string) string { return git.BlobID(git.SHA1, []byte(text)) }

func wantCount(t *testing.T, c *Counts, text string, want int, found bool) {
	t.Helper()
	if n, ok := c.Find(idOf(text)); n != want || ok != found {
		t.Errorf("Find(id of %q) = %d, %v, want %d, %v", text, n, ok, want, found)
	}
}

func TestCounts(t *testing.T) {
	dir := t.TempDir()
	c := openIn(t, dir).Counts("o200k_base")
	wantCount(t, c, "a", 0, false)
	c.Add(idOf("a"), 1)
	c.Add(idOf("b"), 2)
	wantCount(t, c, "b", 2, true)
	c.Keep()

	// Two processes add, and neither loses what the other kept.
	x, y := openIn(t, dir).Counts("o200k_base"), openIn(t, dir).Counts("o200k_base")
	x.Add(idOf("c"), 3)
	y.Add(idOf("d"), 4)
	y.Add(idOf("a"), 1)
	x.Keep()
	y.Keep()
	z := openIn(t, dir).Counts("o200k_base")
	for i, text := range []string{"a", "b", "c", "d"} {
		wantCount(t, z, text, i+1, true)
	}
	wantCount(t, z, "e", 0, false)
	wantCount(t, openIn(t, dir).Counts("cl100k_base"), "a", 0, false)
}

func TestCountsIgnoreStrangeIDs(t *testing.T) {
	c := openIn(t, t.TempDir()).Counts("o200k_base")
	for _, id := range []string{"", "12", strings.Repeat("x", 40)} {
		c.Add(id, 7)
		if n, ok := c.Find(id); ok {
			t.Errorf("Find(%q) = %d, want nothing", id, n)
		}
	}
}

func TestCountsInMemory(t *testing.T) {
	c := openIn(t, "").Counts("o200k_base")
	c.Add(idOf("a"), 1)
	wantCount(t, c, "a", 0, false)
	c.Keep()
}

// A file that is torn or changed counts as empty and is written again.
func TestCountsDamaged(t *testing.T) {
	dir := t.TempDir()
	c := openIn(t, dir).Counts("o200k_base")
	for _, text := range []string{"a", "b", "c"} {
		c.Add(idOf(text), 9)
	}
	c.Keep()
	name := filepath.Join(dir, "n-o200k_base.counts")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		changed := append([]byte(nil), whole...)
		changed[n] ^= 1
		for _, b := range [][]byte{whole[:n], changed} {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
			c := openIn(t, dir).Counts("o200k_base")
			for _, text := range []string{"a", "b", "c"} {
				wantCount(t, c, text, 0, false)
			}
		}
	}
	c = openIn(t, dir).Counts("o200k_base")
	c.Add(idOf("a"), 5)
	c.Keep()
	wantCount(t, openIn(t, dir).Counts("o200k_base"), "a", 5, true)
}
