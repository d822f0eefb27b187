package tasks

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// history makes a mirror of one repository, and returns the ids of its commits.
func history(t *testing.T) (mirror string, ids []string) {
	t.Helper()
	gittest.Isolate(t)
	mirror = t.TempDir()
	r := gittest.At(t, filepath.Join(mirror, "o+r", "repo"))
	commit := func(message string, pairs ...string) {
		r.Write(pairs...)
		ids = append(ids, r.Commit(message))
	}
	commit("Begin with a shop that sells things to people who have an account", "a.go", "package a\n\nfunc A() int {\n\treturn 1\n}\n", "b.go", "package a\n", "a_test.go", "package a\n")
	commit("Return two where one was returned, since the customer is charged twice (#12)\n\nFixes #12\n", "a.go", "package a\n\nfunc A() int {\n\treturn 2\n}\n", "a_test.go", "package a\n\nvar x = 1\n", "new.go", "package a\n")
	commit("docs: say what the package does for those who have never seen a shop before", "a.go", "// Package a.\npackage a\n\nfunc A() int {\n\treturn 2\n}\n")
	commit("Test that the sum is charged once, whatever the customer does meanwhile", "a_test.go", "package a\n\nvar x = 2\n")
	commit("Make room before the package and in the other file, for what comes next there", "b.go", "package a\n\nvar B = 1\n")
	r.Git("rm", "-q", "b.go")
	commit("Remove what nobody has used since the shop was opened, which is a long time")
	return mirror, ids
}

func TestFromHistory(t *testing.T) {
	mirror, ids := history(t)
	got, err := FromHistory(t.Context(), mirror, "o/r", "go", 10)
	if err != nil {
		t.Fatal(err)
	}
	// Not the first commit, the documentation, the test, or the removal.
	query := "Return two where one was returned, since the customer is charged twice"
	room := "Make room before the package and in the other file, for what comes next there"
	want := []Task{
		{ID: "o__r-" + ids[1][:10], Repo: "o/r", Language: "go", Base: ids[0], Commit: ids[1], Query: query, QuerySum: sumOf(query), Gold: []string{"a.go"}, Ranges: []Range{{"a.go", 4, 4}}, Source: "history"},
		{ID: "o__r-" + ids[4][:10], Repo: "o/r", Language: "go", Base: ids[3], Commit: ids[4], Query: room, QuerySum: sumOf(room), Gold: []string{"b.go"}, Ranges: []Range{{"b.go", 1, 1}}, Source: "history"},
	}
	sorted := cmpopts.SortSlices(func(a, b Task) bool { return a.ID < b.ID })
	if diff := cmp.Diff(want, got, sorted); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
	if one, err := FromHistory(t.Context(), mirror, "o/r", "go", 1); err != nil || len(one) != 1 || one[0].ID != got[0].ID {
		t.Errorf("one task: %v, %v, want the first of all", one, err)
	}
	if _, err := FromHistory(t.Context(), mirror, "o/none", "go", 1); err == nil || !strings.Contains(err.Error(), "o/none") {
		t.Errorf("a repository that is not there: %v", err)
	}
}

func TestRebuild(t *testing.T) {
	mirror, _ := history(t)
	want, err := FromHistory(t.Context(), mirror, "o/r", "go", 10)
	if err != nil {
		t.Fatal(err)
	}
	got := append([]Task(nil), want...)
	for i := range got {
		got[i].Query = ""
	}
	if err := Rebuild(t.Context(), mirror, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rebuilt (-want +got):\n%s", diff)
	}

	got[0].Query, got[0].QuerySum = "", sumOf("something else")
	if err := Rebuild(t.Context(), mirror, got); err == nil || !strings.Contains(err.Error(), got[0].Commit) {
		t.Errorf("a message that changed: %v", err)
	}
	got[0].Commit = strings.Repeat("0", 40)
	if err := Rebuild(t.Context(), mirror, got); err == nil || !strings.Contains(err.Error(), got[0].ID) {
		t.Errorf("a commit that is not there: %v", err)
	}
}

// TestCommittedHistory holds what the committed tasks promise.
func TestCommittedHistory(t *testing.T) {
	all, err := Load("history.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	languages, repos := map[string]int{}, map[string]int{}
	for _, x := range all {
		languages[x.Language]++
		repos[x.Repo]++
		if x.Query != "" || len(x.QuerySum) != 64 || len(x.Commit) != 40 || len(x.Base) != 40 || len(x.Gold) < 1 || len(x.Gold) > maxGold || len(x.Ranges) == 0 {
			t.Errorf("task %s: %+v", x.ID, x)
		}
	}
	if len(all) < 1500 || len(repos) < 40 || len(languages) != 11 {
		t.Errorf("%d tasks of %d repositories in %d languages", len(all), len(repos), len(languages))
	}
	for l, n := range languages {
		if n < 100 {
			t.Errorf("%d tasks in %s", n, l)
		}
	}
}
