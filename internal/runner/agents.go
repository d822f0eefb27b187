package runner

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// An Agent is how a coding agent is started without a terminal and resumed. All
// of them read the prompt from standard input and print events that package need
// understands.
type Agent struct {
	Name string
	Args []string // the command, when the user types none

	// resume returns the command that goes on with a session.
	resume func(args []string, session string) []string

	// file returns where a trimmed session has to lie and by what it is resumed; nil
	// if the agent cannot resume a file.
	file func(session, sum string) (file, id string)
}

// Agents lists the presets. bench/clients/run.sh tries each: Claude Code 2.1, Codex
// 0.169, Gemini CLI 0.61, pi 0.73 and opencode 1.18 were asked, answered and resumed.
var Agents = []Agent{
	{
		Name:   "claude",
		Args:   []string{"claude", "-p", "--output-format", "stream-json", "--verbose"},
		resume: appendFlag("--resume"),
		// Claude Code finds a session by its name in the folder of the project.
		file: func(session, sum string) (string, string) {
			id := fmt.Sprintf("%s-%s-4%s-8%s-%s", sum[:8], sum[8:12], sum[13:16], sum[17:20], sum[20:32])
			return filepath.Join(filepath.Dir(session), id+".jsonl"), id
		},
	},
	{
		Name: "codex",
		Args: []string{"codex", "exec", "--json", "-"},
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
		Args:   []string{"gemini", "--output-format", "stream-json"},
		resume: appendFlag("--resume"),
	},
	{
		Name:   "pi",
		Args:   []string{"pi", "-p", "--mode", "json"},
		resume: appendFlag("--session"),
		file: func(session, sum string) (string, string) {
			name := strings.TrimSuffix(session, filepath.Ext(session)) + ".trimmed-" + sum[:8] + ".jsonl"
			return name, name
		},
	},
	{
		Name:   "opencode",
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

// SessionFile returns where a trimmed copy of a session file has to lie, and by
// what the agent resumes it. content tells copies of one session apart. ok is false
// if the agent cannot resume a file.
func (a *Agent) SessionFile(session string, content []byte) (file, id string, ok bool) {
	if a.file == nil {
		return "", "", false
	}
	file, id = a.file(session, fmt.Sprintf("%x", sha256.Sum256(content)))
	return file, id, true
}
