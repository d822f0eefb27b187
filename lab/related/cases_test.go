package main

import (
	"testing"

	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// TestCases checks the committed cases: 300 of each kind, half of them of repositories
// that nothing is learned from, in at least eight languages, and no commit that another
// table of weights was learned from.
func TestCases(t *testing.T) {
	cases, err := loadCases("cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	history, err := tasks.Load("../train/tasks/history.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	learned := map[string]bool{}
	for _, h := range history {
		learned[h.Commit] = true
	}
	count, languages, half := map[string]int{}, map[string]bool{}, map[string]string{}
	for _, c := range cases {
		count[c.Half+" "+c.Kind]++
		languages[c.Language] = true
		if half[c.Repo] == "" {
			half[c.Repo] = c.Half
		}
		if half[c.Repo] != c.Half || learned[c.Commit] || len(c.Query) == 0 || len(c.Gold) == 0 {
			t.Errorf("%s: repository of two halves, commit of another table, or nothing to find", c.ID)
		}
	}
	for _, key := range []string{"learn tests", "learn ripples", "test tests", "test ripples"} {
		if count[key] != perKind {
			t.Errorf("%s: %d cases, want %d", key, count[key], perKind)
		}
	}
	if len(languages) < 8 {
		t.Errorf("%d languages, want at least 8", len(languages))
	}
}
