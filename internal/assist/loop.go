package assist

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/transcript"
)

// A Run is one conversation with a model, from what it is asked to what it submits.
type Run struct {
	Model Model
	Price Price
	Spend *Spend

	// Tools are what the model may call besides submit. Nil means nothing: the
	// first answer has to be the last.
	Tools Toolbox

	// Parallel, if set, answers the tool parallel_analyze: see [Desk.parallel].
	Parallel func(ctx context.Context, input json.RawMessage) (string, error)

	// Turns is the most calls of the model. Zero means one, or with tools ten.
	Turns int

	// Window is that of the model, in its tokens. Zero means [DefaultWindow].
	Window int

	// Most is how many tokens the run may spend, beside the limits of Spend. Zero
	// means no limit.
	Most int

	// MaxTokens is the most of one answer; zero means the endpoint's.
	MaxTokens int

	Label string // names the run in records: "review", "part 2"

	// Check says what is wrong with what was submitted, in words for the model.
	Check func(input json.RawMessage) error

	// Watch, if set, hears of progress.
	Watch func(Progress)
}

// An Outcome is what a run came to.
type Outcome struct {
	// Input is what the model submitted: an object, or a JSON string of what it
	// wrote if that is none, or is cut. Nil means that it submitted nothing.
	Input json.RawMessage

	// Fault is what is still wrong with Input. Nil means that Check took it.
	Fault error

	// Why says why the run is incomplete; nil if it is not.
	Why []string

	Turns int
}

// Limits of a run.
const (
	usualTurns = 10
	hardTurns  = 100
	mostMends  = 2
	mostCalls  = 8 // in one turn
)

const submit = "submit"

// submitUse is what a model is told about submit.
const submitUse = "Give the answer. Call it once, with all of the answer; the run ends with it."

// errNothing means that a model was asked and gave nothing that could be used.
var errNothing = errors.New("the model gave no usable answer")

