package trim

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
)

// Stats says where the tokens of a session are.
type Stats struct {
	Context tokens.Count `json:"context"` // what would be sent next
	Hidden  tokens.Count `json:"hidden"`  // of it, in no message: system prompt, tool schemas
	Rate    string       `json:"rate"`    // how estimates were made

	Messages int `json:"messages"` // that would be sent
	Turns    int `json:"turns"`    // answers with their results, and the user's messages
	Prompts  int `json:"prompts"`  // a person's

	ByRole []Share `json:"by_role"` // most tokens first, as below
	ByType []Share `json:"by_type"`
	ByTool []Share `json:"by_tool"` // calls and results

	Largest []Share `json:"largest"` // results and texts of the most tokens; Name says which, Turn where

	Duplicates Share `json:"duplicates"` // results that come again later, word for word
	Stale      Share `json:"stale"`      // reads that a later read of the file covers, or that is written whole later

	// Steps is the context after each answer, as the provider reported it.
	Steps []int `json:"steps,omitempty"`
}

// Frees is how many tokens cleaning frees: what later messages repeat.
func (s *Stats) Frees() int { return s.Duplicates.Tokens + s.Stale.Tokens }

// A Share is a part of a session.
type Share struct {
	Name   string `json:"name"`
	Count  int    `json:"count"` // messages, blocks or calls
	Tokens int    `json:"tokens"`
	Turn   int    `json:"turn,omitempty"` // of a single thing: the turn that holds it, from 0
}

// A Census counts a session whose messages come one after the other. It
// remembers some hundred bytes of each message, as many again of each result, and
// none of their text. Its zero value is ready to use.
type Census struct {
	// Mask returns a block as it may be shown, such as without secrets: things are
	// named by what it returns, and counted as they are. Nil means as they are.
	Mask func(transcript.Block) transcript.Block

	meter    transcript.Meter
	answered bool // the newest message is the assistant's
	tools    map[string]*censusTool
	calls    map[string]censusCall // that have no result yet, by id

	seen    seen
	outputs []int // tokens of the encoding of the results that may go one day

	large []large
	turn  int

	// each, if not nil, is told of every block, and of a result its number in seen.
	each func(m *transcript.Message, b *transcript.Block, w transcript.Weight, number int)
}

type censusTool struct {
	calls  int
	weight transcript.Weight
}

type censusCall struct {
	tool  string
	about string // its path; without one its command, or what else it begins with
}

type large struct {
	name   string
	turn   int
	weight transcript.Weight
	size   int
}

// The names of roles and kinds, in the order in which ties are shown.
var censusRoles = []string{"tool results", "assistant", "user", "client", "summary"}

const (
	roleResults = iota
	roleAssistant
	roleUser
	roleClient
	roleSummary
)

// mostLarge is how many of the largest things are named.
const mostLarge = 10

// Add counts the next message. Those that the model would not be sent are left
// out.
func (c *Census) Add(m *transcript.Message) {
	if !m.Sent {
		c.meter.Before(m)
		return
	}
	if c.tools == nil {
		c.tools, c.calls = make(map[string]*censusTool), make(map[string]censusCall)
	}
	if m.Kind != transcript.Results || !c.answered {
		c.turn++
	}
	c.answered = m.Role == transcript.Assistant
	var weight transcript.Weight
	for i := range m.Blocks {
		w := c.meter.Weigh(&m.Blocks[i])
		weight = weight.Plus(w)
		b := &m.Blocks[i]
		if c.Mask != nil {
			shown := c.Mask(*b)
			b = &shown
		}
		number := c.block(m, b, w)
		if c.each != nil {
			c.each(m, b, w, number)
		}
	}
	c.meter.AddWeighed(m, weight)
}

// censusRole is the index in censusRoles of who speaks.
func censusRole(r transcript.Role, k transcript.Kind) int {
	switch {
	case r == transcript.Assistant:
		return roleAssistant
	case k == transcript.Results:
		return roleResults
	case k == transcript.Meta:
		return roleClient
	case k == transcript.Summary:
		return roleSummary
	}
	return roleUser
}

