package iris

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/rank"
)

// file makes a changed file of one line of a little language: a path, a status,
// lines=N for the lines of its patch with headers, binary, and quoted lines that
// the patch adds ("+…") or removes ("-…").
func file(t testing.TB, text string) change.Scored {
	t.Helper()
	head, quoted, _ := strings.Cut(text, `"`)
	words := strings.Fields(head)
	f := change.Scored{File: change.File{Path: words[0], Status: change.Status(words[1])}}
	lines := 0
	for _, w := range words[2:] {
		switch key, v, _ := strings.Cut(w, "="); key {
		case "lines":
			lines, _ = strconv.Atoi(v)
		case "binary":
			f.Binary = true
		default:
			t.Fatalf("%s: what is %q?", text, w)
		}
	}
	var body strings.Builder
	for line := range strings.SplitSeq(quoted, `"`) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		switch line[0] {
		case '+':
			f.File.Added++
		case '-':
			f.File.Removed++
		}
		body.WriteString(line + "\n")
	}
	f.Header = fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nindex 1..2 100644\n--- a/%[1]s\n+++ b/%[1]s\n", f.Path)
	const headers = 4 + 1 // and that of the hunk
	for n := headers + strings.Count(body.String(), "\n"); n < lines; n++ {
		body.WriteString(" context\n")
	}
	f.Hunks = []change.Hunk{{OldFrom: 1, NewFrom: 1, Body: body.String(), Added: f.File.Added, Removed: f.File.Removed}}
	return f
}

// TestIris scores files by both published profiles. The first lines are the
// worked examples of the document.
func TestIris(t *testing.T) {
	tests := []struct{ file, iris, v2 string }{
		// The document prints 95 %. Its own additions come to 1.15, and it counts
		// an impl, which its code does not: 0.5+0.1+0.15+0.1+0.1+0.1 = 1.05.
		{`src/agents/iris.rs modified lines=87 "+pub fn new() {" "+impl Agent {"`,
			"100% source code, core source, substantive changes, adds function, adds impl",
			"100% source code, core source, substantive changes, adds function, adds impl"},
		// The document prints 65 %, which its code does not give: "/test" does not
		// occur in the path. The newer rule of "_test." makes it so.
		{`tests/integration_test.rs modified lines=8 "-a" "+b"`,
			"75% source code, refactors code",
			"65% source code, test file, refactors code"},
		// The document prints 40 %, and leaves out that 873 lines are a large diff.
		// Its newer code shows no content of lock files, and so counts one line.
		{`Cargo.lock modified lines=873 "-a" "+b"`,
			"45% generated/lock, large diff, refactors code",
			"40% generated/lock"},
		// The document prints 92 % for these reasons; they come to 95 %.
		{`src/agents/tools/parallel_analyze.rs modified lines=9 "+fn a() {" "+struct B;"`,
			"100% source code, core source, adds function, adds type",
			"100% source code, core source, adds function, adds type"},
		{`src/types/commit.rs added lines=9 "+// x"`,
			"90% new file, source code, core source, refactors code",
			"90% new file, source code, core source"},

		// Its rules, one by one.
		{`a.go deleted lines=9 "-x"`, "70% deleted, source code, refactors code", "70% deleted, source code, removes code"},
		{`a.bin modified binary`, "60%", "60%"},
		{`a.yml modified lines=10 "+x"`, "70% config, refactors code", "70% config"},
		{`README.md modified lines=11 "+x"`, "72% docs, substantive changes, refactors code", "72% docs, substantive changes"},
		{`a.py modified lines=200 "+x"`, "80% source code, large diff, refactors code", "80% source code, large diff"},
		{`a.py modified lines=199 "+x"`, "85% source code, substantive changes, refactors code", "85% source code, substantive changes"},

		// Its defects, kept: parts of a path are found anywhere in it, or not at all.
		{`a/testing-library/x.ts modified lines=5 "+x"`, "65% source code, test file, refactors code", "65% source code, test file"},
		{`src/generated_docs.md modified lines=5 "+x"`, "52% docs, core source, generated/lock, refactors code", "52% docs, core source, generated/lock"},
		{`x.lockout.go modified lines=5 "+x"`, "55% source code, generated/lock, refactors code", "55% source code, generated/lock"},
		{`vendor/a.go modified lines=5 "+x"`, "75% source code, refactors code", "75% source code"},
		{`x/vendor/a.go modified lines=5 "+x"`, "75% source code, refactors code", "45% source code, vendored"},
		{`package-lock.json modified lines=50 "+x"`, "80% config, substantive changes, refactors code", "50% config, generated/lock"},
		{`SRC/A.RS modified lines=5 "+x"`, "60% refactors code", "85% source code, core source"},
		{`build/a.go modified lines=50 "+func f() {"`, "95% source code, substantive changes, adds function", "75% source code"},

		// Its semantic rules, each label once, in order of first appearance.
		{`a.ts modified lines=9 "+export function f(a) {"`, "75% source code, modifies imports", "75% source code, modifies imports"},
		{`a.ts modified lines=9 "+const f = () => {" "+function g() {" "+type T = {"`,
			"95% source code, adds function, adds type", "95% source code, adds function, adds type"},
		{`a.jsx modified lines=9 "+const f = (a) => {"`, "75% source code, refactors code", "75% source code"},
		{`a.py modified lines=9 "+import os" "+class A:" "+    async def f():"`,
			"95% source code, modifies imports, adds type, adds function", "95% source code, modifies imports, adds type, adds function"},
		{`a.go modified lines=9 "+	os" "-import x"`, "75% source code, refactors code", "75% source code, refactors code"},
		{`a.java modified lines=9 "+class A {"`, "75% source code, refactors code", "75% source code"},
		{`a.rs modified lines=9 "+pub(crate) fn f() {" "+impl<T> A {"`, "75% source code, refactors code", "75% source code"},
	}
	for _, test := range tests {
		for k, want := range []string{test.iris, test.v2} {
			p := []*rank.Profile{&documentWeights, &sourceWeights}[k]
			files := []change.Scored{file(t, test.file)}
			measure(files, k == 1)
			score(files, p)
			got := strings.TrimSpace(fmt.Sprintf("%d%% %s", files[0].Percent(), strings.Join(files[0].Reasons, ", ")))
			if got != want {
				t.Errorf("%s\n%s: %s\n   want: %s", test.file, p.Name, got, want)
			}
		}
	}
}

