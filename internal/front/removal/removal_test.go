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

// hashOf is a name as folders of the cache have it.
func hashOf(c string) string { return strings.Repeat(c, 32) }

func TestCache(t *testing.T) {
	dir := t.TempDir()
	plain, other, aa, bb, cc := hashOf("1"), hashOf("2"), "clones/"+hashOf("a"), "clones/"+hashOf("b"), "clones/"+hashOf("c")
	write(t, dir,
		"satchel/"+plain+"/manifest", "satchel/"+other+"/manifest", "satchel/"+other+"/state.db", "satchel/vectors/0123456789abcdef-8.vectors",
		"satchel/"+aa+"/url", "satchel/"+aa+"/clone/.git/HEAD", "satchel/"+aa+"/clone/.git/satchel/index/manifest",
		"satchel/"+bb+"/url", "satchel/"+bb+"/clone/.git/satchel/state.db",
		"satchel/"+cc+"/url", "satchel/"+cc+"/clone/.git/refs/satchel/snapshots",
	)
	root := filepath.Join(dir, "satchel")
	items, err := removal.Cache(root)
	want := []string{"cache satchel 60", "notes satchel/" + other + " 10 notes", "clone satchel/" + bb + " 20 notes", "clone satchel/" + cc + " 20 snapshots"}
	slices.Sort(want[1:])
	got := rows(t, dir, items)
	slices.Sort(got[1:])
	if diff := cmp.Diff(got, want); diff != "" || err != nil {
		t.Errorf("error %v (-got +want):\n%s", err, diff)
	}
	remove(t, items, 0)
	if diff := cmp.Diff(left(t, root), []string{other + "/state.db", bb + "/clone/.git/satchel/state.db", bb + "/url", cc + "/clone/.git/refs/satchel/snapshots", cc + "/url"}); diff != "" {
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

// TestStrangersInCache: what satchel did not write below its cache folder stays, and is
// listed, with all that is around it in a clone.
func TestStrangersInCache(t *testing.T) {
	dir := t.TempDir()
	plain, aa, bb := hashOf("1"), "clones/"+hashOf("a"), "clones/"+hashOf("b")
	write(t, dir,
		"mine.txt", "precious/x/a", "elsewhere/manifest", hashOf("3")+" -> elsewhere", "vectors/mine.vectors", "clones/mine",
		plain+"/manifest", plain+"/d-01ab.seg", plain+"/w-01ab.stat", plain+"/last/1", plain+"/review.json", plain+"/notes-v2.db", plain+"/d-02.seg/mine",
		aa+"/url", aa+"/clone/.git/HEAD", aa+"/clone/mine.go",
		bb+"/url", bb+"/clone/.git/satchel/notes-v2.db",
	)
	items, err := removal.Cache(dir)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(rows(t, dir, items), "\n")
	remove(t, items, removal.OfNotes|removal.OfSnapshots)
	stays := left(t, dir)
	want := []string{
		plain + "/d-02.seg/mine", plain + "/notes-v2.db", hashOf("3"),
		aa + "/clone/.git/HEAD", aa + "/clone/mine.go", aa + "/url", bb + "/clone/.git/satchel/notes-v2.db", bb + "/url", "clones/mine",
		"elsewhere/manifest", "mine.txt", "precious/x/a", "vectors/mine.vectors",
	}
	if diff := cmp.Diff(stays, want); diff != "" {
		t.Errorf("-left +want:\n%s", diff)
	}
	for _, name := range []string{plain + "/notes-v2.db", "clone/mine.go", "clone/.git/satchel/notes-v2.db", "clones/mine", "precious", "mine.txt"} {
		if !strings.Contains(said, filepath.FromSlash(name)) {
			t.Errorf("%s is not listed:\n%s", name, said)
		}
	}
}

// TestStrangersInIndex: a file that no index has stays in its folder.
func TestStrangersInIndex(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "satchel/index/manifest", "satchel/index/mine.txt")
	items, err := removal.Repository(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"index satchel/index 10", "unknown satchel/index/mine.txt 10 stays: this version of satchel writes nothing of that name: index/mine.txt"}
	if diff := cmp.Diff(rows(t, dir, items), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	remove(t, items, removal.OfNotes)
	if diff := cmp.Diff(left(t, dir), []string{"satchel/index/mine.txt"}); diff != "" {
		t.Errorf("-left +want:\n%s", diff)
	}
}

// TestRemoveFails: what cannot be removed is named by its whole path, and a folder that
// became a link since it was listed is not followed.
func TestRemoveFails(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "satchel/index/manifest", "elsewhere/manifest")
	items, err := removal.Repository(dir)
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, "satchel", "index")
	if err := os.RemoveAll(index); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "satchel/index -> elsewhere")
	if err := items[0].Remove(); err == nil || !strings.Contains(err.Error(), "remove "+filepath.Join(index, "manifest")+": ") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "elsewhere", "manifest")); err != nil {
		t.Error(err)
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
