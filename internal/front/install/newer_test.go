package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNewerRecords: what a newer version keeps of a file is left alone, and so is the
// file, by install, uninstall and what sweeps.
func TestNewerRecords(t *testing.T) {
	dir, o := home(t)
	settings := filepath.Join(dir, ".claude", "settings.json")
	write(t, settings, `{"model": "opus"}`)
	if _, err := Install(o, "claude"); err != nil {
		t.Fatal(err)
	}
	l := ledger{o.stateDir()}
	name, _ := l.names(settings)
	text, err := os.ReadFile(filepath.Join(l.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.NewReplacer(`"version": 1`, `"version": 2`, `"satchel": "v1"`, `"satchel": "v9.9.0"`).Replace(string(text))
	write(t, filepath.Join(l.dir, name), newer)
	state := func() map[string]string {
		all := files(t, dir)
		entries, err := os.ReadDir(l.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(l.dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all["record "+e.Name()] = string(text)
		}
		return all
	}
	before := state()
	for what, do := range map[string]func(Options, Client) (*Result, error){"install": Install, "uninstall": Uninstall} {
		_, err := do(o, "claude")
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Error() != settings+": its backup is from a newer version, satchel v9.9.0" {
			t.Errorf("%s: %v", what, err)
		}
		if gone := Sweep(o); len(gone) > 0 {
			t.Errorf("%s: swept %q", what, gone)
		}
		if d := cmp.Diff(state(), before); d != "" {
			t.Errorf("%s (-got +want):\n%s", what, d)
		}
	}

	// With the record of this version it goes as always.
	write(t, filepath.Join(l.dir, name), string(text))
	if _, err := Uninstall(o, "claude"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(settings); err != nil || string(got) != `{"model": "opus"}` {
		t.Errorf("%q, %v", got, err)
	}
}
