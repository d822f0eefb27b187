package index

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/code/outline"
)

// TestVendoredByReadme marks what lies below a README that says so, in a commit
// and again after the README changed in the work tree.
func TestVendoredByReadme(t *testing.T) {
	r := sample(t)
	r.Write(
		"packages/README.rst", "These are independent libraries which we\nvendor into this one.\n",
		"packages/pool/pool.py", "class Pool:\n    pass\n",
		"packages/pool/README.md", "This is a vendored copy of a pool.\n",
		"packages.py", "import packages\n",
	)
	r.Commit("packages")
	x := openIndex(t, Options{})
	marked := func(rev string) []string {
		var names []string
		for _, f := range view(t, x, r.open(), rev).Files() {
			if f.Vendored {
				names = append(names, f.Path)
			}
			if f.Class == vendorNote {
				t.Errorf("%s has the class %q", f.Path, f.Class)
			}
		}
		return names
	}
	for _, rev := range []string{"HEAD", "", "HEAD"} {
		want := []string{"packages/README.rst", "packages/pool/README.md", "packages/pool/pool.py"}
		if got := marked(rev); !slices.Equal(got, want) {
			t.Errorf("revision %q: vendored are %q, want %q", rev, got, want)
		}
	}
	r.Write("packages/README.rst", "Our own packages.\n")
	want := []string{"packages/pool/README.md", "packages/pool/pool.py"}
	if got := marked(""); !slices.Equal(got, want) {
		t.Errorf("after the README changed, vendored are %q, want %q", got, want)
	}
	v := view(t, x, r.open(), "")
	if i, ok := v.File("packages/pool/README.md"); !ok || v.Files()[i].Class != outline.Docs {
		t.Errorf("the README is no document of the view")
	}
}
