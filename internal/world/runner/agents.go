package runner

import (
	"slices"

	"github.com/satchel-dev/satchel/transcript"
)

// An Agent is how a coding agent is started without a terminal and resumed. All
// of them read the prompt from standard input and print events that package need
// understands.
type Agent struct {
	Name string
	Args []string // the command, when the user types none

	// Format is that of its sessions.
	Format transcript.Format

	// resume returns the command that goes on with a session.
	resume func(args []string, session string) []string
}

// Agents lists the presets. lab/clients/run.sh tries each: Claude Code 2.1, Codex
// 0.169, Gemini CLI 0.61, pi 0.73 and opencode 1.18 were asked, answered and resumed.
var Agents = []Agent{
	{
		Name:   "claude",
		Format: transcript.ClaudeCode,
		Args:   []string{"claude", "-p", "--output-format", "stream-json", "--verbose"},
		resume: appendFlag("--resume"),
	},
	{
		Name:   "codex",
		Format: transcript.Codex,
		Args:   []string{"codex", "exec", "--json", "-"},
		resume: func(args []string, session string) []string { // codex exec resume ID FLAGS -
			at := slices.Index(args, "exec") + 1
			if at == 0 {
				at = len(args)
			}
			return slices.Insert(slices.Clone(args), at, "resume", session)
		},
	},
	{
		Name:   "gemini",
		Format: transcript.Gemini,
		Args:   []string{"gemini", "--output-format", "stream-json"},
		resume: appendFlag("--resume"),
	},
	{
		Name:   "pi",
		Format: transcript.Pi,
		Args:   []string{"pi", "-p", "--mode", "json"},
		resume: appendFlag("--session"),
	},
	{
		Name:   "opencode",
		Format: transcript.OpenCode,
		Args:   []string{"opencode", "run", "--format", "json"},
		resume: appendFlag("--session"),
	},
}

func appendFlag(flag string) func([]string, string) []string {
	return func(args []string, session string) []string { return append(slices.Clone(args), flag, session) }
}

// AgentByName returns a preset.
func AgentByName(name string) (*Agent, bool) {
	for i := range Agents {
		if Agents[i].Name == name {
			return &Agents[i], true
		}
	}
	return nil, false
}

// Resume returns the command that goes on with a session.
func (a *Agent) Resume(args []string, session string) []string { return a.resume(args, session) }
