package cli_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/front/schema/schematest"
)

// schemaDir holds the committed schemas.
var schemaDir = filepath.Join("..", "..", "..", "docs", "schema")

// TestSchemas compares the schemas of all documents with the committed ones, and with
// those of the last release. Where readers of one would fail, -update does not write it:
// the document needs a new version, and the schema of the old one stays.
func TestSchemas(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	tag, why, err := schematest.Release(root)
	if err != nil {
		t.Fatal(err)
	}
	if tag == "" {
		t.Logf("compared with the committed schemas alone: no released version is known: %s", why)
	}
	want := map[string]bool{}
	for _, d := range cli.Documents() {
		name := filepath.Join(schemaDir, d.File())
		want[d.File()] = true
		text, err := d.JSON(cli.DocumentTypes())
		if err != nil {
			t.Error(err)
			continue
		}
		old, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) && *update {
			old = text
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if err != nil {
			t.Errorf("%v; -update writes it", err)
			continue
		}
		before := map[string]string{"the committed one": string(old)}
		if tag != "" {
			released, ok, err := schematest.Released(root, tag, "docs/schema/"+d.File())
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				before["that of "+tag] = released
			}
		}
		broken := false
		for which, s := range before {
			for _, why := range schematest.Breaks(parseSchema(t, d.File(), []byte(s)), parseSchema(t, d.File(), text)) {
				t.Errorf("%s differs from %s: %s: raise the version of the document", d.File(), which, why)
				broken = true
			}
		}
		if broken {
			continue
		}
		if *update {
			err = os.WriteFile(name, text, 0o644)
		} else if diff := cmp.Diff(string(old), string(text)); diff != "" {
			t.Errorf("%s is out of date (-committed +derived), -update writes it:\n%s", name, diff)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	// Schemas of older versions stay, of documents that are still written, and so do all
	// that were released.
	entries, err := os.ReadDir(schemaDir)
	if err != nil || len(entries) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	older := regexp.MustCompile(`^(.+)\.v\d+\.json$`)
	for _, e := range entries {
		m := older.FindStringSubmatch(e.Name())
		if !want[e.Name()] && (m == nil || !slices.ContainsFunc(cli.Documents(), func(d schema.Document) bool { return d.Name == m[1] })) {
			t.Errorf("%s: no command writes such a document", e.Name())
		}
	}
	if tag == "" {
		return
	}
	released, err := schematest.ReleasedNames(root, tag, "docs/schema/")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range released {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Errorf("%s was released with %s: %v", name, tag, err)
		}
	}
}

func parseSchema(t *testing.T, name string, text []byte) *jsonschema.Schema {
	t.Helper()
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// TestDocumentWriters demands a document of every command with --json, and that those
// in the table are commands and flags that exist.
func TestDocumentWriters(t *testing.T) {
	root := cli.Root()
	writes := map[string]bool{}
	names := []string{}
	for _, d := range cli.Documents() {
		names = append(names, d.Name)
		for _, w := range d.Writers {
			words, flags, _ := strings.Cut(w, " --")
			c, rest, err := root.Find(strings.Fields(words))
			if err != nil || len(rest) > 0 {
				t.Errorf("%s: %q is no command", d.Name, words)
				continue
			}
			writes[words] = true
			for _, f := range strings.Split(flags, " --") {
				if f != "" && c.Flags().Lookup(f) == nil {
					t.Errorf("%s: satchel %s has no flag --%s", d.Name, words, f)
				}
			}
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("the names are not in order, or one is there twice: %q", names)
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if name := strings.TrimPrefix(c.CommandPath(), "satchel "); c.Flags().Lookup("json") != nil && !writes[name] {
			t.Errorf("satchel %s has --json, and no document says what it writes", name)
		}
	}
	walk(root)
}

// TestEnums reads the constants of the types with few words from the source: a new word
// is another version of the documents that have it, and no reader must find that out.
func TestEnums(t *testing.T) {
	checked := 0
	for of, s := range cli.DocumentTypes() {
		if s.Enum == nil || of.Kind() != reflect.String {
			continue
		}
		checked++
		dir := filepath.Join("..", "..", "..", filepath.FromSlash(strings.TrimPrefix(of.PkgPath(), "github.com/satchel-dev/satchel")))
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no sources in %s: %v", of, dir, err)
		}
		constant := regexp.MustCompile(`(?m)^\s+\w+\s+` + of.Name() + `\s+= (".*?")`)
		var got, want []string
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range constant.FindAllSubmatch(text, -1) {
				word, err := strconv.Unquote(string(m[1]))
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, word)
			}
		}
		for _, v := range s.Enum {
			got = append(got, v.(string))
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s (-in the schemas +constants):\n%s", of, diff)
		}
	}
	if checked < 8 {
		t.Errorf("%d types were looked at", checked)
	}
}
