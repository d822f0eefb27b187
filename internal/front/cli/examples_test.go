package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
	"github.com/spf13/cobra"
)

// TestExamples runs every example of every command's help, in a repository in
// which all of them have an answer.
func TestExamples(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	plain := clitest.Examples(t, "testdata/examples.tree")
	asked := copyOf(t, plain)
	answers := askable(t, asked)
	n := 0
	for _, c := range everyCommand() {
		for line := range strings.Lines(c.Example) {
			if strings.TrimSpace(line) != "" {
				n++
			}
		}
		if c.Example == "" {
			continue
		}
		t.Run(c.CommandPath(), func(t *testing.T) {
			t.Parallel()
			log := strings.HasPrefix(c.CommandPath(), "satchel log")
			home := t.TempDir()
			env := base.Env{Environ: clitest.Isolated(home)}
			if c.Flags().Lookup("llm") != nil || log {
				env.Dir = copyOf(t, asked)
				env.Environ = append(env.Environ, configureModel(t, home, answers)...)
			} else {
				env.Dir = copyOf(t, plain)
			}
			before := func(args ...string) {
				if code, _, errs := run(t, env, args...); code != base.ExitOK {
					t.Fatalf("satchel %q: exit code %d: %s", args, code, errs)
				}
			}
			switch {
			case strings.HasPrefix(c.CommandPath(), "satchel snapshot"): // two packs to look back at
				before("pack", "dial the proxy", "--snapshot", "--budget", "1k")
				before("pack", "dial the proxy", "--snapshot", "--budget", "2k")
			case strings.HasPrefix(c.CommandPath(), "satchel review "): // findings to judge
				known := `{"version":1,"recent":[{"fingerprint":"a3f1000000000000","category":"concurrency"},{"fingerprint":"7be0000000000000","category":"style"}],` +
					`"dismissed":[{"fingerprint":"a3f1000000000000","category":"concurrency"}],"counts":{"concurrency":{"dismissed":1}}}`
				if err := os.MkdirAll(filepath.Join(env.Dir, ".git", "satchel"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(env.Dir, ".git", "satchel", "review.json"), []byte(known), 0o600); err != nil {
					t.Fatal(err)
				}
			case log: // a run to look back at
				before("review")
			}
			for line := range strings.Lines(c.Example) {
				if line = strings.TrimSpace(line); line != "" {
					example(t, env, line)
				}
			}
		})
	}
	if n < 10 {
		t.Errorf("%d examples; is the walk right?", n)
	}
}

// example runs a command line, in this process if it needs no shell.
func example(t *testing.T, env base.Env, line string) {
	t.Helper()
	if args, ok := words(line); ok && args[0] == "satchel" && args[1] != "run" {
		if code, out, errs := run(t, env, args[1:]...); code != base.ExitOK || out+errs == "" {
			t.Errorf("%s: exit code %d\n%s%s", line, code, out, errs)
		}
		return
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = env.Dir, env.Environ
	if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
}

// words splits a command line as a shell does. ok is false if that takes a shell.
func words(line string) (list []string, ok bool) {
	if strings.ContainsAny(line, "|&;<>()$`\\*?~#") {
		return nil, false
	}
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " ") {
		var word strings.Builder
		for line != "" && line[0] != ' ' {
			quote := line[:1]
			if quote != `"` && quote != "'" {
				word.WriteString(quote)
				line = line[1:]
				continue
			}
			inside, rest, closed := strings.Cut(line[1:], quote)
			if !closed {
				return nil, false
			}
			word.WriteString(inside)
			line = rest
		}
		list = append(list, word.String())
	}
	return list, true
}

// copyOf returns a copy of a folder.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "r")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// answers are what a model of examples says, by what it is asked to submit.
var answers = map[string]string{
	"grades":   `{"grades":[]}`,
	"claims":   `{"claims":[],"not_found":["a policy"]}`,
	"breaking": `{"type":"fix","subject":"say what goes wrong when a retry fails","body":"","names":["Retry"]}`,
	"sections": `{"title":"retry: say what goes wrong","body":"Retry returns an error, so that callers see one.","sections":[],"names":["Retry"]}`,
	"findings": `{"summary":"Nothing is wrong.","findings":[],"open":[],"looked_at":[]}`,
}

// askable prepares a repository that there is something to ask about: it gets a branch
// with a commit and staged changes. It returns the answers of a model to any question.
func askable(t *testing.T, dir string) (script []llmtest.Step) {
	t.Helper()
	r := gittest.In(t, dir, t.TempDir())
	r.Git("checkout", "-q", "-b", "retry")
	r.Write("retry.go", "package retry\n\nfunc Retry() {}\n", "internal/proxy/retry.go", "package proxy\n\nfunc retry() error { return nil }\n",
		"docs/guide.md", "# Guide\n\nThe proxy retries a dial.\n", "CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2020-01-02\n")
	r.Commit("retry: try again")
	r.Write("retry.go", "package retry\n\n// Retry tries again.\nfunc Retry() error { return nil }\n")
	r.Git("add", "-A")
	answers := maps.Clone(answers)
	ids, err := json.Marshal(strings.Fields(r.Git("log", "--format=%H", "v1.2.0..HEAD")))
	if err != nil {
		t.Fatal(err)
	}
	answers["omitted"] = fmt.Sprintf(`{"entries":[{"section":"Added","text":"Dialing is tried again.","commits":%s}],"omitted":[]}`, ids)
	for field, answer := range answers {
		script = append(script, llmtest.Step{In: `"` + field + `":{`, Times: -1, Calls: []llmtest.Call{{Name: "submit", Input: json.RawMessage(answer)}}})
	}
	return script
}

// configureModel starts a model's server and configures it in a home. It returns the
// variables of a command that asks it.
func configureModel(t *testing.T, home string, script []llmtest.Step) []string {
	t.Helper()
	s := llmtest.Start(t, script...)
	config := filepath.Join(home, ".config", "satchel")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("[llm.default]\nurl = %q\nkind = \"anthropic\"\nmodel = \"claude-sonnet-4-5\"\nkey-env = \"LLM_KEY\"\nprice = [3.0, 0.3, 3.75, 15.0]\n", s.URL)
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"LLM_KEY=" + llmtest.Key}
}

