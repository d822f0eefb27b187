package main

import (
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
