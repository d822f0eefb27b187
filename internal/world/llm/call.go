package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
)

// A Call is one question to a model: all that it is sent, but for what the
// endpoint says. Equal calls to one endpoint are equal bytes.
type Call struct {
	Label string // names the call in records; see [LabelOf]. It is not sent.

	System   string
	Tools    []Tool               // in the order in which they are sent
	Messages []transcript.Message // see [transcript.Valid]

	// Tool is the name of the tool that the model has to call. Empty means that
	// it may call any, or none.
	Tool string

	// Submit is the name of the tool whose input is the answer; empty means Tool.
	// A model that knows no tools is asked for that input as JSON, and its answer
	// looks as if it had called the tool.
	Submit string

	MaxTokens int // of the answer; zero means the endpoint's
}

// A Tool is something that a model may call.
type Tool struct {
	Name, Use string
	Schema    json.RawMessage // of its input: a JSON schema of an object
}

// An Answer is what a model said.
type Answer struct {
	// Message is the assistant's, as it goes back in the next call. Blocks that
	// only the provider understands are kept in their Raw. The ids of calls are
	// unique in the conversation. The Input of a call is an object, or a JSON
	// string of what the model wrote if that is none, as when it was cut. An
	// answer that is empty has no blocks: it cannot go back.
	Message transcript.Message

	Stop  Stop
	Usage *transcript.Usage // as the server reports it, nil if it does not
	Tries []Try             // the last one gave the answer

	// Dropped says that the server reports far less than it was sent: it did
	// not read all of it. A Diagnostic says how much.
	Dropped bool

	Diagnostics []satchel.Diagnostic // such as events that nobody knows
}

// Text is what the model said, calls and thinking aside.
func (a *Answer) Text() string {
	var b strings.Builder
	for i := range a.Message.Blocks {
		if x := &a.Message.Blocks[i]; x.Type == transcript.Text {
			b.WriteString(x.Text)
		}
	}
	return b.String()
}

// A Stop says why an answer ended.
type Stop string

// The reasons that count for us.
const (
	StopEnd     Stop = "end"     // it was complete
	StopCall    Stop = "call"    // it waits for results of calls
	StopLength  Stop = "length"  // it is longer than MaxTokens, and was cut
	StopRefusal Stop = "refusal" // the model declines
)

// A Try is one exchange with the server.
type Try struct {
	Status int               `json:"status,omitempty"` // of HTTP; 0 if there was no answer
	Err    string            `json:"error,omitempty"`  // what went wrong; empty for the last try of an answer
	Usage  *transcript.Usage `json:"usage,omitempty"`  // what it cost all the same
	Began  bool              `json:"began,omitempty"`  // something of an answer came, so that it did cost something
	Wait   time.Duration     `json:"-"`                // before it
}

// A Delta is what came since the last one, for those who watch.
type Delta struct {
	Text  string        // of the answer, or of a tool's input
	Bytes int           // that came so far
	Quiet time.Duration // since anything came; set when nothing does
}

// A Wire carries one request to the server, and the answer back: every try is
// one trip. What records and replays calls is a Wire.
type Wire = http.RoundTripper

type labelKey struct{}

// LabelOf returns the Label of the call that a request belongs to, from the
// request's context.
func LabelOf(ctx context.Context) string {
	s, _ := ctx.Value(labelKey{}).(string)
	return s
}
