package signal

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/rank"
)

// TestRelated checks which files belong to a change of one function: the test that is
// named after its file, a test that only calls it, and what changed together with it.
func TestRelated(t *testing.T) {
	r := gittest.New(t)
	r.Write("src/pool.py", "def open_pool(size):\n    return size\n", "tests/test_pool.py", "import unittest\n\ndef test_size():\n    pass\n",
		"tests/test_proxy.py", "from src.pool import open_pool\n\ndef test_proxy():\n    open_pool(3)\n",
		"tests/test_other.py", "def test_other():\n    pass\n", "src/other.py", "def other():\n    pass\n", "src/limits.py", "LIMIT = 1\n")
	r.Commit("add pools")
	for _, n := range []string{"2", "3"} {
		r.Write("src/pool.py", "def open_pool(size):\n    return size + "+n+"\n", "src/limits.py", "LIMIT = "+n+"\n")
		r.Commit("raise the limit")
	}
	repo, err := (&git.Options{Env: r.Env()}).Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	x, err := index.Open(index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	v, err := x.View(t.Context(), repo, "")
	if err != nil {
		t.Fatal(err)
	}

	f := change.Scored{File: change.File{Path: "src/pool.py", Status: change.Modified}}
	f.Lang, f.Class = "python", "source"
	f.Edits = []change.Edit{{Action: change.Body, Kind: "func", Name: "open_pool"}}
	rows := map[string]rank.RelatedRow{}
	for _, rel := range Related(v, []change.Scored{f}, v.History().Commits).List {
		rows[v.Files()[rel.File].Path] = rel.Row
	}
	if _, ok := rows["src/pool.py"]; ok {
		t.Error("the changed file belongs to itself")
	}
	for name, want := range map[string]rank.RelatedSignal{
		"tests/test_pool.py": rank.Paired, "tests/test_proxy.py": rank.UsesEdited, "src/limits.py": rank.Together, "src/other.py": rank.SameFolder,
	} {
		if rows[name][want] == 0 {
			t.Errorf("%s: signal %d is 0: %v", name, want, rows[name])
		}
	}
	value := func(name string) float32 { row := rows[name]; return rank.TestsOf.Value(&row) }
	if a, b, c := value("tests/test_pool.py"), value("tests/test_proxy.py"), value("tests/test_other.py"); a <= c || b <= c {
		t.Errorf("scores of tests %v, %v and %v: want the last least", a, b, c)
	}
}

func TestRelatedName(t *testing.T) {
	for path, want := range map[string][]string{
		"src/test/java/a/JsonReaderTest.java": {"json", "reader"}, "pkg/x_test.go": {"x"}, "tests/a/test_b.py": {"b"}, "web/foo.spec.ts": {"foo"},
		"src/slider/index.ts": {"slider"}, "lib/HTTPServer.rb": {"http", "server"}, "test/main.c": nil,
	} {
		n := pathNames{at: map[string]int{}}
		if got := n.add(path).stem; !slices.Equal(got, want) {
			t.Errorf("%s: words %q, want %q", path, got, want)
		}
	}
}
