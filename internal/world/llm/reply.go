package llm

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/tmaxmax/go-sse"

	"github.com/satchel-dev/satchel/transcript"
)

// Bounds of an answer.
const (
	maxEvent  = 4 << 20  // of servers that give a whole call in one event
	maxStream = 1 << 20  // besides what the answer may have
	maxToken  = 400      // bytes: an event takes some 200 for a token
	mostRead  = 24 << 20 // whatever the answer may have, since all of it is held
	maxPieces = 512      // blocks, calls
)

// A reader takes an answer out of events.
type reader interface {
	// event takes the data of one. The text is what it adds to the answer.
	event(data []byte) (text string, e *Error)
	state() *reply
}

// A reply is what a reader has so far.
type reply struct {
	pieces  []*piece
	stop    Stop // "" until the server says it
	last    bool // the server says that nothing follows
	begun   bool // something of the answer came
	usage   transcript.Usage
	counted bool // usage was reported
	unknown int  // events and parts of them that were skipped
	others  bool // there were other candidates

	mute func(string) string // takes the key out of the server's words
}

func (r *reply) state() *reply { return r }

// A piece is a block that is not complete.
type piece struct {
	kind      transcript.BlockType
	id, name  string
	text      strings.Builder // for a call, its input
	signature string
	raw       json.RawMessage
}

// piece adds one.
func (r *reply) piece() (*piece, *Error) {
	if len(r.pieces) == maxPieces {
		return nil, malformed("more than %d blocks", maxPieces)
	}
	p := new(piece)
	r.pieces = append(r.pieces, p)
	return p, nil
}

// complaint is the error of an event that tells of one.
func (r *reply) complaint(c complaint) *Error {
	c.Message = r.mute(c.Message) // before it is cut
	return refusal(c.eventStatus(), c, false)
}

// readAnswer reads a stream of events up to its end.
func (c *Client) readAnswer(res *http.Response, call *Call, w *watcher, t *Try) (*Answer, error) {
	if !isType(res, "text/event-stream") && res.Header.Get("Content-Type") != "" {
		return nil, c.noStream(res)
	}
	var r reader = &openAIReader{}
	if c.endpoint.Kind == Anthropic {
		r = &anthropicReader{}
	}
	s := r.state()
	s.mute = c.mute
	e := readEvents(res.Body, r, w, min(mostRead, maxStream+maxToken*int64(cmp.Or(call.MaxTokens, c.endpoint.MaxTokens))))
	t.Usage, t.Began = s.reported(), s.begun
	switch {
	case e != nil && e.Reason == Broken && s.stop != "":
		e = nil // all of the answer is there; what it cost may be lost
	case e != nil || s.stop != "":
	case !s.last:
		e = brokenOff(nil)
	case !s.begun:
		e = malformed("no candidate")
	}
	if e != nil {
		e.began = s.begun
		return nil, e
	}
	return c.answer(s, call), nil
}

// noStream is the error of an answer that is no stream of events.
func (c *Client) noStream(res *http.Response) error {
	if isType(res, "application/json") {
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxComplaint))
		if said, ok := readComplaint(body); ok {
			said.Message = c.mute(said.Message)
			return refusal(said.eventStatus(), said, false)
		}
	}
	return malformed("it is %s, not a stream of events", short(c.mute(res.Header.Get("Content-Type"))))
}

// readEvents gives all events to a reader.
func readEvents(body io.Reader, r reader, w *watcher, most int64) *Error {
	limited := &io.LimitedReader{R: body, N: most + 1}
	for e, err := range sse.Read(limited, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		switch {
		case errors.Is(err, bufio.ErrTooLong):
			return malformed("an event of more than %d bytes", maxEvent)
		case err != nil:
			return brokenOff(err)
		case isBlank(e.Data):
			continue
		case e.Data == "[DONE]":
			r.state().last = true
			return nil
		}
		text, fault := r.event([]byte(strings.ToValidUTF8(e.Data, "\uFFFD")))
		if fault != nil {
			return fault
		}
		w.came(text, len(e.Data))
		if _, ok := r.(*anthropicReader); ok && r.state().last {
			return nil
		}
	}
	if limited.N <= 0 {
		return malformed("more than %d bytes", most)
	}
	return nil
}

