package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

func pluginAgents(t *trial) {
	b := t.setup("opencode", (*box).opencodeSettings)
	t.installed(b, "opencode")
	r := b.opencode(task + ` @@tool satchel_pack {"task":"` + task + `","budget":1500}@@`)
	t.want(r.code == 0, "opencode ended with %d: %s", r.code, r.err)
	text := t.given("opencode", b.api.asking(task))
	t.answered(b, "opencode")
	t.want(len(b.event("tool.execute.after")) > 0, "opencode: tool.execute.after was not called")
	t.fact("opencode %d characters", characters(text))

	t.opencodeCompaction()

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
		all := resultsIn(last[len(last)-1].Body) // what stands beside a prompt may show the file, too
		t.want(strings.Contains(all, "[satchel left this out") && !strings.Contains(all, "LINE-OF-OLD\nline 1 of many"), "pi: the stale read was sent in full")
		t.want(strings.Contains(all, "LINE-OF-NEW\nline 1"), "pi: the fresh read was not sent")
	}
	t.fact("pi %d characters, %d stale", characters(text), stale)
}

// resultsIn returns what the tools answered, in a request for Chat Completions.
func resultsIn(body []byte) string {
	var doc object
	if json.Unmarshal(body, &doc) != nil {
		return ""
	}
	var b strings.Builder
	for _, t := range turnsOf(doc) {
		if t.role == "tool" {
			b.WriteString(t.text + "\n")
		}
	}
	return b.String()
}

// opencodeCompaction lets opencode compact a session by itself, because the last
// answer filled the window, and looks at what its summariser was sent.
func (t *trial) opencodeCompaction() {
	b := t.setup("opencode-compact", (*box).opencodeSettings)
	t.installed(b, "opencode")
	t.want(b.satchel("note", "add", pinnedNote, "--pin").code == 0, "note add")
	r := b.opencode("one: always keep the proxy @@usage 195000@@ @@say ONE@@")
	t.want(r.code == 0, "opencode ended with %d: %s", r.code, r.err)
	// It compacts once there is room to: at the end of this run, or before the next.
	r = b.opencode("two: go on @@usage 3000@@ @@say TWO@@", "--continue")
	t.want(r.code == 0, "opencode ended with %d: %s", r.code, r.err)
	calls := b.event("experimental.session.compacting")
	if len(calls) != 1 {
		t.fail("opencode: %d calls of session.compacting, want 1", len(calls))
		return
	}
	var out struct {
		Context string `json:"context"`
	}
	t.want(json.Unmarshal([]byte(calls[0].out), &out) == nil && strings.Contains(out.Context, pinnedNote), "session.compacting says %.200q", calls[0].out)
	notes := strings.TrimSpace(out.Context)
	delivered := 0
	for _, q := range b.api.seen() {
		var body object
		if all := strings.Join(texts(q.Body), "\n"); notes != "" && strings.Contains(all, notes) {
			delivered += strings.Count(all, notes)
			t.want(json.Unmarshal(q.Body, &body) == nil && body["tools"] == nil && strings.Contains(all, "summary"), "opencode: the notes stand in a request that is not its summariser's")
		}
	}
	t.want(delivered == 1, "opencode: the notes were sent to the summariser %d times, want 1", delivered)

	// The next prompt brings them back, and the one behind it not once more.
	for _, prompt := range []string{"two: ", "three: "} {
		if prompt == "three: " {
			r = b.opencode("three: and now @@say THREE@@", "--continue")
			t.want(r.code == 0, "opencode ended with %d: %s", r.code, r.err)
		}
		asked := b.api.asking(prompt)
		if len(asked) == 0 {
			t.fail("opencode: the prompt after the compaction did not reach the model")
			continue
		}
		all := strings.Join(texts(asked[len(asked)-1].Body), "\n")
		t.want(strings.Count(all, pinnedNote) == 1, "opencode: the pinned note stands %d times in what follows the compaction, want 1", strings.Count(all, pinnedNote))
	}
	t.fact("opencode's summariser was given %d characters of notes, which are back with the next prompt, once", characters(out.Context))
}

// pinnedNote is what must survive a compaction.
const pinnedNote = "PINNED-NOTE: the proxy is never bypassed"

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
