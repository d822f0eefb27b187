package learn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParts(t *testing.T) {
	groups := []string{"o/c", "o/a", "o/c", "o/b"}
	want := []Part{{Learn: []int{1, 3}, Test: []int{0, 2}}, {Learn: []int{0, 2, 3}, Test: []int{1}}, {Learn: []int{0, 1, 2}, Test: []int{3}}}
	if diff := cmp.Diff(want, LeaveOneOut(groups)); diff != "" {
		t.Errorf("LeaveOneOut (-want +got):\n%s", diff)
	}
	for k, p := range Parts(groups) {
		if len(p.Learn)+len(p.Test) != len(groups) {
			t.Errorf("part %d has %d of %d examples", k, len(p.Learn)+len(p.Test), len(groups))
		}
		for _, i := range p.Test {
			if Fold(groups[i]) != k {
				t.Errorf("%s is tested in part %d, want %d", groups[i], k, Fold(groups[i]))
			}
		}
	}
}

// TestFold pins where repositories are: models that were saved by fold name it.
func TestFold(t *testing.T) {
	got := map[string]int{}
	for _, g := range []string{"pallets/flask", "restic/restic", "BurntSushi/ripgrep", "jqlang/jq"} {
		got[g] = Fold(g)
	}
	want := map[string]int{"pallets/flask": 2, "restic/restic": 3, "BurntSushi/ripgrep": 4, "jqlang/jq": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Fold (-want +got):\n%s", diff)
	}
}
