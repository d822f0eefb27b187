package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// codexEvents are the hooks that satchel installs in Codex.
var codexEvents = []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "PostCompact"}

// codexAll tries Codex: its trust in hooks and what an upgrade does to it, what it
// gives the model, and its compactions.
func codexAll(t *trial) {
	b := t.setup("codex", func(b *box) error { return b.codexSettings("") })
	t.installed(b, "codex")
	t.hooksFile(b)
	t.trust(b)
	t.codexGives(b)
	t.codexCompacts()
}

// hooksFile checks what the install wrote.
func (t *trial) hooksFile(b *box) {
	var doc struct {
		Hooks map[string][]struct {
			Hooks []struct{ Type, Command string }
		}
	}
	text, err := os.ReadFile(filepath.Join(b.home, ".codex/hooks.json"))
	if err != nil || json.Unmarshal(text, &doc) != nil {
		t.fail("hooks.json: %v: %.200s", err, text)
		return
	}
	for _, e := range codexEvents {
		ok := len(doc.Hooks[e]) == 1 && len(doc.Hooks[e][0].Hooks) == 1 && strings.Contains(doc.Hooks[e][0].Hooks[0].Command, "satchel hook codex")
		t.want(ok, "hooks.json has no hook for %s", e)
	}
}

// A codexHook is a hook as Codex itself lists it.
type codexHook struct {
	Key     string `json:"key"`
	Event   string `json:"eventName"`
	Command string `json:"command"`
	Enabled bool   `json:"enabled"`
	Status  string `json:"trustStatus"`
	Hash    string `json:"currentHash"`
}

// listed asks Codex for satchel's hooks, in the order of their keys.
func (t *trial) listed(b *box) (list []codexHook) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.argv("codex")[0], "app-server")
	cmd.Dir, cmd.Env = b.repo, b.env("FAKE_KEY=fake")
	in, err := cmd.StdinPipe()
	if err != nil {
		panic(notRun{err.Error()})
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(notRun{err.Error()})
	}
	if err := cmd.Start(); err != nil {
		t.fail("codex app-server: %v", err)
		return nil
	}
	defer cmd.Wait()
	defer cancel()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	call := func(id int, method string, params object) (result json.RawMessage) {
		text, _ := json.Marshal(object{"id": id, "method": method, "params": params}) // it always can
		_, _ = in.Write(append(text, '\n'))
		for lines.Scan() {
			var m struct {
				ID     json.RawMessage
				Result json.RawMessage
			}
			if json.Unmarshal(lines.Bytes(), &m) == nil && string(m.ID) == fmt.Sprint(id) {
				return m.Result
			}
		}
		t.fail("codex app-server did not answer %s", method)
		return nil
	}
	call(1, "initialize", object{"clientInfo": object{"name": "trial", "title": "trial", "version": "0"}})
	_, _ = in.Write([]byte(`{"method":"initialized"}` + "\n"))
	var doc struct {
		Data []struct{ Hooks []codexHook }
	}
	_ = json.Unmarshal(call(2, "hooks/list", object{"cwds": []string{b.repo}}), &doc) // none then
	for _, d := range doc.Data {
		for _, h := range d.Hooks {
			if strings.Contains(h.Command, "satchel hook codex") {
				list = append(list, h)
			}
		}
	}
	slices.SortFunc(list, func(a, b codexHook) int { return strings.Compare(a.Key, b.Key) })
	return list
}

// doctor returns what satchel's doctor finds about the hooks of Codex.
func (t *trial) doctor(b *box, satchel string) (level, text string) {
	r := b.start([]string{"PATH=" + b.bin + ":" + filepath.Dir(t.argv("codex")[0]) + ":/usr/bin:/bin"}, "", satchel, "doctor", "--json")
	var doc struct {
		Findings []struct{ About, Level, Text string }
	}
	_ = json.Unmarshal(r.out, &doc) // no findings then
	for _, f := range doc.Findings {
		if f.About == "codex" && strings.HasPrefix(f.Text, "hooks") {
			return f.Level, f.Text
		}
	}
	return "", string(r.err)
}

// agree checks that Codex lists satchel's hooks in one state, and that the doctor
// says the same.
func (t *trial) agree(b *box, satchel, state, level, says string) []codexHook {
	list := t.listed(b)
	t.want(len(list) == len(codexEvents), "Codex lists %d hooks of satchel, want %d", len(list), len(codexEvents))
	for _, h := range list {
		t.want(h.Status == state && h.Enabled, "Codex says that %s is %s (enabled %t), want %s", h.Event, h.Status, h.Enabled, state)
	}
	gotLevel, text := t.doctor(b, satchel)
	t.want(gotLevel == level && strings.Contains(text, fmt.Sprintf(says, len(list))), "Codex lists %d %s hooks, and the doctor says %q: %s", len(list), state, gotLevel, text)
	return list
}

