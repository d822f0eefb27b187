package trim

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/compact"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
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
// remembers some ten bytes of each message, some twenty more of each result, and
// none of their text. Its zero value is ready to use.
type Census struct {
	meter    transcript.Meter
	answered bool // the newest message is the assistant's
	tools    map[string]*censusTool
	calls    map[string]censusCall // that have no result yet, by id

	texts   compact.Index // of results
	results compact.List[result]
	paths   compact.Index // of files that were read
	heads   compact.List[uint32]
	clips   compact.Index // of parts of files
	parts   compact.List[filePart]

	dup   censusSum
	stale censusSum
	large []large
	turn  int

	// each, if not nil, is told of every block.
	each func(m *transcript.Message, b *transcript.Block, w transcript.Weight)
}

type censusTool struct {
	calls  int
	weight transcript.Weight
}

type censusCall struct {
	tool, path, clip string
	about            string // without a path: its command, or what else it begins with
	reads            bool
}

// A result is one that a later one may repeat.
type result struct {
	output uint32 // tokens of the encoding
	part   uint32 // index in Census.parts plus 1 of what it is of; 0 if it is no read
}

// A filePart is what calls read. Those of a file that may be open are a list,
// whose first is in Census.heads.
type filePart struct {
	open   bool // it was read, and not again since
	listed bool
	output uint32
	next   uint32 // index plus 1; 0 ends the list
}

// read notes that a part of a file was read, an empty clip being all of it, and
// counts the reads that this makes stale. It returns the index of the part plus 1.
func (c *Census) read(path, clip string, output uint32) uint32 {
	name := fingerprint(path)
	file, added := c.paths.Add(name)
	if added {
		c.heads.Append(0)
	}
	part, added := c.clips.Add(fingerprintOn(name, "\x00", clip))
	if added {
		c.parts.Append(filePart{})
	}
	head, now := c.heads.At(file), c.parts.At(part)
	c.outdate(now)
	if clip == "" {
		for i := *head; i > 0; {
			p := c.parts.At(int(i - 1))
			c.outdate(p)
			p.listed, i = false, p.next
		}
		*head = 0
	}
	number := uint32(part + 1) //nolint:gosec // no session has four billion calls
	if !now.listed {
		now.listed, now.next, *head = true, *head, number
	}
	now.open, now.output = true, output
	return number
}

// outdate counts a part as stale, if it was open.
func (c *Census) outdate(p *filePart) {
	if p.open {
		c.stale.count++
		c.stale.output += int(p.output)
		p.open = false
	}
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
	}
	if m.Kind != transcript.Results || !c.answered {
		c.turn++
	}
	c.answered = m.Role == transcript.Assistant
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

// fingerprint is FNV-1a, 64 bits: the same on every machine.
func fingerprint(s string) uint64 { return fingerprintOn(14695981039346656037, s) }

// fingerprintOn goes on from the fingerprint of what stands before the texts.
func fingerprintOn(h uint64, texts ...string) uint64 {
	for _, s := range texts {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
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
		if call.path == "" {
			call.about = strings.Clone(about(b))
		}
		name = strings.TrimSpace(b.Name + " input " + cmp.Or(call.path, call.about))
		c.calls[b.ID] = call
	case transcript.Result:
		call := c.calls[b.ID]
		delete(c.calls, b.ID)
		t := c.tool(cmp.Or(call.tool, b.Name))
		t.weight = t.weight.Plus(w)
		c.repeated(b, call, w.Output)
		name = cmp.Or(call.tool, b.Name)
		name = strings.TrimSpace(name + " " + cmp.Or(call.path, call.about))
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
	now := result{output: uint32(min(max(output, 0), math.MaxUint32))} //nolint:gosec // bounded
	text, added := c.texts.Add(fingerprint(b.Text))
	if added {
		c.results.Append(result{})
	} else {
		old := c.results.At(text)
		if old.output > 0 {
			c.dup.count++
			c.dup.output += int(old.output)
		}
		if old.part > 0 {
			c.parts.At(int(old.part - 1)).open = false
		}
	}
	if call.reads && !b.Failed {
		now.part = c.read(call.path, call.clip, now.output)
	}
	*c.results.At(text) = now
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
	s.Duplicates = Share{Name: "duplicates", Count: c.dup.count, Tokens: results(c.dup.output, 0)}
	s.Stale = Share{Name: "stale reads", Count: c.stale.count, Tokens: results(c.stale.output, 0)}
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
