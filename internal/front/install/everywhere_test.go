package install

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// TestMentionedWaitsForNoPipe: settings that are a pipe may name satchel, and nobody
// waits for what they would say.
func TestMentionedWaitsForNoPipe(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{Getenv: func(name string) string {
		if name == "HOME" {
			return home
		}
		return ""
	}}
	if Mentioned(o, Client("claude")) {
		t.Error("no settings name satchel")
	}
	fsxtest.Fifo(t, filepath.Join(home, ".claude", "settings.json"))
	if !Mentioned(o, Client("claude")) {
		t.Error("a pipe may name satchel")
	}
}
