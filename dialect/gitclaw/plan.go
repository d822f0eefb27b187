// Package gitclaw is what GITCLAW's design prints, in its own numbers and words:
// the context.json that divides a window, how much turns matter and how a session is
// cut, and how a report says how full the window is.
package gitclaw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
)

// A Plan divides a context window between what an agent is sent, in percent,
// and says when to speak of pressure. It is what GITCLAW reads from its
// context.json; see [ParsePlan].
type Plan struct {
	Total       int          // tokens of the window
	Allocations []allocation // in the order of [DefaultPlan]

	// Compress is the share of the window above which older turns are
	// compressed, and the user is told so.
	Compress float64

	// Show is the share of the window below which nobody is told anything.
	Show float64

	// LLM asks for summaries by a model, where one is configured.
	LLM bool
}

// An allocation is a part of a Plan.
type allocation struct {
	Name    string
	Percent int
}

// DefaultPlan returns the plan of a GITCLAW repository without a context.json,
// as its design prints it. The percentages add up to 100.
func DefaultPlan() Plan {
	return Plan{
		Total: 200_000,
		Allocations: []allocation{
			{"systemPrompt", 5},
			{"skills", 3},
			{"knowledgeBase", 3},
			{"crossIssue", 2},
			{"sessionSummary", 10},
			{"sessionRecent", 30},
			{"currentPrompt", 2},
			{"reservedForResponse", 45},
		},
		Compress: 0.6,
		Show:     0.3,
	}
}

// Percent returns the percentage of an allocation. An unknown name has 0.
func (p *Plan) Percent(name string) int {
	for _, a := range p.Allocations {
		if a.Name == name {
			return a.Percent
		}
	}
	return 0
}

// tokens returns the tokens of an allocation: its percentage of the window,
// rounded down. An unknown name has 0.
func (p *Plan) tokens(name string) int {
	return int(int64(p.Total) * int64(p.Percent(name)) / 100)
}

// sum returns the percentage of the window that is allocated.
func (p *Plan) sum() int {
	sum := 0
	for _, a := range p.Allocations {
		sum += a.Percent
	}
	return sum
}

// session returns how many tokens a session may take before it has to be
// trimmed: those of its recent turns and of the summary of older ones.
func (p *Plan) session() int { return p.tokens("sessionRecent") + p.tokens("sessionSummary") }

// Thresholds returns when to speak of pressure. The plan has no key for the
// warning, which is given above 80 % whatever becomes of older turns; so a note
// from there on is never seen.
func (p *Plan) Thresholds() budget.Thresholds {
	t := Thresholds
	t.Show, t.Note = p.Show, min(p.Compress, t.Warn)
	return t
}

// Thresholds are the thresholds of all reports for a repository without a
// context.json.
var Thresholds = budget.Thresholds{Show: 0.30, Note: 0.60, Warn: 0.80}

// Sections returns the allocations of a plan as sections of its window.
// They ask for whole percentages, rounded down, as the reference does; what that
// leaves is free.
func Sections(p *Plan) []budget.Section {
	sections := make([]budget.Section, len(p.Allocations))
	for i, a := range p.Allocations {
		sections[i] = budget.Section{Name: a.Name, Want: p.tokens(a.Name)}
	}
	return sections
}

// Divide divides a window by the plan of a repository without a context.json.
func Divide(window int) (budget.Division, error) {
	if window <= 0 {
		return budget.Division{}, fmt.Errorf("divide a window of %d tokens: want a positive number", window)
	}
	plan := DefaultPlan()
	plan.Total = min(window, budget.MostTokens)
	return budget.Split(window, Sections(&plan))
}

// Room returns the tokens that a session may take in a division.
func Room(d *budget.Division) int { return d.Tokens("sessionRecent") + d.Tokens("sessionSummary") }

// maxPlan is the largest context.json that is read; one with every key has
// half a kilobyte.
const maxPlan = 64 << 10

