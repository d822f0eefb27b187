package trim

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A TurnType says what a turn is about.
type TurnType string

const (
	Instruction TurnType = "instruction" // a person's words
	ToolUse     TurnType = "tool-use"    // calls of tools and their results
	Response    TurnType = "response"    // any other answer
	Reminder    TurnType = "reminder"    // put in by the client
	Digest      TurnType = "summary"     // what an earlier compaction left
)

// A Turn is an answer with the results of its calls, or one message of the user.
type Turn struct {
	Index    int // from 0
	From, To int // messages [From, To)
	Type     TurnType
	Title    string   // what it is about, on one line
	Paths    []string // of the files that its calls are about, each once
}

// Turns returns the turns of a session.
func Turns(messages []transcript.Message) []Turn {
	c := reuse.Open(messages)
	turns := make([]Turn, len(c.Groups))
	for g, gr := range c.Groups {
		turns[g] = Turn{Index: g, From: gr.From, To: gr.To}
		turns[g].describe(&c.Messages[gr.From], c.Parts[gr.Parts[0]:gr.Parts[1]])
	}
	return turns
}

// describe finds the type, the title and the paths of a turn.
func (t *Turn) describe(first *transcript.Message, parts []reuse.Part) {
	said := cutting.Said(first)
	var names []string
	if first.Role == transcript.Assistant {
		for i := range parts {
			p := &parts[i]
			if p.Source != reuse.Call {
				continue
			}
			names = append(names, callTitle(p))
			if !strings.HasPrefix(p.Path, "-") && p.Path != "" && !slices.Contains(t.Paths, p.Path) {
				t.Paths = append(t.Paths, p.Path)
			}
		}
	}

	switch {
	case first.Kind == transcript.Summary:
		t.Type = Digest
	case first.Kind == transcript.Meta, strings.HasPrefix(said, "[Request interrupted"):
		t.Type = Reminder
	case len(names) > 0, first.Kind == transcript.Results && said == "":
		t.Type = ToolUse
	case first.Role == transcript.Assistant:
		t.Type = Response
	default:
		t.Type = Instruction
	}

	t.Title = cutting.Headline(said)
	switch calls := strings.Join(names, ", "); {
	case t.Title == "":
		t.Title = cutting.Headline(calls)
	case calls != "":
		t.Title = cutting.Headline(t.Title + " → " + calls)
	}
}

// callTitle names a call by what it is about: a command by itself, any other
// by its file.
func callTitle(p *reuse.Part) string {
	if p.Path != "" && !strings.HasPrefix(p.Text, "command: ") {
		return p.Tool + " " + p.Path
	}
	for line := range strings.Lines(p.Text) {
		_, value, ok := strings.Cut(line, ": ")
		if !ok {
			value = line
		}
		if value = cutting.Headline(value); value != "" {
			return p.Tool + " " + value
		}
	}
	return p.Tool
}
