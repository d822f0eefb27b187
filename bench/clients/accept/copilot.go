package main

import (
	"strings"
)

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
