package archtest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// root is the root of the module.
const root = "../.."

var parsed = sync.OnceValues(func() ([]File, error) { return Parse(os.DirFS(root)) })

// parseTree returns the files of the module, which it parses once.
func parseTree(t *testing.T) []File {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 4 { // a rule that sees no files cannot fail
		t.Fatalf("found %d Go files below %s", len(files), root)
	}
	return files
}

func report(t *testing.T, bad []string) {
	t.Helper()
	for _, b := range bad {
		t.Error(b)
	}
}

func TestImports(t *testing.T)  { report(t, Imports(parseTree(t), Layers, Pure)) }
func TestFamilies(t *testing.T) { report(t, Families(parseTree(t), "internal/front/cli")) }
func TestDocs(t *testing.T)     { report(t, Docs(parseTree(t))) }
func TestNames(t *testing.T)    { report(t, Names(parseTree(t))) }

func TestComments(t *testing.T) { report(t, Comments(parseTree(t))) }

func TestConnections(t *testing.T) {
	files := parseTree(t)
	all := []string{Network, TestServer}
	report(t, Connections(files, all...))
	for i, p := range all {
		if len(Connections(files, slices.Delete(slices.Clone(all), i, i+1)...)) == 0 {
			t.Errorf("%s opens no connection: the rule sees nothing", p)
		}
	}
}

func TestRedactions(t *testing.T) {
	files := parseTree(t)
	report(t, Redactions(files, Borders...))
	for i, p := range Borders {
		if len(Redactions(files, slices.Delete(slices.Clone(Borders), i, i+1)...)) == 0 {
			t.Errorf("%s redacts nothing: it is no border", p)
		}
	}
}

func TestRenames(t *testing.T) { report(t, Renames(parseTree(t))) }

func TestWords(t *testing.T) {
	bad, err := Words(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	report(t, bad)
}

// TestLayersExist keeps the list honest in the other direction: no layer names
// a folder that is gone, no folder is listed twice.
func TestLayersExist(t *testing.T) {
	have := make(map[string]bool)
	for _, f := range parseTree(t) {
		for dir := f.Dir; !have[dir]; dir = path.Dir(dir) {
			have[dir] = true
		}
	}
	var seen []string
	for _, layer := range Layers {
		for _, p := range layer {
			if slices.Contains(seen, p) {
				t.Errorf("%s is in two layers", p)
			}
			seen = append(seen, p)
			if !have[p] {
				t.Errorf("%s is in Layers, but holds no Go file", p)
			}
		}
	}
	for _, p := range Pure {
		if folder, _ := folderOf(p, Layers); folder == "" {
			t.Errorf("%s is pure, but in no layer", p)
		}
	}
}

// TestArchitectureShowsLayers compares the list with the one that people read.
func TestArchitectureShowsLayers(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, layer := range Layers {
		if i > 0 {
			b.WriteString("\n    → ")
		} else {
			b.WriteString("      ")
		}
		b.WriteString(strings.ReplaceAll(strings.Join(layer, ", "), "., ", "satchel, "))
	}
	if !strings.Contains(string(text), b.String()) {
		t.Errorf("ARCHITECTURE.md does not hold the layers as they are:\n%s", b.String())
	}
}

// TestCodeMap: the code map names each folder of the layers once, and no other.
func TestCodeMap(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "## Code map")
	page, _, _ := strings.Cut(rest, "\n## ")
	for _, f := range parseTree(t) {
		folder, _ := folderOf(f.Dir, Layers)
		if folder == "." || folder == "" { // the vocabulary is named by its files
			continue
		}
		if n := strings.Count(page, "`"+folder+"`:") + strings.Count(page, "`"+folder+"`,"); n != 1 {
			t.Errorf("the code map has %d lines for %s, want one", n, folder)
		}
	}
}