// trust follows the hooks from untrusted to trusted, over an upgrade of satchel,
// and to a line that somebody changed.
func (t *trial) trust(b *box) {
	ran := func(mark string) int {
		calls := len(b.hooks())
		r := b.codex(mark+" "+task, false)
		t.want(r.code == 0, "codex ended with %d: %s", r.code, r.err)
		t.want(len(b.api.asking(mark)) > 0, "%s: the prompt did not reach the model", mark)
		return len(b.hooks()) - calls
	}

	// Untrusted hooks are skipped without a word.
	untrusted := t.agree(b, t.satchel, "untrusted", "problem", "recorded for 0 of %d")
	n := ran("untrusted:")
	t.want(n == 0, "%d calls of untrusted hooks", n)

	b.trust(untrusted)
	trusted := t.agree(b, t.satchel, "trusted", "ok", "recorded for all %d")
	n = ran("trusted:")
	t.want(n > 0, "trusted hooks do not run")

	// Another version, in another place, is installed over it.
	old, now := t.satchel, t.another()
	if now == "" {
		return
	}
	b.bin = filepath.Join(b.dir, "bin-of-another")
	if err := os.MkdirAll(b.bin, 0o755); err != nil {
		panic(notRun{err.Error()})
	}
	if err := b.program(fmt.Sprintf(tap, now, b.dir)); err != nil {
		panic(notRun{err.Error()})
	}
	hooks := filepath.Join(b.home, ".codex/hooks.json")
	before, _ := os.ReadFile(hooks) // it is there
	r := b.start(nil, "", now, "install", "codex")
	t.want(r.code == 0, "install by another version: %s", r.err)
	after, _ := os.ReadFile(hooks)
	t.want(string(before) == string(after), "another version changes the hooks")
	upgraded := t.agree(b, now, "trusted", "ok", "recorded for all %d")
	same := slices.Equal(trusted, upgraded)
	for i := range untrusted {
		same = same && i < len(upgraded) && untrusted[i].Key == upgraded[i].Key && untrusted[i].Hash == upgraded[i].Hash
	}
	t.want(same, "an upgrade changes what Codex lists: %v, then %v", trusted, upgraded)
	n = ran("upgraded:")
	t.want(n > 0, "after an upgrade the hooks do not run")
	t.fact("%d hooks untrusted, trusted and, after an upgrade from %s to %s, trusted with the same hashes, to Codex and the doctor alike", len(upgraded), versionOf(b, old), versionOf(b, now))

	// A line that was changed is trusted no more; the install mends it.
	changed := strings.ReplaceAll(string(after), "satchel hook codex", "satchel hook codex ")
	if err := os.WriteFile(hooks, []byte(changed), 0o600); err != nil {
		panic(notRun{err.Error()})
	}
	t.agree(b, now, "modified", "ok", "recorded for all %d")
	n = ran("modified:")
	t.want(n == 0, "%d calls of modified hooks", n)
	if err := os.WriteFile(hooks, after, 0o600); err != nil {
		panic(notRun{err.Error()})
	}
	t.agree(b, now, "trusted", "ok", "recorded for all %d")
}

// trust has the user trust hooks, as /hooks records it.
func (b *box) trust(hooks []codexHook) {
	config := filepath.Join(b.home, ".codex/config.toml")
	text, _ := os.ReadFile(config) // it is there
	for _, h := range hooks {
		text = fmt.Appendf(text, "\n[hooks.state.%q]\ntrusted_hash = %q\n", h.Key, h.Hash)
	}
	if err := os.WriteFile(config, text, 0o600); err != nil {
		panic(notRun{err.Error()})
	}
}

// another builds satchel elsewhere as another version. It returns "" if it cannot.
func (t *trial) another() string {
	name := filepath.Join(t.work, "another", "satchel")
	const version = "github.com/satchel-dev/satchel/internal/front/cli/base.releaseVersion=v99.0.0"
	build := exec.Command("go", "build", "-C", t.root, "-ldflags", "-X "+version, "-o", name, "./cmd/satchel")
	if out, err := build.CombinedOutput(); err != nil {
		t.fail("go build as another version: %v: %s", err, out)
		return ""
	}
	return name
}

// versionOf returns the version that a satchel says it is.
func versionOf(b *box, satchel string) string {
	fields := strings.Fields(string(b.start(nil, "", satchel, "version").out))
	if len(fields) < 2 {
		return ""
	}
	return fields[1]
}

