package trim

import (
	"errors"
	"slices"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
)

// A Cut is [Trim], or another function that keeps its laws.
type Cut func([]transcript.Message, Options) (*Result, error)

// A Window is a session in tokens of the model that reads it: what budgets here
// are in, tokens of o200k_base, turns into those at the rate of the session's
// messages.
type Window struct {
	trimmer *Trimmer
	model   tokens.Model

	// What the messages take in tokens of the model, and of o200k_base; both are 1
	// if there are none.
	its, own int
}

// NewWindow returns the Window of a Trimmer's messages, whose sizes are in tokens of
// the model.
func NewWindow(t *Trimmer, m tokens.Model, sizes *transcript.Sizes) *Window {
	w := &Window{trimmer: t, model: m}
	for _, c := range sizes.Messages {
		w.its += c.Tokens
	}
	w.own = max(t.before, Estimate(t.in)) // a result has to pass both counts
	if w.its <= 0 || w.own <= 0 {
		w.its, w.own = 1, 1
	}
	return w
}

// Budget turns tokens of the model into those that [Options] have.
func (w *Window) Budget(n int) int { return int(int64(n) * int64(w.own) / int64(w.its)) }

// Tokens turns tokens as [Options] have them into those of the model.
func (w *Window) Tokens(n int) int { return int(int64(n) * int64(w.its) / int64(w.own)) }

// count counts messages in tokens of the model as their file will be counted when
// it is read again: without usage records.
func (w *Window) count(messages []transcript.Message) (n int) {
	ms := slices.Clone(messages)
	for i := range ms {
		ms[i].Usage = nil
	}
	for _, c := range transcript.Measure(&transcript.Session{Messages: ms}, w.model).Messages {
		n += c.Tokens
	}
	return n
}

// A Fitted is what [Window.ToWindow] found.
type Fitted struct {
	*Result
	Budget int // that Options had in the end
	Tokens int // of the result, in those of the model; 0 if it is as the session was
}

// ToWindow cuts the session so that its result takes no more than limit tokens of
// the model as it will be counted when it is read again. The provider's numbers, by
// which the tokens of the whole session are known, say nothing about it: what was
// estimated may be more by some percent, and the next trim would cut again.
// Options.Budget is the first guess: [Window.Budget] of the limit.
//
// The error is an *[satchel.OverflowError] in tokens as Options have them.
func (w *Window) ToWindow(limit int, o Options, cut Cut) (*Fitted, error) {
	var over *Fitted // the last that does not fit
	f, ok, err := pack.Within(limit, pack.Range{First: o.Budget}, func(budget int) (pack.Layout[*Fitted], error) {
		o.Budget = budget
		res, err := cut(w.trimmer.in, o)
		if err != nil {
			return pack.Layout[*Fitted]{}, err
		}
		f := &Fitted{Result: res, Budget: budget}
		if res.Changed {
			f.Tokens = w.count(res.Messages)
		}
		if f.Tokens > limit {
			over = f
		}
		return pack.Layout[*Fitted]{Shown: f, Size: f.Tokens, Done: true}, nil
	})
	if over != nil && !ok && (err == nil || errors.As(err, new(*satchel.OverflowError))) { // by one count it fits, by the other it cannot
		err = &satchel.OverflowError{What: cutting.Newest, Need: max(over.After, w.Budget(over.Tokens)), Limit: w.Budget(limit)}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}
