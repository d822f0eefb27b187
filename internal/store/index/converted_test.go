package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A file that was only touched is not dirty, whatever line ends git gave it when it
// wrote it, and however many there are; one that was edited is, and so is one that has
// other line ends than the attributes say.
func TestTouchedWithOtherLineEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for _, many := range []int{0, manyUnclean + 10} {
		r := sample(t)
		r.Git("config", "core.autocrlf", "true")
		r.Write("kept.txt", "kept as it is\n")
		r.Write(".gitattributes", "kept.txt -text\n")
		names := []string{"a.go", "b/c.md"}
		for i := range many {
			names = append(names, fmt.Sprintf("many/%03d.txt", i))
		}
		for _, n := range names {
			r.Write(n, "line one of "+n+"\r\nline two\r\n")
		}
		r.Commit("with CR LF")
		g := r.open()
		dir := t.TempDir()
		x := openIndex(t, Options{Dir: dir})
		clean := dumped(view(t, x, g, ""))
		if strings.Contains(clean, "dirty=true") {
			t.Fatalf("%d: files are dirty:\n%.500s", many, clean)
		}
		before := time.Now().Add(-time.Hour)
		touch := func(n string) {
			if err := os.Chtimes(filepath.Join(r.Dir, filepath.FromSlash(n)), before, before); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range names {
			touch(n)
		}
		for round := range 3 { // the last with what was remembered
			if diff := cmp.Diff(clean, dumped(view(t, x, g, ""))); diff != "" {
				t.Errorf("%d, round %d: touched (-clean +got):\n%s", many, round, diff)
			}
			x = openIndex(t, Options{Dir: dir})
		}
		r.Write("a.go", "line one of a.go\r\nline too\r\n")
		r.Write("kept.txt", "kept as it is\r\n")
		touch("kept.txt")
		v := view(t, x, g, "")
		for _, n := range []string{"a.go", "kept.txt"} {
			i, ok := v.File(n)
			if !ok || !v.Files()[i].Dirty {
				t.Errorf("%d: %s is not dirty", many, n)
				continue
			}
			if got, err := v.Text(t.Context(), i); err != nil || !strings.Contains(string(got), "\r\n") {
				t.Errorf("%d: Text(%s) = %q, %v", many, n, got, err)
			}
		}
	}
}
