package install

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLineEnds: settings that an editor on Windows wrote keep their line ends and the
// mark at their beginning, in what is put in, too, and taking it out gives the same
// bytes: by the records, and if the file was changed meanwhile, without them.
func TestLineEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	texts := map[string][]string{
		".json": {
			"{\n  \"a\": 1\n}\n", "{\n  \"hooks\": {\n    \"Other\": [\n      1\n    ]\n  },\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}", "{}\n", "{\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"mine\"\n  }\n}\n",
		},
		".toml": {"a = 1\n", "# only words\n", "[b]\nc = '''\nd\n'''\n\n# behind\n", "\n[b]\nc = 1\n"},
	}
	texts[".jsonc"] = append([]string{"// words\n{\n  \"a\": 1, // more\n}\n", "// words alone\n"}, texts[".json"]...)
	for _, c := range Clients {
		for _, mark := range []string{"", "\ufeff"} {
			for i := range 6 {
				dir := t.TempDir()
				o := Options{Scope: User, Version: "v1", Getenv: func(name string) string { return map[string]string{"HOME": dir}[name] }}
				before := map[string]string{}
				for _, f := range o.files(c) {
					if f.Whole != "" {
						continue
					}
					kind := ".jsonc"
					switch {
					case f.Table != "":
						kind = ".toml"
					case f.Plain != "":
						kind = ".json"
					}
					list := texts[kind]
					before[f.Path] = mark + strings.ReplaceAll(list[i%len(list)], "\n", "\r\n")
					if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(f.Path, []byte(before[f.Path]), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := Install(o, c); err != nil {
					t.Fatalf("%s: %v of %q", c, err, before)
				}
				for name, was := range before {
					now, err := os.ReadFile(name)
					if err != nil || string(now) == was || bytes.Count(now, []byte("\n")) != bytes.Count(now, []byte("\r\n")) || bytes.Count(now, []byte("\ufeff")) != strings.Count(mark, "\ufeff") || !bytes.HasPrefix(now, []byte(mark)) {
						t.Errorf("%s: %s was %q and is %q, %v", c, filepath.Base(name), was, now, err)
					}
				}
				if i%2 == 1 { // the records are lost, and the file counts alone
					if err := os.RemoveAll((&o).stateDir()); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := Uninstall(o, c); err != nil {
					t.Fatalf("%s: %v", c, err)
				}
				for name, was := range before {
					now, err := os.ReadFile(name)
					switch {
					case err != nil:
						t.Errorf("%s: %v", c, err)
					case i%2 == 0 && string(now) != was:
						t.Errorf("%s: %s was %q and is %q again", c, filepath.Base(name), was, now)
					case bytes.Contains(now, []byte("satchel")) || bytes.Count(now, []byte("\n")) != bytes.Count(now, []byte("\r\n")) || !bytes.HasPrefix(now, []byte(mark)):
						t.Errorf("%s: without records %s was %q and is %q", c, filepath.Base(name), was, now)
					}
				}
			}
		}
	}
}
