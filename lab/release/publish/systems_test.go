package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSystems: whatever names the systems of a release names the same ones. They are
// scripts, Go of two modules and a file that GoReleaser reads, which have no list in
// common.
func TestSystems(t *testing.T) {
	var want []string
	for _, p := range platforms {
		want = append(want, p.String())
	}
	slices.Sort(want)
	for _, list := range []struct{ file, line string }{ // the line is the one that holds the list
		{".ci/release", `(?m)^all=(.*)$`},
		{"release/build.sh", `(?m)^targets="(.*)"$`},
		{"release/check/main.go", `(?m)^const allSystems = "(.*)"$`},
		{"lab/release/licenses/main.go", `(?m)^var systems = \[\]string\{(.*)\}$`},
	} {
		got := regexp.MustCompile(`[a-z0-9]+/[a-z0-9]+`).FindAllString(find(t, list.file, list.line), -1)
		slices.Sort(got)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s (-there +lab/release/publish):\n%s", list.file, diff)
		}
	}

	// Linux is what the tests run on: the others are vetted there.
	vetted := strings.Fields(find(t, "Makefile", `(?m)^TARGETS \?= (.*)$`))
	slices.Sort(vetted)
	others := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return strings.HasPrefix(s, "linux/") })
	if diff := cmp.Diff(vetted, others); diff != "" {
		t.Errorf("TARGETS of the Makefile (-there +lab/release/publish):\n%s", diff)
	}

	words := regexp.MustCompile(`[a-z0-9]+`)
	var got []string
	for _, goos := range words.FindAllString(find(t, ".goreleaser.yaml", `(?m)^    goos: \[(.*)\]$`), -1) {
		for _, goarch := range words.FindAllString(find(t, ".goreleaser.yaml", `(?m)^    goarch: \[(.*)\]$`), -1) {
			got = append(got, goos+"/"+goarch)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf(".goreleaser.yaml (-there +lab/release/publish):\n%s", diff)
	}

	// The names of the packages of npm are those that node has for the same systems.
	_, manifests := packages(t, "1.2.3")
	optional := manifests["satchel"].Optional
	got = nil
	for name := range maps.Keys(optional) {
		got = append(got, strings.TrimPrefix(name, npmName+"-"))
	}
	slices.Sort(got)
	node := strings.NewReplacer("windows", "win32", "amd64", "x64", "/", "-")
	for i := range want {
		want[i] = node.Replace(want[i])
	}
	slices.Sort(want)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("npm (-there +lab/release/publish):\n%s", diff)
	}
}

// find returns what a pattern's group matches in a file of the repository.
func find(t *testing.T, file, pattern string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(pattern).FindAllSubmatch(text, -1)
	if len(m) != 1 {
		t.Fatalf("%s: %d lines are %s", file, len(m), pattern)
	}
	return string(m[0][1])
}
