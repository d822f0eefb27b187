package git

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
)

// A change of too many files is compared in part, beginning with what was asked for,
// and says so.
func TestDiffBound(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/x", "x\n")
	s.commit("r", "first")
	for i := range 10 {
		s.write(fmt.Sprintf("r/f%d", i), fmt.Sprintf("%d\n", i))
	}
	s.commit("r", "many")
	r := s.open("r")
	for _, test := range []struct {
		prefer func(string) bool
		want   string
	}{
		{nil, "f0 f1 f2 f3"},
		{func(p string) bool { return p == "f8" }, "f0 f1 f2 f8"},
	} {
		scratch, err := r.newScratch()
		if err != nil {
			t.Fatal(err)
		}
		defer scratch.remove()
		d := &differ{Repo: r, s: scratch, keep: Keep{Prefer: test.prefer}, most: 4}
		if err := d.states(t.Context(), DiffSpec{Rev: "HEAD~1..HEAD"}); err != nil {
			t.Fatal(err)
		}
		if err := d.compare(t.Context()); err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, f := range d.set.Files {
			if f.Added != 1 || len(f.Hunks) != 1 {
				t.Errorf("%s: %d lines, %d hunks", f.Path, f.Added, len(f.Hunks))
			}
			paths = append(paths, f.Path)
		}
		diag := satchel.Diagnostic{Text: "6 more files differ but are not compared: the limit is 4"}
		if got := strings.Join(paths, " "); got != test.want || len(d.set.Diagnostics) != 1 || d.set.Diagnostics[0] != diag || d.set.Beyond != diag.Text {
			t.Errorf("files %s, want %s; diagnostics %v", got, test.want, d.set.Diagnostics)
		}
	}
	// What is dropped while git lists is counted once.
	d := &differ{most: 3}
	for i := range 20 {
		d.deltas = append(d.deltas, delta{path: fmt.Sprint(i)})
		d.bound(5)
	}
	if d.bound(0); len(d.deltas) != 3 || d.beyond != 17 {
		t.Errorf("%d deltas and %d beyond, want 3 and 17", len(d.deltas), d.beyond)
	}
}
