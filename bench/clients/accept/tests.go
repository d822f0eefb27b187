package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
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

func claudeInject(t *trial) {
	b := t.setup("claude")
	t.installed(b, "claude")
	r := b.claude(task)
	t.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	text := t.given("claude", b.api.asking(task))
	t.want(strings.Count(text, "<system-reminder>") <= 1, "more than one reminder")
	t.want(characters(text) <= 10000, "%d characters, and 10,000 are shown", characters(text))
	calls := b.event("UserPromptSubmit")
	if len(calls) != 1 {
		t.fail("%d calls of the prompt's hook, want 1", len(calls))
		return
	}
	var out struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	t.want(json.Unmarshal([]byte(calls[0].out), &out) == nil && characters(out.Specific.Context) <= mostCharacters, "the hook says %d characters", characters(out.Specific.Context))
	for _, c := range b.hooks() {
		t.want(c.err == "", "a hook wrote to standard error: %s", c.err)
	}
	if asked := b.api.asking(task); len(asked) > 0 {
		body := string(asked[0].Body)
		t.want(strings.Index(body, injected) < strings.LastIndex(body, task), "the context does not stand before the prompt")
	}

	// A new process each, with the input that Claude Code gave and a session that
	// was shown nothing yet.
	var wall, work []time.Duration
	for i := range 40 {
		in := strings.Replace(calls[0].in, `"session_id":"`, fmt.Sprintf(`"session_id":"%d-`, i), 1)
		cmd := exec.Command(t.satchel, "hook", "claude")
		cmd.Dir, cmd.Env, cmd.Stdin = b.repo, b.env(), strings.NewReader(in)
		start := time.Now()
		out, err := cmd.Output()
		wall = append(wall, time.Since(start))
		work = append(work, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		t.want(err == nil && bytes.Contains(out, []byte("retryWithBackoff")), "the hook alone: %v, %.100s", err, out)
	}
	slices.Sort(wall)
	slices.Sort(work)
	t.want(min(wall[37], work[37]) < 300*time.Millisecond, "the hook takes %v (p95)", wall[37])
	t.fact("%d characters", characters(text))
	t.fact("hook p50 %d ms p95 %d ms (CPU %d ms)", wall[19].Milliseconds(), wall[37].Milliseconds(), work[37].Milliseconds())
}

func claudeMCP(t *trial) {
	b := t.setup("claude")
	t.installed(b, "claude")
	r := b.claude(`look around @@tool mcp__satchel__pack {"task":"` + task + `","budget":1500}@@`)
	t.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	in := b.recorded("mcp.in")
	t.want(strings.Contains(in, `"server/discover"`), "no server/discover")
	t.want(strings.Contains(in, "2026-07-28"), "not the revision 2026-07-28")
	t.want(!strings.Contains(in, `"method":"initialize"`), "it fell back to the handshake")
	t.want(strings.Contains(in, `"tools/call"`), "no call")
	t.answered(b, "claude")
}

func claudeCompact(t *trial) {
	b := t.setup("claude")
	t.installed(b, "claude")
	if r := b.satchel("note", "add", "PINNED-NOTE: the proxy is never bypassed", "--pin"); r.code != 0 {
		t.fail("note add: %s", r.err)
	}
	first := b.claude("first: " + task + ` @@tool Read {"file_path":"` + filepath.Join(b.repo, answer) + `"}@@ @@say ONE@@`)
	t.want(first.code == 0, "claude ended with %d: %s", first.code, first.err)
	session := sessionOf(first.out)
	if session == "" {
		t.fail("claude told no session")
		return
	}
	if r := b.claude("/compact keep names", "--resume", session); r.code != 0 {
		t.fail("compaction ended with %d: %s", r.code, r.err)
	}
	pre := b.event("PreCompact")
	t.want(len(pre) > 0 && strings.TrimSpace(pre[0].out) != "", "PreCompact: %d calls, of which the first said nothing", len(pre))
	if len(pre) > 0 && strings.TrimSpace(pre[0].out) != "" {
		words := strings.TrimSpace(strings.SplitN(strings.TrimSpace(pre[0].out), "\n", 2)[0])
		found := 0
		for _, r := range b.api.seen() {
			if bytes.Contains(r.Body, []byte("PINNED-NOTE")) && strings.Contains(strings.Join(texts(r.Body), "\n"), words) {
				found++
			}
		}
		t.want(found > 0, "the summariser was not given what must survive")
	}
	var list struct {
		Snapshots []object `json:"snapshots"`
	}
	r := b.satchel("snapshot", "list", "--json")
	t.want(json.Unmarshal(r.out, &list) == nil && len(list.Snapshots) >= len(pre), "%d snapshots for %d calls of PreCompact", len(list.Snapshots), len(pre))
	b.api.clear()
	if r := b.claude("after it all @@say TWO@@", "--resume", session); r.code != 0 {
		t.fail("claude ended with %d after the compaction: %s", r.code, r.err)
	}
	asked := b.api.asking("after it all")
	if len(asked) == 0 {
		t.fail("the prompt after the compaction did not reach the model")
		return
	}
	n := strings.Count(strings.Join(texts(asked[0].Body), "\n"), "PINNED-NOTE")
	t.want(n >= 1, "the pinned note is not back")
	started := 0
	for _, c := range b.event("SessionStart") {
		if strings.Contains(c.in, `"compact"`) && strings.Contains(c.out, "PINNED-NOTE") {
			started++
		}
	}
	t.want(started == 1, "%d starts after a compaction brought the note back, want 1", started)
	t.fact("%d snapshots, the note is back %d times", len(list.Snapshots), n)
}

// sessionOf returns the id in the stream that claude writes.
func sessionOf(stream []byte) string {
	for line := range bytes.Lines(stream) {
		var m struct {
			Subtype string `json:"subtype"`
			Session string `json:"session_id"`
		}
		if json.Unmarshal(line, &m) == nil && m.Subtype == "init" {
			return m.Session
		}
	}
	return ""
}

func codexAll(t *trial) {
	b := t.setup("codex", func(b *box) error { return b.codexSettings("") })
	t.installed(b, "codex")

	// Untrusted hooks are skipped, and the doctor says so.
	r := b.codex("untrusted: "+task, false)
	t.want(r.code == 0, "codex ended with %d: %s", r.code, r.err)
	t.want(len(b.hooks()) == 0, "untrusted hooks ran")
	t.want(len(b.api.asking("untrusted: ")) > 0, "the prompt did not reach the model")
	doctor := func() (string, []byte) {
		vars := []string{"PATH=" + b.bin + ":" + filepath.Dir(b.lab.argv("codex")[0]) + ":/usr/bin:/bin"}
		r := b.start(vars, "", t.satchel, "doctor", "--json")
		var doc struct {
			Findings []struct{ About, Level, Text string }
		}
		_ = json.Unmarshal(r.out, &doc) // no findings then
		for _, f := range doc.Findings {
			if f.About == "codex" && strings.HasPrefix(f.Text, "hooks") {
				return f.Level, []byte(f.Text)
			}
		}
		return "", r.err
	}
	level, text := doctor()
	t.want(level == "problem" && bytes.Contains(text, []byte("not trusted: 5 untrusted")), "the doctor says %q: %s", level, text)

	// An install by another version leaves the hooks as they are.
	before, _ := os.ReadFile(filepath.Join(b.home, ".codex/hooks.json"))
	t.want(b.satchel("install", "codex").code == 0, "install again")
	after, _ := os.ReadFile(filepath.Join(b.home, ".codex/hooks.json"))
	t.want(bytes.Equal(before, after), "installing again changes the hooks")

	// Trusted ones run.
	b.api.clear()
	r = b.codex(task+` @@tool mcp__satchel::pack {"task":"`+task+`","budget":1500}@@`, true)
	t.want(r.code == 0, "codex ended with %d: %s", r.code, r.err)
	given := t.given("codex", b.api.asking(task))
	t.answered(b, "codex")
	for _, c := range b.hooks() {
		t.want(c.err == "", "a hook wrote to standard error: %s", c.err)
	}

	// A compaction by Codex itself.
	c := t.setup("codex", func(b *box) error {
		return b.codexSettings("model_auto_compact_token_limit = 20000\nmodel_context_window = 30000")
	})
	t.installed(c, "codex")
	t.want(c.satchel("note", "add", "PINNED-NOTE: the proxy is never bypassed", "--pin").code == 0, "note add")
	c.codex("one: "+task+" @@usage 29000@@ @@say ONE@@", true)
	c.codex("two @@usage 3000@@ @@say TWO@@", true, "resume", "--last")
	pre, back := c.event("PreCompact"), 0
	for _, h := range c.event("SessionStart") {
		if strings.Contains(h.in, `"compact"`) && strings.Contains(h.out, "PINNED-NOTE") {
			back++
		}
	}
	t.want(len(pre) > 0, "PreCompact was not called")
	for _, h := range pre {
		t.want(h.out == "", "PreCompact says something that Codex cannot take: %.60s", h.out)
	}
	t.want(back > 0, "nothing came back after the compaction")
	two := c.api.asking("two ")
	t.want(len(two) > 0 && bytes.Contains(two[len(two)-1].Body, []byte("PINNED-NOTE")), "the note did not reach the model after the compaction")
	t.fact("%d characters, doctor: %s", characters(given), text)
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
