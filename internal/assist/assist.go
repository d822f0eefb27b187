// Package assist asks models: it sends what package ask makes, answers the tools
// that a model calls, keeps to what may be spent, and records every call, so that
// each can be shown, priced and replayed.
//
// It judges no code. What is sent comes from packages ask and engine, what comes
// back is checked by ask, finding and style before anybody sees it. No answer of a
// model is run, and no path of one is opened but by a [Toolbox].
//
// Start with [Run.Do], the loop; [Desk] has a method for each thing that is asked
// for. A Run belongs to one goroutine; a [Spend] and a [Recorder] serve many.
package assist

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/satchel-dev/satchel/internal/world/llm"
)

// A Model answers one call: an *llm.Client, or what stands in for one.
type Model interface {
	Ask(ctx context.Context, call *llm.Call, watch func(llm.Delta)) (*llm.Answer, error)
	Endpoint() llm.Endpoint
}

// ErrDry is the error of a Model that sends nothing.
var ErrDry = errors.New("dry run")

// A Toolbox answers what a model asks of a repository. It only reads.
type Toolbox interface {
	// List returns the tools, in the order in which they are sent.
	List() []llm.Tool

	// Answer answers a call in no more than most tokens. An error is about the
	// call, and meant for the model.
	Answer(ctx context.Context, name string, input json.RawMessage, most int) (string, error)
}

// A Progress says how far a run is, for those who wait.
type Progress struct {
	Label string // of the run: review, part 2
	Turn  int
	Delta llm.Delta
	Spent Spent
}
