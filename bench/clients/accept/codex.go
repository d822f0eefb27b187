package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

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
