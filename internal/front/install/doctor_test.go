package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-dev/satchel/internal/agents"
)

func TestFixOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&RefusedError{"f", "belongs to another user", "run satchel as that user"}, "run satchel as that user"},
		{refuse("f", "is a folder"), "correct the file"},
		{fmt.Errorf("f:%w", &syntaxError{Line: 1, Column: 2, Why: "no"}), "correct the file"},
		{errors.New("no"), "correct the file"},
	} {
		if got := fixOf(tt.err); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.err, got, tt.want)
		}
	}
}

// TestForeignServer: another server of our name in Codex's settings is not ours.
func TestForeignServer(t *testing.T) {
	for _, tt := range []struct {
		text    string
		entries int
		taken   int
	}{
		{"", 0, 0},
		{"[mcp_servers.satchel]\ncommand = \"satchel\"\n", 1, 0},
		{"[mcp_servers.satchel]\ncommand = \"/opt/satchel\"\n", 1, 0},
		{"[mcp_servers.satchel]\ncommand = \"npx\"\n", 0, 1},
		{"[mcp_servers.satchel]\nurl = \"https://x\"\n", 0, 1},
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var in inspection
		in.add(&file{File: agents.File{Path: path, Table: "[mcp_servers.satchel]\ncommand = \"satchel\"\n"}})
		if len(in.broken) > 0 || in.entries != tt.entries || len(in.taken) != tt.taken {
			t.Errorf("%q: %d entries, %q in the way, %v", tt.text, in.entries, in.taken, in.broken)
		}
	}
}

// TestPresentByData: an agent that is not on PATH is found by its data, whatever is in it.
func TestPresentByData(t *testing.T) {
	dir, o := home(t)
	if o.Present("opencode") {
		t.Fatal("opencode is found in an empty home")
	}
	write(t, filepath.Join(dir, ".local", "share", "opencode", "opencode.db"), "damaged")
	if !o.Present("opencode") {
		t.Error("opencode with a damaged database is not found")
	}
}
