package cli

// A commandGroup is a part of the list of commands.
type commandGroup struct {
	title    string
	commands []string // in the order in which they are shown
}

// commandGroups is the list of commands in the help of satchel itself.
var commandGroups = []commandGroup{
	{"Every day", []string{"pack", "diff", "search", "show", "tokens"}},
	{"Asking a model", []string{"commit", "review", "pr", "changelog", "ask", "log"}},
	{"Sessions", []string{"session", "status"}},
	{"Agents", []string{"install", "uninstall", "doctor", "last", "run", "mcp"}},
	{"Memory", []string{"note", "context", "snapshot"}},
	{"Setup", []string{"config", "index", "help", "version"}},
}

// hiddenCommands are the commands that programs call or few people need.
// docs/commands.md describes them.
var hiddenCommands = []string{"embed", "hook", "statusline", "schema", "completion"}

// A flagGroup is a part of the list of a command's flags.
type flagGroup struct {
	title string
	flags []string // in the order in which they are shown
}

// flagGroups lists the flags of all commands in the order of the help. A flag name
// has one meaning in all commands.
var flagGroups = []flagGroup{
	{"Input", []string{
		"task", "task-file", "task-from", "issue", "rev", "diff", "commit", "base", "from", "to", "staged", "unstaged", "untracked", "patch",
		"path", "files", "include", "exclude", "files-from", "pin", "edit", "seen", "pinned", "category", "session", "turn", "item",
		"all", "side", "reason", "command", "file", "image", "snippet", "url",
		"agent", "resume", "symbols", "user", "project", "read-only", "hint", "amend", "focus", "passes", "instructions",
	}},
	{"Limits", []string{
		"budget", "fill", "model", "window", "detail", "limit", "resume-budget", "trigger",
		"rounds", "answers", "answer-budget", "timeout", "prompt-characters", "last-prompts", "older-than", "since", "keep-bytes", "context",
		"evict", "auto-refresh", "max-spend", "turns", "min-confidence", "min-severity",
	}},
	{"Behavior", []string{
		"llm", "template", "release", "yes", "notes", "snapshots", "edit-message", "print", "hook", "style", "type", "scope", "subject", "body", "dry-run", "record", "replay", "parallel", "check", "fail-on", "baseline", "language", "split", "cursor", "profile", "summarize", "build", "test", "forget", "background", "watch", "then",
	}},
	{"Output", []string{
		"format", "output", "copy", "json", "explain", "explain-exclusions", "debug", "raw", "status", "summary",
		"ids", "models", "tree", "git-internal", "libra", "run", "footer", "plugin", "extension", "no-descriptions", "statusline-prompt",
	}},
	{"Snapshots", []string{"snapshot", "no-snapshot", "no-snapshots"}},
	{"All commands", []string{"dir", "cache-dir", "set", "quiet", "help", "version"}},
}

// shorthands are the letters of common flags. A letter has one meaning in all commands.
var shorthands = map[string]string{
	"budget": "b",
	"format": "f",
	"model":  "m",
	"output": "o",
	"quiet":  "q",
}
