package signal

import (
	"testing"

	"github.com/satchel-dev/satchel/internal/code/outline"
)

// Readers start from the first page, then manifests and programs; records of
// the past come last.
func TestEntry(t *testing.T) {
	for _, c := range []struct {
		name  string
		class outline.Class
		want  float64
	}{
		{"readme.md", outline.Docs, readmeGives},
		{"docs/readme.md", outline.Docs, 0},
		{"go.mod", outline.Config, manifestGives},
		{"examples/go.mod", outline.Config, 0},
		{"cmd/depot/main.go", outline.Source, mainGives},
		{"crates/core/src/main.rs", outline.Source, mainGives},
		{"a/b/c/d/main.go", outline.Source, 0},
		{"tests/main.go", outline.Test, 0},
		{"changelog.md", outline.Docs, -historyTakes},
		{"history.go", outline.Source, 0},
		{"license", outline.Docs, -historyTakes},
	} {
		if got := entry(c.name, c.class); got != c.want {
			t.Errorf("entry(%q, %s) = %v, want %v", c.name, c.class, got, c.want)
		}
	}
}
