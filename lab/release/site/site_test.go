package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// small is a navigation of one page beside the documents.
var small = []Group{{"Start", []string{"README.md"}}, {reference, nil}, {design, nil}}

// render renders a repository of a few files.
func render(t *testing.T, files map[string]string) (map[string][]byte, error) {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	s, err := Read(tree, small)
	if err != nil {
		return nil, err
	}
	return s.Render("v1.2.3")
}

// TestDocuments renders the real documents: every link and anchor in them leads
// somewhere, and no page loads anything from elsewhere. They lie outside this module,
// so that go test keeps a result that they have outlived: -count=1 runs it.
func TestDocuments(t *testing.T) {
	root := os.DirFS("../../..")
	s, err := Read(root, groups)
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.Render("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(documents) < 10 {
		t.Fatalf("found %d documents (%v)", len(documents), err)
	}
	for _, name := range documents {
		if to := strings.TrimSuffix(filepath.Base(name), ".md") + ".html"; files[to] == nil {
			t.Errorf("%s is not in the site", name)
		}
	}
	loads := regexp.MustCompile(`(src|srcset|data|poster|action)="(https?:)?//|<link[^>]+href="(https?:)?//|<(iframe|object|embed|base|form|style)\b|url\(|@import|\bon[a-z]+="`)
	links := regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	ids := regexp.MustCompile(` id="([^"]+)"`)
	for name, text := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		if at := loads.FindIndex(text); at != nil {
			t.Errorf("%s: %s", name, text[at[0]:min(at[1]+40, len(text))])
		}
		if n := strings.Count(string(text), "<script"); n != 2 {
			t.Errorf("%s has %d scripts, want 2", name, n)
		}
		// What stands in the pages, whoever wrote it there.
		for _, m := range links.FindAllStringSubmatch(string(text), -1) {
			to, id, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, ":") {
				continue
			}
			of := name
			if to != "" {
				of = filepath.ToSlash(filepath.Join(filepath.Dir(name), to))
			}
			if of == "../index.html" {
				continue
			}
			if files[of] == nil {
				t.Errorf("%s: %s leads to %s, which is not there", name, m[1], of)
			} else if id != "" && !slices.ContainsFunc(ids.FindAllStringSubmatch(string(files[of]), -1), func(m []string) bool { return m[1] == id }) {
				t.Errorf("%s: %s has no such anchor", name, m[1])
			}
		}
		seen := map[string]bool{}
		for _, m := range ids.FindAllStringSubmatch(string(text), -1) {
			if seen[m[1]] {
				t.Errorf("%s has the id %s twice", name, m[1])
			}
			seen[m[1]] = true
		}
	}
}

