package trim

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-dev/satchel/internal/reuse"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
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
	Stale      Share `json:"stale"`      // reads that a later read of the file covers

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
// remembers some hundred bytes of each message, and none of their text but
// paths. Its zero value is ready to use.
type Census struct {
	meter transcript.Meter
	marks []censusMark
	tools map[string]*censusTool
	calls map[string]censusCall // that have no result yet, by id
	texts map[uint64]result
	reads map[string]map[string]result // path → part of the file
	parts []filePart                   // what results are of; the first is nothing
	ids   map[filePart]uint32          // index in parts
	dup   censusSum
	stale censusSum
	large []large
	turn  int

	// each, if not nil, is told of every block.
	each func(m *transcript.Message, b *transcript.Block, w transcript.Weight)
}

// A censusMark is what is remembered of a message, besides what the meter
// remembers.
type censusMark struct{ role uint8 }

type censusTool struct {
	calls  int
	weight transcript.Weight
}

type censusCall struct {
	tool, path, clip string
	reads            bool
}

// A result is one that a later one may repeat.
type result struct {
	output uint32 // tokens of the encoding; 0 if it is counted already
	of     uint32 // index in Census.parts: a session has many results, of few files
}

// A filePart is what a call reads.
type filePart struct{ path, clip string }

// part returns the index of a part of a file.
func (c *Census) part(p filePart) uint32 {
	id, ok := c.ids[p]
	if !ok {
		id = uint32(len(c.parts)) //nolint:gosec // no session has four billion calls
		c.parts, c.ids[p] = append(c.parts, p), id
	}
	return id
}

type censusSum struct{ count, output int }

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
		return
	}
	if c.tools == nil {
		c.tools, c.calls = make(map[string]*censusTool), make(map[string]censusCall)
		c.texts, c.reads = make(map[uint64]result), make(map[string]map[string]result)
		c.parts, c.ids = make([]filePart, 1), make(map[filePart]uint32)
	}
	k := censusMark{role: roleUser}
	switch {
	case m.Role == transcript.Assistant:
		k.role = roleAssistant
	case m.Kind == transcript.Results:
		k.role = roleResults
	case m.Kind == transcript.Meta:
		k.role = roleClient
	case m.Kind == transcript.Summary:
		k.role = roleSummary
	}
	if m.Kind != transcript.Results || len(c.marks) == 0 || c.marks[len(c.marks)-1].role != roleAssistant {
		c.turn++
	}
	var weight transcript.Weight
	for i := range m.Blocks {
		w := c.meter.Weigh(&m.Blocks[i])
		weight = weight.Plus(w)
		c.block(m, &m.Blocks[i], w)
		if c.each != nil {
			c.each(m, &m.Blocks[i], w)
		}
	}
	c.meter.AddWeighed(m, weight)
	c.marks = append(c.marks, k)
}

// fingerprint is FNV-1a, 64 bits: the same on every machine.
func fingerprint(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

func (c *Census) block(m *transcript.Message, b *transcript.Block, w transcript.Weight) {
	if b.Type == transcript.Image || b.Type == transcript.Other {
		return
	}
	var name string
	switch b.Type {
	case transcript.Call:
		t := c.tool(b.Name)
		t.calls++
		t.weight = t.weight.Plus(w)
		call := censusCall{tool: b.Name}
		call.path, call.clip, call.reads = reuse.Reads(b)
		c.calls[b.ID] = call
		name = b.Name + " input"
	case transcript.Result:
		call := c.calls[b.ID]
		delete(c.calls, b.ID)
		t := c.tool(cmp.Or(call.tool, b.Name))
		t.weight = t.weight.Plus(w)
		c.repeated(b, call, w.Output)
		name = cmp.Or(call.tool, b.Name)
		if call.path != "" {
			name += " " + call.path
		}
	default:
		name = string(m.Kind) + ": " + headline(b.Text)
	}
	size := w.Text + w.Thinking + w.Input + w.Output
	if len(c.large) < mostLarge || size > c.large[mostLarge-1].size {
		c.large = append(c.large, large{name, c.turn - 1, w, size})
		slices.SortStableFunc(c.large, func(a, b large) int { return cmp.Compare(b.size, a.size) })
		c.large = c.large[:min(len(c.large), mostLarge)]
	}
}

func (c *Census) tool(name string) *censusTool {
	if c.tools[name] == nil {
		c.tools[name] = &censusTool{}
	}
	return c.tools[name]
}

// repeated counts the earlier results that this one repeats, as [Clean] would
// mark them.
func (c *Census) repeated(b *transcript.Block, call censusCall, output int) {
	if len(b.Text) < minClean || b.Images > 0 {
		return
	}
	h := fingerprint(b.Text)
	if old, ok := c.texts[h]; ok {
		if old.output > 0 {
			c.dup.count++
			c.dup.output += int(old.output)
		}
		of := c.parts[old.of]
		if r, ok := c.reads[of.path][of.clip]; ok && r.output > 0 {
			delete(c.reads[of.path], of.clip)
		}
	}
	now := result{output: uint32(min(max(output, 0), math.MaxUint32))} //nolint:gosec // bounded
	if call.reads && !b.Failed {
		now.of = c.part(filePart{call.path, call.clip})
		parts := c.reads[call.path]
		if parts == nil {
			parts = make(map[string]result)
			c.reads[call.path] = parts
		}
		for clip, old := range parts {
			if clip == call.clip || call.clip == "" {
				c.stale.count++
				c.stale.output += int(old.output)
				delete(parts, clip)
			}
		}
		parts[call.clip] = now
	}
	c.texts[h] = now
}

// Stats returns what was counted, in tokens of a model. System are the system
// prompts that are recorded.
func (c *Census) Stats(m tokens.Model, system []string) *Stats {
	z := c.meter.Sizes(m, system)
	s := &Stats{Context: z.Context, Hidden: z.Hidden, Rate: z.Rate.Method(), Messages: len(c.marks), Turns: c.turn}
	roles := make([]Share, len(censusRoles))
	types := []Share{{Name: "tool results"}, {Name: "tool calls"}, {Name: "text"}, {Name: "thinking"}, {Name: "images"}}
	exact, estimated := 0.0, 0.0 // of results
	for i, k := range c.marks {
		n := z.Messages[i].Tokens
		roles[k.role].Name = censusRoles[k.role]
		roles[k.role].Count++
		roles[k.role].Tokens += n
		if k.role == roleUser {
			s.Prompts++
		}
		// The parts of a message share what it is known to take.
		weight := c.meter.Weight(i)
		p := z.Rate.Parts(weight)
		if p.Sum() <= 0 {
			continue
		}
		scale := float64(n) / p.Sum()
		if k.role == roleResults {
			exact += float64(n)
			estimated += p.Sum()
		}
		for j, part := range []float64{p.Results, p.Calls, p.Text, p.Thinking, p.Images} {
			if part > 0 {
				types[j].Tokens += int(part*scale + 0.5)
			}
		}
		for j, count := range []int{weight.Results, weight.Calls, min(weight.Text, 1), min(weight.Thinking+weight.Opaque, 1), weight.Images} {
			types[j].Count += count
		}
	}
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
	s.Duplicates = Share{Name: "duplicates", Count: c.dup.count, Tokens: results(c.dup.output, 0)}
	s.Stale = Share{Name: "stale reads", Count: c.stale.count, Tokens: results(c.stale.output, 0)}
	s.Steps = slices.Grow(s.Steps, len(z.Steps))
	for _, step := range z.Steps {
		s.Steps = append(s.Steps, step.Tokens)
	}
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