// block counts a block, and returns its number in seen.
func (c *Census) block(m *transcript.Message, b *transcript.Block, w transcript.Weight) (number int) {
	if number = c.seen.add(b); number > 0 {
		c.outputs = append(c.outputs, w.Output)
	}
	if b.Type == transcript.Image || b.Type == transcript.Other {
		return number
	}
	var name string
	switch b.Type {
	case transcript.Call:
		t := c.tool(b.Name)
		t.calls++
		t.weight = t.weight.Plus(w)
		call := censusCall{tool: b.Name, about: c.seen.calls[b.ID].path}
		if call.about == "" {
			call.about = strings.Clone(about(b))
		}
		name = strings.TrimSpace(b.Name + " input " + call.about)
		c.calls[b.ID] = call
	case transcript.Result:
		call := c.calls[b.ID]
		delete(c.calls, b.ID)
		t := c.tool(cmp.Or(call.tool, b.Name))
		t.weight = t.weight.Plus(w)
		name = strings.TrimSpace(cmp.Or(call.tool, b.Name) + " " + call.about)
	default:
		name = string(m.Kind) + ": " + cutting.Headline(b.Text)
	}
	size := w.Text + w.Thinking + w.Input + w.Output
	if len(c.large) < mostLarge || size > c.large[mostLarge-1].size {
		c.large = append(c.large, large{name, c.turn - 1, w, size})
		slices.SortStableFunc(c.large, func(a, b large) int { return cmp.Compare(b.size, a.size) })
		c.large = c.large[:min(len(c.large), mostLarge)]
	}
	return number
}

func (c *Census) tool(name string) *censusTool {
	if c.tools[name] == nil {
		c.tools[name] = &censusTool{}
	}
	return c.tools[name]
}

// Stats returns what was counted, in tokens of a model. System are the system
// prompts that are recorded.
func (c *Census) Stats(m tokens.Model, system []string) *Stats {
	s := &Stats{Messages: c.meter.Len(), Turns: c.turn}
	roles := make([]Share, len(censusRoles))
	types := []Share{{Name: "tool results"}, {Name: "tool calls"}, {Name: "text"}, {Name: "thinking"}, {Name: "images"}}
	exact, estimated := 0.0, 0.0 // of results
	z := c.meter.Each(m, system, func(rate transcript.Rate, x *transcript.Measured) {
		if x.Step != 0 {
			s.Steps = append(s.Steps, x.Step)
		}
		n, role := x.Tokens.Tokens, censusRole(x.Role, x.Kind)
		roles[role].Name = censusRoles[role]
		roles[role].Count++
		roles[role].Tokens += n
		if role == roleUser {
			s.Prompts++
		}
		// The parts of a message share what it is known to take.
		p := rate.Parts(x.Weight)
		if p.Sum() <= 0 {
			return
		}
		scale := float64(n) / p.Sum()
		if role == roleResults {
			exact += float64(n)
			estimated += p.Sum()
		}
		for j, part := range [...]float64{p.Results, p.Calls, p.Text, p.Thinking, p.Images} {
			if part > 0 {
				types[j].Tokens += int(part*scale + 0.5)
			}
		}
		w := &x.Weight
		for j, count := range [...]int{w.Results, w.Calls, min(w.Text, 1), min(w.Thinking+w.Opaque, 1), w.Images} {
			types[j].Count += count
		}
	})
	s.Context, s.Hidden, s.Rate = z.Context, z.Hidden, z.Rate.Method()
	scale := 1.0 // of what is only known as a sum of results
	if estimated > 0 {
		scale = exact / estimated
	}
	results := func(output, count int) int {
		return int(z.Rate.Parts(transcript.Weight{Output: output, Results: count}).Sum()*scale + 0.5)
	}
	s.ByRole, s.ByType = ranked(roles), ranked(types)
	for name, t := range c.tools {
		p := z.Rate.Parts(t.weight)
		s.ByTool = append(s.ByTool, Share{Name: cmp.Or(name, "(unnamed)"), Count: t.calls, Tokens: int(p.Calls + (p.Results+p.Images)*scale + 0.5)})
	}
	s.ByTool = ranked(s.ByTool)
	for _, l := range c.large {
		s.Largest = append(s.Largest, Share{Name: l.name, Count: 1, Tokens: int(z.Rate.Parts(l.weight).Sum() + 0.5), Turn: l.turn})
	}
	slices.SortStableFunc(s.Largest, func(a, b Share) int { return cmp.Compare(b.Tokens, a.Tokens) })
	c.seen.finish()
	var outputs [Rewritten + 1]int
	var counts [Rewritten + 1]int
	for i, n := range c.outputs {
		why := c.seen.why(i + 1)
		counts[why]++
		outputs[why] += n
	}
	s.Duplicates = Share{Name: "duplicates", Count: counts[Repeated] + counts[SameError], Tokens: results(outputs[Repeated]+outputs[SameError], 0)}
	s.Stale = Share{Name: "stale reads", Count: counts[Reread] + counts[Rewritten], Tokens: results(outputs[Reread]+outputs[Rewritten], 0)}
	return s
}

// ranked returns the shares that hold something, most tokens first.
func ranked(shares []Share) []Share {
	shares = slices.DeleteFunc(shares, func(s Share) bool { return s.Count == 0 && s.Tokens == 0 })
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Name, b.Name))
	})
	return shares
}
