package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-dev/satchel/engine"
)

// TestTemplates does not look for what the repository's own issue template says,
// and goes on when the template changes.
func TestTemplates(t *testing.T) {
	dir := write(t, map[string]string{
		".github/ISSUE_TEMPLATE/bug.md": "**Which proxy are you behind, and which certificate does the proxy show?**\n",
		"proxy.go":                      "package x\n\n// Proxy shows the certificate of the proxy that clients are behind.\nfunc Proxy() {}\n",
		"spinner.go":                    "package x\n\n// Spinner turns while one waits.\nfunc Spinner() {}\n",
	})
	const task = "Stops turning\n\n**Which proxy are you behind, and which certificate does the proxy show?**\nNone.\n\nIt stops turning while one waits.\n"
	first := func() string {
		e := open(t, engine.Options{Dir: dir, CacheDir: t.TempDir()})
		got, err := e.Search(context.Background(), engine.SearchRequest{Query: task})
		if err != nil {
			t.Fatal(err)
		}
		return got.Files[0].Path
	}
	if got := first(); got != "spinner.go" {
		t.Errorf("%s comes first although only the template speaks of it", got)
	}
	if err := os.WriteFile(filepath.Join(dir, ".github/ISSUE_TEMPLATE/bug.md"), []byte("**What happens?**\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := first(); got != "proxy.go" {
		t.Errorf("%s comes first although the author speaks of a proxy", got)
	}
}