// TestRulesBite shows each rule a tree that breaks it.
func TestRulesBite(t *testing.T) {
	tree := fstest.MapFS{
		"satchel.go":            file("// Package satchel is fine.\npackage satchel\nimport _ \"" + Module + "/engine\""),
		"tokens/a.go":           file("// Package tokens is fine.\npackage tokens\nimport (_ \"" + Module + "\"; _ \"net/http\"; _ \"os\"; _ \"example.com/x\"; _ \"strings\")"),
		"tokens/a_test.go":      file("package tokens\nimport _ \"os\""),
		"engine/a.go":           file("// The engine.\npackage engine\nimport _ \"" + Module + "/tokens\"\ntype StepManager struct{}\nfunc GetStep() {}\nfunc Getaway() {}"),
		"lost/a.go":             file("package lost"),
		"utils/a.go":            file("// Package utils is here.\npackage utils\n// " + "TO" + "DO" + ": all\n// MATODOR is no mark"),
		"tokens/gen/a.go":       file("// Gen makes tables.\npackage main\nimport (_ \"" + Module + "/engine\"; _ \"" + Module + "/nowhere\")"),
		"tokens/testdata/a.go":  file("package broken {"),
		"tools/go.mod":          file("module tools"),
		"tools/a.go":            file("package tools"),
		"world/git/a.go":        file("// Package git is fine.\npackage git\nimport _ \"" + Module + "/world/llm\""),
		"world/llm/a.go":        file("// Package llm is fine.\npackage llm\nimport _ \"" + Module + "/engine\""),
		"tokens/b.go":           file("// Package tokens says it twice.\npackage tokens"),
		"engine/cli/a.go":       file("// Package cli is fine.\npackage cli\nimport _ \"" + Module + "/engine/cli/note\""),
		"engine/cli/note/a.go":  file("// Package note is fine.\npackage note\nimport (_ \"" + Module + "/engine/cli/base\"; _ \"" + Module + "/engine/cli/pack\")"),
		"docs/plan.md":          file("fine\n" + "FIX" + "ME later\n"),
		"docs/testdata/note.md": file("TO" + "DO"),
	}
	for i := range 21 {
		tree[fmt.Sprintf("engine/cli/many/f%02d.go", i)] = file("package many")
	}
	tree["engine/cli/many/f00.go"] = file("// Package many is large.\npackage many")
	files, err := Parse(tree)
	if err != nil {
		t.Fatal(err)
	}
	layers := [][]string{{".", "tokens"}, {"world"}, {"engine"}}
	words, err := Words(tree)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Concat(Imports(files, layers, []string{".", "tokens"}), Connections(files, "engine"), Families(files, "engine/cli"), Docs(files), Names(files), words)
	want := []string{
		`lost/a.go: package "lost" is in no layer: add it to Layers`,
		`satchel.go: package "." imports "` + Module + `/engine", which is not below it`,
		`tokens/a.go: package "tokens" imports "` + Module + `", which is not below it`,
		`tokens/a.go: pure package "tokens" imports "net/http": the engine never talks to the network`,
		`tokens/a.go: pure package "tokens" imports "os": take an io.Reader or the bytes`,
		`tokens/a.go: pure package "tokens" imports "example.com/x": third-party code hides under internal/`,
		`tokens/gen/a.go: package "tokens/gen" imports "` + Module + `/nowhere", which is in no layer`,
		`utils/a.go: package "utils" is in no layer: add it to Layers`,
		`world/llm/a.go: package "world/llm" imports "` + Module + `/engine", which is not below it`,
		`tokens/a.go: package "tokens" imports "net/http": only engine talks to the network`,
		`engine/cli/many: more than 20 files: split it by subject`,
		`engine/cli/note/a.go: a family of commands imports another, pack: move what both need to base`,
		`engine/a.go: the doc comment does not begin with "Package engine"`,
		`lost: package lost has no doc comment: say what it is for and what it does not do`,
		`tokens: package tokens has doc comments in tokens/a.go and tokens/b.go: keep one`,
		`engine/a.go: type StepManager: "Manager" says nothing`,
		`engine/a.go: func GetStep: leave out the Get`,
		`utils/a.go: package name "utils" says nothing`,
		`docs/plan.md:2: "` + "FIX" + `ME": finish it, or date it in docs/design/014-rough-edges.md`,
		`utils/a.go:3: "` + "TO" + `DO": finish it, or date it in docs/design/014-rough-edges.md`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules on a broken tree (-want +got):\n%s", diff)
	}
}

