package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/engine"
)

// TestCited puts the file first that the commit changed to which the task refers,
// by the number of a change request, by an id, or by an address.
func TestCited(t *testing.T) {
	r := newRepository(t)
	all := map[string]string{}
	for i := range 8 {
		all[fmt.Sprintf("p%d/spinner.go", i)] = fmt.Sprintf("package p%d\n\n// Spin turns the spinner until it is told to stop.\nfunc Spin() {}\n", i)
	}
	r.WriteAll(all)
	r.Commit("spinners")
	r.WriteAll(map[string]string{"p5/spinner.go": all["p5/spinner.go"] + "\nvar calm = 1\n"})
	r.Commit("Calm down (#217)")
	id := strings.TrimSpace(r.Git("rev-parse", "HEAD"))
	r.WriteAll(map[string]string{"p2/spinner.go": all["p2/spinner.go"] + "\nvar calm = 2\n"})
	r.Commit("Calm down too, see other/spinners#218")
	e := open(t, engine.Options{Dir: r.Dir, CacheDir: t.TempDir()})
	for _, said := range []string{"Introduced with #217.", "Since " + id[:9] + " it does.", "https://example.org/o/n/commit/" + id, "https://example.org/o/n/pull/217"} {
		got, err := e.Search(context.Background(), engine.SearchRequest{Query: "The spinner turns for ever\n\n" + said + "\n", Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		if f := got.Files[0]; f.Path != "p5/spinner.go" || !strings.Contains(fmt.Sprint(f.Reasons), "refers to") {
			t.Errorf("%q: %s comes first, with %v", said, f.Path, f.Reasons)
		}
	}
	got, err := e.Search(context.Background(), engine.SearchRequest{Query: "The spinner turns for ever\n\nAs in #218.\n", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range got.Files {
		if strings.Contains(fmt.Sprint(f.Reasons), "refers to") {
			t.Errorf("%s is credited with a number of another repository", f.Path)
		}
	}
}
