package document

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/code/outline"
)

// parse outlines a text and takes it apart, as the callers of Parse do.
func parse(t testing.TB, name, text string) *Document {
	t.Helper()
	lang := outline.Language(name, []byte(text))
	o := outline.Parse(lang, []byte(text))
	return Parse(name, lang, []byte(text), o.Symbols)
}

// listed returns the sections as lines of FROM-TO and trail.
func listed(d *Document) string {
	var b strings.Builder
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "%d-%d %s\n", s.From, s.To, s.Path())
	}
	return b.String()
}

func TestSections(t *testing.T) {
	for _, test := range []struct{ why, name, text, want string }{
		{"the trail of headings", "README.md", "# App\nhi\n## Build\n### Windows\nx\n## Use\n", "1-2 App\n3-3 App > Build\n4-5 App > Build > Windows\n6-6 App > Use\n"},
		{"without a title the file is one", "docs/README.md", "intro\n## Build\n### Windows\n## Use\n", "1-1 README\n2-2 README > Build\n3-3 README > Build > Windows\n4-4 README > Use\n"},
		{"a title in the front matter", "a.md", "---\ntitle: Log in\n---\ntext\n## How\n", "1-4 Log in\n5-5 Log in > How\n"},
		{"a comment in a fence is no heading", "a.md", "# A\n```sh\n# not one\n```\n## B\n", "1-4 A\n5-5 A > B\n"},
		{"several titles", "a.md", "# A\n# B\n", "1-1 a > A\n2-2 a > B\n"},
		{"reStructuredText with a line above", "a.rst", "=====\nTitle\n=====\ntext\n\nPart\n----\nx\n", "1-5 Title\n6-8 Title > Part\n"},
		{"AsciiDoc", "a.adoc", "= Title\ntext\n== Part\nx\n", "1-2 Title\n3-4 Title > Part\n"},
		{"org", "a.org", "#+TITLE: Notes\n* One\n** Two\nx\n", "1-1 Notes\n2-2 Notes > One\n3-4 Notes > One > Two\n"},
		{"plain text", "notes.txt", "a\nb\n", "1-2 notes\n"},
		{"MDX", "a.mdx", "import X from 'x'\n\n# A\n<X/>\n", "1-2 A\n3-4 A\n"},
		{"nothing", "a.md", "", ""},
	} {
		if diff := cmp.Diff(test.want, listed(parse(t, test.name, test.text))); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.why, diff)
		}
	}
}

func TestLongSection(t *testing.T) {
	text := "# Long\n" + strings.Repeat("a line\nanother\n\n", 100)
	d := parse(t, "long.md", text)
	if len(d.Sections) < 4 {
		t.Fatalf("%d pieces of 301 lines", len(d.Sections))
	}
	for i, s := range d.Sections {
		if s.To-s.From >= maxSection || s.Part != i || s.Path() != "Long" {
			t.Errorf("piece %d: %+v", i, s)
		}
	}
}

func TestFront(t *testing.T) {
	day := time.Date(2025, 3, 4, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		why, name, text string
		want            Front
	}{
		{"YAML", "a.md", "---\ntitle: \"Log in\"\ntags: [auth, login]\ndate: 2025-03-04\n---\nx", Front{To: 5, Title: "Log in", Tags: []string{"auth", "login"}, Date: day}},
		{"lists and aliases", "a.md", "---\naliases:\n  - Sign in\n  - SSO\n---\n", Front{To: 5, Aliases: []string{"Sign in", "SSO"}}},
		{"TOML", "a.md", "+++\ntitle = 'T'\ndate = 2025-03-04T00:00:00Z\n+++\n", Front{To: 4, Title: "T", Date: day}},
		{"org", "a.org", "#+TITLE: T\n#+DATE: [2025-03-04]\n\ntext", Front{To: 2, Title: "T", Date: day}},
		{"a rule is none", "a.md", "---\ntitle: x\n", Front{}},
		{"what only a parser of YAML would act on is not a title", "a.md", "---\ntitle: *bomb\n---\n", Front{To: 3}},
		{"a bomb of anchors stays text", "a.md", "---\na: &a [x,x]\nb: &b [*a,*a]\ntags: [*b]\n---\n", Front{To: 5, Tags: []string{"*b"}}},
		{"too long to be one", "a.md", "---\n" + strings.Repeat("a: b\n", maxFront) + "---\n", Front{}},
		{"too many tags", "a.md", "---\ntags: [" + strings.Repeat("x,", 100) + "]\n---\n", Front{To: 3, Tags: strings.Split(strings.Repeat("x ", maxFrontItems-1)+"x", " ")}},
	} {
		if diff := cmp.Diff(test.want, parse(t, test.name, test.text).Front); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.why, diff)
		}
	}
}

