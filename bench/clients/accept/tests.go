package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// tests are the acceptance tests, in the order of their numbers.
var tests = []test{
	{1, "claude-inject", []string{"claude"}, claudeInject},
	{2, "claude-mcp", []string{"claude"}, claudeMCP},
	{3, "claude-compact", []string{"claude"}, claudeCompact},
	{4, "claude-snapshot", []string{"claude"}, claudeSnapshot},
	{5, "claude-status", []string{"claude"}, claudeStatus},
	{6, "codex", []string{"codex"}, codexAll},
	{7, "gemini", []string{"gemini"}, geminiAll},
	{8, "copilot", []string{"copilot"}, copilotAll},
	{9, "opencode, pi", []string{"opencode", "pi"}, pluginAgents},
	{10, "plugin", []string{"claude", "codex", "gemini"}, plugin},
	{11, "protocol", []string{"inspector", "mcpsdk", "conformance", "opencode"}, protocol},
	{12, "fail-open, hostile", []string{"claude", "codex", "gemini", "copilot"}, failOpen},
}

const (
	// injected begins what satchel puts beside a prompt.
	injected = "Context that satchel chose for this prompt"

	// task is what the prompts are about. The answer stands in internal/proxy.
	task   = "the login times out behind a proxy, it should retry with backoff"
	answer = "internal/proxy/proxy.go"

	// mostCharacters is what Claude Code shows of a hook's words; satchel keeps to
	// less, since it counts in UTF-16 units what may be cut in others.
	mostCharacters = 9000
)

// characters counts as the clients do.
func characters(s string) int { return len(utf16.Encode([]rune(s))) }

// given checks what a model was given beside a prompt, and returns it.
func (t *trial) given(who string, list []request) string {
	if len(list) == 0 {
		t.fail("%s: the prompt did not reach the model", who)
		return ""
	}
	var found []string
	for _, s := range texts(list[0].Body) {
		if strings.Contains(s, injected) {
			found = append(found, s)
		}
	}
	if len(found) != 1 || strings.Count(found[0], injected) != 1 {
		t.fail("%s: %d texts by satchel, want 1", who, len(found))
		return ""
	}
	t.want(strings.Contains(found[0], answer), "%s: what was given does not hold %s", who, answer)
	t.want(strings.Contains(found[0], "retryWithBackoff"), "%s: what was given does not hold the function", who)
	return found[0]
}

// answered checks that what satchel's MCP server answered is what the model was
// given: once, whole, and as text.
func (t *trial) answered(b *box, who string) {
	var said string
	for line := range strings.Lines(b.recorded("mcp.out")) {
		var m struct {
			Result struct {
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
				Structured json.RawMessage `json:"structuredContent"`
			} `json:"result"`
		}
		if json.Unmarshal([]byte(line), &m) == nil && len(m.Result.Content) > 0 {
			t.want(m.Result.Structured == nil, "%s: the answer is structured, too", who)
			said = m.Result.Content[0].Text
		}
	}
	if said == "" {
		t.fail("%s: the server answered no call", who)
		return
	}
	last := b.api.seen()
	body := last[len(last)-1].Body
	n := 0
	for _, s := range texts(body) {
		n += strings.Count(strings.ReplaceAll(s, "\r\n", "\n"), strings.TrimSpace(said))
	}
	t.want(n == 1, "%s: the model was given the answer %d times", who, n)
	t.want(strings.Contains(said, answer), "%s: the answer does not hold %s", who, answer)
}

