package cli_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

// TestDescriptions: every key of every document is described, in descriptions.txt, which
// the program carries. -update makes it of the comments of the Go fields and of
// testdata/keys.tsv.
func TestDescriptions(t *testing.T) {
	general, special := readKeys(t)
	used := map[string]bool{}
	called := map[string]reflect.Type{}
	comments := map[string]map[string]map[string]string{} // by folder, type and field
	want := schema.Keys{}
	for _, d := range cli.Documents() {
		schema.Fields(d.Type, cli.DocumentTypes(), func(f schema.Field) {
			if other := called[f.Of]; other != nil && other != f.Type {
				t.Fatalf("%s is called as %s is: %s", f.Type, other, f.Of)
			}
			called[f.Of] = f.Type
			words := ""
			if f.Type.Name() != "" {
				dir := filepath.Join("..", "..", "..", filepath.FromSlash(strings.TrimPrefix(f.Type.PkgPath(), "github.com/satchel-dev/satchel")))
				if comments[dir] == nil {
					comments[dir] = fieldComments(t, dir)
				}
				words = inKeys(comments[dir][f.Type.Name()][f.Go.Name], f.Type)
			}
			switch {
			case special[f.Of+"."+f.Key] != "":
				words = special[f.Of+"."+f.Key]
				used[f.Of+"."+f.Key] = true
			case words == "":
				words = general[f.Key]
				used[f.Key] = true
			}
			if words == "" {
				t.Errorf("nothing says what the key %s of %s is: the field %s needs a comment, or testdata/keys.tsv a line", f.Key, f.Of, f.Go.Name)
			}
			if len(words) > 300 || strings.ContainsAny(words, "\t\n[") {
				t.Errorf("%s.%s: too long, or no plain words: %s", f.Of, f.Key, words)
			}
			want.Add(f.Of, f.Key, words)
		})
	}
	for _, keys := range []map[string]string{general, special} {
		for key := range keys {
			if !used[key] {
				t.Errorf("testdata/keys.tsv: no field needs the line of %s", key)
			}
		}
	}
	if t.Failed() {
		return
	}
	if *clitest.Update {
		if err := os.WriteFile("descriptions.txt", []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(cli.DocumentKeys().String(), want.String()); diff != "" {
		t.Errorf("descriptions.txt is out of date (-committed +derived), -update writes it:\n%s", diff)
	}
}

// readKeys reads testdata/keys.tsv: what a key means everywhere, and what one of a type.
func readKeys(t *testing.T) (general, special map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "keys.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	general, special = map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, words, ok := strings.Cut(line, "\t")
		keys := general
		if strings.Contains(key, ".") {
			keys = special
		}
		if !ok || words == "" || keys[key] != "" {
			t.Fatalf("testdata/keys.tsv: no key and words, or a key that was there: %q", line)
		}
		keys[key] = words
	}
	return general, special
}

// fieldComments returns the comments of the fields of all structs in a folder, by the
// names of the types and of the fields.
func fieldComments(t *testing.T, dir string) map[string]map[string]string {
	t.Helper()
	types := map[string]map[string]string{}
	for _, file := range parseFolder(t, dir) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			types[spec.Name.Name] = map[string]string{}
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					types[spec.Name.Name][name.Name] = f.Doc.Text() + f.Comment.Text()
				}
			}
			return true
		})
	}
	return types
}

// fieldName is a word that may be the name of a field.
var fieldName = regexp.MustCompile(`\b[A-Z]\w*\b`)

// inKeys is a comment on one line, in which fields of a type are called as its keys are.
func inKeys(comment string, of reflect.Type) string {
	words := strings.TrimSuffix(strings.Join(strings.Fields(comment), " "), ".")
	return fieldName.ReplaceAllStringFunc(words, func(name string) string {
		f, ok := of.FieldByName(name)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !ok || key == "" || key == "-" {
			return name
		}
		return key
	})
}