// everyCommand returns the root and all commands below it.
func everyCommand() []*cobra.Command {
	all := []*cobra.Command{cli.Root()}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}

// TestPages runs every command of README and docs: lines that begin with satchel or git,
// in blocks of code that are not marked as text.
func TestPages(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	asked := clitest.Examples(t, "testdata/examples.tree")
	answers := askable(t, asked)
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("pages %q: %v", pages, err)
	}
	ran := 0
	for _, page := range append(pages, "../../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		lines := commandsIn(string(text))
		if ran += len(lines); len(lines) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			env := base.Env{Dir: copyOf(t, asked), Environ: append(clitest.Isolated(home), configureModel(t, home, answers)...)}
			for _, line := range lines {
				env := env
				if strings.HasPrefix(line, "satchel commit ") { // later lines need what is staged
					env.Dir = copyOf(t, env.Dir)
				}
				example(t, env, line)
			}
		})
	}
	if ran < 100 {
		t.Errorf("%d commands; are the blocks found?", ran)
	}
}

// commandsIn returns the commands in the blocks of a page, without their comments.
func commandsIn(text string) (lines []string) {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		command, indented := strings.CutPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "```") && fence == "":
			fence = line
			continue
		case strings.HasPrefix(line, "```"):
			fence = ""
			continue
		case fence != "":
			command = line
		case !indented:
			continue
		}
		if fence != "```text" && (strings.HasPrefix(command, "satchel ") || strings.HasPrefix(command, "git ")) {
			command, _, _ = strings.Cut(command, "  #")
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	return lines
}
