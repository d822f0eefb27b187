package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

func TestShortHeader(t *testing.T) {
	for _, c := range []struct{ name, header, want string }{
		{"modified", "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n", "--- a/x\n+++ b/x\n"},
		{"mode", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/x\n+++ b/x\n",
			"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n"},
		{"new", "diff --git a/x b/x\nnew file mode 100644\nindex 0..2\n--- /dev/null\n+++ b/x\n",
			"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n"},
		{"not of git", "--- a/x\t2020\n+++ b/x\n", "--- a/x\t2020\n+++ b/x\n"},
		{"no lines", "diff --git a/x b/x\nindex 1..2\n", "diff --git a/x b/x\n"},
	} {
		if got := shortHeader(c.header); got != c.want {
			t.Errorf("%s: shortHeader = %q, want %q", c.name, got, c.want)
		}
	}
	long := strings.Repeat("ab", 20)
	if got, want := shortIDs("diff --git a/x b/x\nindex "+long+".."+long+" 100644\n--- a/x\n"), "diff --git a/x b/x\nindex ababababab..ababababab 100644\n--- a/x\n"; got != want {
		t.Errorf("shortIDs = %q, want %q", got, want)
	}
}

func TestBreakNames(t *testing.T) {
	edits := []change.Edit{
		{Action: change.Removes, Name: "Set", Exported: true},
		{Action: change.Removes, Name: "Add", Parent: "Set", Exported: true},
		{Action: change.Removes, Name: "Delete", Parent: "Set", Exported: true},
		{Action: change.Removes, Name: "hidden"},
		{Action: change.Signature, Name: "Open", Exported: true},
		{Action: change.Renames, Name: "New", OldName: "Old", Exported: true},
		{Action: change.MovesAway, Name: "Gone", Path: "b.go", Exported: true},
		{Action: change.Adds, Name: "More", Exported: true},
	}
	if got, want := strings.Join(breakNames(edits), ", "), "-Set, -Set.{Add, Delete}, ~Open, -Old (now New), -Gone (moved)"; got != want {
		t.Errorf("breakNames = %s, want %s", got, want)
	}
}

// Painting adds colors and nothing else, and does not take a repository's lines
// for ours.
func TestPaintDiff(t *testing.T) {
	f := change.Scored{File: change.File{Path: "a.go", Status: change.Modified, Header: "--- a/a.go\n+++ b/a.go\n"}, Relevance: 0.5, Reasons: []string{"docs"}}
	r := &change.Report{Files: []change.Scored{f}, Size: change.Small}
	d := &Diff{Report: r, Standard: true, Files: []DiffFile{{Scored: &r.Files[0], Hunks: []satchel.Entry{{
		Hunk:   &satchel.Hunk{Number: 1, Part: 1, Parts: 1, OldFrom: 1, OldLines: 2, NewFrom: 1, NewLines: 2, Exact: true},
		Detail: satchel.Full, Text: satchel.Clean("", "@@ -1,2 +1,2 @@\n ━━━\n--- not a header\n+=== DIFF SUMMARY ===\n"),
	}}}}}
	text := DiffText(d)
	painted := PaintDiff(text)
	if got := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(painted, ""); got != text {
		t.Errorf("without colors:\n%s\nwant\n%s", got, text)
	}
	for _, want := range []string{"\x1b[31m--- not a header\x1b[0m\n", "\x1b[32m+=== DIFF SUMMARY ===\x1b[0m\n", "\x1b[2m--- a/a.go\x1b[0m\n", "\n ━━━\n", "\x1b[1m### a.go"} {
		if !strings.Contains(painted, want) {
			t.Errorf("no %q in\n%q", want, painted)
		}
	}
}
