package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

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
