package main

import (
	"encoding/json"
	"strings"
	"unicode/utf16"
)

// tests are the acceptance tests, in the order of their numbers.
var tests = []test{
	{1, "claude-inject", []string{"claude"}, claudeInject},
	{2, "claude-mcp", []string{"claude"}, claudeMCP},
	{3, "claude-compact", []string{"claude"}, claudeCompact},
	{6, "codex", []string{"codex"}, codexAll},
	{7, "gemini", []string{"gemini"}, geminiAll},
	{8, "copilot", []string{"copilot"}, copilotAll},
	{10, "plugin", []string{"claude", "codex", "gemini"}, plugin},
	{11, "protocol", []string{"inspector", "mcpsdk", "opencode"}, protocol},
	{12, "fail-open, hostile", []string{"claude", "codex", "gemini", "copilot"}, failOpen},
}

const (
	// injected begins what satchel puts beside a prompt.
	injected = "Context that satchel chose for this prompt"

	// task is what the prompts are about. The answer stands in internal/proxy.
	task   = "the login times out behind a proxy, it should retry with backoff"
	answer = "internal/proxy/proxy.go"

	// mostCharacters is what Claude Code shows of a hook's words; satchel keeps to
	// less, since it counts in UTF-16 units what may be cut in others.
	mostCharacters = 9000
)

// characters counts as the clients do.
func characters(s string) int { return len(utf16.Encode([]rune(s))) }

// given checks what a model was given beside a prompt, and returns it.
func (t *trial) given(who string, list []request) string {
	if len(list) == 0 {
		t.fail("%s: the prompt did not reach the model", who)
		return ""
	}
	var found []string
	for _, s := range texts(list[0].Body) {
		if strings.Contains(s, injected) {
			found = append(found, s)
		}
	}
	if len(found) != 1 || strings.Count(found[0], injected) != 1 {
		t.fail("%s: %d texts by satchel, want 1", who, len(found))
		return ""
	}
	t.want(strings.Contains(found[0], answer), "%s: what was given does not hold %s", who, answer)
	t.want(strings.Contains(found[0], "retryWithBackoff"), "%s: what was given does not hold the function", who)
	return found[0]
}

// answered checks that what satchel's MCP server answered is what the model was
// given: once, whole, and as text.
func (t *trial) answered(b *box, who string) {
	var said string
	for line := range strings.Lines(b.recorded("mcp.out")) {
		var m struct {
			Result struct {
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
				Structured json.RawMessage `json:"structuredContent"`
			} `json:"result"`
		}
		if json.Unmarshal([]byte(line), &m) == nil && len(m.Result.Content) > 0 {
			t.want(m.Result.Structured == nil, "%s: the answer is structured, too", who)
			said = m.Result.Content[0].Text
		}
	}
	if said == "" {
		t.fail("%s: the server answered no call", who)
		return
	}
	last := b.api.seen()
	body := last[len(last)-1].Body
	n := 0
	for _, s := range texts(body) {
		n += strings.Count(strings.ReplaceAll(s, "\r\n", "\n"), strings.TrimSpace(said))
	}
	t.want(n == 1, "%s: the model was given the answer %d times", who, n)
	t.want(strings.Contains(said, answer), "%s: the answer does not hold %s", who, answer)
}
