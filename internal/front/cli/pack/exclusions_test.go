package pack

import (
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/render"
)

// No line of the table is wider than the terminal, each row names its path, and
// without a terminal nothing is cut.
func TestExclusionTable(t *testing.T) {
	rows := []exclusionRow{
		{"go.sum", "lock file", "5 bytes", "lock files of package managers (built in)"},
		{"node_modules/", "vendored", "123 MB, 12,345 files", "folders called vendor and node_modules (built in)"},
		{strings.Repeat("deep/", 30) + "end.pb.go", "generated", "2 kB", "*.pb.go linguist-generated (some/folder/.gitattributes:12)"},
		{strings.Repeat("日本/", 20) + "end.dat", "not a regular file", "-", strings.Repeat("語", 100) + " (x)"},
	}
	for _, width := range []int{1, 2, 5, 10, 40, 60, 80, 89, 90, 100, 120, 200, 10_000} {
		out := string(exclusionTable(rows, width))
		for line := range strings.Lines(out) {
			if n := render.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d cells of %d: %q", n, width, line)
			}
		}
		if width < 40 {
			continue
		}
		for _, want := range []string{"go.sum", "node_modules/", "end.pb.go", "end.dat", "lock file", "not a regular file", "12,345 files"} {
			if !strings.Contains(out, want) {
				t.Errorf("%d cells lack %s:\n%s", width, want, out)
			}
		}
		if lines := strings.Count(out, "\n"); width >= base.Narrow && lines != len(rows) {
			t.Errorf("%d cells: %d lines", width, lines)
		}
	}
	out := string(exclusionTable(rows, 0))
	for _, r := range rows {
		for _, text := range r {
			if !strings.Contains(out, text) {
				t.Errorf("%q is cut:\n%s", text, out)
			}
		}
	}
	if !strings.HasPrefix(out, "go.sum"+strings.Repeat(" ", maxColumn-len("go.sum")+2)+"lock file ") {
		t.Errorf("the columns are not aligned:\n%s", out)
	}
}