// ParsePlan reads a context.json. A key that is not there has its default; one
// that nobody knows becomes a Diagnostic. Whatever cannot be meant is an error that
// names the key: a percentage that is no whole number between 0 and 100, a sum
// above 100, a share outside 0 to 1, a window that is not positive.
func ParsePlan(data []byte) (Plan, []satchel.Diagnostic, error) {
	p := DefaultPlan()
	if len(data) > maxPlan {
		return Plan{}, nil, fmt.Errorf("it has %d bytes, want at most %d", len(data), maxPlan)
	}
	keys, err := object("the document", data)
	if err != nil {
		return Plan{}, nil, err
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		v := keys[name]
		switch name {
		case "totalTokens":
			p.Total, err = whole(name, v, 1, budget.MostTokens)
		case "allocations":
			var bad []string
			bad, err = p.allocate(v)
			unknown = append(unknown, bad...)
		case "compressionThreshold":
			p.Compress, err = part(name, v)
		case "showPressureAbove":
			p.Show, err = part(name, v)
		case "useLLMSummarization":
			if json.Unmarshal(v, &p.LLM) != nil || isNull(v) {
				err = fmt.Errorf("%s is %s: want true or false", name, brief(v))
			}
		default:
			unknown = append(unknown, name)
		}
		if err != nil {
			return Plan{}, nil, err
		}
	}
	if n := p.sum(); n > 100 {
		var parts []string
		for _, a := range p.Allocations {
			parts = append(parts, fmt.Sprintf("%s %d", a.Name, a.Percent))
		}
		return Plan{}, nil, fmt.Errorf("allocations add up to %d%%, want at most 100%% (%s)", n, strings.Join(parts, ", "))
	}
	var diags []satchel.Diagnostic
	for i, name := range unknown {
		if i == maxUnknown {
			diags = append(diags, satchel.Diagnostic{Text: fmt.Sprintf("%d more keys are unknown", len(unknown)-i)})
			break
		}
		diags = append(diags, satchel.Diagnostic{Text: fmt.Sprintf("%s is not a key of context.json", brief([]byte(name)))})
	}
	return p, diags, nil
}

// maxUnknown is how many unknown keys are named.
const maxUnknown = 10

// allocate reads the allocations and returns the names that are unknown.
func (p *Plan) allocate(data json.RawMessage) (unknown []string, err error) {
	keys, err := object("allocations", data)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		i := slices.IndexFunc(p.Allocations, func(a allocation) bool { return a.Name == name })
		if i < 0 {
			unknown = append(unknown, "allocations."+name)
			continue
		}
		if p.Allocations[i].Percent, err = whole("allocations."+name, keys[name], 0, 100); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// object takes a JSON object apart. Names are taken as they are written,
// whereas package json would match them in any case.
func object(what string, data []byte) (map[string]json.RawMessage, error) {
	var keys map[string]json.RawMessage
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, fmt.Errorf("%s is not a JSON object: %v", what, err)
	}
	if keys == nil {
		return nil, fmt.Errorf("%s is null: want a JSON object", what)
	}
	return keys, nil
}

func isNull(v json.RawMessage) bool { return string(bytes.TrimSpace(v)) == "null" }

// whole reads a whole number; 5.0 is one.
func whole(name string, v json.RawMessage, least, most int) (int, error) {
	var f float64
	if json.Unmarshal(v, &f) != nil || isNull(v) || f != math.Trunc(f) || f < float64(least) || f > float64(most) {
		return 0, fmt.Errorf("%s is %s: want a whole number from %d to %d", name, brief(v), least, most)
	}
	return int(f), nil
}

// part reads a share of one.
func part(name string, v json.RawMessage) (float64, error) {
	var f float64
	if json.Unmarshal(v, &f) != nil || isNull(v) || f < 0 || f > 1 {
		return 0, fmt.Errorf("%s is %s: want a share from 0 to 1", name, brief(v))
	}
	return f, nil
}

// brief quotes a value for a message.
func brief(v []byte) string {
	const most = 40
	s := strings.ToValidUTF8(string(bytes.TrimSpace(v[:min(len(v), most)])), "\uFFFD")
	if len(v) > most {
		s += "…"
	}
	return s
}

// Log returns what the design's orchestrator logs before an agent goes on with a
// session, byte for byte: how much of the window it takes and, if it was cut, from
// what to what. limit is what recent turns and summary may take together; after
// counts only if the session was cut.
func Log(window, limit, before, after int, cut bool) (lines []string) {
	percent := func(n, of int) int { return int(math.Round(float64(n) / float64(max(of, 1)) * 100)) }
	lines = append(lines, fmt.Sprintf("Session tokens: ~%d (%d%% of context)", before, percent(before, window)))
	if !cut {
		return lines
	}
	return append(lines,
		fmt.Sprintf("Session exceeds budget (%d > %d). Trimming...", before, limit),
		fmt.Sprintf("Trimmed: %d → %d tokens (%d%% compression)", before, after, percent(before-after, before)))
}

// Prompt returns the tokens that a prompt may take: those of all allocations but
// the session's two and what is reserved for the response.
func (p *Plan) Prompt() (sum int) {
	for _, a := range p.Allocations {
		switch a.Name {
		case "sessionSummary", "sessionRecent", "reservedForResponse":
		default:
			sum += p.tokens(a.Name)
		}
	}
	return sum
}

// Task returns the tokens that a task may take: those of the current prompt.
func (p *Plan) Task() int { return p.tokens("currentPrompt") }
