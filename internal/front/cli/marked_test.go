package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
)

// marked compares a part of a page, which two comments enclose, with what it should be.
// With -update it writes the part.
func marked(t *testing.T, page, name, want string) {
	t.Helper()
	file := filepath.Join("../../../docs", page)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	before, rest, found := strings.Cut(text, "<!-- "+name+": ")
	comment, rest, closed := strings.Cut(rest, "-->\n")
	got, after, ended := strings.Cut(rest, "<!-- end of "+name+" -->")
	switch {
	case !found || !closed || !ended:
		t.Fatalf("%s has no comments around %q", page, name)
	case got == want:
	case !*clitest.Update:
		t.Errorf("%q of %s differs; -update rewrites it (-page +test):\n%s", name, page, cmp.Diff(got, want))
	default:
		text = before + "<!-- " + name + ": " + comment + "-->\n" + want + "<!-- end of " + name + " -->" + after
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
