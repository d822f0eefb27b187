package transcript

import (
	"fmt"
	"math"
	"slices"

	"github.com/satchel-dev/satchel/tokens"
)

// Sizes says how many tokens a session takes and how well that is known. The
// provider's own numbers come first: whatever a usage record of the file tells
// is not estimated.
type Sizes struct {
	// Context is what the model would be sent next. Without an Anchor it lacks
	// the system prompt and the tool schemas, which few files record.
	Context tokens.Count

	// Messages are the sizes of Session.Messages, one each.
	Messages []tokens.Count

	// Hidden is the part of Context that is in no message: system prompt, tool
	// schemas, what the client slips in. Its Method is "unknown" if no usage
	// tells.
	Hidden tokens.Count

	// Anchor is the index of the message whose usage Context is built on; -1 if
	// there is none.
	Anchor int

	// Steps is the context after each answer that reports its usage, in order.
	Steps []Step

	// Rate is how the estimates were made.
	Rate Rate
}

// A Step is the size of the context after one answer.
type Step struct {
	Message int // index of the answer
	Tokens  int
}

// Methods of a Count that a usage record gave.
const (
	methodUsage    = "usage"            // the provider's number
	methodShared   = "usage, shared"    // of several messages together, divided by estimate
	methodAnchored = "usage + estimate" // the provider's number, and an estimate of what came after
	methodUnknown  = "unknown"
)

// Measure says how many tokens the session takes in the windows of a model.
//
// Three things are known, from the best to the worst: the last usage record
// counts everything before it, to the token; the growth between two records
// counts what was said between them, and teaches a Rate of its own where there
// is enough of it; the table of package tokens estimates the rest.
func Measure(s *Session, m tokens.Model) *Sizes {
	t := Meter{encoding: m.Encoding()}
	for i := range s.Messages {
		t.Add(&s.Messages[i])
	}
	return t.Sizes(m, s.System)
}

// A tally adds up messages.
type tally struct {
	sum       int
	unsure    float64 // tokens by which the sum may be off
	after     float64 // tokens that were estimated on top of the anchor
	uncertain float64 // and how far off they may be
}

// finish adds up the context and what of it nobody sees.
func (z *Sizes) finish(prompts []string, m tokens.Model, t *tally) {
	if z.Anchor < 0 {
		system := 0
		for _, text := range prompts {
			system += m.CountAs(tokens.Prose, text).Tokens
		}
		z.Hidden = tokens.Count{Tokens: system, Method: methodUnknown, Error: 1}
		if system > 0 {
			z.Hidden.Method, z.Hidden.Error = z.Rate.method, z.Rate.Error
		}
		z.Context = tokens.Count{Tokens: t.sum + system, Method: z.Rate.method, Error: z.Rate.Error}
		return
	}
	z.Context.Tokens += int(t.after)
	z.Context.Method = methodUsage
	if t.after > 0 || t.uncertain > 0 {
		z.Context.Method = methodAnchored
		z.Context.Error = t.uncertain / float64(max(z.Context.Tokens, 1))
	}
	z.Hidden = tokens.Count{Tokens: max(0, z.Context.Tokens-t.sum), Method: "usage - messages"}
	// What is unsure about the messages is unsure about the rest.
	z.Hidden.Error = min(1, t.unsure/float64(max(z.Hidden.Tokens, 1)))
}

// known returns the usage, or nil if it has no numbers: of an answer that failed, or that
// a compaction copied.
func (u Usage) known() *Usage {
	if u == (Usage{}) {
		return nil
	}
	return &u
}

// Prompt returns the tokens that were sent with the call.
func (u *Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheWrite }

// A Weight is what a message weighs before a Rate turns it into tokens.
type Weight struct {
	Text, Thinking, Input, Output int // tokens of the encoding: what was said, thought, given to tools, got from them
	Calls, Results                int
	Images                        int
	Opaque                        int // bytes of thinking that only the provider can read
}

// Plus returns the sum of two weights.
func (w Weight) Plus(o Weight) Weight {
	w.Text += o.Text
	w.Thinking += o.Thinking
	w.Input += o.Input
	w.Output += o.Output
	w.Calls += o.Calls
	w.Results += o.Results
	w.Images += o.Images
	w.Opaque += o.Opaque
	return w
}

// Weigh returns what a block weighs.
func (t *Meter) Weigh(b *Block) (w Weight) {
	switch b.Type {
	case Text:
		w.Text = t.count(b.Text)
	case Thinking:
		w.Thinking = t.count(b.Text)
		w.Opaque = b.Opaque
	case Call:
		w.Input = t.count(b.Name) + t.count(string(b.Input))
		w.Calls = 1
	case Result:
		w.Output = t.count(b.Text)
		w.Results = 1
		w.Images = b.Images
	case Image:
		w.Images = 1
	case Other:
		if b.Text != "" {
			w.Text = t.count(b.Text)
		} else {
			w.Output = t.count(string(b.Raw))
		}
	}
	return w
}

// weighAll returns what the blocks of a message weigh.
func (t *Meter) weighAll(m *Message) (w Weight) {
	for i := range m.Blocks {
		w = w.Plus(t.Weigh(&m.Blocks[i]))
	}
	return w
}

func (t *Meter) count(text string) int {
	if t.Count != nil {
		return t.Count(text)
	}
	if t.encoding == nil {
		t.encoding = tokens.O200k()
	}
	return t.encoding.Count(text)
}

