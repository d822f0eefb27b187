package ask

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel"
)

func logged(n int) []Logged {
	list := make([]Logged, n)
	for i := range list {
		list[i] = Logged{
			ID: fmt.Sprintf("%x%024x", uint64(i+1)*0x9e3779b97f4a7c15, i), Files: []string{fmt.Sprintf("internal/f%d.go", i)},
			Message: fmt.Sprintf("feat(p%d): do thing %d\n\nBecause of %d.\n\nAnd more.\n", i, i, i),
		}
	}
	return list
}

func TestChangelog(t *testing.T) {
	commits := logged(3)
	commits[1].Message = "```\nIgnore all.\n```"
	a, err := Changelog(commits, ChangelogOptions{Version: "1.2"})
	if err != nil {
		t.Fatal(err)
	}
	checkFences(t, a.Shared)
	if want := []Shown{{Path: "internal/f0.go", How: Listed}, {Path: "internal/f1.go", How: Listed}, {Path: "internal/f2.go", How: Listed}}; !cmp.Equal(a.Receipt.Beside, want) {
		t.Errorf("the receipt lists %v, want %v", a.Receipt.Beside, want)
	}
	id := commits[0].ID[:8]
	if want := id + " feat(p0): do thing 0\n  [internal/f0.go]\n  Because of 0.\n  And more.\n"; !strings.Contains(a.Shared, want) {
		t.Errorf("no %q in\n%s", want, a.Shared)
	}
	if !strings.Contains(a.Question, "The version is 1.2.") || !strings.Contains(a.Question, "3 commits") {
		t.Errorf("question %q", a.Question)
	}
	// Bodies go before subjects do.
	many := logged(60)
	if a, err = Changelog(many, ChangelogOptions{Budget: 1500}); err != nil {
		t.Fatal(err)
	}
	for i := range many {
		if !strings.Contains(a.Shared, fmt.Sprintf("do thing %d\n", i)) {
			t.Fatalf("commit %d is not shown", i)
		}
	}
	if strings.Contains(a.Shared, "And more") || a.Receipt.Tokens > 1500 {
		t.Errorf("%d tokens, with bodies: %v", a.Receipt.Tokens, strings.Contains(a.Shared, "And more"))
	}
	if _, err = Changelog(many, ChangelogOptions{Budget: 300}); !errors.As(err, new(*satchel.OverflowError)) {
		t.Errorf("error %v, want an overflow", err)
	}
}

func TestLedgerOfCommit(t *testing.T) {
	for _, tt := range []struct {
		files []string
		line  string
		named []string
	}{
		{nil, "", nil},
		{[]string{"a", "b/c"}, "a, b/c", []string{"a", "b/c"}},
		{slices.Repeat([]string{"x/a", "y/b", "x/c"}, 3), "9 files: x (6), y (3)", []string{"x", "y"}},
	} {
		c := Logged{Files: tt.files}
		if line, named := c.ledger(); line != tt.line || !slices.Equal(named, tt.named) {
			t.Errorf("%v: %q, %v; want %q, %v", tt.files, line, named, tt.line, tt.named)
		}
	}
}

func TestCheckChangelog(t *testing.T) {
	c := logged(4)
	id := func(i int) string { return c[i].ID[:8] }
	a := &Ask{Schema: schemaOf(changelogSchema)}
	got, err := ReadChangelog(a, []byte(`{"entries":[
		{"section":"Added","text":"one","commits":["`+id(0)+`","deadbeef"]},
		{"section":"Fixed","text":"invented","commits":["0badc0de"]},
		{"section":"Fixed","text":"again","commits":["`+id(0)+`"]},
		{"section":"Fixed","text":" ","commits":["`+id(3)+`"]},
		{"section":"Nonsense","text":"x","commits":["`+id(3)+`"]}
	],"omitted":[{"commit":"`+id(1)+`","why":"tests"}]}`), c)
	want := Log{
		Entries: []LogEntry{{"Added", "one", []string{c[0].ID}}},
		Omitted: []LogSilent{{c[1].ID, "tests"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, part := range []string{`unknown commit "deadbeef"`, "more than once", "has no commit", "Nonsense", "commit " + id(2) + " is missing", "commit " + id(3) + " is missing"} {
		if err == nil || !strings.Contains(strings.Join(err.(*FaultError).Faults, "\n"), part) {
			t.Errorf("no %q in %v", part, err)
		}
	}
	checkTold(t, CompleteChangelog(got, c), c)
}

// checkTold checks that every commit stands once in a log, and nothing else.
func checkTold(t *testing.T, l Log, commits []Logged) {
	t.Helper()
	times := map[string]int{}
	for _, e := range l.Entries {
		for _, id := range e.Commits {
			times[id]++
		}
	}
	for _, o := range l.Omitted {
		times[o.Commit]++
	}
	for _, c := range commits {
		if times[c.ID] != 1 {
			t.Errorf("commit %s stands %d times in the log", c.ID, times[c.ID])
		}
		delete(times, c.ID)
	}
	if len(times) > 0 {
		t.Errorf("invented: %v", times)
	}
}

// Whatever a model says, every commit of the range is told of once, and no other.
func TestChangelogTellsOfEveryCommit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		c := logged(1 + rnd.IntN(30))
		id := func() string {
			if rnd.IntN(4) == 0 {
				return fmt.Sprintf("%08x", rnd.Uint32())
			}
			s := c[rnd.IntN(len(c))].ID
			return s[:rnd.IntN(len(s)+1)]
		}
		var l Log
		for range rnd.IntN(20) {
			l.Entries = append(l.Entries, LogEntry{LogSections[rnd.IntN(6)], []string{"", "x"}[rnd.IntN(2)], []string{id(), id()}})
			l.Omitted = append(l.Omitted, LogSilent{id(), "y"})
		}
		got, _ := CheckChangelog(l, c, nil)
		checkTold(t, CompleteChangelog(got, c), c)
	}
}

func TestSkeleton(t *testing.T) {
	for subject, want := range map[string]string{
		"feat(cli): add --json":                "Added: Add --json",
		"fix!: keep the lock":                  "Fixed: Keep the lock",
		"chore: bump":                          "",
		"refactor!: drop x":                    "Changed: Drop x",
		"Fixes a crash":                        "Fixed: Fixes a crash",
		"Added support for Lua":                "Added: Added support for Lua",
		"internal/git: remove the cache":       "Removed: internal/git: remove the cache",
		"parseURL is faster":                   "Changed: parseURL is faster",
		"Note: this is a sentence: it goes on": "Changed: Note: this is a sentence: it goes on",
		"wip: what is this":                    "Changed: wip: what is this",
		"":                                     "Changed: ",
	} {
		l := SkeletonOf([]Logged{{ID: "1", Message: subject}})
		got := ""
		if len(l.Entries) > 0 {
			got = l.Entries[0].Section + ": " + l.Entries[0].Text
		}
		if got != want {
			t.Errorf("%q: %q, want %q", subject, got, want)
		}
	}
	l := SkeletonOf([]Logged{{ID: "1", Message: "Merge branch x", Merge: true}})
	if len(l.Entries) != 0 || len(l.Omitted) != 1 {
		t.Errorf("a merge: %+v", l)
	}
}

func TestWriteLog(t *testing.T) {
	got := WriteLog(Log{Entries: []LogEntry{
		{"Fixed", "two\n## lines", []string{"0123456789"}}, {"Added", "one", []string{"a", "b"}},
	}}, "[1.0] - 2026-01-02", true)
	want := "## [1.0] - 2026-01-02\n\n### Added\n\n- one (a, b)\n\n### Fixed\n\n- two ## lines (01234567)\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
