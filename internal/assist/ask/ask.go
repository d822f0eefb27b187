// Package ask says what a model is sent about a change, a question or a list of
// candidates, and checks what comes back: the engine decides what is shown, the
// model only words and judges.
//
// It calls nobody. An [Ask] is plain data, the same for the same state of the
// repository and the same request, so that all of it can be shown, measured and
// tested without a model. Package assist sends it.
package ask

import (
	"encoding/json"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
)

// An Ask is what a model is sent before it has called any tool.
type Ask struct {
	Name   string // what is asked for: commit, review, part, check, …
	System string // the instructions, without anything of the repository

	// Shared is the first message: facts about the repository and the change, byte
	// for byte the same for all parts of one run, so that a provider's cache
	// serves them. Question is the last one.
	Shared, Question string

	// Schema is that of the input of submit, the one tool by which an answer is
	// given: a JSON schema of an object, its keys sorted.
	Schema json.RawMessage

	Receipt Receipt
}

// Messages returns the conversation that begins with the Ask.
func (a *Ask) Messages() (list []transcript.Message) {
	for _, text := range []string{a.Shared, a.Question} {
		if text != "" {
			list = append(list, transcript.Message{
				Role: transcript.User, Kind: transcript.Prompt, Sent: true,
				Blocks: []transcript.Block{{Type: transcript.Text, Text: text}},
			})
		}
	}
	return list
}

// A Receipt says what of a change and of other files an Ask shows.
type Receipt struct {
	Tokens   int     // of Shared and Question, o200k_base
	Files    []Shown // every file of the change, most relevant first
	Beside   []Shown // other files, in the order of the Ask
	Redacted int     // secrets that were taken out

	Diagnostics []satchel.Diagnostic
}

// A Shown says what the model gets to see of a changed file.
type Shown struct {
	Path string `json:"path"`

	// How is full if the Ask has every changed line, and part if it has some. A file
	// that people do not read is folded: the Ask has some of its lines or none. A
	// listed file is there with its name and what it defines.
	How How `json:"how"`

	// Cut are the changed lines that are missing, as they are numbered on the new
	// side, or on the old one for lines that only went away; nil for a full file.
	Cut []satchel.Hunk `json:"cut,omitempty"`
}

// A How says how much of a file is shown.
type How string

// From all to least.
const (
	Full   How = "full"
	Part   How = "part"
	Folded How = "folded"
	Listed How = "listed"
	Unread How = "not looked at" // not compared, not sent to a model, or not answered
)
