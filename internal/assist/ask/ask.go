// Package ask says what a model is sent about a change, a question or a list of
// candidates, and checks what comes back: the engine decides what is shown, the
// model only words and judges.
//
// It calls nobody. An [Ask] is plain data, the same for the same state of the
// repository and the same request, so that all of it can be shown, measured and
// tested without a model. Package assist sends it.
package ask

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/tokens"
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

// receipt says what of the files stands in an Ask.
func (a *Ask) receipt(files []*change.Scored, sheets []*sheet, masks []mask) {
	place := map[*change.Scored]int{}
	for i, f := range files {
		place[f] = i
	}
	a.Receipt.Files = make([]Shown, len(files))
	for i, s := range sheets {
		var m mask
		if i < len(masks) {
			m = masks[i]
		}
		a.Receipt.Files[place[s.Scored]] = s.account(m)
		a.Receipt.Redacted += s.secrets
	}
	a.Receipt.Tokens = countOf(a.Shared) + countOf(a.Question)
}

// beside adds a file that is not part of the change.
func (a *Ask) beside(path string, how How) {
	if !slices.ContainsFunc(a.Receipt.Files, func(s Shown) bool { return s.Path == path }) {
		a.Receipt.Beside = Join(a.Receipt.Beside, Shown{Path: path, How: how})
	}
}

// Join adds files to a list. Of a file that is already there it keeps what shows more.
func Join(list []Shown, more ...Shown) []Shown {
	rank := []How{Full, Folded, Part, Listed}
	at := make(map[string]int, len(list))
	for i := range list {
		at[list[i].Path] = i
	}
	for _, s := range more {
		i, ok := at[s.Path]
		if !ok {
			at[s.Path] = len(list)
			list = append(list, s)
		} else if slices.Index(rank, s.How) < slices.Index(rank, list[i].How) {
			list[i] = s
		}
	}
	return list
}

// countOf counts tokens.
func countOf(text string) int { return tokens.O200k().Count(text) }

// fit returns the text of the highest limit that fits a number of tokens, or
// false if no limit fits.
func fit(room int, r pack.Range, write func(limit int) string) (string, bool) {
	s, ok, _ := pack.Within(room, r, func(limit int) (pack.Layout[string], error) {
		s := write(limit)
		return pack.Layout[string]{Shown: s, Size: countOf(s)}, nil
	})
	return s, ok
}

// filesOf returns the files of a report that are wanted: all if none is named.
func filesOf(r *change.Report, names []string) []*change.Scored {
	var list []*change.Scored
	for i := range r.Files {
		if f := &r.Files[i]; len(names) == 0 || slices.Contains(names, f.Path) {
			list = append(list, f)
		}
	}
	return list
}

// budgetOr returns the tokens that an Ask may take.
func budgetOr(n int) int { return cmp.Or(max(n, 0), DefaultBudget) }

// DefaultBudget is how many tokens the first messages of an Ask take if nothing
// else is said.
const DefaultBudget = 24_000