func score(files []change.Scored, p *rank.Profile) {
	for i := range files {
		f := &files[i]
		f.Score = p.Score(f.Signals)
		f.Reasons = p.Reasons(f.Signals)
		f.Relevance, f.Order = p.Relevance(f.Score)
	}
	change.Sort(files)
}

// TestDocumentTests are the two tests that the document shows.
func TestDocumentTests(t *testing.T) {
	for _, v2 := range []bool{false, true} {
		files := []change.Scored{file(t, `README.md modified lines=20 "+x"`), file(t, `src/main.rs modified lines=20 "+x"`)}
		measure(files, v2)
		score(files, map[bool]*rank.Profile{false: &documentWeights, true: &sourceWeights}[v2])
		if files[0].Path != "src/main.rs" || files[0].Relevance <= files[1].Relevance {
			t.Errorf("v2 %v: %s first, want source above docs", v2, files[0].Path)
		}
	}
	if size, _ := documentSize(change.SizeOf(change.Totals{Files: 25, Added: 25})); size != "Large" {
		t.Errorf("25 files are %s, want Large", size)
	}
}

func TestGuidance(t *testing.T) {
	for size, want := range map[change.Size]string{
		change.Small:        "Focus on all files equally.",
		change.Medium:       "Prioritize files with >60% relevance.",
		change.Large:        "Use files=['path1','path2'] with detail='standard' to analyze specific files.",
		change.VeryLarge:    "Use files=['path1','path2'] with detail='standard' to analyze specific files.",
		change.SizeFiltered: "Showing requested files only.",
	} {
		if _, got := documentSize(size); got != want {
			t.Errorf("%s: guidance %q, want %q", size, got, want)
		}
	}
}

func TestByName(t *testing.T) {
	if ByName("iris") != &Document || ByName("iris-v2") != &Source || ByName("default") != nil || ByName("") != nil {
		t.Error("ByName finds another profile than that of the name")
	}
}

// Whatever a patch holds, it can be measured.
func FuzzMeasure(f *testing.F) {
	f.Add("a.rs", "+fn f() {\n-x\n")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, path, body string) {
		files := []change.Scored{{File: change.File{Path: path, Status: change.Modified, Hunks: []change.Hunk{{OldFrom: 1, NewFrom: 1, Body: body}}}}}
		for _, v2 := range []bool{false, true} {
			measure(files, v2)
		}
	})
}
