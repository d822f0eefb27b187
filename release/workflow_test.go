package release

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWorkflows: what others made is named by its commit, no workflow has a permission
// that it does not ask for by name, and none runs what a stranger wrote with more rights
// than the stranger has. .ci/release installs from npm what others wrote: no job that
// may write or sign runs it.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows, %v", len(files), err)
	}
	pinned := regexp.MustCompile(`@[0-9a-f]{40} # v[0-9.]+$`)
	uses, rehearsals := 0, 0
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if !strings.Contains(text, "\npermissions: {}\n") {
			t.Errorf("%s does not begin without permissions", name)
		}
		for _, bad := range []string{"pull_request_target", "workflow_run:"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %s", name, bad)
			}
		}
		for _, m := range regexp.MustCompile(`(?m)^ *(?:- )?uses: (.+)$`).FindAllStringSubmatch(text, -1) {
			uses++
			if !strings.HasPrefix(m[1], "./") && !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not named by its commit", name, m[1])
			}
		}
		_, jobs, ok := strings.Cut(text, "\njobs:\n")
		if !ok {
			t.Errorf("%s has no jobs", name)
		}
		at := regexp.MustCompile(`(?m)^  [a-z-]+:$`).FindAllStringIndex(jobs, -1)
		for i, m := range at {
			end := len(jobs)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			if job := jobs[m[0]:end]; strings.Contains(job, " .ci/release\n") {
				rehearsals++
				for _, bad := range []string{": write", "write-all", "secrets.", "environment:"} {
					if strings.Contains(job, bad) {
						t.Errorf("%s: the job%s runs .ci/release and has %q", name, strings.TrimSuffix(jobs[m[0]+1:m[1]], ":"), bad)
					}
				}
			}
		}
	}
	if uses == 0 || rehearsals == 0 {
		t.Errorf("%d actions of others and %d jobs that run .ci/release: nothing was looked at", uses, rehearsals)
	}
}

// TestReleaseGo: the Go that a release is built with is the one that release/README.md
// tells those to take who build it again.
func TestReleaseGo(t *testing.T) {
	find := func(name, pattern string) string {
		t.Helper()
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(b)
		if m == nil {
			t.Fatalf("%s names no Go", name)
		}
		return string(m[1])
	}
	workflow := find("../.github/workflows/release.yml", `(?m)^  GO_VERSION: ([0-9.]+)$`)
	if docs := find("README.md", `GOTOOLCHAIN=go([0-9.]+) release/build\.sh`); docs != workflow {
		t.Errorf("release/README.md says Go %s, the workflow takes %s", docs, workflow)
	}
}
