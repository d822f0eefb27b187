package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/style"
)

// TestLabels: each label is a repository and a kind, and each kind has one.
func TestLabels(t *testing.T) {
	count := map[style.Kind]int{}
	for line := range strings.Lines(labels) {
		repo, kind, ok := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(repo, "#") {
			continue
		}
		if k := style.Kind(kind); !ok || strings.Count(repo, "/") != 1 || !slices.Contains(style.Kinds, k) {
			t.Errorf("line %q", line)
		}
		count[style.Kind(kind)]++
	}
	for _, k := range style.Kinds {
		if count[k] == 0 {
			t.Errorf("no repository is %s", k)
		}
	}
}

// TestMeasure: the newer messages are checked by what the older ones taught.
func TestMeasure(t *testing.T) {
	var list []string
	for i := range 100 {
		list = append(list, fmt.Sprintf("fix(git): keep lock %d", i))
	}
	list[3], list[4] = "Keep lock", "frob(x): lock"
	r := measure("a/b", style.Conventional, list)
	if r.learned.Kind != style.Conventional || r.checked != 19 || len(r.faults) != 1 {
		t.Errorf("%s, %d checked, faults %q", r.learned.Kind, r.checked, r.faults)
	}
}
