package schematest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/satchel-dev/satchel/internal/front/schema/schematest"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

func parse(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s := new(jsonschema.Schema)
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

// made is a made-up schema, which each case of TestBreaks changes.
const made = `{"type":"object","required":["version","files"],"properties":{
	"version":{"type":"integer","const":1},
	"level":{"type":"string","enum":["low","high"]},
	"files":{"type":"array","items":{"type":"object","required":["path","lines"],"properties":{"path":{"type":"string"},"lines":{"type":"integer"}}}},
	"free":{"type":["null","integer"]},
	"taken":{"type":"string","format":"date-time"},
	"shares":{"type":"object","additionalProperties":{"type":"number"}}}}`

func TestBreaks(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string // what of the schema is replaced by what
		want           []string
	}{
		{"nothing", "", "", nil},
		{"a new key", `"level":{`, `"more":{"type":"string"},"level":{`, nil},
		{"a new key that is always there", `["path","lines"],"properties":{`, `["path","lines","more"],"properties":{"more":{"type":"string"},`, nil},
		{"an optional key that is always there now", `["version","files"]`, `["version","files","level"]`, nil},
		{"a removed key", `"level":{"type":"string","enum":["low","high"]},`, ``, []string{"level: the key is gone"}},
		{"a removed key of an element", `,"lines":{"type":"integer"}`, ``, []string{"files[].lines: the key is gone"}},
		{"a renamed key", `"path":{`, `"file":{`, []string{"files[].path: the key is gone"}},
		{"a changed type", `"lines":{"type":"integer"}`, `"lines":{"type":"string"}`, []string{`files[].lines: type was ["integer"], is ["string"]`}},
		{"a wider type", `"lines":{"type":"integer"}`, `"lines":{"type":["integer","null"]}`, []string{`files[].lines: type was ["integer"], is ["integer" "null"]`}},
		{"an element of another type", `"additionalProperties":{"type":"number"}`, `"additionalProperties":{"type":"string"}`, []string{`shares{}: type was ["number"], is ["string"]`}},
		{"a table that may hold anything", `,"additionalProperties":{"type":"number"}`, ``, []string{"shares{}: only one version describes what it may hold"}},
		{"another format", `"format":"date-time"`, `"format":"date"`, []string{`taken: format was "date-time", is "date"`}},
		{"no format", `,"format":"date-time"`, ``, []string{`taken: format was "date-time", is ""`}},
		{"a format where none was said", `"path":{"type":"string"}`, `"path":{"type":"string","format":"uri"}`, nil},
		{"a word more", `["low","high"]`, `["low","middle","high"]`, []string{`level: values were ["high" "low"], are ["high" "low" "middle"]`}},
		{"a word less", `["low","high"]`, `["low"]`, []string{`level: values were ["high" "low"], are ["low"]`}},
		{"the words in another order", `["low","high"]`, `["high","low"]`, nil},
		{"any word", `,"enum":["low","high"]`, ``, []string{`level: values were ["high" "low"], are []`}},
		{"required, now optional", `["path","lines"]`, `["path"]`, []string{"files[].lines: it was always there, and may be missing"}},
		{"another version under the same name", `"const":1`, `"const":2`, []string{"version: value was 1, is 2"}},
	} {
		if tt.old != "" && strings.Count(made, tt.old) != 1 {
			t.Errorf("%s: %q stands there %d times", tt.name, tt.old, strings.Count(made, tt.old))
		}
		got := schematest.Breaks(parse(t, made), parse(t, strings.Replace(made, tt.old, tt.new, 1)))
		if diff := cmp.Diff(got, tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, diff)
		}
	}
}

func TestCheck(t *testing.T) {
	const fits = `{"version":1,"files":[{"path":"a","lines":1}],"shares":{"x":0.5}}`
	for _, tt := range []struct{ text, want string }{
		{fits, ""},
		{fits + "\n" + fits, ""}, // a stream
		{``, "document 1: EOF"},
		{`{"version":1,"files":[]} x`, "document 2: invalid character"},
		{`{"version":1}`, "document 1: "},
		{`{"version":2,"files":[]}`, "document 1: "},
		{`{"version":1,"files":null}`, "document 1: "},
		{`{"version":1,"files":[],"level":"middle"}`, "document 1: "},
		{`{"version":1,"files":[],"new":1}`, "document 1: "},
		{`{"version":1,"files":[{"path":"a","lines":1,"new":1}]}`, "document 1: "},
		{`{"version":1,"files":[],"shares":{"x":"much"}}`, "document 1: "},
		{fits + `{"version":2,"files":[]}`, "document 2: "},
	} {
		err := schematest.Check(parse(t, made), []byte(tt.text))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestRelease(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	if tag, why, err := schematest.Release(dir); err != nil || tag != "" || !strings.Contains(why, "not a git repository") {
		t.Errorf("a plain folder: %q, %q, %v", tag, why, err)
	}
	r := gittest.At(t, dir)
	if tag, why, err := schematest.Release(dir); err != nil || tag != "" || why == "" {
		t.Errorf("no commit: %q, %q, %v", tag, why, err)
	}
	r.Write("a.json", "one")
	r.Commit("one")
	if tag, why, err := schematest.Release(dir); err != nil || tag != "" || why == "" {
		t.Errorf("nothing is released: %q, %q, %v", tag, why, err)
	}
	r.Git("tag", "v0.1.0")
	if tag, why, err := schematest.Release(dir); err != nil || tag != "" || why == "" {
		t.Errorf("before the first release, at its tag: %q, %q, %v", tag, why, err)
	}
	r.Git("tag", "nightly")
	r.Write("a.json", "two")
	r.Commit("two")
	tag, why, err := schematest.Release(dir)
	if tag != "v0.1.0" || err != nil {
		t.Fatalf("the last release is %q (%s, %v)", tag, why, err)
	}
	r.Git("tag", "v0.2.0")
	if tag, why, err := schematest.Release(dir); tag != "v0.1.0" || err != nil {
		t.Errorf("before the second release, at its tag: %q, %q, %v", tag, why, err)
	}
	if text, ok, err := schematest.Released(dir, tag, "a.json"); text != "one" || !ok || err != nil {
		t.Errorf("released: %q, %v, %v", text, ok, err)
	}
	if _, ok, err := schematest.Released(dir, tag, "b.json"); ok || err != nil {
		t.Errorf("what was not there: %v, %v", ok, err)
	}
}

// TestReleaseElsewhere: the repository is that of the folder, whoever owns it and
// whatever a hook says, and what git cannot read is no clone without tags.
func TestReleaseElsewhere(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.json", "one")
	r.Commit("one")
	r.Git("tag", "v0.1.0")
	r.Write("a.json", "two")
	r.Commit("two")
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "nowhere"))
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	if tag, why, err := schematest.Release(r.Dir); tag != "v0.1.0" || err != nil {
		t.Errorf("the release is %q (%s, %v)", tag, why, err)
	}
	if err := os.WriteFile(filepath.Join(r.Dir, ".git", "config"), []byte("[core\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if tag, why, err := schematest.Release(r.Dir); err == nil {
		t.Errorf("a repository that cannot be read: %q, %q, and no error", tag, why)
	}
}
