package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

func geminiAll(t *trial) {
	b := t.noted("gemini", (*box).geminiSettings)
	r := b.gemini(task + ` @@tool mcp_satchel_pack {"task":"` + task + `","budget":1500}@@ @@say ONE@@`)
	t.want(r.code == 0, "gemini ended with %d: %s", r.code, r.err)
	asked := b.api.asking(task)
	text := t.given("gemini", asked)
	if len(asked) > 0 {
		t.want(inHookContext(asked[0].Body, injected), "what satchel gave stands in no hook_context")
	}
	t.answered(b, "gemini")
	t.want(len(b.geminiCompressions()) == 0, "Gemini compressed a small session")
	pre := len(b.event("PreCompress"))
	t.want(pre >= 2, "PreCompress was called %d times, so that nothing is tested", pre)
	t.want(len(t.snapshots(b)) == 0, "%d snapshots without a compression", len(t.snapshots(b)))

	// More prompts, and then an answer that fills the window: Gemini compresses
	// before the next request, and tells no hook that it did.
	t.want(b.gemini("two: what does it do @@say TWO@@", "--resume", "latest").code == 0, "gemini --resume")
	r = b.gemini(`three: show it @@usage 600000@@ @@tool read_file {"file_path":"`+answer+`"}@@ @@say THREE@@`, "--resume", "latest")
	t.want(r.code == 0, "gemini ended with %d: %s", r.code, r.err)
	real, pre := len(b.geminiCompressions()), len(b.event("PreCompress"))
	shots := t.snapshots(b)
	t.want(real == 1, "Gemini compressed %d times, want 1", real)
	t.want(pre >= 2*real+2, "%d calls of PreCompress for %d compressions, so that no flood is tested", pre, real)
	t.want(len(shots) == real, "%d snapshots of %d compressions", len(shots), real)
	if len(shots) == 1 { // it holds what was there, and not what was left of it
		shot := b.satchel("snapshot", "replay", "latest").out
		t.want(bytes.Contains(shot, []byte("TWO")) && bytes.Contains(shot, []byte("func Dial")) && !bytes.Contains(shot, []byte(summary)), "the snapshot does not hold the session before the compression: %.300s", shot)
	}

	t.afterCompression(b)
	shots, pre = t.snapshots(b), len(b.event("PreCompress"))
	t.want(len(shots) == real, "%d snapshots after %d more calls of PreCompress", len(shots), pre)
	requests := 0
	for _, r := range b.api.seen() {
		if strings.Contains(r.Path, ":stream") {
			requests++
		}
	}
	t.want(pre >= requests, "%d calls of PreCompress for %d requests", pre, requests)
	t.fact("%d characters in a hook_context", characters(text))
	t.fact("%d compression and %d snapshot in %d calls of PreCompress, the note is back once", real, len(shots), pre)

	// Without satchel the prompt goes through all the same.
	if err := os.Remove(filepath.Join(b.bin, "satchel")); err != nil {
		t.fail("%v", err)
	}
	b.api.clear()
	r = b.gemini("without it, " + task + " @@say ANSWER-WITHOUT@@")
	t.want(r.code == 0 && bytes.Contains(r.out, []byte("ANSWER-WITHOUT")), "without satchel gemini ended with %d: %s", r.code, r.out)
	t.want(len(b.api.asking("without it, ")) > 0, "without satchel the prompt does not reach the model")
	t.fact("answers without satchel")
}

// afterCompression checks that what must survive comes back with the next prompt,
// once.
func (t *trial) afterCompression(b *box) {
	for i, prompt := range []string{"four: what now @@say FOUR@@", "five: and then @@say FIVE@@"} {
		b.gemini(prompt, "--resume", "latest")
		asked := b.api.asking(prompt)
		if len(asked) == 0 {
			t.fail("after the compression the prompt does not reach the model")
			continue
		}
		body := strings.Join(texts(asked[0].Body), "\n")
		t.want(strings.Contains(body, summary) && !strings.Contains(body, "\nONE\n"), "the session was not compressed")
		t.want(inHookContext(asked[0].Body, "PINNED-NOTE"), "the pinned note is not back")
		t.want(strings.Count(body, "PINNED-NOTE") == 1, "prompt %d after the compression holds the pinned note %d times", i+1, strings.Count(body, "PINNED-NOTE"))
	}
}

// inHookContext reports whether a text stands inside of a hook_context.
func inHookContext(body []byte, text string) bool {
	for _, s := range texts(body) {
		_, s, ok := strings.Cut(s, "<hook_context>")
		if s, _, ends := strings.Cut(s, "</hook_context>"); ok && ends && strings.Contains(s, text) {
			return true
		}
	}
	return false
}

// geminiCompressions returns the requests in which Gemini CLI asks for a summary.
func (b *box) geminiCompressions() (list []request) {
	for _, r := range b.api.seen() {
		var body object
		if json.Unmarshal(r.Body, &body) == nil && compresses(body) && !bytes.Contains(r.Body, []byte("Critically evaluate")) {
			list = append(list, r)
		}
	}
	return list
}

// snapshots returns the ids of the snapshots in the repository of a box.
func (t *trial) snapshots(b *box) (ids []string) {
	var list struct{ Snapshots []struct{ ID string } }
	if r := b.satchel("snapshot", "list", "--json"); json.Unmarshal(r.out, &list) != nil {
		t.fail("snapshot list: %s", r.err)
	}
	for _, s := range list.Snapshots {
		ids = append(ids, s.ID)
	}
	return ids
}
