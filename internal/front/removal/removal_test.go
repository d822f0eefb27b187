package removal_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/front/removal"
)

// write makes files of ten bytes each, or links, written "name -> target".
func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, n := range names {
		n, target, link := strings.Cut(n, " -> ")
		name := filepath.Join(dir, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if link {
			err = os.Symlink(filepath.Join(dir, filepath.FromSlash(target)), name)
		} else {
			err = os.WriteFile(name, []byte("0123456789"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// left lists the files below a folder.
func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func rows(t *testing.T, dir string, items []removal.Item) (rows []string) {
	t.Helper()
	for _, it := range items {
		rel, err := filepath.Rel(dir, it.Path)
		if err != nil {
			t.Fatal(err)
		}
		row := fmt.Sprintf("%s %s %d", it.Kind, filepath.ToSlash(rel), it.Bytes)
		if it.Needs&removal.OfNotes != 0 {
			row += " notes"
		}
		if it.Needs&removal.OfSnapshots != 0 {
			row += " snapshots"
		}
		if it.Stays != "" {
			row += " stays: " + strings.ReplaceAll(it.Stays, dir+string(filepath.Separator), "")
		}
		rows = append(rows, row)
	}
	return rows
}

// remove removes the items that the consent is enough for.
func remove(t *testing.T, items []removal.Item, given removal.Consent) {
	t.Helper()
	for i := range items {
		if items[i].Needs&^given != 0 || items[i].Stays != "" {
			continue
		}
		if err := items[i].Remove(); err != nil {
			t.Error(err)
		}
	}
}

func TestRepository(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "config", "satchel/index/manifest", "satchel/index/d-1.seg", "satchel/last/1", "satchel/lock", "satchel/state.db", "satchel/state.db-wal", "satchel/feedback/feedback.json", "satchel/review.json")
	items, err := removal.Repository(dir)
	want := []string{"index satchel/index 30", "prompts satchel/last 10", "notes satchel 40 notes"}
	if diff := cmp.Diff(rows(t, dir, items), want); diff != "" || err != nil {
		t.Errorf("error %v (-got +want):\n%s", err, diff)
	}
	remove(t, items, 0)
	if diff := cmp.Diff(left(t, dir), []string{"config", "satchel/feedback/feedback.json", "satchel/review.json", "satchel/state.db", "satchel/state.db-wal"}); diff != "" {
		t.Errorf("without consent (-left +want):\n%s", diff)
	}
	items, err = removal.Repository(dir)
	if err != nil {
		t.Fatal(err)
	}
	remove(t, items, removal.OfNotes)
	if _, err := os.Stat(filepath.Join(dir, "satchel")); err == nil || !slices.Equal(left(t, dir), []string{"config"}) {
		t.Errorf("with consent %q is left", left(t, dir))
	}
	if items, err := removal.Repository(dir); len(items) > 0 || err != nil {
		t.Errorf("nothing is kept: %v, %v", items, err)
	}
}

// TestStrangers: what another version wrote, or somebody else, stays, and no link is
// followed.
func TestStrangers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "elsewhere/mine", "satchel/index -> elsewhere", "satchel/later/1")
	items, err := removal.Repository(dir)
	want := []string{"index satchel/index 0", "unknown satchel/later 10 stays: this version of satchel writes nothing of that name: later"}
	if diff := cmp.Diff(rows(t, dir, items), want); diff != "" || err != nil {
		t.Errorf("error %v (-got +want):\n%s", err, diff)
	}
	remove(t, items, removal.OfNotes|removal.OfSnapshots)
	if diff := cmp.Diff(left(t, dir), []string{"elsewhere/mine", "satchel/later/1"}); diff != "" {
		t.Errorf("-left +want:\n%s", diff)
	}

	dir = t.TempDir()
	write(t, dir, "elsewhere/index/mine", "satchel -> elsewhere", "config.toml -> elsewhere/index/mine")
	items, err = removal.Repository(dir)
	items = append(items, removal.Config(filepath.Join(dir, "config.toml"))...)
	want = []string{"unknown satchel 0 stays: it is a link to elsewhere: remove both yourself", "config config.toml 0 stays: it is a link to elsewhere/index/mine: remove both yourself"}
	if diff := cmp.Diff(rows(t, dir, items), want); diff != "" || err != nil {
		t.Errorf("links: error %v (-got +want):\n%s", err, diff)
	}
	if err := items[0].Remove(); err == nil {
		t.Error("a link was removed")
	}
	if diff := cmp.Diff(left(t, dir), []string{"config.toml", "elsewhere/index/mine", "satchel"}); diff != "" {
		t.Errorf("-left +want:\n%s", diff)
	}
}

func TestCache(t *testing.T) {
	dir := t.TempDir()
	write(t, dir,
		"satchel/11/manifest", "satchel/22/manifest", "satchel/22/state.db", "satchel/vectors/x",
		"satchel/clones/aa/url", "satchel/clones/aa/clone/.git/HEAD", "satchel/clones/aa/clone/.git/satchel/index/manifest",
		"satchel/clones/bb/url", "satchel/clones/bb/clone/.git/satchel/state.db",
		"satchel/clones/cc/url", "satchel/clones/cc/clone/.git/refs/satchel/snapshots",
	)
	root := filepath.Join(dir, "satchel")
	items, err := removal.Cache(root)
	want := []string{"cache satchel 60", "notes satchel/22 10 notes", "clone satchel/clones/bb 20 notes", "clone satchel/clones/cc 20 snapshots"}
	if diff := cmp.Diff(rows(t, dir, items), want); diff != "" || err != nil {
		t.Errorf("error %v (-got +want):\n%s", err, diff)
	}
	remove(t, items, 0)
	if diff := cmp.Diff(left(t, root), []string{"22/state.db", "clones/bb/clone/.git/satchel/state.db", "clones/bb/url", "clones/cc/clone/.git/refs/satchel/snapshots", "clones/cc/url"}); diff != "" {
		t.Errorf("without consent (-left +want):\n%s", diff)
	}
	items, err = removal.Cache(root)
	if err != nil {
		t.Fatal(err)
	}
	remove(t, items, removal.OfNotes|removal.OfSnapshots)
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("with consent %v is left, %v", names, err)
	}
}

func TestConfig(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "satchel", "config.toml")
	if items := removal.Config(file); items != nil {
		t.Errorf("no file: %v", items)
	}
	write(t, dir, "satchel/config.toml", "satchel/mine.txt")
	remove(t, removal.Config(file), 0)
	if diff := cmp.Diff(left(t, dir), []string{"satchel/mine.txt"}); diff != "" {
		t.Errorf("-left +want:\n%s", diff)
	}
}