// TestCommentsBite shows the rule comments that stayed behind, and some that are fine.
func TestCommentsBite(t *testing.T) {
	files, err := Parse(fstest.MapFS{
		"a/a.go": file(`package a

// gather makes an offer.
func offers() {}

// Offers, of all kinds, are made here.
func Offers() {}

// An Meaning asks.
type Meaning int

// A Item is one thing.
type Item int

type (
	// A Use is what a call does.
	Use int
	// What is known.
	verdict int
)

// The string of a Use.
func (Use) String() string { return "" }

// An Entry's place.
type Entry int

// Here it begins.
func main() {}

func Bare() {}
`),
		"a/a_test.go": file("package a\n// It tests.\nfunc TestAll() {}"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a/a.go: the comment of offers does not begin with offers",
		`a/a.go: the comment of Meaning begins with "An Meaning", want "A Meaning"`,
		`a/a.go: the comment of Item begins with "A Item", want "An Item"`,
		"a/a.go: the comment of verdict does not begin with verdict",
		"a/a.go: the comment of String does not begin with String",
	}
	if diff := cmp.Diff(want, Comments(files)); diff != "" {
		t.Errorf("comments (-want +got):\n%s", diff)
	}
}

// TestRedactionsBite shows the rule a package that redacts, one that may, and one
// that only asks about a path.
func TestRedactionsBite(t *testing.T) {
	imp := "import s \"" + Module + "/" + secretsDir + "\"\n"
	files, err := Parse(fstest.MapFS{
		"world/leak.go":    file("package world\n" + imp + "var a, _ = s.Redact(\"\", nil)"),
		"engine/border.go": file("package engine\n" + imp + "var a, _ = s.RedactTurn(nil)"),
		"front/ask.go":     file("package front\n" + imp + "var a = s.Sealed(\"\")"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`world/leak.go: package "world" calls s.Redact: make a Text of internal/text/clean`}
	if diff := cmp.Diff(want, Redactions(files, "engine")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestRenamesBite shows the rule packages that replace a file in several ways, the one
// that may, and those that do it through that one or rename something else.
func TestRenamesBite(t *testing.T) {
	files, err := Parse(fstest.MapFS{
		"internal/store/x.go":     file("package store\nimport sys \"os\"\nvar err = sys.Rename(\"a\", \"b\")"),
		"internal/world/fsx/f.go": file("package fsx\nimport \"os\"\nvar err = os.Rename(\"a\", \"b\")"),
		"internal/front/t.go":     file("package front\nimport \"github.com/satchel-dev/satchel/transcript\"\nvar text, err = transcript.Rename(text, names)"),
		"internal/front/y.go":     file("package front\nimport \"os\"\nvar s struct{ dir *os.Root }\nvar err = s.dir.Rename(\"a\", \"b\")"),
		"internal/front/z.go":     file("package front\nimport \"github.com/satchel-dev/satchel/internal/world/fsx\"\nvar err = fsx.Rename(\"d\", \"a\", \"b\")"),
		"internal/front/v.go":     file("package front\nimport \"os\"\nvar replace = os.Rename"),
		"rank/r.go":               file("package rank\nvar transcript root\nvar err = transcript.Rename(\"a\", \"b\")"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`internal/front/v.go: package "internal/front" calls os.Rename: use internal/world/fsx`,
		`internal/front/y.go: package "internal/front" calls s.dir.Rename: use internal/world/fsx`,
		`internal/store/x.go: package "internal/store" calls sys.Rename: use internal/world/fsx`,
		`rank/r.go: package "rank" calls transcript.Rename: use internal/world/fsx`,
	}
	if diff := cmp.Diff(want, Renames(files)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// TestChangeLog: the same entry is not told twice, as after a merge that kept both
// sides.
func TestChangeLog(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	const begin = 50 // bytes that tell entries apart
	seen := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "* ") {
			continue
		}
		head := line[:min(begin, len(line))]
		if seen[head] {
			t.Errorf("two entries begin with %q", head)
		}
		seen[head] = true
	}
	if len(seen) == 0 {
		t.Error("the change log has no entries")
	}
}
