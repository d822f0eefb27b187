package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A screen is an interactive Claude Code in a terminal.
type screen struct {
	t    *trial
	tmux func(args ...string) string
}

// screen starts Claude Code as a person would, past its first questions.
func (t *trial) screen(b *box) *screen {
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
	socket := filepath.Join(b.dir, "tmux")
	s := &screen{t: t, tmux: func(args ...string) string {
		cmd := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Dir, cmd.Env = b.repo, b.env(append(b.claudeVars(), "TERM=xterm-256color")...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.fail("tmux %s: %v: %s", args[0], err, out)
		}
		return string(out)
	}}
	s.tmux("new-session", "-d", "-x", "140", "-y", "120", t.argv("claude")[0], "--model", "claude-sonnet-4-5")
	s.wait("the prompt", "❯")
	return s
}

func (s *screen) close() { s.tmux("kill-server") }

// text is what the screen shows.
func (s *screen) text() string { return s.tmux("capture-pane", "-p") }

// until waits for something, for a minute.
func (s *screen) until(what string, ok func() bool) bool {
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(300 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	s.t.fail("%s: nothing within a minute:\n%s", what, s.text())
	return false
}

// wait waits until the screen shows a text.
func (s *screen) wait(what, text string) bool {
	return s.until(what, func() bool { return strings.Contains(s.text(), text) })
}

// ask types a prompt that says what to answer, and waits for the answer.
func (s *screen) ask(prompt string) bool {
	return s.say(prompt, "● "+sayDirective.FindStringSubmatch(prompt)[1])
}

// say types a prompt and waits until the screen shows what comes of it.
func (s *screen) say(prompt, shows string) bool {
	s.tmux("send-keys", "-l", prompt)
	time.Sleep(time.Second) // what comes at once with more text is taken for a paste
	s.tmux("send-keys", "Enter")
	return s.wait(prompt, shows)
}
