// Package tasks reads the benchmark's task files and finds the repositories
// they are about.
//
// A task file holds one JSON object per line; a mirror is a folder that holds
// each repository as OWNER+NAME/repo, a git directory or a work tree.
package tasks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Task is a change that somebody asked for, and the files it needed.
type Task struct {
	ID       string   `json:"id"`
	Repo     string   `json:"repo"`
	Language string   `json:"language"`
	Base     string   `json:"base_commit"`
	Commit   string   `json:"commit,omitempty"` // whose message is the query
	Query    string   `json:"query,omitempty"`
	QuerySum string   `json:"query_sha256,omitempty"`
	Gold     []string `json:"gold_files"`
	Symbols  []string `json:"gold_symbols,omitempty"`
	Ranges   []Range  `json:"gold_ranges"`
	Source   string   `json:"source"`
}

// A Range is a range of lines that the change touched, at the base commit. Its
// JSON form is [path, from, to].
type Range struct {
	Path     string
	From, To int
}

// UnmarshalJSON reads [path, from, to].
func (r *Range) UnmarshalJSON(b []byte) error {
	t := []any{&r.Path, &r.From, &r.To}
	if err := json.Unmarshal(b, &t); err != nil {
		return fmt.Errorf("range %s: want [path, from, to]: %v", b, err)
	}
	return nil
}

// MarshalJSON writes [path, from, to].
func (r Range) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{r.Path, r.From, r.To})
}

// Load reads a task file. No two tasks have the same id.
func Load(name string) ([]Task, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Task
	seen := map[string]bool{}
	r := bufio.NewReaderSize(f, 1<<20)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			var t Task
			if err := json.Unmarshal(line, &t); err != nil {
				return nil, fmt.Errorf("%s:%d: %v", name, n, err)
			}
			if t.ID != "" && seen[t.ID] {
				return nil, fmt.Errorf("%s:%d: task %s is there twice", name, n, t.ID)
			}
			seen[t.ID] = true
			out = append(out, t)
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %v", name, n, err)
		}
	}
}

// Repository returns the folder of a repository in a mirror. Names are compared
// without regard to case, as their hosts do.
func Repository(mirror, repo string) (string, error) {
	want := strings.ReplaceAll(repo, "/", "+")
	entries, err := os.ReadDir(mirror)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), want) {
			return filepath.Join(mirror, e.Name(), "repo"), nil
		}
	}
	return "", fmt.Errorf("repository %s: no folder %s in %s", repo, want, mirror)
}

// ByRepo groups tasks by repository, in order of first appearance.
func ByRepo(all []Task) [][]Task {
	at := map[string]int{}
	var out [][]Task
	for _, t := range all {
		i, ok := at[t.Repo]
		if !ok {
			i = len(out)
			at[t.Repo] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], t)
	}
	return out
}
