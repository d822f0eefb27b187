package change_test

import (
	"fmt"
	"slices"
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

func TestSize(t *testing.T) {
	tests := []struct {
		files, lines int
		want         change.Size
	}{
		{0, 0, change.Small}, {3, 99, change.Small}, {3, 100, change.Medium}, {4, 1, change.Medium},
		{10, 499, change.Medium}, {10, 500, change.Large}, {11, 1, change.Large}, {20, 1000, change.Large},
		{21, 1, change.VeryLarge}, {1, 1001, change.VeryLarge},
	}
	for _, test := range tests {
		total := change.Totals{Files: test.files, Added: test.lines / 2, Removed: test.lines - test.lines/2}
		if got := change.SizeOf(total); got != test.want {
			t.Errorf("%d files, %d lines: %s, want %s", test.files, test.lines, got, test.want)
		}
	}
	for size, want := range map[change.Size]string{
		change.Small:        "Inspect the changed contracts and their relevant callers.",
		change.Medium:       "Use relevance to order inspection, not to exclude changes.",
		change.Large:        "Ask for files by path, in standard detail, to read their hunks.",
		change.VeryLarge:    "Split it for parallel reading (satchel diff --split N), or ask for files with --detail standard --path PATH.",
		change.SizeFiltered: "Showing requested files only.",
	} {
		if got := size.Guidance(change.Flags); got != want {
			t.Errorf("%s: guidance %q, want %q", size, got, want)
		}
	}
}

// TestGuidanceOfSurface checks that a surface is guided in its own words alone.
func TestGuidanceOfSurface(t *testing.T) {
	words := change.Words{Ask: "Ask", Files: `"files":["PATH"]`}
	want := `Ask for files with "files":["PATH"].`
	if got := change.VeryLarge.Guidance(words); got != want {
		t.Errorf("guidance %q, want %q", got, want)
	}
}

// TestNewFileBySize checks that a tiny new file ranks below a real change, and that
// a new file counts for more the longer it is.
func TestNewFileBySize(t *testing.T) {
	added := func(lines int, line string) change.Scored {
		body := ""
		for i := range lines {
			body += fmt.Sprintf("+"+line+"\n", i)
		}
		return change.Scored{File: change.File{Path: "x.go", Status: change.Added, Added: lines,
			Hunks: []change.Hunk{{NewFrom: 1, NewLines: lines, Added: lines, Body: body}}}}
	}
	real := change.Scored{File: change.File{Path: "server/store.go", Status: change.Modified, Added: 1, Removed: 1,
		Hunks: []change.Hunk{{OldFrom: 9, OldLines: 1, NewFrom: 9, NewLines: 1, Added: 1, Removed: 1, Body: "-\tif token != want {\n+\tif len(token) != len(want) {\n"}}}}
	value := func(f change.Scored) (of, against float64) {
		files := []change.Scored{f, real}
		change.Measure(files)
		score(files, &rank.Changes)
		if files[0].Path == real.Path { // the better one comes first
			slices.Reverse(files)
		}
		return files[0].Score.Value(), files[1].Score.Value()
	}
	tiny, against := value(added(1, "word%.0d"))
	if tiny >= against {
		t.Errorf("a new file of one word has %.3f, the change %.3f", tiny, against)
	}
	last := tiny
	for _, lines := range []int{5, 20, 100} {
		v, _ := value(added(lines, "var name%d = first"))
		if v <= last {
			t.Errorf("a new file of %d lines has %.3f, a shorter one %.3f", lines, v, last)
		}
		last = v
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
