package api_test

import (
	"archive/zip"
	"flag"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/front/schema/schematest"
	"github.com/satchel-dev/satchel/lab/release/api"
)

var update = flag.Bool("update", false, "rewrite api.txt")

var root = filepath.Join("..", "..", "..")

// TestAPI compares what the packages export with the committed list, and with the last
// release: what breaks those who import a package has a line with BREAKING in the change
// log that names the package.
func TestAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("checks the standard library")
	}
	now := load(t, os.DirFS(root))
	lines, err := api.Listing(now)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 500 {
		t.Errorf("only %d names are exported", len(lines))
	}
	if *update {
		if err := os.WriteFile("api.txt", []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	committed := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if gone, added := differences(committed, lines), differences(lines, committed); len(gone)+len(added) > 0 {
		t.Errorf("what is exported is not what api.txt lists; if that is meant: go test ./api -update, in lab\nremoved or changed:\n\t%s\nadded or changed to:\n\t%s",
			strings.Join(gone, "\n\t"), strings.Join(added, "\n\t"))
	}

	tag, why, err := schematest.Release(root)
	if err != nil {
		t.Fatal(err)
	}
	if tag == "" {
		t.Logf("compared with api.txt alone: no released version is known: %s", why)
		return
	}
	changes, err := api.Compare(load(t, released(t, tag)), now)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range api.Unannounced(changes, string(log), tag) {
		t.Errorf("%s: since %s: %s\n\tit breaks those who import the package: say so above that release in CHANGELOG.md, in a line with BREAKING and `%s`", c.Package, tag, c.What, c.Package)
	}
}

func load(t *testing.T, fsys fs.FS) []*types.Package {
	t.Helper()
	list, err := api.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// released is the tree of a tag.
func released(t *testing.T, tag string) fs.FS {
	t.Helper()
	text, err := schematest.Git(root, "archive", "--format=zip", tag)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// differences are the lines of one list that another lacks.
func differences(list, other []string) (out []string) {
	for _, s := range list {
		if _, ok := slices.BinarySearch(other, s); !ok {
			out = append(out, s)
		}
	}
	return out
}

// made is a made-up module, whose files each case of TestCompare replaces.
func made(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range map[string]string{
		"satchel.go":          "package satchel\n\nimport \"io\"\n\ntype Item struct{ Path string; hidden int }\n\nfunc (i *Item) Write(w io.Writer) error { return nil }\n",
		"rank/rank.go":        "package rank\n\nimport satchel \"github.com/satchel-dev/satchel\"\n\nconst Most = 5\n\nfunc Order(list []satchel.Item, most int) []satchel.Item { return list }\n",
		"engine/engine.go":    "package engine\n\nimport \"github.com/satchel-dev/satchel/internal/deep\"\n\ntype Deep = deep.Deep\n",
		"internal/deep/d.go":  "package deep\n\ntype Deep struct{ Path string; Lines int }\n\nfunc (Deep) Size() int { return 0 }\n",
		"cmd/satchel/main.go": "package main\n\nfunc Exported() {}\n",
		"rank/rank_test.go":   "package rank\n\nfunc Tested() {}\n",
		"rank/rank_plan9.go":  "package rank\n\nfunc Elsewhere() {}\n",
	} {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range files {
		if text == "" {
			delete(m, name)
		} else {
			m[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return m
}

func TestListing(t *testing.T) {
	got, err := api.Listing(load(t, made(nil)))
	want := []string{
		"engine: method (Deep) Size() int",
		"engine: type Deep = deep.Deep",
		"engine: type Deep struct, Lines int",
		"engine: type Deep struct, Path string",
		"rank: const Most untyped int = 5",
		"rank: func Order(list []satchel.Item, most int) []satchel.Item",
		"satchel: method (*Item) Write(w io.Writer) error",
		"satchel: type Item struct",
		"satchel: type Item struct, Path string",
	}
	if diff := cmp.Diff(got, want); diff != "" || err != nil {
		t.Errorf("error %v (-got +want):\n%s", err, diff)
	}
	_, err = api.Listing(load(t, made(map[string]string{"rank/rank.go": "package rank\n\nimport \"example.org/other\"\n\nvar Other other.Thing\n"})))
	if err == nil || !strings.Contains(err.Error(), "rank: var Other invalid type: it is declared with a type of another module") {
		t.Errorf("a type of another module: error %v", err)
	}
}

func TestCompare(t *testing.T) {
	old := load(t, made(nil))
	for _, tt := range []struct {
		name, file, text string
		want             []string // BREAKING of what breaks
	}{
		{"nothing", "rank/rank_test.go", "package rank\n", nil},
		{"a field more", "satchel.go", "package satchel\n\nimport \"io\"\n\ntype Item struct{ Path string; hidden int; Line int }\n\nfunc (i *Item) Write(w io.Writer) error { return nil }\n", []string{"satchel: Item.Line: added"}},
		{"a method less", "satchel.go", "package satchel\n\ntype Item struct{ Path string; hidden int }\n", []string{"BREAKING satchel: (*Item).Write: removed"}},
		{"another parameter", "rank/rank.go", "package rank\n\nimport satchel \"github.com/satchel-dev/satchel\"\n\nconst Most = 5\n\nfunc Order(list []satchel.Item) []satchel.Item { return list }\n",
			[]string{"BREAKING rank: Order: changed from func([]github.com/satchel-dev/satchel.Item, int) []github.com/satchel-dev/satchel.Item to func([]github.com/satchel-dev/satchel.Item) []github.com/satchel-dev/satchel.Item"}},
		{"another value", "rank/rank.go", "package rank\n\nimport satchel \"github.com/satchel-dev/satchel\"\n\nconst Most = 6\n\nfunc Order(list []satchel.Item, most int) []satchel.Item { return list }\n", []string{"BREAKING rank: Most: value changed from 5 to 6"}},
		{"a package less", "rank/rank.go", "", []string{"BREAKING rank: the package is gone"}},
		{"a package more", "pack/pack.go", "package pack\n\nfunc Fit() {}\n", []string{"pack: the package is new"}},
		{"a field less, behind an alias", "internal/deep/d.go", "package deep\n\ntype Deep struct{ Path string }\n\nfunc (Deep) Size() int { return 0 }\n", []string{"BREAKING engine: gone or changed: type Deep struct, Lines int"}},
		{"another result, behind an alias", "internal/deep/d.go", "package deep\n\ntype Deep struct{ Path string; Lines int }\n\nfunc (Deep) Size() int64 { return 0 }\n", []string{"BREAKING engine: gone or changed: method (Deep) Size() int"}},
	} {
		changes, err := api.Compare(old, load(t, made(map[string]string{tt.file: tt.text})))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		var got []string
		for _, c := range changes {
			line := c.Package + ": " + c.What
			if c.Breaking {
				line = "BREAKING " + line
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(got, tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, diff)
		}
	}
}

func TestUnannounced(t *testing.T) {
	changes := []api.Change{{"rank", "Most: removed", true}, {"engine", "Deep: removed", true}, {"pack", "Fit: added", false}}
	const before = "# Changes\n\n## Unreleased\n\n"
	for _, tt := range []struct {
		log  string
		want []string
	}{
		{"", []string{"rank", "engine"}},
		{before + "* nothing\n", []string{"rank", "engine"}},
		{before + "* BREAKING: `rank.Most` is gone.\n", []string{"engine"}},
		{before + "* BREAKING: `rank` and `engine` lose names.\n", nil},
		{before + "* `rank` and `engine` lose names.\n", []string{"rank", "engine"}},
		{before + "* BREAKING: `ranking` and `engineer` lose names.\n", []string{"rank", "engine"}},
		{before + "## 0.1.0\n\n* BREAKING: `rank`, `engine`.\n", []string{"rank", "engine"}}, // an older one
		{before + "## [v0.1.0] - 2027-01-02\n\n* BREAKING: `rank`, `engine`.\n", []string{"rank", "engine"}},
		{before + "## 0.2.0\n\n* BREAKING: `rank`, `engine`.\n\n## 0.1.0\n", nil}, // about to be released
		{before + "## 0.1.0.1, 10.1.0\n\n* BREAKING: `rank`, `engine`.\n\n## 0.1.0\n", nil},
	} {
		var got []string
		for _, c := range api.Unannounced(changes, tt.log, "v0.1.0") {
			got = append(got, c.Package)
		}
		if diff := cmp.Diff(got, tt.want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", tt.log, diff)
		}
	}
}
