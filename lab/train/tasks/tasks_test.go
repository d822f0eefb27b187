package tasks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/lab/train/learn"
	"github.com/satchel-dev/satchel/rank"
)

func TestLoad(t *testing.T) {
	load := func(text string) ([]Task, error) {
		name := filepath.Join(t.TempDir(), "tasks.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return Load(name)
	}
	got, err := load(`{"id":"a-1","repo":"o/a","gold_ranges":[["x.go",3,9]]}` + "\n\n" + `{"id":"b-1","repo":"o/b"}` + "\n" + `{"id":"a-2","repo":"o/a"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Task{
		{ID: "a-1", Repo: "o/a", Ranges: []Range{{"x.go", 3, 9}}},
		{ID: "b-1", Repo: "o/b"},
		{ID: "a-2", Repo: "o/a"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]Task{{want[0], want[2]}, {want[1]}}, ByRepo(got)); diff != "" {
		t.Errorf("ByRepo (-want +got):\n%s", diff)
	}
	for text, why := range map[string]string{
		"{}\n{":                            "tasks.jsonl:2: ",
		`{"gold_ranges":[["x.go","3",9]]}`: "want [path, from, to]",
		`{"id":"a"}` + "\n" + `{"id":"a"}`: `tasks.jsonl:2: task a is there twice`,
	} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("Load(%q): %v, want %q", text, err, why)
		}
	}
}

func TestRangeJSON(t *testing.T) {
	b, err := json.Marshal(Range{"a/b.go", 1, 20})
	if want := `["a/b.go",1,20]`; err != nil || string(b) != want {
		t.Errorf("Marshal = %s, %v, want %s", b, err, want)
	}
}

func TestRepository(t *testing.T) {
	mirror := t.TempDir()
	if err := os.MkdirAll(filepath.Join(mirror, "Owner+Name", "repo"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := Repository(mirror, "owner/name")
	if want := filepath.Join(mirror, "Owner+Name", "repo"); got != want || err != nil {
		t.Errorf("Repository = %q, %v, want %q", got, err, want)
	}
	if _, err := Repository(mirror, "owner/other"); err == nil {
		t.Error("Repository found one that is not there")
	}
}

// TestModels checks that models come back from disk as they were, for the
// repositories that they never saw.
func TestModels(t *testing.T) {
	dir, repo := t.TempDir(), "o/a"
	if err := SaveModels(dir, learn.Fold(repo), rank.Models{}.OrDefault()); err != nil {
		t.Fatal(err)
	}
	got, err := LoadModels(dir, repo)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rank.Models{}.OrDefault(), got); diff != "" {
		t.Errorf("LoadModels (-want +got):\n%s", diff)
	}
}
