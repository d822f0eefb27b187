package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// claudeStatus runs the interactive Claude Code until its status line is there.
func claudeStatus(t *trial) {
	b := t.setup("claude")
	t.installed(b, "claude")
	state := object{"hasCompletedOnboarding": true, "theme": "dark", "bypassPermissionsModeAccepted": true,
		"customApiKeyResponses": object{"approved": []any{"fake"}, "rejected": []any{}},
		"projects":              object{b.repo: object{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}}
	text, _ := json.Marshal(state) // it always can
	if err := os.WriteFile(filepath.Join(b.home, ".claude.json"), text, 0o600); err != nil {
		panic(notRun{err.Error()})
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		panic(notRun{"tmux is not installed"})
	}
	// The tap keeps what the status line is told and says.
	if err := b.program(fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = statusline ]; then tee -a '%[2]s/status.in' | '%[1]s' \"$@\" | tee -a '%[2]s/status.out'; else exec '%[1]s' \"$@\"; fi\n", t.satchel, b.dir)); err != nil {
		panic(notRun{err.Error()})
	}
	socket := filepath.Join(b.dir, "tmux")
	tmux := func(args ...string) string {
		cmd := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Dir, cmd.Env = b.repo, b.env(append(b.claudeVars(), "TERM=xterm-256color")...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.fail("tmux %s: %v: %s", args[0], err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "-x", "140", "-y", "45", t.argv("claude")[0], "--model", "claude-sonnet-4-5")
	defer tmux("kill-server")
	wait := func(what string, ok func() bool) bool {
		for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(300 * time.Millisecond) {
			if ok() {
				return true
			}
		}
		t.fail("%s: nothing within a minute:\n%s", what, tmux("capture-pane", "-p"))
		return false
	}
	screen := func(text string) func() bool {
		return func() bool { return strings.Contains(tmux("capture-pane", "-p"), text) }
	}
	if !wait("the prompt", screen("❯")) {
		return
	}
	tmux("send-keys", "-l", "hello @@usage 120000@@ @@say HI-THERE@@")
	time.Sleep(time.Second)
	tmux("send-keys", "Enter")
	told := func() (used float64, ok bool) {
		for line := range strings.Lines(b.recorded("status.in")) {
			var m struct {
				Window struct {
					Used float64 `json:"used_percentage"`
				} `json:"context_window"`
			}
			if json.Unmarshal([]byte(line), &m) == nil && m.Window.Used > 0 {
				used, ok = m.Window.Used, true
			}
		}
		return used, ok
	}
	if !wait("the status line", func() bool { _, ok := told(); return ok && b.recorded("status.out") != "" }) {
		return
	}
	time.Sleep(2 * time.Second)
	used, _ := told()
	lines := strings.Split(strings.TrimSpace(b.recorded("status.out")), "\n")
	last := lines[len(lines)-1]
	said := -1.0
	for _, word := range strings.Fields(last) {
		var n float64
		if _, err := fmt.Sscanf(word, "%f%%", &n); err == nil && strings.Contains(word, "%") {
			said = n
			break
		}
	}
	if said < 0 { // 60 %
		fields := strings.Fields(last)
		for i, w := range fields {
			if w == "%" && i > 0 {
				_, _ = fmt.Sscanf(fields[i-1], "%f", &said)
				break
			}
		}
	}
	t.want(said >= used-2 && said <= used+2, "the status line says %v %%, Claude Code %v: %q", said, used, last)
	t.fact("%v %% of Claude Code's %v %%", said, used)
}