func geminiAll(t *trial) {
	b := t.setup("gemini", (*box).geminiSettings)
	t.installed(b, "gemini")
	r := b.gemini(task + ` @@tool mcp_satchel_pack {"task":"` + task + `","budget":1500}@@`)
	t.want(r.code == 0, "gemini ended with %d: %s", r.code, r.err)
	text := t.given("gemini", b.api.asking(task))
	asked := b.api.asking(task)
	if len(asked) > 0 {
		t.want(strings.Contains(strings.Join(texts(asked[0].Body), "\n"), "<hook_context>"), "not in a hook_context")
	}
	t.answered(b, "gemini")
	var list struct {
		Snapshots []object `json:"snapshots"`
	}
	s := b.satchel("snapshot", "list", "--json")
	_ = json.Unmarshal(s.out, &list) // none then
	pre := len(b.event("PreCompress"))
	t.want(pre >= 1, "PreCompress was not called, so that nothing is tested")
	t.want(len(list.Snapshots) <= 1, "%d snapshots of %d calls of PreCompress", len(list.Snapshots), pre)

	// Without satchel the prompt goes through all the same.
	if err := os.Remove(filepath.Join(b.bin, "satchel")); err != nil {
		t.fail("%v", err)
	}
	b.api.clear()
	b.gemini("without it, " + task)
	t.want(len(b.api.asking("without it, ")) > 0, "without satchel the prompt does not reach the model")
	t.fact("%d characters, %d snapshots of %d calls of PreCompress", characters(text), len(list.Snapshots), pre)
}

func copilotAll(t *trial) {
	b := t.setup("copilot")
	t.installed(b, "copilot")
	r := b.copilot(task + ` @@tool satchel-pack {"task":"` + task + `","budget":1500}@@`)
	t.want(r.code == 0, "copilot ended with %d: %s", r.code, r.err)
	text := t.given("copilot", b.api.asking(task))
	t.answered(b, "copilot")
	events := map[string]bool{}
	for _, c := range b.hooks() {
		fields := strings.Fields(c.args)
		events[fields[len(fields)-1]] = true
		t.want(c.err == "", "a hook wrote to standard error: %s", c.err)
	}
	for _, e := range []string{"sessionStart", "userPromptSubmitted", "postToolUse"} {
		t.want(events[e], "%s was not called", e)
	}
	t.fact("%d characters, %d events", characters(text), len(events))
}

func pluginAgents(t *trial) {
	b := t.setup("opencode", (*box).opencodeSettings)
	t.installed(b, "opencode")
	r := b.opencode(task + ` @@tool satchel_pack {"task":"` + task + `","budget":1500}@@`)
	t.want(r.code == 0, "opencode ended with %d: %s", r.code, r.err)
	text := t.given("opencode", b.api.asking(task))
	t.answered(b, "opencode")
	t.want(len(b.event("tool.execute.after")) > 0, "opencode: tool.execute.after was not called")
	t.fact("opencode %d characters", characters(text))

	p := t.setup("pi", (*box).piSettings, func(b *box) error { return b.write(long, longText()) })
	t.installed(p, "pi")
	session := filepath.Join(p.dir, "s.jsonl")
	read := `@@tool read {"path":"` + long + `"}@@ `
	edit := `@@tool edit {"path":"` + long + `","edits":[{"oldText":"LINE-OF-OLD","newText":"LINE-OF-NEW"}]}@@ `
	r = p.pi(task+" "+read+edit+read+"@@say ONE@@", "--session", session)
	t.want(r.code == 0, "pi ended with %d: %s", r.code, r.err)
	text = t.given("pi", p.api.asking(task))
	t.want(len(p.event("tool_result")) == 3, "pi: %d results were told, want 3", len(p.event("tool_result")))
	p.api.clear()
	r = p.pi(`a tool @@tool pack {"query":"`+task+`","budget":1500}@@ @@say TWO@@`, "--session", session)
	last := p.api.seen()
	t.want(len(last) > 0 && strings.Count(strings.Join(texts(last[len(last)-1].Body), "\n"), "retryWithBackoff") > 1, "pi: the tool's answer did not reach the model: %s", r.err)
	stale := 0
	for _, c := range p.event("context") {
		if strings.Contains(c.out, `"stale":[{`) {
			stale++
		}
	}
	t.want(stale > 0, "pi: no read was found stale")
	if len(last) > 0 { // what is older than the last prompt is left out if it was read again
		all := strings.Join(texts(last[len(last)-1].Body), "\n")
		t.want(strings.Contains(all, "[satchel left this out") && !strings.Contains(all, "LINE-OF-OLD\nline 1 of many"), "pi: the stale read was sent in full")
		t.want(strings.Contains(all, "LINE-OF-NEW\nline 1"), "pi: the fresh read was not sent")
	}
	t.fact("pi %d characters, %d stale", characters(text), stale)
}

