package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// write makes a folder of files.
func write(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func open(tb testing.TB, o engine.Options) *engine.Engine {
	tb.Helper()
	e, err := engine.Open(context.Background(), &o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { e.Close() })
	return e
}

func rendered(t *testing.T, p *satchel.Pack, f render.Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := render.Pack(&b, p, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A pack of everything shows every file in full, redacted, and its count is that
// of the bytes that are written, whether the texts' counts are known or not.
func TestPackEverything(t *testing.T) {
	ctx := context.Background()
	key := "ghp_" + "x7Kq2LmZ9vTn4RbW8sYc3HdF6gJp1AeUoXi5" // apart, so that nobody takes it for a leak
	files := map[string]string{
		"README.md":       "\n# Title\n\ntext without an end",
		"cmd/main.go":     "// Package main runs.\npackage main\n\nfunc main() {}\n",
		"cmd/empty.go":    "",
		"cmd/spaces.go":   "   \n\npackage main\n",
		"config/token.go": "package config\n\nconst token = \"" + key + "\"\n",
		"lib/ünï.py":      "é = 1\r\n\r\nprint('hi')\r\n",
	}
	for i := range 300 { // more than one batch
		files[fmt.Sprintf("many/f%03d.go", i)] = fmt.Sprintf("package many\n\nfunc F%d() int { return %d }\n", i, i)
	}
	dir, cache := write(t, files), t.TempDir()
	for _, format := range []render.Format{render.Markdown, render.XML, render.Plain} {
		var first string
		for _, o := range []engine.Options{{Dir: dir, CacheDir: cache}, {Dir: dir, CacheDir: cache}, {Dir: dir, NoCache: true}} {
			p, err := open(t, o).Pack(ctx, satchel.Request{Format: string(format)})
			if err != nil {
				t.Fatal(err)
			}
			text := rendered(t, p, format)
			if first == "" {
				first = text
			}
			if diff := cmp.Diff(first, text); diff != "" {
				t.Fatalf("%s: a warm pack differs from a cold one (-cold +warm):\n%s", format, diff)
			}
			if n := tokens.O200k().Count(text); p.Used != n {
				t.Errorf("%s: used = %d, want %d", format, p.Used, n)
			}
			if len(p.Entries) != len(files) {
				t.Errorf("%s: %d entries, want %d", format, len(p.Entries), len(files))
			}
			if strings.Contains(text, key) {
				t.Errorf("%s: the pack shows a secret", format)
			}
			want := satchel.Diagnostic{Path: "config/token.go", Text: "1 secret redacted"}
			if !strings.Contains(fmt.Sprint(p.Diagnostics), want.Text) {
				t.Errorf("%s: diagnostics %v, want %v among them", format, p.Diagnostics, want)
			}
			for _, e := range p.Entries {
				if e.Tokens != tokens.O200k().Count(e.Text.String()) {
					t.Errorf("%s: %s has %d tokens, want %d", format, e.Ref.Path, e.Tokens, tokens.O200k().Count(e.Text.String()))
				}
				if e.Text.IsZero() != (e.Ref.Path == "cmd/empty.go") {
					t.Errorf("%s: %s shows %q", format, e.Ref.Path, e.Text)
				}
			}
		}
	}
}

// Paths restrict what is everything.
func TestPackEverythingBelow(t *testing.T) {
	dir := write(t, map[string]string{"a/x.go": "package a\n", "ab/y.go": "package ab\n", "b/z.go": "package b\n"})
	p, err := open(t, engine.Options{Dir: dir, NoCache: true}).Pack(context.Background(), satchel.Request{Paths: []string{"a/", "b/z.go"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range p.Entries {
		got = append(got, e.Ref.Path)
	}
	if diff := cmp.Diff([]string{"a/x.go", "b/z.go"}, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// A few files that are named and do not fit are shown by their functions; in the map
// of a folder they have an outline.
func TestPackNamedFiles(t *testing.T) {
	var text strings.Builder
	text.WriteString("package a\n")
	for i := range 60 {
		fmt.Fprintf(&text, "\n// Step%d does step %d.\nfunc Step%d(n int) int {\n\tn += %d\n\treturn n * 2\n}\n", i, i, i, i)
	}
	dir := write(t, map[string]string{"a/x.go": text.String(), "a/y.go": strings.ReplaceAll(text.String(), "Step", "Other")})
	e := open(t, engine.Options{Dir: dir, NoCache: true})
	for _, tt := range []struct {
		paths []string
		full  bool
	}{{[]string{"a/x.go"}, true}, {[]string{"a/x.go", "a/y.go"}, true}, {[]string{"a/"}, false}} {
		const budget = 1000
		p, err := e.Pack(t.Context(), satchel.Request{Paths: tt.paths, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		functions := slices.ContainsFunc(p.Entries, func(e satchel.Entry) bool { return e.Detail == satchel.Full })
		if functions != tt.full || tt.full && p.Used < budget*8/10 {
			t.Errorf("%v: functions %v, %d of %d tokens", tt.paths, functions, p.Used, budget)
		}
	}
}
