package transcript

import "github.com/satchel-dev/satchel/tokens"

// A Meter measures a session whose messages come one after the other, and
// remembers some hundred bytes of each. Its zero value counts with o200k_base.
type Meter struct {
	// Count says how many tokens of o200k_base a text has, or about how many; nil
	// means exactly.
	Count func(text string) int

	encoding *tokens.Encoding
	marks    []mark

	start  Weight // of the messages before the first answer that reports its usage
	opened int    // the tokens that its call sent; 0 until it is known
}

// Before takes the next message that a compaction took out of the context. The first
// call of a session tells how large its hidden part is.
func (t *Meter) Before(m *Message) {
	if t.opened == 0 && !m.Side {
		t.open(m, t.weighAll(m))
	}
}

func (t *Meter) open(m *Message, w Weight) {
	switch {
	case t.opened > 0:
	case m.Usage != nil && m.Usage.Prompt() > 0:
		t.opened = m.Usage.Prompt()
	default:
		t.start = t.start.Plus(w)
	}
}

// A mark is what a Meter remembers of a message.
type mark struct {
	role           Role
	kind           Kind // Results, Meta or Summary; else empty
	reported       bool // by the provider:
	prompt, output int  // tokens that were sent with the call, and that it answered
	weight         Weight
}

// answer reports whether the mark is of an answer.
func (k *mark) answer() bool { return k.role == Assistant }

// Add takes the next message that the model would be sent.
func (t *Meter) Add(m *Message) {
	t.AddWeighed(m, t.weighAll(m))
}

// AddWeighed is Add for a message whose blocks are weighed already.
func (t *Meter) AddWeighed(m *Message, w Weight) {
	if !m.Kept { // what came before it may be unknown
		t.open(m, w)
	}
	k := mark{role: m.Role, weight: w}
	if m.Kind == Results || m.Kind == Meta || m.Kind == Summary {
		k.kind = m.Kind
	}
	if m.Usage != nil && m.Usage.Prompt() > 0 && !m.Kept { // else it is of a context that is no more
		k.reported, k.prompt, k.output = true, m.Usage.Prompt(), m.Usage.Output
	}
	t.marks = append(t.marks, k)
}

// Len is how many messages were added.
func (t *Meter) Len() int { return len(t.marks) }

// A Measured is a message of a Meter, with its size.
type Measured struct {
	Role   Role
	Kind   Kind // of Results, Meta and Summary; else empty
	Weight Weight
	Tokens tokens.Count
	Step   int // of an answer that reports its usage, the tokens of the context after it; else 0
}

// Sizes says how many tokens the messages take that were added. System are the
// system prompts, where they are recorded.
func (t *Meter) Sizes(m tokens.Model, system []string) *Sizes {
	sizes := make([]tokens.Count, 0, len(t.marks))
	var steps []Step
	z := t.Each(m, system, func(_ Rate, x *Measured) {
		if x.Step != 0 {
			steps = append(steps, Step{Message: len(sizes), Tokens: x.Step})
		}
		sizes = append(sizes, x.Tokens)
	})
	z.Messages, z.Steps = sizes, steps
	return z
}

// Each is Sizes that gives every message to fn, in order, and neither holds nor
// returns them, nor the steps. Rate is how all of them are estimated.
func (t *Meter) Each(m tokens.Model, system []string, fn func(r Rate, x *Measured)) *Sizes {
	z := &Sizes{Anchor: -1}
	table := tableRate(m)
	z.Rate = table.refit(t.cleanSteps(table))
	var sum tally
	ahead := t.growths(table, z.Rate) // of what is measured, to know how much was said in all
	step, ok := ahead.next()
	for i := range t.marks {
		k := &t.marks[i]
		x := Measured{Role: k.role, Kind: k.kind, Weight: k.weight, Tokens: z.Rate.count(k.weight)}
		if ok && i >= step.from {
			x.Tokens = step.share(x.Tokens, z.Rate)
			if i+1 == step.to {
				step, ok = ahead.next()
			}
		}
		if !k.reported {
			sum.after += float64(x.Tokens.Tokens)
			sum.uncertain += float64(x.Tokens.Tokens) * x.Tokens.Error
		} else {
			out, known := z.Rate.output(k.output, k.weight)
			x.Tokens = out
			z.Anchor, sum.after, sum.uncertain = i, 0, 0
			if !known {
				sum.uncertain = float64(out.Tokens) * out.Error
			}
			z.Context = tokens.Count{Tokens: k.prompt + out.Tokens}
			x.Step = z.Context.Tokens
		}
		sum.sum += x.Tokens.Tokens
		sum.unsure += float64(x.Tokens.Tokens) * x.Tokens.Error
		fn(z.Rate, &x)
	}
	z.finish(system, m, &sum)
	if spare := t.opened - int(z.Rate.tokens(t.start)); z.Anchor < 0 && spare > z.Hidden.Tokens {
		z.Context.Tokens += spare - z.Hidden.Tokens
		z.Hidden = tokens.Count{Tokens: spare, Method: "first usage - messages", Error: z.Rate.Error}
	}
	return z
}
