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
	"github.com/spf13/pflag"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/config"
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

// TestDocs keeps the pages complete: every command, every flag, every setting.
func TestDocs(t *testing.T) {
	commands := readDoc(t, "commands.md")
	for _, c := range everyCommand()[1:] {
		if c.Name() == "help" || c.Parent().Name() == "completion" {
			continue
		}
		if !strings.Contains(commands, c.CommandPath()) {
			t.Errorf("docs/commands.md does not name %s", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if c.Name() != "config" && !strings.Contains(commands, "--"+f.Name) {
				t.Errorf("docs/commands.md does not name --%s of %s", f.Name, c.CommandPath())
			}
		})
	}
	settings := readDoc(t, "config.md")
	for _, k := range config.Keys {
		row := ""
		for line := range strings.Lines(settings) {
			if strings.HasPrefix(line, "| `"+k.Name+"` |") {
				row = line
			}
		}
		if row == "" {
			t.Errorf("docs/config.md has no row for %s", k.Name)
			continue
		}
		may := map[string]string{"may not set it": "refused"}[string(k.Repository)]
		if may == "" {
			may = string(k.Repository)
		}
		if !strings.HasSuffix(strings.TrimSpace(row), "| "+may+" |") {
			t.Errorf("docs/config.md says of %s what a repository's file may do other than %q:\n%s", k.Name, may, row)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^- `([a-z0-9_]+)`: ").FindAllStringSubmatch(settings, -1) {
		if _, ok := rank.SignalByName(m[1]); !ok {
			t.Errorf("docs/config.md explains the weight %s, which no signal has", m[1])
		}
	}
}

// TestExitCodes: the help, the page of commands and that of formats list the exit codes
// that there are, in their order, and no others.
func TestExitCodes(t *testing.T) {
	var want []string
	for _, file := range parseFolder(t, ".") {
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
	_, out, _ := run(t, cli.Env{}, "--help")
	_, help, _ := strings.Cut(out, "\nExit codes:\n")
	help, _, _ = strings.Cut(help, "\n\n")
	_, table, _ := strings.Cut(readDoc(t, "formats.md"), "\n## Exit codes\n")
	table, _, _ = strings.Cut(table, "\n## ")
	_, list, _ := strings.Cut(readDoc(t, "commands.md"), "\nExit codes: ")
	list, _, _ = strings.Cut(list, "\n\n")
	for _, tt := range []struct{ where, text, code string }{
		{"satchel --help", help, `(?m)^  (\d+) `},
		{"docs/formats.md", table, `(?m)^\| (\d+) \|`},
		{"docs/commands.md", "· " + list, `· (\d+) `},
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

// TestChangesDoc keeps the table of docs/changes.md that of the default profile.
func TestChangesDoc(t *testing.T) {
	const from, to = "-update -->\n", "<!-- end of signals -->"
	text := readDoc(t, "changes.md")
	start, end := strings.Index(text, from)+len(from), strings.Index(text, to)
	if start < len(from) || end < start {
		t.Fatal("docs/changes.md has no marks around the table of signals")
	}
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
	want.WriteString("\n")
	if got := text[start:end]; got != want.String() {
		if !*update {
			t.Fatalf("the table of docs/changes.md is not that of rank.Changes; -update rewrites it (-got +want):\n%s", cmp.Diff(got, want.String()))
		}
		if err := os.WriteFile("../../../docs/changes.md", []byte(text[:start]+want.String()+text[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadme runs the README's first command, on this module.
func TestReadme(t *testing.T) {
	slow(t)
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
	env := cli.Env{Dir: root, Environ: isolated(home)}
	code, out, errs := run(t, env, "pack", string(m[1]), "--budget", string(m[2]), "--set", "no-cache", "--set", "history-commits=50")
	if strings.Contains(errs, "dubious ownership") {
		t.Skip("the checkout belongs to another user")
	}
	if code != cli.ExitOK || !strings.Contains(errs, " of 8,000 tokens") {
		t.Errorf("exit code %d, stderr:\n%s", code, errs)
	}
	if !strings.Contains(out, "### tokens/") {
		t.Errorf("the answer lies in tokens/, and is not there:\n%s", out)
	}
}
