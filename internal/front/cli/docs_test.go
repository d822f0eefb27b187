package cli_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/rank"
)

func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExitCodes checks that the help and docs/automate.md list the exit codes, in order.
func TestExitCodes(t *testing.T) {
	var want []string
	for _, file := range parseFolder(t, "base") {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || !strings.HasPrefix(g.Doc.Text(), "Exit codes.") {
				continue
			}
			for _, spec := range g.Specs {
				want = append(want, types.ExprString(spec.(*ast.ValueSpec).Values[0]))
			}
		}
	}
	if len(want) < 9 {
		t.Fatalf("the constants are %q", want)
	}
	_, out, _ := run(t, base.Env{}, "--help")
	_, help, _ := strings.Cut(out, "\nExit codes:\n")
	help, _, _ = strings.Cut(help, "\n\n")
	_, table, _ := strings.Cut(readDoc(t, "automate.md"), "\n## Exit codes\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, tt := range []struct{ where, text, code string }{
		{"satchel --help", help, `(?m)^  (\d+) `},
		{"docs/automate.md", table, `(?m)^\| (\d+) \|`},
	} {
		var got []string
		for _, m := range regexp.MustCompile(tt.code).FindAllStringSubmatch(tt.text, -1) {
			got = append(got, m[1])
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s (-there +exit codes):\n%s", tt.where, diff)
		}
		// run ends with the code of its command, which is in no list.
		run := regexp.MustCompile(`(?s)\brun\b.*\b124\b.*\b126\b.*\b127\b.*\bshells?\b`)
		if !run.MatchString(tt.text) {
			t.Errorf("%s does not say what run ends with:\n%s", tt.where, tt.text)
		}
	}
}

// TestSignals keeps the table in docs/design/004-changes.md equal to the default profile.
func TestSignals(t *testing.T) {
	var want strings.Builder
	want.WriteString("\n| signal | meaning | adds | neutral |\n|---|---|---|---|\n")
	for i := range rank.Changes.Rules {
		r := &rank.Changes.Rules[i]
		if r.Add == 0 {
			continue
		}
		judged, neutral := "", ""
		if r.Judged {
			judged = " J"
		}
		if r.Neutral != 0 {
			neutral = fmt.Sprint(r.Neutral)
		}
		fmt.Fprintf(&want, "| `%s` | %s | %+.3g%s | %s |\n", r.Signal, r.Why, r.Add, judged, neutral)
	}
	marked(t, "design/004-changes.md", "signals", want.String()+"\n")
}

// TestReadme runs the README's first command, on this module.
func TestReadme(t *testing.T) {
	clitest.Slow(t)
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^    go run ./cmd/satchel pack "(.*)" --budget (\S+)$`).FindSubmatch(text)
	if m == nil {
		t.Fatal("README.md does not hold the command")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := base.Env{Dir: root, Environ: clitest.Isolated(home)}
	code, out, errs := run(t, env, "pack", string(m[1]), "--budget", string(m[2]), "--set", "no-cache", "--set", "history-commits=50")
	if strings.Contains(errs, "dubious ownership") {
		t.Skip("the checkout belongs to another user")
	}
	if code != base.ExitOK || !strings.Contains(errs, " of 8,000 tokens") {
		t.Errorf("exit code %d, stderr:\n%s", code, errs)
	}
	if !strings.Contains(errs, "\nmatch  strong") || !strings.Contains(out, "### tokens/method.go\n") {
		t.Errorf("want a strong match that shows tokens/method.go:\n%s%s", errs, out)
	}
}
