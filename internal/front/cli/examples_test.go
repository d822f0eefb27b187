package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// TestExamples runs every example of every command's help, in a repository in
// which all of them have an answer.
func TestExamples(t *testing.T) {
	env := isolated(t.TempDir())
	n := 0
	for _, c := range everyCommand() {
		dir := exampleRepository(t)
		if strings.HasPrefix(c.CommandPath(), "satchel snapshot") {
			for _, budget := range []string{"1k", "2k"} { // two packs to look back at
				cmd := exec.Command("satchel", "pack", "dial the proxy", "--snapshot", "--budget", budget)
				cmd.Dir, cmd.Env = dir, env
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
		}
		if strings.HasPrefix(c.CommandPath(), "satchel review ") { // findings to say something of
			known := `{"version":1,"recent":[{"fingerprint":"a3f1000000000000","category":"concurrency"},{"fingerprint":"7be0000000000000","category":"style"}],` +
				`"dismissed":[{"fingerprint":"a3f1000000000000","category":"concurrency"}],"counts":{"concurrency":{"dismissed":1}}}`
			if err := os.MkdirAll(filepath.Join(dir, ".git", "satchel"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ".git", "satchel", "review.json"), []byte(known), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		env := env
		if c.Flags().Lookup("llm") != nil || strings.HasPrefix(c.CommandPath(), "satchel log") {
			env = askable(t, dir, env)
		}
		if strings.HasPrefix(c.CommandPath(), "satchel log") { // something to look back at
			cmd := exec.Command("satchel", "review")
			cmd.Dir, cmd.Env = dir, env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		for line := range strings.Lines(c.Example) {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			n++
			t.Run(line, func(t *testing.T) {
				cmd := exec.Command("sh", "-c", line)
				cmd.Dir, cmd.Env = dir, env
				out, err := cmd.CombinedOutput()
				if err != nil || len(out) == 0 {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
	if n < 10 {
		t.Errorf("%d examples; is the walk right?", n)
	}
}

// answers are what a model of examples says, by what it is asked to submit.
var answers = map[string]string{
	"grades":   `{"grades":[]}`,
	"claims":   `{"claims":[],"not_found":["a policy"]}`,
	"breaking": `{"type":"fix","subject":"say what goes wrong when a retry fails","body":"","names":["Retry"]}`,
	"sections": `{"title":"retry: say what goes wrong","body":"Retry returns an error, so that callers see one.","sections":[],"names":["Retry"]}`,
	"findings": `{"summary":"Nothing is wrong.","findings":[],"open":[],"looked_at":[]}`,
}

// askable makes a repository one that there is something to ask about, on a branch
// with a commit of its own and something staged, and configures a model that answers
// anything.
func askable(t *testing.T, dir string, env []string) []string {
	t.Helper()
	r := gittest.In(t, dir, t.TempDir())
	r.Git("checkout", "-q", "-b", "retry")
	r.Write("retry.go", "package retry\n\nfunc Retry() {}\n", "CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2020-01-02\n")
	r.Commit("retry: try again")
	r.Write("retry.go", "package retry\n\n// Retry tries again.\nfunc Retry() error { return nil }\n")
	r.Git("add", "-A")
	answers := maps.Clone(answers)
	ids, err := json.Marshal(strings.Fields(r.Git("log", "--format=%H", "v1.2.0..HEAD")))
	if err != nil {
		t.Fatal(err)
	}
	answers["omitted"] = fmt.Sprintf(`{"entries":[{"section":"Added","text":"Dialing is tried again.","commits":%s}],"omitted":[]}`, ids)
	var script []llmtest.Step
	for field, answer := range answers {
		script = append(script, llmtest.Step{In: `"` + field + `":{`, Times: -1, Calls: []llmtest.Call{{Name: "submit", Input: json.RawMessage(answer)}}})
	}
	s := llmtest.Start(t, script...)
	home := t.TempDir()
	env = append(slices.Clone(env), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "LLM_KEY="+llmtest.Key)
	config := filepath.Join(home, ".config", "satchel")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("[llm.default]\nurl = %q\nkind = \"anthropic\"\nmodel = \"claude-sonnet-4-5\"\nkey-env = \"LLM_KEY\"\nprice = [3.0, 0.3, 3.75, 15.0]\n", s.URL)
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return env
}

// everyCommand returns the root and all commands below it.
func everyCommand() []*cobra.Command {
	all := []*cobra.Command{cli.Root()}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}

// exampleRepository unpacks testdata/examples.tree and commits it twice.
func exampleRepository(t *testing.T) string {
	t.Helper()
	dir := unpackedRepository(t, "testdata/examples.tree", "proxy: dial with a timeout")
	r := gittest.In(t, dir, t.TempDir())
	r.Git("tag", "v1.2.0")
	r.Commit("login: say who is logged in")
	return dir
}

// unpackedRepository makes a repository of the files of an archive, in one commit.
func unpackedRepository(t *testing.T, archive, subject string) string {
	t.Helper()
	files, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	r := gittest.New(t)
	for _, f := range files.Files {
		r.Write(f.Name, string(f.Data))
	}
	r.Commit(subject)
	return r.Dir
}
