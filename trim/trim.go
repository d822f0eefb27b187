// Package trim cuts a session to a token limit so that what the agent needs
// next is still there.
//
// [Trim] is the whole of it. The newest groups (an answer with the results of
// its calls, or a message of the user) stay verbatim. What is older becomes the
// digest, one message of the user with the current state by subject: the
// user's words, the plan, the files with what edits come to and what was read of
// them, the commands with how their last runs ended, and what the agent said.
// Package subject finds these; package reuse predicts which of their lines the
// agent will need. Nothing is paraphrased and no model is asked.
//
// The laws, which FuzzTrim tests: the result is valid for the provider's API
// (it begins with the user, every call is answered in the next message, no text
// is empty) if the input was or nearly was; it is never over the budget; it is
// in the order of the input; and every message of the input is accounted for.
// The same input and options give the same bytes.
package trim

import (
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// Options say how much may stay and what has to. The zero value only cleans.
type Options struct {
	// Budget is the most tokens that the result takes, overheads included. 0
	// or less means no limit: the messages are cleaned.
	Budget int

	// Trigger is the size up to which the messages are returned as they are, so
	// that a provider's cache of their beginning stays valid between two trims.
	// Less than Budget means Budget.
	Trigger int

	// Pins are the indices of messages that stay verbatim.
	Pins []int

	// Task is what the agent is to do next, if that is known better than from
	// the newest prompt: what shares words and files with it is likelier to be
	// needed.
	Task string

	// Mask returns a block as it may be written, such as without secrets. Nil
	// means as it is. Handles name what the block was before. A Mask returns
	// the same for the same block.
	Mask func(transcript.Block) transcript.Block

	// Count counts the tokens of a text. Nil means o200k_base, exactly. The
	// result is within Budget by Count and by [Estimate].
	Count func(text string) int

	// Shape says how the budget is divided and what lines are worth. Nil means
	// [DefaultShape].
	Shape *Shape

	// Model predicts what the agent will need. Nil means the committed weights;
	// the trainer sets others.
	Model *reuse.Model
}

// A Fate is what became of a message.
type Fate string

const (
	Kept     Fate = "kept"     // verbatim, in place
	Elided   Fate = "elided"   // in place; its results are cut, or its thinking is gone
	Digested Fate = "digested" // lines of it are in the digest
	Dropped  Fate = "dropped"  // nothing of it is left
)

// An Account says what became of one message of the input.
type Account struct {
	Message int    // index in the input
	Fate    Fate   `json:"fate"`
	Why     string // what was decided by, as the chooser recorded it
	Before  int    // tokens, estimated
	After   int    // tokens that are left of it; 0 if dropped
	Lines   int    // lines of text it had
	Left    int    // lines that are left
}

// An Omission is a block of the input of which something was left out.
type Omission struct {
	Handle  string // names the block in the text of the result
	Message int    // index in the input
	Block   int    // index in the message
	Hash    string // SHA-256 of the block's text, in hexadecimal
	Lines   int    // lines that were left out
	Tokens  int    // tokens that were left out, estimated
	Spans   []transcript.Span
}

// A Result is a conversation that fits.
type Result struct {
	Messages    []transcript.Message
	Accounts    []Account  // one for each message of the input, in order
	Omitted     []Omission // in order
	Diagnostics []satchel.Diagnostic

	Before, After int  // tokens by Options.Count, overheads included
	Changed       bool // whether anything was done
}

// Trim returns the messages within the budget. The input is not changed, and
// the result shares text and blocks with it. The error is an *[satchel.OverflowError]
// if the last group alone cannot be cut to the budget.
func Trim(messages []transcript.Message, o Options) (*Result, error) {
	return New(messages, o).Trim(o)
}

// A Trimmer has taken a conversation apart, once for several budgets. It is not
// safe for concurrent use.
type Trimmer struct {
	in      []transcript.Message // as they were
	masked  []transcript.Message // as they may be written
	task    string
	meter   *cutting.Meter
	model   *reuse.Model
	before  int                  // tokens
	size    float64              // tokens, estimated
	cleaned []transcript.Message // nil until they are needed
	conv    *reuse.Conversation  // masked; nil until it is needed
	handles [][]string           // nil until they are needed
}

// New returns a Trimmer of messages, which must not change. It takes Count,
// Model, Mask and Task of the options.
func New(messages []transcript.Message, o Options) *Trimmer {
	m := cutting.NewMeter(o.Count)
	t := &Trimmer{in: messages, masked: cutting.Masked(messages, o.Mask), task: o.Task, meter: m, model: o.Model}
	t.before, t.size = m.Both(t.masked)
	return t
}

// Trim is [Trim] for the Trimmer's messages, with the options that [New] took.
func (t *Trimmer) Trim(o Options) (*Result, error) {
	res := &Result{Messages: t.masked, Before: t.before}
	if limit := max(o.Trigger, o.Budget); res.Before <= limit && t.size <= float64(limit) {
		res.After = res.Before
		res.Accounts = accounts(t.in, nil)
		return res, nil
	}
	placed := t.cleaned
	if placed == nil || len(o.Pins) > 0 {
		placed = clean(t.masked, o.Pins)
	}
	if len(o.Pins) == 0 {
		t.cleaned = placed
	}
	if t.handles == nil {
		t.handles = handlesOf(t.in)
	}
	if n, ok := t.fits(placed, o.Budget); ok {
		res.Messages, res.After, res.Changed = placed, n, true
		res.Accounts, res.Omitted = accounts(t.in, res.Messages), rewritten(t.in, res.Messages, t.handles)
		return res, nil
	}
	if t.conv == nil {
		t.conv = reuse.OpenFor(t.masked, t.task)
		t.conv.Predict(t.model)
	}
	c := &cutter{in: t.in, placed: placed, o: o, meter: t.meter, conv: t.conv, handles: t.handles, shape: DefaultShape}
	if o.Shape != nil {
		c.shape = *o.Shape
	}
	return res, c.run(res)
}

// fits reports whether messages fit as cleaning leaves them, so that nothing has to
// be cut, and their tokens. Any do where there is no limit; else they do not if a
// provider would refuse them as they stand.
func (t *Trimmer) fits(ms []transcript.Message, limit int) (tokens int, ok bool) {
	if limit <= 0 {
		return t.meter.Exact(ms), true
	}
	if t.meter.Size(ms) > float64(limit) || len(ms) == 0 || ms[0].Role != transcript.User || !slices.EqualFunc(repair(ms), ms, func(a, b transcript.Message) bool { return same(&a, &b) }) {
		return 0, false
	}
	tokens = t.meter.Exact(ms)
	return tokens, tokens <= limit
}

// Estimate returns the tokens of a conversation without tokenising it:
// overheads included, about 3 % off for a whole session.
func Estimate(messages []transcript.Message) int {
	return int(cutting.NewMeter(nil).Size(messages))
}

// A Shape holds the numbers that divide a budget and weigh lines. Shares are of
// the budget unless it says otherwise.
type Shape struct {
	Tail    float64 // newest groups, verbatim
	TailMax float64 // the newest group alone may take this much before it is cut
	Prompts float64 // the user's words in the digest
	Known   float64 // what a successor must know, of what is left then

	Ref, Gram, Edit, Line float64 // weight of names, phrases, quoted lines, and any line
	Repeat                float64 // what a further copy of a name is worth
	RepeatGram            float64 // and of a phrase
	Asked                 float64 // what a name is worth that stands in the user's words
	Power                 float64 // of the probabilities of names
	Recent                float64 // more for newer units
	Half                  float64 // groups after which a line as such is worth 1/e
	Earlier               float64 // share of its worth that an earlier run of a command has

	Run     int     // lines of the shortest run
	Hits    int     // of the shortest run of a search's hits
	Gap     float64 // tokens that a run seems to cost more
	Heading float64 // tokens that a topic seems to cost more
	Ragged  float64 // tokens that an end of a run costs that is within a block

	Kinds [numKinds]KindShape // by kind
}

// A KindShape is what a kind of text is worth.
type KindShape struct {
	Weight float64 // of its names, phrases and quoted lines
	Line   float64 // of its lines as such
}

// DefaultShape was chosen on recorded sessions; see lab/sessions.
var DefaultShape = Shape{
	Tail: 0.24, TailMax: 0.6, Prompts: 0.5, Known: 0.5,
	Ref: 0.60, Gram: 0.05, Edit: 0.16, Line: 0.08, Repeat: 0.05, RepeatGram: 0.07, Asked: 0.7, Power: 1.1, Recent: 0.3, Half: 45, Earlier: 0.5,
	Run: 5, Hits: 5, Gap: 3, Heading: 8, Ragged: 8,
	Kinds: [numKinds]KindShape{
		ofHunk: {1.6, 1.5}, ofWas: {0.35, 0.3}, ofRegion: {1, 1}, ofCall: {2.1, 2}, ofOutput: {1, 0.4}, ofFailure: {1, 1}, ofHits: {0.7, 0.25},
		ofAnswer: {1.6, 2}, ofClient: {0.5, 0.2}, ofAsked: {1, 3}, ofUser: {1, 1}, ofSummary: {1.6, 2},
	},
}
