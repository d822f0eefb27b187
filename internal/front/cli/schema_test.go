package cli_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
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
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
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
	keys, err := os.ReadFile("descriptions.txt") // the program holds what it was before -update
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range cli.Documents() {
		name := filepath.Join(schemaDir, d.File())
		text, err := d.JSON(cli.DocumentTypes(), schema.ParseKeys(string(keys)))
		if err != nil {
			t.Error(err)
			continue
		}
		old, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) && *clitest.Update {
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
		if *clitest.Update {
			err = os.WriteFile(name, text, 0o644)
		} else if diff := cmp.Diff(string(old), string(text)); diff != "" {
			t.Errorf("%s is out of date (-committed +derived), -update writes it:\n%s", name, diff)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	// Schemas of older versions stay, and so do all that were released.
	entries, err := os.ReadDir(schemaDir)
	if err != nil || len(entries) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	var there, released []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	if tag != "" {
		names, err := schematest.ReleasedNames(root, tag, "docs/schema/")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			released = append(released, path.Base(name))
		}
	}
	for _, fault := range fileFaults(cli.Documents(), there, released, ended, tag != "") {
		t.Error(fault)
	}
}

// ended are the documents that a release had and no command writes any more, each with
// the reason, which stands in the change log too. Their schemas stay for those who have
// such documents.
var ended = map[string]string{}

// fileFaults says what is wrong with the files of schemas that are there: one of a
// document that no command writes and that did not end, one that was released and is
// gone, and a document that is said to have ended and did not. Without a tag nothing is
// known to be released.
func fileFaults(docs []schema.Document, there, released []string, ended map[string]string, tagged bool) (faults []string) {
	say := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	older := regexp.MustCompile(`^(.+)\.v\d+\.json$`)
	nameOf := func(file string) string {
		if m := older.FindStringSubmatch(file); m != nil {
			return m[1]
		}
		return ""
	}
	written := func(name string) bool {
		return slices.ContainsFunc(docs, func(d schema.Document) bool { return d.Name == name })
	}
	for _, file := range there {
		if name := nameOf(file); !written(name) && ended[name] == "" {
			say("%s: no command writes such a document; if a release had it and it is to end, ended says why", file)
		}
	}
	for _, file := range released {
		if !slices.Contains(there, file) {
			say("%s was released, and is gone", file)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ended)) {
		was := slices.ContainsFunc(released, func(file string) bool { return nameOf(file) == name })
		switch {
		case written(name):
			say("%s is said to have ended, and a command writes it", name)
		case tagged && !was:
			say("%s is said to have ended, and was never released: its schema goes with it", name)
		}
	}
	return faults
}

func TestFileFaults(t *testing.T) {
	docs := []schema.Document{{Name: "pack", Version: 2}}
	for _, tt := range []struct {
		name            string
		there, released []string
		ended           map[string]string
		untagged        bool
		want            []string
	}{
		{name: "older versions stay", there: []string{"pack.v1.json", "pack.v2.json"}, released: []string{"pack.v1.json"}},
		{name: "one that nobody writes", there: []string{"gone.v1.json"}, untagged: true,
			want: []string{"gone.v1.json: no command writes such a document; if a release had it and it is to end, ended says why"}},
		{name: "a released one that nobody writes", there: []string{"gone.v1.json"}, released: []string{"gone.v1.json"},
			want: []string{"gone.v1.json: no command writes such a document; if a release had it and it is to end, ended says why"}},
		{name: "one that ended", there: []string{"gone.v1.json"}, released: []string{"gone.v1.json"}, ended: map[string]string{"gone": "why"}},
		{name: "one that ended, in a clone without tags", there: []string{"gone.v1.json"}, ended: map[string]string{"gone": "why"}, untagged: true},
		{name: "the file of one that ended is gone", released: []string{"gone.v1.json"}, ended: map[string]string{"gone": "why"},
			want: []string{"gone.v1.json was released, and is gone"}},
		{name: "one that ended and was never released", there: []string{"gone.v1.json"}, ended: map[string]string{"gone": "why"},
			want: []string{"gone is said to have ended, and was never released: its schema goes with it"}},
		{name: "one that did not end", there: []string{"pack.v2.json"}, released: []string{"pack.v2.json"}, ended: map[string]string{"pack": "why"},
			want: []string{"pack is said to have ended, and a command writes it"}},
	} {
		if diff := cmp.Diff(fileFaults(docs, tt.there, tt.released, tt.ended, !tt.untagged), tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, diff)
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
	words, numbers := 0, 0
	for of, s := range cli.DocumentTypes() {
		if s.Enum == nil {
			continue
		}
		dir := filepath.Join("..", "..", "..", filepath.FromSlash(strings.TrimPrefix(of.PkgPath(), "github.com/satchel-dev/satchel")))
		var got, want []string
		for i, value := range constantsOf(t, dir, of.Name()) {
			switch of.Kind() {
			case reflect.String:
				words++
				word, err := strconv.Unquote(value)
				if err != nil {
					t.Fatalf("%s: %s: %v", of, value, err)
				}
				want = append(want, word)
			case reflect.Int:
				numbers++
				if i == 0 && value != "iota" || i > 0 && value != "" {
					t.Fatalf("%s: constant %d is %q; only those counted by iota can be read", of, i, value)
				}
				v := reflect.New(of).Elem()
				v.SetInt(int64(i))
				text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
				if err != nil {
					t.Fatalf("%s(%d): %v", of, i, err)
				}
				want = append(want, string(text))
			default:
				t.Fatalf("%s is a %s", of, of.Kind())
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
	if words < 40 || numbers < 8 {
		t.Errorf("%d words and %d numbers were looked at", words, numbers)
	}
}

// constantsOf returns the values of the constants of a type in the package of a folder,
// as they are written there: "" where one repeats the expression above it.
func constantsOf(t *testing.T, dir, name string) (values []string) {
	t.Helper()
	for _, file := range parseFolder(t, dir) {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			of := ""
			for _, spec := range g.Specs {
				s := spec.(*ast.ValueSpec)
				if s.Type != nil || s.Values != nil {
					of = ""
				}
				if id, ok := s.Type.(*ast.Ident); ok {
					of = id.Name
				}
				if of != name {
					continue
				}
				for i := range s.Names {
					value := ""
					if i < len(s.Values) {
						value = types.ExprString(s.Values[i])
					}
					values = append(values, value)
				}
			}
		}
	}
	return values
}

// parseFolder parses the Go files of a folder, without its tests.
func parseFolder(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if files == nil {
		t.Fatalf("no sources in %s", dir)
	}
	return files
}
