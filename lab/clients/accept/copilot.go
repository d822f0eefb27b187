package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// copilotAll asks Copilot CLI, which takes words of hooks at four points: the
// start of a session, a prompt, before and after a tool. satchel has something to
// say at each of them: a file is read-only, and the model edits it.
func copilotAll(t *trial) {
	b := t.setup("copilot")
	t.installed(b, "copilot")
	const spec = "README.md"
	if r := b.satchel("context", "add", spec, "--read-only"); r.code != 0 {
		t.fail("context add: %s", r.err)
	}
	file, _ := json.Marshal(filepath.Join(b.repo, spec)) // a string always can
	r := b.copilot(task + ` @@tool satchel-pack {"task":"` + task + `","budget":1500}@@ @@tool edit {"path":` + string(file) + `,"old_str":"# app","new_str":"# changed"}@@`)
	t.want(r.code == 0, "copilot ended with %d: %s", r.code, r.err)
	text := t.given("copilot", b.api.asking(task))

	t.answered(b, "copilot") // once, though Copilot would add structured content to it

	// Every word of a hook reached the model, once.
	asked := b.api.asking(task)
	if len(asked) == 0 {
		return
	}
	last := strings.Join(texts(asked[len(asked)-1].Body), "\n")
	told := 0
	for _, e := range []struct{ event, words string }{
		{"sessionStart", "these paths are read-only: " + spec},
		{"userPromptSubmitted", injected},
		{"preToolUse", spec + " is read-only (a read-only context file that the user named to satchel): do not change it"},
		{"postToolUse", spec + " is read-only (a read-only context file that the user named to satchel), and was changed"},
	} {
		said := 0
		for _, c := range b.event(e.event) {
			t.want(c.err == "", "%s wrote to standard error: %s", e.event, c.err)
			var out struct {
				Context string `json:"additionalContext"`
			}
			if c.out == "" {
				continue
			}
			t.want(json.Unmarshal([]byte(c.out), &out) == nil, "%s says %.100q", e.event, c.out)
			if strings.Contains(out.Context, e.words) {
				said++
				t.want(strings.Count(last, strings.TrimSpace(out.Context)) == 1, "what %s said reached the model %d times", e.event, strings.Count(last, strings.TrimSpace(out.Context)))
			}
		}
		t.want(said == 1, "%s said it in %d calls, want 1", e.event, said)
		if n := strings.Count(last, e.words); n == 1 {
			told++
		} else {
			t.fail("the model was told %d times what %s says", n, e.event)
		}
	}
	t.fact("%d characters, additionalContext reached the model at %d of 4 events, the answer of the server once", characters(text), told)
}