// mostTokens is more than any server can have counted.
const mostTokens = 1 << 30

// reported is the usage; nil if the server reports none, or nonsense.
func (r *reply) reported() *transcript.Usage {
	u := r.usage
	if !r.counted || r.nonsense() {
		return nil
	}
	return &u
}

func (r *reply) nonsense() bool {
	u := &r.usage
	counts := []int{u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning}
	return slices.ContainsFunc(counts, func(n int) bool { return n < 0 || n > mostTokens })
}

// answer makes an answer of all that came.
func (c *Client) answer(r *reply, call *Call) *Answer {
	a := &Answer{Stop: r.stop, Usage: r.reported()}
	m := &a.Message
	m.Role, m.Kind, m.Model, m.Sent = transcript.Assistant, transcript.Answer, c.endpoint.Model, true
	m.Usage = a.Usage
	for _, p := range r.pieces {
		if b, ok := p.block(c.endpoint.Kind); ok {
			c.muteBlock(&b)
			m.Blocks = append(m.Blocks, b)
		}
	}
	if c.form.now().noTools {
		a.submitText(call.answerTool())
	}
	uniqueIDs(m.Blocks, call.Messages)
	calls := 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Type != transcript.Call {
			continue
		}
		calls++
		if !isObject(b.Input) {
			a.diagnose("the input of a call of %s is not a JSON object", toolName(b.Name))
		}
	}
	if a.Stop == "" || a.Stop == StopEnd && calls > 0 {
		a.Stop = StopEnd // some servers do not say that they wait
		if calls > 0 {
			a.Stop = StopCall
		}
	}
	if r.unknown > 0 {
		a.diagnose("%d unknown events of the server were skipped", r.unknown)
	}
	if r.others {
		a.diagnose("the server gave several candidates; the first counts")
	}
	if r.counted && a.Usage == nil {
		a.diagnose("the server reports an impossible usage")
	}
	return a
}

// block is what became of a piece; ok is false if it says nothing.
func (p *piece) block(kind Kind) (b transcript.Block, ok bool) {
	text := p.text.String()
	b = transcript.Block{Type: p.kind, Raw: p.raw}
	switch p.kind {
	case transcript.Text:
		b.Text = text
		return b, !isBlank(text)
	case transcript.Call:
		b.ID, b.Name, b.Input = p.id, p.name, input(text)
		return b, true
	case transcript.Thinking:
		b.Text, b.Opaque = text, len(p.signature)
		if b.Raw != nil {
			b.Opaque = len(b.Raw)
			return b, true
		}
		if kind == Anthropic {
			b.Raw = anthropicThinking(text, p.signature)
		} else {
			b.Raw = encode(map[string]string{p.name: text})
		}
		return b, text != "" || p.signature != ""
	}
	return b, b.Raw != nil
}

// submitText makes a call of the text of a model that knows no tools.
func (a *Answer) submitText(t *Tool) {
	if t == nil {
		return
	}
	blocks := a.Message.Blocks
	for i := range blocks {
		b := &blocks[i]
		if b.Type != transcript.Text {
			continue
		}
		from, to := strings.IndexByte(b.Text, '{'), strings.LastIndexByte(b.Text, '}')
		if from < 0 || to < from || !isObject([]byte(b.Text[from:to+1])) {
			continue
		}
		*b = transcript.Block{Type: transcript.Call, Name: t.Name, Input: json.RawMessage(b.Text[from : to+1])}
		a.diagnose("the model cannot use tools: it was asked for JSON")
		return
	}
}
