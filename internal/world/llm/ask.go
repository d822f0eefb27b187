package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
)

// Ask sends a conversation and returns the model's answer. While it comes, watch
// is told of it, if it is not nil: never by two goroutines at once, and not after
// Ask has returned.
//
// There is one policy for what goes wrong. 408, 429, 500, 502, 503, 504, 529, a
// connection that breaks and silence are tried again, at most four times in all
// and within the endpoint's Timeout; what the server says with Retry-After is
// heeded if there is time for it. Once something of an answer came it is tried
// once more only, and what came is dropped. An error event in the middle of an
// answer counts as the status that it stands for. A 429 halves how many questions
// are asked at once, for as long as the Client lives. Everything else is not tried
// again: another refusal, a 429 that speaks of money, a certificate, an unknown
// host. A refusal of one form of the question (max_tokens, tools) is answered by
// another form.
//
// The error is an [*Error] that wraps ctx's if that ended, or says that the
// conversation is none.
func (c *Client) Ask(ctx context.Context, call *Call, watch func(Delta)) (*Answer, error) {
	if c.endpoint.Kind == Embeddings {
		return nil, fmt.Errorf("an endpoint of kind %s cannot answer questions", c.endpoint.Kind)
	}
	if err := transcript.Valid(call.Messages); err != nil {
		return nil, fmt.Errorf("invalid conversation: %w", err)
	}
	sent := countText(call)
	w := &watcher{watch: watch}
	var answer *Answer
	q := &exchange{
		label:  call.Label,
		tokens: sent + countTools(call),
		quiet:  w.silence,
		body:   func() ([]byte, error) { return c.Body(call) },
		read: func(res *http.Response, t *Try) (err error) {
			answer, err = c.readAnswer(res, call, w, t)
			return err
		},
		reword: func(e *Error) bool { return c.form.reword(c.endpoint.Kind, call, e) },
	}
	log, err := c.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	answer.Tries = log
	answer.checkRead(sent)
	return answer, nil
}

// Share of what we counted that a server has to report. Tokenisers differ by less;
// a server that reports 13 % has dropped the rest of the prompt.
const leastRead = 0.6

// fewTokens are too few to tell from their count what was read.
const fewTokens = 50

// checkRead compares what the server read with what it was sent.
func (a *Answer) checkRead(sent int) {
	if a.Usage == nil {
		return
	}
	if read := a.Usage.Prompt(); sent > fewTokens && float64(read) < leastRead*float64(sent) {
		a.Dropped = true
		a.diagnose("the server read %d of about %d tokens: its context is too small for the question (for Ollama, raise num_ctx)", read, sent)
	}
}

func (a *Answer) diagnose(format string, args ...any) {
	a.Diagnostics = append(a.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf(format, args...)})
}

// countText counts what is certainly read as it stands: not tools, which servers
// write in another way, nor thinking, which they may leave out.
func countText(call *Call) int {
	e := tokens.O200k()
	n := e.Count(call.System)
	for i := range call.Messages {
		for _, b := range call.Messages[i].Blocks {
			if b.Type != transcript.Thinking {
				n += e.Count(b.Text) + e.CountBytes(b.Input)
			}
		}
	}
	return n
}

func countTools(call *Call) (n int) {
	for _, t := range call.Tools {
		n += tokens.O200k().Count(t.Use) + tokens.O200k().CountBytes(t.Schema)
	}
	return n
}

// A watcher passes on what came, one message at a time.
type watcher struct {
	mu    sync.Mutex
	watch func(Delta)
	bytes int
}

func (w *watcher) silence(d time.Duration) { w.tell(Delta{Quiet: d}) }

// came tells of an event of so many bytes.
func (w *watcher) came(text string, bytes int) { w.tell(Delta{Text: text, Bytes: bytes}) }

func (w *watcher) tell(d Delta) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bytes += d.Bytes
	if d.Bytes = w.bytes; w.watch != nil {
		w.watch(d)
	}
}

// uniqueIDs gives calls ids that no other call of the conversation has, since
// some servers give none, or the same ones with each answer.
func uniqueIDs(blocks []transcript.Block, before []transcript.Message) {
	taken := map[string]bool{}
	calls := 0
	for i := range before {
		for _, b := range before[i].Blocks {
			if b.Type == transcript.Call {
				taken[b.ID] = true
				calls++
			}
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Type != transcript.Call {
			continue
		}
		calls++
		for n := calls; b.ID == "" || taken[b.ID]; n++ {
			b.ID = fmt.Sprintf("call_%d", n)
		}
		taken[b.ID] = true
	}
}

// input is what a model wrote as the arguments of a call, as JSON that can go
// back: an object, or a string of what is none.
func input(text string) json.RawMessage {
	if isObject([]byte(text)) {
		return json.RawMessage(text)
	}
	if isBlank(text) {
		return json.RawMessage("{}")
	}
	return quote(text)
}

// answerTool returns the tool whose input is the answer; nil if the call names none.
func (call *Call) answerTool() *Tool {
	name := cmp.Or(call.Submit, call.Tool)
	i := slices.IndexFunc(call.Tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &call.Tools[i]
}
