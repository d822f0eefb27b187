package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTable checks that the table can be read, and that each of its cases has a
// digest and each digest a case.
func TestTable(t *testing.T) {
	groups, inputs, err := parseTable(table)
	if err != nil {
		t.Fatal(err)
	}
	if len(inputs) == 0 {
		t.Error("no input files")
	}
	digests, err := parseDigests(committed)
	if err != nil {
		t.Fatal(err)
	}
	var ran []digest
	for _, g := range groups {
		for _, s := range g.steps {
			if s.verb == runCase || s.verb == sendCase {
				ran = append(ran, digest{name: s.name})
			}
		}
	}
	if len(ran) < 300 {
		t.Errorf("%d cases, want at least 300", len(ran))
	}
	for _, line := range compare(digests, ran, false) {
		if strings.HasSuffix(line, ": new") || strings.HasSuffix(line, ": no such case") {
			t.Error(line)
		}
	}
}

func TestParseTable(t *testing.T) {
	groups, _, err := parseTable([]byte(`
group a o/a 1234 without x/
one: satchel pack | head -1
two~: satchel diff
let cursor --cursor (\S+) continues
serve satchel mcp
three> tools/list
session .git/s.jsonl dev/s.jsonl
group b
fresh
do true
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []*group{
		{name: "a", repo: "o/a", commit: "1234", without: "x/", steps: []step{
			{verb: runCase, name: "a/one", text: "satchel pack | head -1", line: 3},
			{verb: runCase, name: "a/two", text: "satchel diff", mute: true, line: 4},
			{verb: remember, name: "cursor", text: `--cursor (\S+) continues`, line: 5},
			{verb: serve, text: "satchel mcp", line: 6},
			{verb: sendCase, name: "a/three", text: "tools/list", line: 7},
			{verb: takeFile, name: ".git/s.jsonl", text: "dev/s.jsonl", line: 8},
		}},
		{name: "b", steps: []step{{verb: forgetAll, line: 10}, {verb: setUp, text: "true", line: 11}}},
	}
	if diff := cmp.Diff(want, groups, cmp.AllowUnexported(group{}, step{})); diff != "" {
		t.Errorf("parseTable (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"one: true", "group a\nwhat is this", "group a\none: x\none: y", "group a\ndo", "group a\nlet x"} {
		if _, _, err := parseTable([]byte(bad)); err == nil {
			t.Errorf("parseTable(%q) has no error", bad)
		}
	}
}

func TestNormalise(t *testing.T) {
	now := time.Now().UTC()
	n := &normaliser{work: "/tmp/w", began: now.Add(-time.Second)}
	uuid := fmt.Sprintf("%012x", now.UnixMilli())
	uuid = uuid[:8] + "-" + uuid[8:]
	for text, want := range map[string]string{
		"/tmp/w/flask/a.py":                          "$WORK/flask/a.py",
		"at " + now.Format(time.RFC3339Nano):         "at $NOW",
		"at " + now.Format("2006-01-02 15:04") + "Z": "at $NOW",
		"on " + now.Format(time.DateOnly) + ".":      "on $TODAY.",
		"2020-01-02T03:04:05Z 2020-01-02":            "2020-01-02T03:04:05Z 2020-01-02",
		uuid + "-7829-9ee4-d3e76cc60b2e":             "$MILLIS-7829-9ee4-d3e76cc60b2e",
		"01a2037c-75d0-4829-9ee4-d3e76cc60b2e":       "01a2037c-75d0-4829-9ee4-d3e76cc60b2e",
		"018f0000-75d0-7829-9ee4-d3e76cc60b2e":       "018f0000-75d0-7829-9ee4-d3e76cc60b2e",
	} {
		if got := string(n.apply([]byte(text))); got != want {
			t.Errorf("apply(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	want := []digest{{name: "a/1", stdout: "x", stderr: "-"}, {name: "a/2", stdout: "x"}, {name: "b/1", stdout: "x"}}
	got := []digest{{name: "a/1", stdout: "y", stderr: "-", exit: 3}, {name: "a/3"}}
	all := []string{"a/1: exit code 3, want 0, output", "a/2: no such case", "a/3: new", "b/1: no such case"}
	if diff := cmp.Diff(all, compare(want, got, false)); diff != "" {
		t.Errorf("compare (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all[:3], compare(want, got, true)); diff != "" {
		t.Errorf("compare of some groups (-want +got):\n%s", diff)
	}
	merged := merge(want, got, true)
	read, err := parseDigests([]byte("# comment\na/1 3 y -\n"))
	if err != nil || len(merged) != 3 || merged[2].name != "b/1" || read[0] != got[0] {
		t.Errorf("merge = %v, parseDigests = %v, %v", merged, read, err)
	}
}
