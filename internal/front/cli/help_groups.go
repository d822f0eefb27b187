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
