package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// gotchas is what is peculiar to each format, as it was found in recorded files
// and in the agents' sources, each with the golden session that holds the case:
// what stands in the session, what is read of it, and what is not. Where a test
// of its own holds it, that is named instead.
var gotchas = []struct {
	agent, says string
	golden      string
	has         []string // in the session
	want, not   []string // in what is read
	test        string   // the file and the function
}{
	// Claude Code
	{agent: "claude", says: "a line says where it is from", golden: "claude-blocks", has: []string{`"sessionId"`, `"cwd"`, `"gitBranch"`, `"version"`}, want: []string{"id=s-1 dir=/w branch=main version=2.1.0"}},
	{agent: "claude", says: "one line for each block; the lines of an answer share its id and are one message", golden: "claude-blocks", want: []string{"@451+449 @901+438 @1340+467 @2412+468"}},
	{agent: "claude", says: "they repeat its usage, the early ones with a part of the output: the last counts", golden: "claude-blocks", has: []string{`"output_tokens":40`}, want: []string{"→40(0)"}},
	{agent: "claude", says: "results stand between the lines of an answer, in user lines", golden: "claude-blocks", want: []string{"user results id=r1 @1808+374 @2881+445"}},
	{agent: "claude", says: "toolUseResult repeats a result", golden: "claude-blocks", has: []string{"toolUseResult"}, want: []string{`t1 "package a"`}, not: []string{"toolUseResult"}},
	{agent: "claude", says: "a resume copies lines: one uuid is one line", golden: "claude-copies", want: []string{"records=6"}, not: []string{"another id"}},
	{agent: "claude", says: "usage tells the cache twice", golden: "claude-cache", has: []string{"ephemeral_1h_input_tokens"}, want: []string{"usage=3+100+900→7"}},
	{agent: "claude", says: "lines that no model sees, I", golden: "claude-blocks", has: []string{`"progress"`, "file-history-snapshot", "queue-operation", "last-prompt", "turn_duration"}, want: []string{"skipped=0"}, not: []string{"enqueue"}},
	{agent: "claude", says: "lines that no model sees, II", golden: "claude-unseen", has: []string{"ai-title", `"mode"`, "permission-mode", "pr-link", "stop_hook_summary", "away_summary"}, want: []string{"skipped=0"}},
	{agent: "claude", says: "attachments that it sees, as reminders, I", golden: "claude-unseen", has: []string{"skill_listing", "plan_mode"}, want: []string{"pdf: reads PDF files", "Plan mode is active."}},
	{agent: "claude", says: "attachments that it sees, as reminders, II", golden: "claude-meta", has: []string{"task_reminder", "edited_text_file"}, want: []string{"- [pending] write tests", "Note: /w/a.go was modified"}},
	{agent: "claude", says: "a queued command is a prompt", golden: "claude-meta", has: []string{"queued_command"}, want: []string{"user prompt id=t5"}},
	{agent: "claude", says: "user lines that no person wrote", golden: "claude-meta", has: []string{`"isMeta":true`, "<command-name>", "<local-command-stdout>", "Caveat:"}, want: []string{"user meta id=u0", "user meta id=u1", "user meta id=u2", "user meta id=u10"}},
	{agent: "claude", says: "a boundary, and its summary in a user line", golden: "claude-compact", has: []string{"compact_boundary", "logicalParentUuid", "compactMetadata", "isCompactSummary"}, want: []string{"user summary", "compactions=1"}},
	{agent: "claude", says: "a compaction may leave messages in place", golden: "claude-preserved", has: []string{"preservedMessages"}, want: []string{"kept"}},
	{agent: "claude", says: "sidechains", golden: "claude-compact", has: []string{`"isSidechain":true`}, want: []string{"~ assistant answer side"}},
	{agent: "claude", says: "a subagent's own file is its conversation", golden: "claude-subagent", has: []string{`"isSidechain":true`}, want: []string{"user prompt id=x1"}, not: []string{" side"}},
	{agent: "claude", says: "subagents' files are found as such", test: "../internal/world/sessions/sessions_test.go TestList"},
	{agent: "claude", says: "branches: the leaf's is sent", golden: "claude-branches", has: []string{"wrong wording"}, want: []string{"~ user prompt"}},

	// Codex
	{agent: "codex", says: "the first line is longer than 20 kB", test: "hostile_test.go TestHostile"},
	{agent: "codex", says: "calls of all kinds and their outputs", golden: "codex", has: []string{"custom_tool_call_output", "tool_search_output", "local_shell_call", "web_search_call"}, want: []string{"tool_use shell id=call_1", "tool_use apply_patch id=call_2", "tool_use local_shell id=call_3", "tool_use tool_search id=call_4", "other web_search_call"}, not: []string{"note "}},
	{agent: "codex", says: "usage comes in events; the cache is part of the input, reasoning of the output", golden: "codex", has: []string{"last_token_usage", "total_token_usage"}, want: []string{"usage=400+600+0→50(20)", "window=272000"}},
	{agent: "codex", says: "user items that no person wrote", golden: "codex", has: []string{"# AGENTS.md instructions", "<environment_context>", `"developer"`}, want: []string{"user meta @397", "user meta @645", "user meta @861"}},
	{agent: "codex", says: "a compaction with the history that takes the place", golden: "codex-compacted", has: []string{"replacement_history", "context_compacted"}, want: []string{"user summary", "compactions=1"}},
	{agent: "codex", says: "the provider's own compaction: no message, an item that only it reads", golden: "codex-remote", has: []string{`"message":""`, "encrypted_content"}, want: []string{`other compaction "[compaction]" opaque=6`}},
	{agent: "codex", says: "a subagent's file is found as such", test: "../internal/world/sessions/sessions_test.go TestCodexSubagent"},

	// pi
	{agent: "pi", says: "version 1 has no ids, and its compaction counts lines", golden: "pi-v1", has: []string{"firstKeptEntryIndex"}, want: []string{"user prompt kept"}},
	{agent: "pi", says: "version 1 is a list whatever its ids say", golden: "pi-v1-ids", want: []string{`text "two"`}},
	{agent: "pi", says: "version 3 is a tree", golden: "pi-tree", has: []string{"branch_summary"}, want: []string{"~ user prompt id=e3", `text "Went wrong."`}},
	{agent: "pi", says: "a compaction names the first entry that stays", golden: "pi-compaction", has: []string{"firstKeptEntryId", "tokensBefore"}, want: []string{"user summary id=e6", "user prompt kept id=e3"}},
	{agent: "pi", says: "results are messages of a role of their own", golden: "pi", has: []string{`"toolResult"`, `"toolCall"`}, want: []string{"tool_result read id=t1"}},
	{agent: "pi", says: "thinking is in the field thinking", golden: "pi", has: []string{`"thinking":"ok"`}, want: []string{`thinking "ok"`}},
	{agent: "pi", says: "custom entries are not sent, custom messages are", golden: "pi", has: []string{`"custom"`, "custom_message", `"label"`, "session_info"}, want: []string{`text "injected"`}},
	{agent: "pi", says: "a command that the user ran, unless it is kept out", golden: "pi", has: []string{"excludeFromContext"}, want: []string{"Ran `ls`"}, not: []string{"Ran `secret"}},

	// opencode
	{agent: "opencode", says: "one part holds a call and its result", golden: "opencode", has: []string{"callID"}, want: []string{"tool_use read id=c1", `tool_result read id=c1 "package a"`}},
	{agent: "opencode", says: "usage of each step, before that of the message", golden: "opencode", has: []string{"step-finish"}, want: []string{"usage=100+7+3→25(5)"}},
	{agent: "opencode", says: "a pruned result", golden: "opencode", has: []string{`"compacted"`}, want: []string{"[Old tool result content cleared]"}},
	{agent: "opencode", says: "a compaction is a part, and an answer with summary set", golden: "opencode-compaction", has: []string{`"compaction"`, `"summary"`}, want: []string{"user summary", "compactions=2"}},
	{agent: "opencode", says: "a redacted callID, many times: paired by position", golden: "opencode-revert", has: []string{`"REDACTED"`}, want: []string{`id=REDACTED "first"`, `id=REDACTED_2 native=REDACTED "second"`}},
	{agent: "opencode", says: "a storage folder", test: "../internal/world/sessions/sessions_test.go TestOpen"},
	{agent: "opencode", says: "a database", test: "../internal/world/sessions/sessions_test.go TestOpenCode"},
	{agent: "opencode", says: "child sessions are found as such", test: "../internal/world/sessions/sessions_test.go TestList"},

	// Copilot CLI
	{agent: "copilot", says: "the model sees content, the screen detailedContent", golden: "copilot", has: []string{"detailedContent"}, want: []string{`tool_result glob id=c1 "a.go"`}, not: []string{"detailed"}},
	{agent: "copilot", says: "calls are requests of an answer, results events", golden: "copilot", has: []string{"toolRequests", "tool.execution_complete"}, want: []string{"tool_use glob id=c1"}},
	{agent: "copilot", says: "a subagent's events", golden: "copilot", has: []string{"agentId"}, want: []string{"~ assistant answer side"}},

	// Gemini CLI
	{agent: "gemini", says: "formerly one document", golden: "gemini-document", want: []string{"gemini id=g1"}},
	{agent: "gemini", says: "messages are replaced, taken back and set anew", golden: "gemini", has: []string{"$rewindTo", "$set"}, want: []string{"~ user prompt id=u3"}},
	{agent: "gemini", says: "a message holds its calls and their results; usage", golden: "gemini", has: []string{`"toolCalls"`, `"thoughts"`, `"cached"`}, want: []string{"tool_use read_file id=c1", `tool_result read_file id=c1 "AAA"`, "usage=40+60+0→15(5)"}},
	{agent: "gemini", says: "a compression is not recorded but as messages set anew", golden: "gemini-compressed", has: []string{"<state_snapshot>"}, want: []string{"user summary", "compactions=1"}},
	{agent: "gemini", says: "subagents' files are found as such", test: "../internal/world/sessions/sessions_test.go TestGeminiSubagent"},

	// SWE-agent
	{agent: "swe-agent", says: "calls by id", golden: "swe-agent", has: []string{"tool_call_ids"}, want: []string{`tool_result bash id=c1 "a.py"`}},
	{agent: "swe-agent", says: "before that, a command in the text and its output in the next user item", golden: "swe-agent-text", want: []string{`tool_use bash id=act2 {"command":"ls\n"}`, `tool_result bash id=act2 "a.py\n"`}},
	{agent: "swe-agent", says: "a demonstration's last action is not answered by the task", golden: "swe-agent-demo", has: []string{"is_demo"}, want: []string{"user prompt @692+87\n  text \"The task\""}},
	{agent: "swe-agent", says: "each agent is sent its own", golden: "swe-agent-helper", want: []string{"~ assistant answer side"}},

	// OpenHands
	{agent: "openhands", says: "an observation answers a call by its id", golden: "openhands-condensed", has: []string{`"ObservationEvent"`}, want: []string{`tool_result terminal id=c2 "out 2"`}},
	{agent: "openhands", says: "each call is an event; those of a response share its id", golden: "openhands", has: []string{"llm_response_id"}, want: []string{"assistant answer id=r1 @1090+627 @1721+426"}},
	{agent: "openhands", says: "a condensation forgets events and puts its summary between", golden: "openhands-condensed", has: []string{`"Condensation"`}, want: []string{"user summary"}},
	{agent: "openhands", says: "skills and rules are put in beside what was said", golden: "openhands", has: []string{"extended_content"}, want: []string{"user meta", "package a\\nrule: tabs"}},
	{agent: "openhands", says: "a folder of events", test: "../internal/world/sessions/sessions_test.go TestOpen"},

	// Cline and Roo
	{agent: "cline", says: "calls are native, or XML with the result in the next text", golden: "cline", has: []string{"<read_file>", `"tool_use"`}, want: []string{"tool_use read_file"}},
	{agent: "cline", says: "Roo hides what it tags, as long as the summary or marker is there", golden: "cline-roo", has: []string{"condenseParent", "truncationParent", "isTruncationMarker", `"not there"`}, want: []string{`~   text "hidden"`, `text "last"`}},
	{agent: "cline", says: "formerly the task goes before the summary", golden: "cline-roo-older", has: []string{`"isSummary": true`}, want: []string{"user prompt @3+97", "user summary"}},
	{agent: "cline", says: "the result of a call that was condensed away is no prompt, and is sent", golden: "cline-roo-tagged", want: []string{"user meta @287+130"}},
	{agent: "cline", says: "a document since it stands on an SDK", golden: "cline-sdk", has: []string{`"cacheReadTokens"`, `"file"`}, want: []string{"usage=1500+34332+80→164", "<file_content path="}},
	{agent: "cline", says: "whose compaction stands beside it", test: "../internal/world/sessions/sessions_test.go TestClineCompaction"},

	// What the providers' APIs demand
	{agent: "anthropic", says: "the user first; every call answered in the next message, results first", test: "valid_test.go TestValid"},
	{agent: "anthropic", says: "no empty text; redacted thinking goes back", golden: "claude-cache", has: []string{"redacted_thinking", `"text":""`}, want: []string{"thinking opaque=6\n  text \"hello\""}},
	{agent: "anthropic", says: "thinking goes back with its signature, and marks of the cache stay where they are", test: "wire_test.go TestSentBackAsRecorded"},
	{agent: "chat", says: "tool_calls and role tool", golden: "chat", has: []string{"tool_call_id"}, want: []string{`tool_result g id=c2 "two"`}},
	{agent: "responses", says: "reasoning stays with the calls behind it", golden: "responses", has: []string{"encrypted_content"}, want: []string{"@93+77 @172+98\n  thinking opaque=4\n  tool_use shell id=c1"}},
	{agent: "all", says: "a result before its call, without one, a call without a result", golden: "claude-pairs", want: []string{`tool_result Read id=t1 "early"`, "1 tool result without a call left out", "[no result recorded]"}},
	{agent: "all", says: "a session of any kind, damaged in every way that was seen", test: "badinput_test.go TestBadInput"},
}

func TestGotchas(t *testing.T) {
	for _, g := range gotchas {
		t.Run(g.agent+": "+g.says, func(t *testing.T) {
			if g.test != "" {
				file, name, _ := strings.Cut(g.test, " ")
				b, err := os.ReadFile(file)
				if err != nil || !strings.Contains(string(b), "func "+name+"(t *testing.T)") {
					t.Errorf("no test %s: %v", g.test, err)
				}
				return
			}
			ar, err := txtar.ParseFile(filepath.Join("testdata/read", g.golden+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			session := ar.Files[0].Data
			got := golden(t, session)
			for _, s := range g.has {
				if !strings.Contains(string(session), s) {
					t.Errorf("%s holds no %s", g.golden, s)
				}
			}
			for _, s := range g.want {
				if !strings.Contains(got, s) {
					t.Errorf("%s: read without %s:\n%s", g.golden, s, got)
				}
			}
			for _, s := range g.not {
				if strings.Contains(got, s) {
					t.Errorf("%s: read with %s:\n%s", g.golden, s, got)
				}
			}
			if len(g.want)+len(g.not) == 0 {
				t.Error("the row says nothing")
			}
		})
	}
}
