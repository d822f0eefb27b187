package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// An agent is a client as npm installs it.
type agent struct {
	name    string
	modules []string // for npm install
	program string   // below the lab, of that folder
	node    bool     // it runs in node
}

// The clients, and the tools that speak to MCP servers, in the versions that the
// measurements were made with.
var agents = []agent{
	{"claude", []string{"@anthropic-ai/claude-code-linux-x64@2.1.329"}, "node_modules/@anthropic-ai/claude-code-linux-x64/claude", false},
	{"codex", []string{"@openai/codex@0.169.0"}, "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex", false},
	{"gemini", []string{"@google/gemini-cli@0.61.0"}, "node_modules/@google/gemini-cli/bundle/gemini.js", true},
	{"copilot", []string{"@github/copilot@1.0.102"}, "node_modules/.bin/copilot", true},
	{"opencode", []string{"opencode-ai@1.18.33"}, "node_modules/opencode-linux-x64/bin/opencode", false},
	{"pi", []string{"@mariozechner/pi-coding-agent@0.73.1"}, "node_modules/@mariozechner/pi-coding-agent/dist/cli.js", true},
	{"inspector", []string{"@modelcontextprotocol/inspector@0.15.0"}, "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js", true},
	{"mcpsdk", []string{"@modelcontextprotocol/sdk@1.32.2"}, "node_modules/@modelcontextprotocol/sdk/package.json", true},
}

// argv returns how an agent is started; nil if it is not installed.
func (l *lab) argv(name string) []string {
	for _, a := range agents {
		if a.name != name {
			continue
		}
		program := filepath.Join(l.dir, a.name, filepath.FromSlash(a.program))
		if _, err := os.Stat(program); err != nil {
			return nil
		}
		if a.node {
			return []string{filepath.Join(l.nodeDir, "node"), program}
		}
		return []string{program}
	}
	return nil
}

// claude asks Claude Code, with more arguments if there are any.
func (b *box) claude(prompt string, more ...string) *run {
	argv := append(b.claudeArgv(), more...)
	stdin := ""
	if prompt != "" {
		argv = append(argv, "--", prompt)
	}
	return b.start(b.claudeVars(), stdin, argv...)
}

// claudeArgv starts Claude Code without a screen.
func (b *box) claudeArgv() []string {
	return append(b.lab.argv("claude"), "-p", "--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose", "--include-hook-events",
		"--allowedTools", "Read,Edit,mcp__satchel__pack,mcp__satchel__read,mcp__plugin_satchel_satchel__pack")
}

func (b *box) claudeVars() []string {
	return []string{"ANTHROPIC_BASE_URL=" + b.api.URL, "ANTHROPIC_API_KEY=fake", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1"}
}

// codexSettings writes what Codex needs to reach the model; satchel's install
// finds a file that somebody uses.
func (b *box) codexSettings(more string) error {
	dir := filepath.Join(b.home, ".codex")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), []byte(fmt.Sprintf(`model = "gpt-5-codex" # a comment
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
%s
[analytics]
enabled = false

[model_providers.fake]
name = "fake"
base_url = "%s/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[projects."%s"]
trust_level = "trusted"
`, more, b.api.URL, b.repo)), 0o600)
}

// codex asks Codex. Its hooks run, trusted or not, if trust is given.
func (b *box) codex(prompt string, trust bool, resume ...string) *run {
	argv := append(b.lab.argv("codex"), "exec")
	if trust {
		argv = append(argv, "--dangerously-bypass-hook-trust")
	}
	argv = append(append(argv, resume...), "--json", prompt)
	return b.start([]string{"FAKE_KEY=fake"}, "", argv...)
}

func (b *box) geminiSettings() error {
	dir := filepath.Join(b.home, ".gemini")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{
  // a comment
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "general": {"enableAutoUpdate": false, "disableAutoUpdate": true}
}
`), 0o600)
}

func (b *box) gemini(prompt string, more ...string) *run {
	return b.start([]string{"GOOGLE_GEMINI_BASE_URL=" + b.api.URL, "GEMINI_API_KEY=fake", "GEMINI_CLI_NO_RELAUNCH=1", "GEMINI_CLI_TRUST_WORKSPACE=true"}, "",
		append(append(b.lab.argv("gemini"), "-p", prompt, "-m", "gemini-2.5-flash", "--output-format", "stream-json", "--approval-mode", "yolo"), more...)...)
}

func (b *box) copilot(prompt string) *run {
	return b.start([]string{"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL=" + b.api.URL + "/v1", "COPILOT_PROVIDER_TYPE=openai",
		"COPILOT_PROVIDER_API_KEY=fake", "COPILOT_MODEL=fake-model", "COPILOT_PROVIDER_MAX_PROMPT_TOKENS=100000"}, "",
		append(b.lab.argv("copilot"), "-p", prompt, "--allow-all-tools")...)
}

func (b *box) opencodeSettings() error {
	return b.write("opencode.json", fmt.Sprintf(`{
  "$schema": "https://opencode.ai/config.json",
  "model": "fake/fake-model", "small_model": "fake/fake-model", "autoupdate": false, "share": "disabled",
  "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": {"baseURL": "%s/v1", "apiKey": "fake"},
    "models": {"fake-model": {"name": "Fake", "tool_call": true, "limit": {"context": 200000, "output": 8000}}}}},
  "permission": {"*": "allow"}
}
`, b.api.URL))
}

func (b *box) opencode(prompt string) *run {
	return b.start([]string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}, "",
		append(b.lab.argv("opencode"), "run", "--format", "json", prompt)...)
}

func (b *box) piSettings() error {
	dir := filepath.Join(b.home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "models.json"), []byte(fmt.Sprintf(
		`{"providers":{"fake":{"baseUrl":"%s/v1","api":"openai-completions","apiKey":"fake","models":[{"id":"fake-model","contextWindow":200000}]}}}`, b.api.URL)), 0o600)
}

// claudeTurns has a conversation with one process of Claude Code: each prompt is
// given when the one before it is answered.
func (b *box) claudeTurns(prompts []string, more ...string) *run {
	argv := append(b.claudeArgv(), "--input-format", "stream-json")
	return b.converse(b.claudeVars(), prompts, append(argv, more...)...)
}
