package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

func claudeInject(t *trial) {
	b := t.setup("claude")
	t.installed(b, "claude")
	r := b.claude(task)
	t.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	text := t.given("claude", b.api.asking(task))
	t.want(strings.HasPrefix(text, "<system-reminder>") && strings.Count(text, "<system-reminder>") == 1 && strings.HasSuffix(strings.TrimSpace(text), "</system-reminder>"), "not one reminder: %s", text)
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
	t.fact("one reminder of %d characters before the prompt, with the file and the function", characters(text))
	t.fact("hook in 40 new processes p50 %d ms p95 %d ms (CPU %d ms)", wall[19].Milliseconds(), wall[37].Milliseconds(), work[37].Milliseconds())
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
	t.fact("server/discover of 2026-07-28 and no handshake, the answer of pack in the next request once, whole, as text")
}
