package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// lines reads the lines of an output as "ID" or "ID: part of its error", sorted.
func lines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		var f failure
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if f.Error != "" {
			f.ID += ": " + f.Error[:strings.Index(f.Error, " ")]
		}
		out = append(out, f.ID)
	}
	slices.Sort(out)
	return out
}

// TestRun runs tasks some of which fail, mends what was wrong, and resumes after a
// line was cut off.
func TestRun(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	dir := t.TempDir()
	mirror, file, out := filepath.Join(dir, "mirror"), filepath.Join(dir, "tasks.jsonl"), filepath.Join(dir, "preds.jsonl")
	add := func(name string) {
		t.Helper()
		c := &corpus{
			files:   map[string][]byte{"a.go": []byte("package a\n\nfunc Retry() {}\n")},
			commits: []revision{{time: time.Unix(1e9, 0), message: "begin", paths: []string{"a.go"}}},
		}
		c.build(t)
		if err := os.MkdirAll(filepath.Join(mirror, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(c.dir, filepath.Join(mirror, name, "repo")); err != nil {
			t.Fatal(err)
		}
	}
	write := func(base string) {
		t.Helper()
		text := `{"id":"a-1","repo":"o/a","base_commit":"main","query":"retry"}
{"id":"a-2","repo":"o/a","base_commit":"` + base + `","query":"retry"}
{"id":"a-3","repo":"o/a","base_commit":"main","query":"again"}
{"id":"b-1","repo":"o/b","base_commit":"main","query":"retry"}
`
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	eval := func(more ...string) error {
		args := append([]string{"-tasks", file, "-mirror", mirror, "-out", out, "-cache", filepath.Join(dir, "cache")}, more...)
		return run(t.Context(), args)
	}

	add("o+a")
	write("nowhere")
	if err := eval(); !errors.Is(err, errIncomplete) {
		t.Errorf("run = %v, want %v", err, errIncomplete)
	}
	if got, want := lines(t, out), []string{"a-1", "a-2: unknown", "a-3", "b-1: repository"}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}

	add("o+b")
	write("main")
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, append(text, `{"id":"a-2","files":["a.`...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := eval("-resume"); err != nil {
		t.Errorf("run -resume = %v", err)
	}
	if got, want := lines(t, out), []string{"a-1", "a-2", "a-3", "b-1"}; !slices.Equal(got, want) {
		t.Errorf("lines after -resume %q, want %q", got, want)
	}

	if err := os.WriteFile(out, []byte("a report\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := eval("-resume"); err == nil || !strings.Contains(err.Error(), "line 1 is no prediction") {
		t.Errorf("run -resume on another file = %v", err)
	}
}
