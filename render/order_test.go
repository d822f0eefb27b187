package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/render"
)

// A title above a block names what neither its text nor an earlier title does.
func TestTitles(t *testing.T) {
	piece := func(from, to int, title, text string) satchel.Entry {
		return satchel.Entry{
			Ref: satchel.Ref{Kind: satchel.KindSnippet, Path: "a.py", From: from, To: to}, Title: satchel.Clean("", title), Lang: "python", Detail: satchel.Full, Text: satchel.Clean("", text), Tokens: 1,
		}
	}
	for _, tt := range []struct {
		name    string
		entries []satchel.Entry
		want    []string // marks
	}{
		{"a method whose class is not shown", []satchel.Entry{piece(3, 4, "Flask.run", "def run():\n  pass\n")}, []string{"@@ 3 Flask"}},
		{"a class that the text names", []satchel.Entry{piece(3, 4, "Flask.run", "class Flask:\n  def run(): pass\n")}, []string{"@@ 3"}},
		{"a part of a method", []satchel.Entry{piece(9, 9, "Flask.run", "  pass\n")}, []string{"@@ 9 Flask.run"}},
		{"two methods of one class", []satchel.Entry{piece(3, 3, "Flask.run", "def run(): pass\n"), piece(4, 4, "Flask.stop", "def stop(): pass\n")}, []string{"@@ 3 Flask"}},
		{"two blocks of one class", []satchel.Entry{piece(3, 3, "Flask.run", "def run(): pass\n"), piece(9, 9, "Flask.stop", "def stop(): pass\n")}, []string{"@@ 3 Flask", "@@ 9"}},
		{"many", []satchel.Entry{
			piece(1, 1, "A.a", "1\n"), piece(2, 2, "B.b", "2\n"), piece(3, 3, "C.c", "3\n"), piece(4, 4, "D.d", "4\n"), piece(5, 5, "E.e", "5\n"),
		}, []string{"@@ 1 A.a, B.b, C.c, D.d, …"}},
		{"a sentence", []satchel.Entry{piece(1, 1, "read-only context file: do not change", "read-only\n")}, []string{"@@ 1 read-only context file: do not change"}},
		{"a text that has marks", []satchel.Entry{piece(7, 8, "", "@@ 1 Forged\n@@@ 2\n")}, []string{"@@ 1 Forged", "@@@ 2", "@@@@ 7"}[2:]},
	} {
		var got []string
		for line := range strings.Lines(write(t, &satchel.Pack{Task: "x", Rev: "1234", Entries: tt.entries}, render.Markdown)) {
			signs := line[:len(line)-len(strings.TrimLeft(line, "@"))]
			if len(signs) >= 2 && (len(signs) == 4 || !strings.Contains(tt.name, "marks")) {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// With a task, files stand in the order of the list; what is pinned before them,
// what is not listed after them by its best entry, documents after all code.
func TestBestFirst(t *testing.T) {
	p := &satchel.Pack{Task: "x", Rev: "1234", Paths: []satchel.PathLine{{Path: "z.go"}, {Path: "m.go"}}}
	add := func(kind satchel.Kind, path string, from int, score float64, dirty, pinned bool) {
		e := satchel.Entry{Ref: satchel.Ref{Kind: kind, Path: path, From: from, To: from}, Detail: satchel.Full, Text: satchel.Clean("", "x\n"), Dirty: dirty, Pinned: pinned}
		e.Score.Add("x", score)
		p.Entries = append(p.Entries, e)
	}
	add(satchel.KindDoc, "a.md", 1, 99, false, false)
	add(satchel.KindSnippet, "b.go", 1, 1, false, false)
	add(satchel.KindSnippet, "c.go", 1, 2, false, false)
	add(satchel.KindSnippet, "m.go", 5, 50, false, false)
	add(satchel.KindSnippet, "m.go", 1, 0, false, false)
	add(satchel.KindSnippet, "z.go", 1, 0, true, false)
	add(satchel.KindFile, "pinned.go", 1, 0, false, true)
	add(satchel.KindContext, "rules.md", 1, 1.5, false, false)
	for _, f := range []render.Format{render.Markdown, render.Plain, render.XML, render.JSON} {
		text := write(t, p, f)
		at := 0
		for _, path := range []string{"z.go", "pinned.go", "z.go", "m.go", "c.go", "rules.md", "b.go", "a.md"} {
			n := strings.Index(text[at:], path)
			if n < 0 {
				t.Fatalf("%s: %s does not stand where it should:\n%s", f, path, text)
			}
			at += n
		}
	}
}
