package agents

import (
	_ "embed" // the extension
	"path/filepath"
	"strings"
	"time"
)

//go:embed files/pi.ts
var piExtension string

// pi is pi.
var pi = Agent{
	Name: "pi", Title: "pi", Format: "pi", Program: "pi",
	Sessions: &Sessions{
		Homes: func(e *Env) []string { return []string{piFolder(e)} },
		Files: []Files{
			{Pattern: "sessions/*/*.jsonl", Folder: piDashed, ID: lastUUID}, // <time>_<uuid>
			{Pattern: "sessions/*.jsonl", ID: lastUUID},
		},
		Line: piLine,
		Copy: &Copy{Beside: true, ByPath: true, Name: func(from, id string, _ time.Time) string {
			return strings.TrimSuffix(from, filepath.Ext(from)) + ".trimmed-" + id[:8] + ".jsonl"
		}},
	},
	Tools: []tool{{"read", reads}, {"edit", edits}, {"write", edits}, {"bash", runs}, {"grep", searches}, {"find", searches}, {"ls", searches}},
	Hooks: &Hooks{
		Events: []Event{
			{"session_start", Start, PluginContext, "", 0},
			{"before_agent_start", Prompt, PluginContext, "", 0},
			{"tool_result", AfterTool, PluginContext, "", 0},
			{"session_before_compact", BeforeCompact, PluginContext, "", 0},
			{"session_compact", AfterCompact, silent, "", 0},
			{"context", Pruned, silent, "", 0}, // its answer is a list of messages
		},
		Pends: true,
	},
	Settings: func(_ *Agent, e *Env, s Scope) []File {
		return []File{{Path: e.either(s, filepath.Join(piFolder(e), "extensions", "satchel.ts"), ".pi/extensions/satchel.ts"), Whole: piExtension}}
	},
	First: "start pi in your project: it has the tools pack and search",

	Start:  []string{"pi", "-p", "--mode", "json"},
	Resume: flag("--session"),
}

// piFolder is where pi keeps its files.
func piFolder(e *Env) string { return e.Folder("PI_CODING_AGENT_DIR", ".pi", "agent") }

var piSigns = strings.NewReplacer("/", "-", "\\", "-", ":", "-")

// piDashed is how pi names the folder of a project: slashes and colons are dashes.
func piDashed(root string) string { return "--" + piSigns.Replace(strings.TrimLeft(root, `/\`)) }

func piLine(x *Line, h *Head) {
	switch {
	case x.Type == "session" && x.ID != "" && h.own():
		h.ID = x.ID
	case x.Type == "session_info" && x.Name != "":
		h.Title = x.Name
	case x.Type == "message":
		h.message(x.Message)
	}
}