// long is a file that is worth leaving out when it was read again.
const long = "docs/long.txt"

func longText() string {
	var b strings.Builder
	b.WriteString("LINE-OF-OLD\n")
	for i := range 80 {
		fmt.Fprintf(&b, "line %d of many\n", i+1)
	}
	return b.String()
}

// tree returns the files below some folders with their bytes.
func tree(dirs ...string) (map[string]string, error) {
	files := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(name)
			files[name] = string(text)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func plugin(t *trial) {
	b := t.setup("plugin", func(b *box) error { return b.codexSettings("") }, (*box).geminiSettings)
	t.want(b.satchel("index").code == 0, "index")
	dir, ext := filepath.Join(b.dir, "plugin"), filepath.Join(b.dir, "extension")
	if r := b.satchel("install", "--plugin", dir, "--extension", ext); r.code != 0 {
		t.fail("install --plugin: %s", r.err)
		return
	}
	claude, codex := t.argv("claude"), t.argv("codex")
	must := func(argv []string, args ...string) {
		r := b.start(append(b.claudeVars(), "FAKE_KEY=fake"), "", append(slices.Clone(argv), args...)...)
		t.want(r.code == 0, "%s ended with %d: %s %s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	must(claude, "plugin", "validate", dir)
	must(claude, "plugin", "validate", filepath.Join(dir, "plugins", "satchel"))
	must(t.argv("gemini"), "extensions", "validate", ext)
	must(claude, "plugin", "marketplace", "add", dir)
	must(claude, "plugin", "install", "satchel@satchel")
	must(codex, "plugin", "marketplace", "add", dir)
	must(codex, "plugin", "add", "satchel@satchel")
	r := b.claude("claude: " + task)
	t.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	t.given("claude", b.api.asking("claude: "))
	b.api.clear()
	_ = os.RemoveAll(filepath.Join(b.dir, "hooks"))
	_ = os.Mkdir(filepath.Join(b.dir, "hooks"), 0o755)
	r = b.codex("codex: "+task, true)
	t.want(r.code == 0, "codex ended with %d: %s", r.code, r.err)
	t.given("codex", b.api.asking("codex: "))
	for _, h := range b.hooks() {
		t.want(strings.HasPrefix(h.args, "hook codex"), "Codex calls %s", h.args)
	}

	// Every agent's settings, as the agents themselves wrote them, are restored.
	c := t.setup("settings", func(b *box) error { return b.codexSettings("") }, (*box).geminiSettings, (*box).opencodeSettings, (*box).piSettings)
	c.claude("hello @@say HELLO@@")
	c.codex("hello @@say HELLO@@", false)
	c.gemini("hello @@say HELLO@@")
	skip := filepath.Join(c.home, ".local", "state", "satchel")
	files := func() map[string]string {
		m, err := tree(c.home, c.repo)
		if err != nil {
			t.fail("%v", err)
		}
		for name := range m {
			if strings.HasPrefix(name, skip) {
				delete(m, name)
			}
		}
		return m
	}
	before := files()
	all := []string{"claude", "codex", "gemini", "copilot", "opencode", "pi"}
	t.want(c.satchel(append([]string{"install"}, all...)...).code == 0, "install")
	t.want(c.satchel(append([]string{"install", "--project"}, all...)...).code == 0, "install --project")
	changed := 0
	for name, text := range files() {
		if before[name] != text {
			changed++
		}
	}
	t.want(c.satchel(append([]string{"uninstall", "--project"}, all...)...).code == 0, "uninstall --project")
	t.want(c.satchel(append([]string{"uninstall"}, all...)...).code == 0, "uninstall")
	after := files()
	for name, text := range before {
		t.want(after[name] == text, "%s is not restored", strings.TrimPrefix(name, c.dir))
	}
	for name := range after {
		_, was := before[name]
		t.want(was, "%s is left behind", strings.TrimPrefix(name, c.dir))
	}
	t.fact("%d files changed and restored", changed)
}
