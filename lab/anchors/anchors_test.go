package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// TestAnchors asks about the hunks of five real commits.
func TestAnchors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.patch")
	if err != nil || len(files) == 0 {
		t.Fatalf("patches: %v, %v", files, err)
	}
	all := newTally()
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		set, err := git.ParsePatch(f, git.Keep{})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		none := func(string, finding.Side) (string, bool) { return "", false }
		measure(filepath.Base(file), set.Files, none, 1000, all)
	}
	if all.hunks < 15 || len(all.rows) != 9 {
		t.Errorf("%d hunks in %d ways", all.hunks, len(all.rows))
	}
	if all.share() < 0.99 || all.invented > 0 || all.wrongExact > 0 || all.outside > 0 {
		t.Errorf("%v\n%s", all.wrong, all.table())
	}
}