func TestLinks(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a.md", "see [[Auth Guide#Log in|the guide]] and [x](../b.md#part)", "wiki Auth Guide#Log in, ../b.md#part"},
		{"a.md", "[a](https://x.org/b.md) [b](#here) [c](mailto:x@y.z) <a href='c.md'>", "c.md"},
		{"a.md", "[ref]: docs/c%20d.md \"title\"\n`[[no]]`", "docs/c d.md, wiki no"},
		{"a.md", "```\n[x](y.md)\n```\n", ""},
		{"a.rst", "`text <b.rst>`_ :doc:`patterns/x` .. include:: y\n.. include:: z.rst", "b.rst, patterns/x, z.rst"},
		{"a.adoc", "link:b.adoc[B] xref:c.adoc#p[C] <<d.adoc,D>>", "b.adoc, c.adoc#p, d.adoc"},
		{"a.org", "[[file:b.org][B]] [[c.org]]", "b.org, c.org"},
		{"a.md", "[[]] [[ ]] [](()) [x]() [[a", ""},
	} {
		var got []string
		for _, l := range parse(t, test.name, test.text).Links {
			s := l.Target
			if l.Wiki {
				s = "wiki " + s
			}
			if l.Heading != "" {
				s += "#" + l.Heading
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("links of %q: got %s, want %s", test.text, s, test.want)
		}
	}
}

func TestMentions(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a.md", "call `retryWithBackoff()` of `internal/proxy/proxy.go`", "retryWithBackoff() internal/proxy/proxy.go/"},
		{"a.md", "`app.route` `plain` `v1.2.0` `--flag-name` `x = parse_it(y)`", "app.route()"},
		{"a.md", "```\nload_config(path)\nsee docs/a.md\nword\n```", "load_config docs/a.md/"},
		{"a.rst", ":func:`~flask.Flask.run` ``src/a.py`` `not code`", "flask.Flask.run() src/a.py/"},
		{"a.md", "[x](lib/a.go)", "lib/a.go/"},
		{"a.txt", "`retryWithBackoff`", ""},
	} {
		var got []string
		for _, m := range parse(t, test.name, test.text).Mentions {
			s := m.Name
			if m.Owner != "" {
				s = m.Owner + "." + s
			}
			if m.Path {
				s += "/"
			}
			if m.Called {
				s += "()"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("mentions of %q: got %s, want %s", test.text, s, test.want)
		}
	}
}

func TestPackageDoc(t *testing.T) {
	for _, test := range []struct {
		lang, text string
		from, to   int
		ok         bool
	}{
		{"go", "// Copyright\n\n// Package a does.\n// More.\npackage a\n", 3, 4, true},
		{"go", "/*\nPackage a does.\n*/\npackage a\n", 1, 3, true},
		{"go", "package a\n", 0, 0, false},
		{"python", "#!/usr/bin/env python\n\"\"\"Does.\n\nMore.\n\"\"\"\nimport x\n", 2, 5, true},
		{"python", "'''One line.'''\n", 1, 1, false},
		{"rust", "//! Does.\n//! More.\nuse x;\n", 1, 2, true},
		{"c", "/* a\n b */\n", 0, 0, false},
	} {
		from, to, ok := PackageDoc(test.lang, []byte(test.text))
		if ok != test.ok || ok && (from != test.from || to != test.to) {
			t.Errorf("PackageDoc(%s, %q) = %d, %d, %v", test.lang, test.text, from, to, ok)
		}
	}
}

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{"Log in (SSO)": "log-in-sso", "Don't": "dont", "a_b  c": "a-b-c", "日本": "日本", "--": ""} {
		if got := Slug(text); got != want {
			t.Errorf("Slug(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzParse checks the law of sections: they tile the lines of the file. And that
// links and mentions are of lines that there are, within their limits.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"# A\n## B\ntext\n", "---\ntitle: x\n---\n# A\n", "A\n=\n\nB\n---\n", "* A\n** B\n", "= A\n== B\n", "=====\nT\n=====\n",
		"[[a|b#c]] [x](y) `z()`\n```\ncode\n", "<!--\n# no\n-->\n# yes\n", "\xff\xfe\x00#\n# \x1b[31m\u202e\n", "# " + strings.Repeat("x", 5000), strings.Repeat("[[", 2000), strings.Repeat("`", 3000),
	} {
		for i := range Languages {
			f.Add(s, i)
		}
	}
	names := []string{"a.md", "a.rst", "a.adoc", "a.org", "a.txt"}
	f.Fuzz(func(t *testing.T, text string, which int) {
		name := names[(which%len(names)+len(names))%len(names)]
		lang := outline.Language(name, []byte(text))
		o := outline.Parse(lang, []byte(text))
		d := Parse(name, lang, []byte(text), o.Symbols)
		lines := len(split([]byte(text)))
		next := 1
		for _, s := range d.Sections {
			if s.From != next || s.To < s.From || len(s.Trail) == 0 {
				t.Fatalf("section %+v after line %d", s, next-1)
			}
			next = s.To + 1
		}
		if next != lines+1 {
			t.Errorf("sections end at line %d of %d", next-1, lines)
		}
		if len(d.Links) > maxLinks || len(d.Mentions) > maxMentions || len(d.Code) != lines {
			t.Errorf("%d links, %d mentions, %d of %d lines", len(d.Links), len(d.Mentions), len(d.Code), lines)
		}
		for _, l := range d.Links {
			if l.Line < 1 || l.Line > lines || l.Target == "" || len(l.Target) > maxTarget {
				t.Errorf("link %+v", l)
			}
		}
		for _, m := range d.Mentions {
			if m.Line < 1 || m.Line > lines || m.Name == "" {
				t.Errorf("mention %+v", m)
			}
		}
		from, to, ok := PackageDoc("go", []byte(text))
		if ok && (from < 1 || to > lines || from > to) {
			t.Errorf("PackageDoc: %d-%d of %d", from, to, lines)
		}
	})
}