// codexGives checks the context beside a prompt and the answer of a tool in the
// namespace of the server, whose hooks run unasked.
func (t *trial) codexGives(b *box) {
	b.api.clear()
	r := b.codex(task+` @@tool mcp__satchel::pack {"task":"`+task+`","budget":1500}@@`, true)
	t.want(r.code == 0, "codex ended with %d: %s", r.code, r.err)
	asked := b.api.asking(task)
	given := t.given("codex", asked)
	t.answered(b, "codex")
	if len(asked) > 0 {
		var first, last struct {
			Tools []struct{ Type, Name string }
			Input []struct {
				Type, Namespace, Name string
				Call                  string `json:"call_id"`
			}
		}
		_ = json.Unmarshal(asked[0].Body, &first) // nothing then
		_ = json.Unmarshal(asked[len(asked)-1].Body, &last)
		offered := slices.ContainsFunc(first.Tools, func(v struct{ Type, Name string }) bool { return v.Type == "namespace" && v.Name == "mcp__satchel" })
		t.want(offered, "the model is not offered the namespace mcp__satchel")
		called, answered := "", false
		for _, it := range last.Input {
			if it.Namespace == "mcp__satchel" && it.Name == "pack" {
				called = it.Call
			}
			answered = answered || it.Type == "function_call_output" && it.Call == called && called != ""
		}
		t.want(answered, "no answer to the call of pack in its namespace reached the model")
	}
	t.want(strings.Contains(b.recorded("mcp.in"), `"method":"initialize"`), "Codex does not open with initialize, of the older protocol")
	seen := map[string]bool{}
	for _, c := range b.hooks() {
		t.want(c.err == "", "a hook wrote to standard error: %s", c.err)
		seen[field(c.in, "hook_event_name")] = true
	}
	t.want(seen["SessionStart"] && seen["UserPromptSubmit"] && seen["PostToolUse"], "these hooks were called: %v", seen)
	t.fact("%d characters beside the prompt, pack called in its namespace", characters(given))
}

// codexCompacts lets Codex compact twice, before a prompt each.
func (t *trial) codexCompacts() {
	b := t.noted("codex", func(b *box) error {
		return b.codexSettings("model_auto_compact_token_limit = 20000\nmodel_context_window = 30000")
	})
	for i, prompt := range []string{"prompt-1 @@usage 29000@@ @@say ONE@@", "prompt-2 @@usage 3000@@ @@say TWO@@", "prompt-3 @@usage 29000@@ @@say THREE@@", "prompt-4: " + task + " @@usage 3000@@ @@say FOUR@@"} {
		resume := []string{"resume", "--last"}
		if i == 0 {
			resume = nil
		}
		r := b.codex(prompt, true, resume...)
		t.want(r.code == 0, "codex ended with %d: %s", r.code, r.err)
	}
	shots := t.snapshots(b)
	pre, taken := b.event("PreCompact"), map[string]bool{}
	t.want(len(pre) == 2, "%d calls of PreCompact, want 2", len(pre))
	for _, h := range pre {
		id := field(h.log, "snapshot")
		t.want(h.out == "", "PreCompact says something that Codex cannot take: %.60s", h.out)
		t.want(slices.Contains(shots, id), "there is no snapshot of a PreCompact: %s", h.log)
		taken[id] = true
	}
	t.want(len(taken) == len(pre), "%d snapshots of %d calls of PreCompact", len(taken), len(pre))
	back := 0
	for _, h := range b.event("SessionStart") {
		if field(h.in, "source") == "compact" {
			t.want(strings.Count(h.out, pinned) == 1, "the session's start told the note %d times after a compaction", strings.Count(h.out, pinned))
			back++
		}
	}
	t.want(back == len(pre), "%d starts after %d compactions", back, len(pre))
	for prompt, want := range map[string]int{"prompt-1": 0, "prompt-2": 1, "prompt-3": 1, "prompt-4": 1} {
		asked := b.api.asking(prompt + " ")
		if prompt == "prompt-4" {
			asked = b.api.asking(prompt + ": ")
		}
		if len(asked) == 0 {
			t.fail("%s did not reach the model", prompt)
			continue
		}
		n := strings.Count(strings.Join(texts(asked[0].Body), "\n"), pinned)
		t.want(n == want, "%s: the model was told the note %d times, want %d", prompt, n, want)
	}
	t.given("codex", b.api.asking("prompt-4: "))
	t.fact("%d compactions, each with a snapshot and the note back once", len(pre))
}