// Do asks and answers until the model submits, or has to end. It is an error if the
// first call fails, or if ctx ends; what goes wrong later is in the Outcome.
func (r *Run) Do(ctx context.Context, a *ask.Ask) (*Outcome, error) {
	t := r.begin(a)
	for {
		if err := t.fit(); err != nil {
			return t.end(err)
		}
		answer, err := t.ask(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if t.shorten(err) {
				continue
			}
			return t.end(err)
		}
		input, calls := t.heard(answer)
		switch {
		case input != nil:
			if t.submitted(input) {
				return &t.out, nil
			}
		case len(calls) == 0:
			if t.silent(answer) {
				return &t.out, nil
			}
		default:
			t.answer(ctx, calls)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if t.last {
			t.out.Why = append(t.out.Why, "the model did not submit its answer when it had to")
			return t.end(errNothing)
		}
	}
}

// A talk is a Run on its way.
type talk struct {
	*Run
	system string
	tools  []llm.Tool
	conv   []transcript.Message
	pinned int // messages at the beginning that stay
	guard  *guard
	meter  meter
	out    Outcome
	last   bool // the call that is made has to submit
	used   int  // tokens that were sent
	mends  int
	nudged bool
	short  bool // it was cut after the server had called it too long
}

func (r *Run) begin(a *ask.Ask) *talk {
	t := &talk{Run: r, system: a.System, conv: a.Messages(), guard: newGuard(), meter: newMeter(r.Model.Endpoint().Model)}
	t.pinned = len(t.conv)
	if r.Tools != nil {
		t.tools = append(t.tools, r.Tools.List()...)
	}
	if r.Parallel != nil {
		t.tools = append(t.tools, parallelSpec)
	}
	t.tools = append(t.tools, llm.Tool{Name: submit, Use: submitUse, Schema: a.Schema})
	return t
}

func (t *talk) turns() int {
	switch {
	case t.Turns > 0:
		return min(t.Turns, hardTurns)
	case t.Tools != nil:
		return usualTurns
	}
	return 1 + mostMends
}

// ask makes one call, within what may be spent.
func (t *talk) ask(ctx context.Context) (*llm.Answer, error) {
	t.out.Turns++
	switch why := t.guard.stuck(); {
	case t.Tools == nil, t.out.Turns >= t.turns():
		t.last = t.out.Turns >= t.turns()
	case why != "":
		t.last = true
		t.out.Why = append(t.out.Why, why)
	case t.Most > 0 && t.used >= t.Most:
		t.last = true
		t.out.Why = append(t.out.Why, fmt.Sprintf("its %d tokens are used up", t.Most))
	}
	call := &llm.Call{
		Label: fmt.Sprintf("%s call %d", t.Label, t.out.Turns), System: t.system, Tools: t.tools, Messages: t.conv,
		Submit: submit, MaxTokens: t.MaxTokens,
	}
	if t.last || t.Tools == nil {
		call.Tool = submit
	}
	sent := t.meter.call(call)
	most := cmp.Or(t.MaxTokens, t.Model.Endpoint().MaxTokens)
	held, ok := t.Spend.reserve(sent, most, t.Price)
	if !ok {
		return nil, &SpentError{t.Spend.limit(held)}
	}
	// One more call has to be possible, for the answer.
	if !t.last && t.Tools != nil {
		next, ok := t.Spend.reserve(sent, 2*most, t.Price)
		if ok {
			t.Spend.release(next)
		} else {
			t.last, call.Tool = true, submit
			t.out.Why = append(t.out.Why, t.Spend.limit(reservation{}))
		}
	}
	answer, err := t.Model.Ask(ctx, call, t.watch())
	t.Spend.settle(held, used(answer, err), sent, t.Price)
	t.used += sent
	if err == nil && answer.Dropped {
		for _, d := range answer.Diagnostics {
			t.out.Why = append(t.out.Why, d.Text)
		}
	}
	return answer, err
}

// A SpentError says that a call would cost more than may be spent.
type SpentError struct{ Why string }

func (e *SpentError) Error() string { return e.Why }

// used are the usages of all tries of a call; nil stands for one of which something
// came, and nobody knows what it cost.
func used(a *llm.Answer, err error) (list []*transcript.Usage) {
	var tries []llm.Try
	var e *llm.Error
	if a != nil {
		tries = a.Tries[:max(len(a.Tries)-1, 0)]
	} else if errors.As(err, &e) {
		tries = e.Tries
	}
	for _, try := range tries {
		if try.Usage != nil || try.Began {
			list = append(list, try.Usage)
		}
	}
	if a != nil {
		list = append(list, a.Usage)
	}
	return list
}

func (t *talk) watch() func(llm.Delta) {
	if t.Watch == nil {
		return nil
	}
	return func(d llm.Delta) {
		t.Watch(Progress{Label: t.Label, Turn: t.out.Turns, Delta: d, Spent: t.Spend.Spent()})
	}
}

// heard takes an answer into the conversation, and what it wants.
func (t *talk) heard(a *llm.Answer) (input json.RawMessage, calls []transcript.Block) {
	a.Message.Blocks = slices.DeleteFunc(a.Message.Blocks, func(b transcript.Block) bool {
		return b.Type == transcript.Text && strings.TrimSpace(b.Text) == "" // no server takes it back
	})
	if len(a.Message.Blocks) > 0 {
		t.conv = append(t.conv, a.Message)
	}
	for _, b := range a.Message.Blocks {
		if b.Type != transcript.Call {
			continue
		}
		if calls = append(calls, b); b.Name == submit && input == nil {
			input = b.Input
		}
	}
	return input, calls
}

// submitted takes an answer, and reports whether the run ends with it.
func (t *talk) submitted(input json.RawMessage) bool {
	t.out.Input, t.out.Fault = input, nil
	if t.Check != nil {
		t.out.Fault = t.Check(input)
	}
	if t.out.Fault == nil {
		return true
	}
	if t.mends++; t.mends > mostMends || t.last {
		t.out.Why = append(t.out.Why, "the model's answer has errors: "+t.out.Fault.Error())
		return true
	}
	// All calls of the turn are answered: those beside submit were not made.
	var results []transcript.Block
	for _, b := range t.conv[len(t.conv)-1].Blocks {
		if b.Type != transcript.Call {
			continue
		}
		text := "not answered: submit ended the turn"
		if b.Name == submit {
			text = "not accepted: " + t.out.Fault.Error() + "\nSubmit all of the answer again, mended."
		}
		results = append(results, transcript.Block{Type: transcript.Result, ID: b.ID, Name: b.Name, Text: text, Failed: true})
	}
	if results == nil { // it was written as text
		t.conv = append(t.conv, said("Not accepted: "+t.out.Fault.Error()+"\nSubmit all of the answer again, mended."))
		return false
	}
	t.conv = append(t.conv, transcript.Message{Role: transcript.User, Kind: transcript.Results, Sent: true, Blocks: results})
	return false
}

// silent takes an answer that calls nothing: a model is reminded once, and then its
// words are taken as the answer.
func (t *talk) silent(a *llm.Answer) bool {
	text := ""
	for _, b := range a.Message.Blocks {
		if b.Type == transcript.Text {
			text += b.Text
		}
	}
	if a.Stop == llm.StopRefusal {
		t.out.Why = append(t.out.Why, "the model declined to answer")
		t.last = true
		return false
	}
	if t.nudged || t.last {
		if input := objectIn(text, t.tools[len(t.tools)-1].Schema); input != nil {
			return t.submitted(input)
		}
		t.last = true
		return false
	}
	t.nudged = true
	if len(a.Message.Blocks) > 0 {
		t.conv = append(t.conv, said("Give the answer by calling submit."))
	}
	return false
}

func said(text string) transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Meta, Sent: true, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}
}

// end ends a run that cannot go on: with what was submitted before, if anything was.
func (t *talk) end(err error) (*Outcome, error) {
	if t.out.Input == nil {
		if len(t.out.Why) > 0 && errors.Is(err, errNothing) {
			err = fmt.Errorf("%w: %s", err, t.out.Why[len(t.out.Why)-1])
		}
		return &t.out, err
	}
	if !errors.Is(err, errNothing) {
		t.out.Why = append(t.out.Why, err.Error())
	}
	return &t.out, nil
}
