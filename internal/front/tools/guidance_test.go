package tools

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// TestDiffGuidance checks that the tool diff guides each reader by the arguments of
// the tool, and never by flags of the command line.
func TestDiffGuidance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	r := gittest.New(t)
	gittest.Isolate(t)
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("f%d.go", i)] = strings.Repeat(fmt.Sprintf("// F%d does what the others do not.\n", i), 20)
	}
	r.Write("a.txt", "first\n")
	r.Commit("first")
	r.WriteAll(files)
	r.Git("add", "-A")
	e, err := engine.Open(t.Context(), &engine.Options{Dir: r.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	flags := regexp.MustCompile(`(^|[\s(])--(detail|files|cursor|json|split)\b|satchel diff`)
	const ask = `"detail":"standard","files":["PATH"]`
	for _, tt := range []struct {
		args    string
		guarded bool
		want    []string
		not     string
	}{
		{`{}`, false, []string{"\nGuidance: Ask for files with " + ask + ".\n", "\n(" + ask + " shows the diffs of files)\n"}, "parallel_analyze"},
		{`{"files":["f1*"]}`, false, []string{"\n(\"detail\":\"standard\" shows the diffs of these files)\n"}, "parallel_analyze"},
		{`{}`, true, []string{"\nGuidance: If parallel_analyze is offered, give each area a separate task; or ask for files with " + ask + ".\n"}, "@@"},
		{`{"budget":900}`, false, []string{"\n@@ -0,0 +1", " more files\n", "There is more: make the same call with cursor "}, ", which"},
		{`{"budget":900,"detail":"summary"}`, false, []string{"Files by importance"}, "@@"},
	} {
		h := &Host{Guarded: tt.guarded, Path: func(name string) (string, error) { return path.Clean(name), nil }}
		for _, tool := range Of(Both) {
			if tool.Name != "diff" {
				continue
			}
			got, err := tool.Answer(t.Context(), h, e, json.RawMessage(tt.args), DefaultBudget)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s: no %q in\n%s", tt.args, want, got)
				}
			}
			if m := flags.FindString(got); m != "" || strings.Contains(got, tt.not) {
				t.Errorf("%s: %q or %q in\n%s", tt.args, m, tt.not, got)
			}
		}
	}
}