func TestBroken(t *testing.T) {
	good := map[string]string{"README.md": "# A\n\n[b](docs/b.md#two-words) and [its code](x.go)\n", "docs/b.md": "# B\n\n## Two words\n\n[a](../README.md), [here](#two-words)\n", "x.go": "package x\n"}
	if _, err := render(t, good); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, want string }{
		{"[x](c.md)", "docs/b.md: link to c.md: there is no docs/c.md"},
		{"[x](../README.md#nowhere)", "docs/b.md: link to ../README.md#nowhere: README.md has no heading #nowhere"},
		{"[x](#nowhere)", "docs/b.md: link to #nowhere: docs/b.md has no heading #nowhere"},
		{"[x](javascript:alert(1))", "docs/b.md: link to javascript:alert(1): want https, http, mailto or a path beside the page"},
		{"[x](//example.com/y)", "docs/b.md: link to //example.com/y: want https, http, mailto or a path beside the page"},
		{"![x](https://example.com/y.png)", "docs/b.md: image https://example.com/y.png: want a file below docs"},
		{"![x](gone.svg)", "docs/b.md: image gone.svg: want a file below docs"},
		{"| a | b |", `docs/b.md: "| a | b |"… is no part of a table: is there an empty line above it?`},
	} {
		files := map[string]string{}
		for name, text := range good {
			files[name] = text
		}
		files["docs/b.md"] += "\n" + tt.line + "\n"
		if _, err := render(t, files); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.line, err, tt.want)
		}
	}
	if _, err := render(t, map[string]string{"README.md": "no title\n"}); err == nil || err.Error() != "README.md: does not begin with a title" {
		t.Errorf("no title: %v", err)
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a <b onclick=x>c</b>", "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>"},
		{"<script>\nalert(1)\n</script>", "<p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;\n</p>"},
		{"    <i> & x", `<pre tabindex="0"><code>&lt;i&gt; &amp; x` + "\n</code></pre>"},
		{"b.md says, docs/design/001-x.md too", `<p><a href="b.html">b.md</a> says, <a href="design/001-x.html">docs/design/001-x.md</a> too</p>`},
		{"not c.md, not x/b.md, not `b.md`, not README.md", "<p>not c.md, not x/b.md, not <code class=\"short\">b.md</code>, not README.md</p>"},
		{"one b.md\ntwo b.md", "<p>one <a href=\"b.html\">b.md</a>\ntwo <a href=\"b.html\">b.md</a></p>"},
		{"[b.md](docs/b.md)", `<p><a href="b.html">b.md</a></p>`},
		{"[all](docs/)", `<p><a href="https://github.com/satchel-dev/satchel/tree/v1.2.3/docs">all</a></p>`},
		{"![x](docs/x.svg)", `<p><img src="x.svg" alt="x"></p>`},
		{"| a |\n|---|\n| b |", "<div class=\"table\" tabindex=\"0\"><table>\n<thead>"},
	} {
		files, err := render(t, map[string]string{"README.md": "# A\n\n" + tt.text + "\n", "docs/b.md": "# B\n", "docs/design/001-x.md": "# X\n\nb.md\n", "docs/x.svg": "<svg/>"})
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if !strings.Contains(string(files["index.html"]), tt.want) {
			_, body, _ := strings.Cut(string(files["index.html"]), "<main")
			t.Errorf("%q is %s, want %s in it", tt.text, body, tt.want)
		}
		if want := `<p><a href="../b.html">b.md</a></p>`; !strings.Contains(string(files["design/001-x.html"]), want) {
			t.Errorf("a design note is %s, want %s in it", files["design/001-x.html"], want)
		}
	}
}

func TestAnchors(t *testing.T) {
	a := anchors{}
	var got []string
	for _, h := range []string{"Install", "The budget `auto`", "What it never does", "JSON: keys, types", "Install", "Install", "snake_case & ünïcode", "a - b", "install-1"} {
		got = append(got, string(a.Generate([]byte(h), 0)))
	}
	want := []string{"install", "the-budget-auto", "what-it-never-does", "json-keys-types", "install-1", "install-2", "snake_case--ünïcode", "a---b", "install-1-1"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
}

func TestVersions(t *testing.T) {
	out := filepath.Join(t.TempDir(), "site")
	for _, v := range []string{"v0.9.0", "devel", "v0.10.0", "v0.11.0-rc.1"} {
		if err := run("../../..", v, out); err != nil {
			t.Fatal(err)
		}
	}
	if err := run("../../..", "v0.9.0", out); err != nil { // again, over what is there
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`>(v[0-9.a-z-]+|devel)</a>`).FindAllStringSubmatch(string(text), -1) {
		got = append(got, m[1])
	}
	if diff := cmp.Diff(got, []string{"v0.10.0", "v0.9.0", "v0.11.0-rc.1", "devel"}); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(text), `url=v0.10.0/index.html"`) {
		t.Errorf("the front does not lead to the newest release:\n%s", text)
	}

	if text, err := os.ReadFile(filepath.Join(out, "llms.txt")); err != nil || !strings.Contains(string(text), "\n- [Overview](https://raw.githubusercontent.com/satchel-dev/satchel/v0.10.0/README.md)\n") {
		t.Errorf("llms.txt: %v:\n%s", err, text)
	}

	other := filepath.Join(out, "v1.0.0")
	if err := os.MkdirAll(filepath.Join(other, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := run("../../..", "v1.0.0", out); err == nil || !strings.Contains(err.Error(), "is not a site") {
		t.Errorf("over another folder: %v, want a refusal", err)
	}
	for _, v := range []string{"", "..", "v1", "v1.2.3/../.."} {
		if err := run("../../..", v, out); err == nil {
			t.Errorf("version %q is taken", v)
		}
	}
}