// A Rate turns text into tokens of a model.
type Rate struct {
	Code, Prose, Input float64 // tokens for each token of the encoding
	Call, Result       float64 // tokens for each tool call, and for each result
	Error              float64 // relative half-width of the band
	Steps              int     // growths of the context that taught it; 0 means that it is the table's

	openAI   bool
	encoding string
	method   string
}

// Method says how the estimates were made.
func (r Rate) Method() string { return r.method }

// tableRate returns the rate that package tokens knows for a model.
func tableRate(m tokens.Model) Rate {
	method := m.Counting()
	return Rate{
		Code:   m.Factor(tokens.Code),
		Prose:  m.Factor(tokens.Prose),
		Input:  m.Factor(tokens.Input),
		Call:   float64(method.Call) * (1 - resultShare),
		Result: float64(method.Call) * resultShare,
		// An exact encoding still does not know what the API adds around texts:
		// 0.6 % was the median error of a call of gpt-5.
		Error:    max(method.Error, 0.006),
		openAI:   m.Family == "openai" || m.Family == "openai-cl100k",
		encoding: m.Encoding().Name(),
		method:   m.Count("").Method,
	}
}

// Sizes of what is not text.
const (
	// imageTokens is what an image takes: Claude's largest (1,568 pixels a
	// side, at 750 pixels a token) come to some 1,600, OpenAI's at high detail
	// to 765 or 1,105. No file records the size of the image as sent.
	imageTokens = 1500

	// opaqueTokens is the tokens of thinking for a byte of its signature or
	// encrypted form: the medians of six Claude Code sessions whose text of
	// thinking is withheld are 0.14 to 0.31.
	opaqueTokens = 0.2

	// resultShare is the part of what a call costs beside its text that stands
	// with its result: in 13 sessions whose answers report their output, 11 to
	// 30 tokens, where the calls took 45 to 71.
	resultShare = 0.25
)

// Parts are the tokens of a message by what they are.
type Parts struct {
	Text, Thinking, Calls, Results, Images float64
}

// Sum returns the tokens of all parts.
func (p Parts) Sum() float64 { return p.Text + p.Thinking + p.Calls + p.Results + p.Images }

// Parts estimates what a weight comes to.
//
// What is shown of OpenAI's reasoning is a summary that the model never sees
// again: what counts is encrypted. Claude's thinking is shown in full, or not at
// all; it stays in the context, as the growth of recorded contexts shows.
func (r Rate) Parts(w Weight) Parts {
	p := Parts{
		Text:    float64(w.Text) * r.Prose,
		Calls:   float64(float64(w.Input)*r.Input) + float64(float64(w.Calls)*r.Call),
		Results: float64(float64(w.Output)*r.Code) + float64(float64(w.Results)*r.Result),
		Images:  float64(w.Images * imageTokens),
	}
	if w.Thinking > 0 && !r.openAI {
		p.Thinking = float64(w.Thinking) * r.Prose
	} else {
		p.Thinking = float64(w.Opaque) * opaqueTokens
	}
	return p
}

// tokens returns the estimate for a weight.
func (r Rate) tokens(w Weight) float64 { return r.Parts(w).Sum() }

// text is what of the estimate grows with the text.
func (r Rate) text(w Weight) float64 {
	n := float64(float64(w.Text)*r.Prose) + float64(float64(w.Input)*r.Input) + float64(float64(w.Output)*r.Code)
	if !r.openAI {
		n += float64(w.Thinking) * r.Prose
	}
	return n
}

// rest is what neither grows with the text nor stands with a result.
func (r Rate) rest(w Weight) float64 {
	return r.tokens(w) - r.text(w) - float64(float64(w.Results)*r.Result)
}

func (r Rate) count(w Weight) tokens.Count {
	return tokens.Count{Tokens: int(math.Ceil(r.tokens(w))), Method: r.method, Error: r.Error}
}

// output returns the size of an answer. Some clients record the usage of the
// first event of a stream, when hardly anything was said: a number that is far
// below the text that the file holds is no number.
func (r Rate) output(output int, w Weight) (c tokens.Count, known bool) {
	if believable(output, r.tokens(w)) {
		return tokens.Count{Tokens: output, Method: methodUsage}, true
	}
	return r.count(w), false
}

// leastOutput is the part of the estimate that a recorded output must reach:
// estimates are seldom off by more than a third.
const leastOutput = 0.6

func believable(output int, estimate float64) bool {
	return float64(output)+8 >= leastOutput*estimate
}

// refitted names a rate that the session itself taught.
func (r Rate) refitted() string {
	return fmt.Sprintf("fitted to %d calls of the session: %s x %.2f + %.0f a result", r.Steps, r.encoding, r.Code, r.Result)
}

// ModelOf returns the model of a session: that of its newest answer as the
// table (or extra, which comes first) knows it, or else that of the family that
// the agent is made for, without a known name. Its window is the one that the
// session records, if it does.
func ModelOf(s *Session, extra ...tokens.Model) tokens.Model {
	m, err := tokens.ModelByName(s.Model, extra...)
	if err != nil {
		m = tokens.Model{}
		if family := familyOf(s.Format); family != "" {
			m, _ = tokens.ModelByName(family, extra...) // a family's own name is in the table
		}
		m.Name = s.Model
		m.Window = 0
	}
	if s.Window > 0 {
		m.Window = s.Window
	}
	return m
}

// familyOf names a model of the family that an agent's own provider makes, or "".
func familyOf(f Format) string {
	i := slices.IndexFunc(layouts, func(l layout) bool { return l.format == f })
	if i < 0 {
		return ""
	}
	return layouts[i].family
}
