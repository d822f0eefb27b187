package pack_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/tools"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// needle is in the file that the user leaves out, and nowhere else.
const needle = "pelican4711"

// An outlet is a command that shows or sends text of the repository.
type outlet struct {
	stdin string
	args  []string
}

func toolCall(tool, args string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}
`
}

var outlets = []outlet{
	{"", []string{"pack", "-q", "--budget", "0"}},
	{"", []string{"pack", "what does salary_of pay", "--budget", "4k"}},
	{"", []string{"pack", "salary_of", "--rev", "HEAD", "--budget", "4k"}},
	{"", []string{"pack", "--diff", "HEAD"}},
	{"", []string{"pack", "--diff", "HEAD~1..HEAD"}},
	{"", []string{"search", "salary_of", "--symbols"}},
	{"", []string{"show", "private/pay.py"}},
	{"", []string{"show", "private/pay.py", "--rev", "HEAD"}},
	{"", []string{"diff", "--detail", "standard"}},
	{"", []string{"diff", "--staged", "--detail", "standard"}},
	{"", []string{"diff", "HEAD", "--path", "private/pay.py", "--path", "app.py", "--detail", "standard"}},
	{"", []string{"diff", "HEAD~1..HEAD", "--detail", "standard"}},
	{"", []string{"diff", "--commit", "HEAD", "--detail", "standard", "--json"}},
	{"", []string{"review", "--dry-run", "--json"}},
	{"", []string{"review", "HEAD~1..HEAD", "--dry-run", "--json"}},
	{"", []string{"commit", "--print", "--dry-run", "--json"}},
	{"", []string{"pr", "--base", "start", "--dry-run", "--json"}},
	{"", []string{"ask", "what does salary_of pay in private/pay.py?", "--dry-run", "--json"}},
	{"", []string{"run", "--task", "what does salary_of pay", "--", "cat"}},
	{`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"what does salary_of return in private/pay.py"}`, []string{"hook", "claude"}},
	{toolCall("pack", `{"task":"what does salary_of pay"}`), []string{"mcp"}},
	{toolCall("pack", `{"task":"salary_of","pins":["private/pay.py"]}`), []string{"mcp"}},
	{toolCall("pack", `{"diff":"HEAD~1..HEAD"}`), []string{"mcp"}},
	{toolCall("search", `{"query":"salary_of","symbols":true}`), []string{"mcp"}},
	{toolCall("read", `{"path":"private/pay.py"}`), []string{"mcp"}},
	{toolCall("diff", `{"range":"HEAD","detail":"standard"}`), []string{"mcp"}},
}

// fewer are the outlets that each kind of file is tried with.
var fewer = []int{0, 2, 6, 7, 8, 11}

// secretive is a repository with a committed and a staged change of a file that the
// rules are to leave out.
func secretive(t *testing.T, rules map[string]string) (*gittest.Repo, base.Env) {
	t.Helper()
	home := t.TempDir()
	config := "[llm.default]\nurl = \"http://127.0.0.1:9\"\nkind = \"anthropic\"\nmodel = \"claude-sonnet-4-5\"\nkey-env = \"K\"\n"
	if text, ok := rules["config.toml"]; ok {
		config = text + config
		delete(rules, "config.toml")
	}
	if err := os.MkdirAll(filepath.Join(home, ".config", "satchel"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".config", "satchel", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	r := gittest.New(t)
	pay := "def salary_of(name=\"" + needle + "\"):\n    return 1\n"
	r.WriteAll(rules)
	r.WriteAll(map[string]string{"app.py": "def run():\n    return 1\n", ".gitignore": ".claude/settings.local.json\n"})
	r.Git("add", "-A")
	r.Commit("app: run")
	r.Git("branch", "start")
	r.WriteAll(map[string]string{"private/pay.py": pay, "app.py": "def run():\n    return 2\n"})
	r.Git("add", "-A")
	r.Commit("pay: compute it")
	r.WriteAll(map[string]string{"private/pay.py": pay + "\n\ndef more():\n    return salary_of(\"" + needle + "\")\n", "app.py": "def run():\n    return 3\n"})
	r.Git("add", "-A")
	return r, base.Env{Dir: r.Dir, Environ: []string{"HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "c"), "K=x", "PATH=" + os.Getenv("PATH")}}
}

func (o *outlet) text(t *testing.T, env base.Env) string {
	t.Helper()
	env.Stdin = strings.NewReader(o.stdin)
	_, out, errs := suite.Run(t, env, o.args...)
	return out + errs
}

// TestLeftOutEverywhere: what the user leaves out is neither shown nor sent, whatever
// the command. Without a rule each of them shows it.
func TestLeftOutEverywhere(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	all := make([]int, len(outlets))
	for i := range all {
		all[i] = i
	}
	for _, tt := range []struct {
		name  string
		rules map[string]string
		of    []int
		shown bool
	}{
		{"nothing", map[string]string{}, all, true},
		{"config.toml", map[string]string{"config.toml": "exclude = [\"private/**\"]\n"}, all, false},
		{".satchel.toml", map[string]string{".satchel.toml": "exclude = [\"private/\"]\n"}, all, false},
		{".cursorignore", map[string]string{".cursorignore": "# ours\nprivate\n"}, all, false},
		{".claudeignore", map[string]string{".claudeignore": "/private/\n"}, fewer, false},
		{".geminiignore", map[string]string{".geminiignore": "pay.*\n"}, fewer, false},
		{".aiignore", map[string]string{".aiignore": "*.py\n!app.py\n"}, fewer, false},
		{".agentignore", map[string]string{".agentignore": "pri[!a]ate/**\r\n"}, fewer, false},
		{"an empty .aiexclude", map[string]string{"private/.aiexclude": ""}, fewer, false},
		{"in a folder", map[string]string{"private/.cursorignore": "/pay.py"}, fewer, false},
		{"Claude Code", map[string]string{".claude/settings.json": `{"permissions":{"deny":["Bash(rm)","Read(./private/**)"]}}`}, fewer, false},
		{"Claude Code, untracked", map[string]string{".claude/settings.local.json": `{"permissions":{"deny":["Read(**/pay.py)"]}}`}, fewer, false},
		{"turned off", map[string]string{".cursorignore": "private\n", "config.toml": "no-ai-ignore = true\n"}, fewer, true},
		{"brought back", map[string]string{".cursorignore": "private\n", "config.toml": "unignore = [\"private/\"]\n"}, fewer, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, env := secretive(t, tt.rules)
			for _, i := range tt.of {
				o := &outlets[i]
				if text := o.text(t, env); strings.Contains(text, needle) != tt.shown {
					t.Errorf("%q shows it: %t, want %t:\n%s", o.args, !tt.shown, tt.shown, text)
				}
			}
		})
	}
}

// TestLeftOutOfTools: so do the tools of a model that satchel itself asks.
func TestLeftOutOfTools(t *testing.T) {
	t.Parallel()
	for _, rules := range []map[string]string{{}, {".cursorignore": "private/\n"}} {
		shown := len(rules) == 0
		r, env := secretive(t, rules)
		e, err := engine.Open(t.Context(), &engine.Options{Dir: r.Dir})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		h := &tools.Host{Guarded: true, Change: engine.DiffRequest{Range: "HEAD~1..HEAD"}, Path: func(name string) (string, error) { return path.Clean(name), nil }}
		_ = env
		for name, args := range map[string]string{
			"read": `{"path":"private/pay.py"}`, "blame": `{"path":"private/pay.py","from":1}`, "search": `{"query":"salary_of","symbols":true}`,
			"diff": `{"detail":"standard"}`, "map": `{"paths":["private"]}`,
		} {
			for _, tool := range tools.Of(tools.Inside) {
				if tool.Name != name {
					continue
				}
				text, err := tool.Answer(t.Context(), h, e, json.RawMessage(args), tools.DefaultBudget)
				if strings.Contains(text, needle) != shown {
					t.Errorf("%s %s with %v: %q, %v, want it shown: %t", name, args, rules, text, err, shown)
				}
			}
		}
	}
}

// TestChangeCannotHide: for a change, files of rules count as they are in its base, a
// change to one is shown, and what a review did not see is named.
func TestChangeCannotHide(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	for _, tt := range []struct {
		name         string
		base, change map[string]string // "" deletes
		sees, not    string
	}{
		{"a rule comes with it", nil, map[string]string{".cursorignore": "*\n", "evil.py": "stolen()\n"}, "stolen", ""},
		{"a setting comes with it", nil, map[string]string{".satchel.toml": "exclude = [\"*\"]\n", "evil.py": "stolen()\n"}, "stolen", ""},
		{"a rule goes with it", map[string]string{".cursorignore": "private/\n"}, map[string]string{".cursorignore": "", "private/pay.py": "secretly()\n"}, ".cursorignore", "secretly"},
		{"a rule that names itself", map[string]string{".aiexclude": ""}, map[string]string{".aiexclude": "bananas\n", "evil.py": "stolen()\n"}, "bananas", "stolen"},
		{"out of a folder", map[string]string{".cursorignore": "private/\n", "private/pay.py": strings.Repeat("secretly()\n", 20)}, map[string]string{"private/pay.py": "", "pay.py": strings.Repeat("secretly()\n", 20) + "x\n", "b.py": "visible()\n"}, "visible", "secretly"},
		{"into a folder", map[string]string{".cursorignore": "private/\n", "pay.py": strings.Repeat("secretly()\n", 20)}, map[string]string{"pay.py": "", "private/pay.py": strings.Repeat("secretly()\n", 20) + "x\n", "b.py": "visible()\n"}, "visible", "secretly"},
		{"deleted", map[string]string{".claudeignore": "private/\n", "private/pay.py": "secretly()\n"}, map[string]string{"private/pay.py": "", "b.py": "visible()\n"}, "visible", "secretly"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, env := secretive(t, map[string]string{})
			r.Git("reset", "-q", "--hard", "start")
			write := func(files map[string]string) {
				for name, text := range files {
					r.WriteAll(map[string]string{name: text})
					if text == "" && path.Base(name) != ".aiexclude" {
						if err := os.Remove(filepath.Join(r.Dir, name)); err != nil {
							t.Fatal(err)
						}
					}
				}
				r.Git("add", "-A")
			}
			if tt.base != nil {
				write(tt.base)
				r.Commit("base")
			}
			write(tt.change)
			for _, commit := range []bool{false, true} {
				shown := "HEAD"
				if commit {
					r.Commit("change")
					shown = "HEAD~1..HEAD"
				}
				for _, args := range [][]string{{"diff", shown, "--detail", "standard"}, {"pack", "--diff", shown}, {"review", shown, "--dry-run", "--json"}} {
					_, out, errs := suite.Run(t, env, args...)
					if !strings.Contains(out, tt.sees) || tt.not != "" && strings.Contains(out, tt.not) {
						t.Errorf("%q: want %q and not %q in\n%s%s", args, tt.sees, tt.not, out, errs)
					}
				}
			}
		})
	}
}
