package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/satchel-dev/satchel/internal/front/tools"
)

// Limits of what a client sends.
const (
	mostLine  = 4 << 20 // bytes of a message
	mostBatch = 100     // messages of a batch

	// Of requests without an answer. Beyond it nothing more is read, so that the
	// client waits when it writes, until there is room; one message more always has
	// room.
	mostPending      = 64
	mostPendingBytes = 8 << 20
)

// lastAnswers is how long the server goes on after the end of its input, so that
// requests that were piped into it are answered. A client that closes the input to
// end the server asks nothing more, and ends it otherwise if it will not wait.
const lastAnswers = time.Minute

// ServeStdio answers the messages from in, one a line, on out, until in ends or ctx
// does. Only answers go to out. A line that is not a message gets an error, and the
// connection continues.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	p := &pipe{in: in, out: out, stop: s.stop, lines: make(chan line), closed: make(chan struct{}), less: make(chan struct{}, 1)}
	err := s.sdk.Run(ctx, p)
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// A pipe is a [sdk.Transport] and its one connection. The library has one, too,
// but that ends with the first line that is not JSON.
type pipe struct {
	in    io.ReadCloser
	lines chan line

	mu      sync.Mutex
	out     io.Writer
	batches map[jsonrpc.ID]*batch
	pending map[jsonrpc.ID]int // bytes of the requests without an answer
	bytes   int                // of all of them
	less    chan struct{}      // holds a value when one was answered

	queue  []jsonrpc.Message // the rest of a batch; of Read alone
	ended  <-chan time.Time  // runs after the end of the input; of Read alone
	stop   func()            // ends the requests at work
	once   sync.Once
	closed chan struct{}
}

// A line is one line of the input, or the reason for its end.
type line struct {
	text []byte
	err  error
}

// errLong is the error of a line that is too long. It is read to its end.
var errLong = fmt.Errorf("a message has more than %d bytes", mostLine)

// A batch gathers the answers to messages that came in one array.
type batch struct {
	left    int
	answers []json.RawMessage
}

func (p *pipe) Connect(context.Context) (sdk.Connection, error) {
	go p.scan()
	return p, nil
}

func (p *pipe) SessionID() string { return "" }

// scan reads lines until the input ends or the pipe is closed.
func (p *pipe) scan() {
	r := bufio.NewReaderSize(p.in, 64<<10)
	for {
		text, err := readLine(r)
		select {
		case p.lines <- line{text, err}:
		case <-p.closed:
			return
		}
		if err != nil && !errors.Is(err, errLong) {
			return
		}
	}
}

// readLine returns the next line without its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > mostLine; !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errLong // at the end of the input, the next call says so
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil
		}
		return text, err
	}
}

// Read returns the next message.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(p.queue) > 0 {
			m := p.queue[0]
			p.queue = p.queue[1:]
			return m, nil
		}
		lines := p.lines
		waiting, full := p.waiting()
		if p.ended != nil && waiting == 0 {
			return nil, io.EOF
		}
		if p.ended != nil || full {
			lines = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.closed:
			return nil, io.EOF
		case <-p.ended:
			p.stop()
			return nil, io.EOF
		case <-p.less:
		case l := <-lines:
			switch {
			case errors.Is(l.err, errLong):
				p.refuse(jsonrpc.CodeInvalidRequest, l.err.Error())
			case l.err != nil:
				p.ended = time.After(lastAnswers)
			default:
				p.take(bytes.TrimSpace(l.text))
			}
		}
	}
}

// waiting returns the number of requests without an answer, and whether reading must
// pause.
func (p *pipe) waiting() (n int, full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending), len(p.pending) >= mostPending || p.bytes >= mostPendingBytes
}

// take queues the messages of a line, or answers that it has none.
func (p *pipe) take(text []byte) {
	switch {
	case len(text) == 0:
		return
	case !json.Valid(text):
		p.refuse(jsonrpc.CodeParseError, "the message is not JSON")
		return
	case text[0] != '[':
		if m := p.message(text, nil); m != nil {
			p.queue = append(p.queue, m)
		}
		return
	}
	// The protocol had batches until 2025-03-26; who sends one gets one back.
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 || len(list) > mostBatch {
		p.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("want a batch of 1 to %d messages", mostBatch))
		return
	}
	b := &batch{left: 1}
	for _, one := range list {
		if m := p.message(one, b); m != nil {
			p.queue = append(p.queue, m)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.settle(b, nil) // nothing is left but what waits for an answer
}

// message decodes one message; nil if it is invalid, and answered with an error.
func (p *pipe) message(text []byte, b *batch) jsonrpc.Message {
	refuse := func(code int64, why string) jsonrpc.Message {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = p.send(b, refusal(code, why)) // a client that is gone shows when it is read from
		return nil
	}
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return refuse(jsonrpc.CodeInvalidRequest, tools.Bounded("the message is not a request: "+err.Error()))
	}
	r, ok := m.(*jsonrpc.Request)
	if ok && r.Method == "notifications/cancelled" && !p.atWork(r.Params) {
		// Some clients cancel what is finished. The library takes its time over it, and
		// would cancel the next request if that had the same id.
		return nil
	}
	if !ok || !r.IsCall() {
		return m
	}
	if !wholeID(text) {
		return refuse(jsonrpc.CodeInvalidRequest, "invalid request id: want a string or a whole number")
	}
	p.mu.Lock()
	_, taken := p.pending[r.ID]
	if !taken {
		if p.pending == nil {
			p.pending, p.batches = make(map[jsonrpc.ID]int), make(map[jsonrpc.ID]*batch)
		}
		p.pending[r.ID] = len(text)
		p.bytes += len(text)
		if b != nil {
			p.batches[r.ID] = b
			b.left++
		}
	}
	p.mu.Unlock()
	if taken {
		return refuse(jsonrpc.CodeInvalidRequest, "the request id is already in use")
	}
	return m
}

// atWork reports whether a cancellation is of a request without an answer.
func (p *pipe) atWork(params json.RawMessage) bool {
	var c struct {
		ID any `json:"requestId"`
	}
	if json.Unmarshal(params, &c) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(c.ID)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, waits := p.pending[id]
	return err == nil && waits
}

// wholeID reports whether the id comes back as it was sent: the library makes
// integers of all numbers.
func wholeID(text []byte) bool {
	var m struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(text, &m) != nil {
		return false
	}
	n, ok := m.ID.(float64)
	return !ok || n == math.Trunc(n) && math.Abs(n) < 1<<53
}

// refuse answers an invalid message.
func (p *pipe) refuse(code int64, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.send(nil, refusal(code, why))
}

// refusal returns the answer to a message without a known id.
func refusal(code int64, why string) []byte {
	message, _ := json.Marshal(why) // a string is always written
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`, code, message)
}

// Write sends a message.
func (p *pipe) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, answer := m.(*jsonrpc.Response)
	if answer && r.Error != nil {
		r = &jsonrpc.Response{ID: r.ID, Error: wireError(r.Error)}
		m = r
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !answer {
		return p.send(nil, text)
	}
	b := p.batches[r.ID]
	delete(p.batches, r.ID)
	p.bytes -= p.pending[r.ID]
	delete(p.pending, r.ID)
	select {
	case p.less <- struct{}{}:
	default:
	}
	if b == nil {
		return p.send(nil, text)
	}
	return p.settle(b, text)
}

// wireError keeps an error from repeating all of a bad argument, and gives it a
// code.
func wireError(err error) error {
	var w *jsonrpc.Error
	if errors.As(err, &w) {
		c := *w
		c.Message = tools.Bounded(err.Error())
		return &c
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: tools.Bounded(err.Error())}
}

// settle adds an answer to a batch, and sends it if that was the last. The lock is
// held.
func (p *pipe) settle(b *batch, text []byte) error {
	if text != nil {
		b.answers = append(b.answers, text)
	}
	if b.left--; b.left > 0 || len(b.answers) == 0 {
		return nil
	}
	all, err := json.Marshal(b.answers)
	if err != nil {
		return err
	}
	return p.send(nil, all)
}

// send writes a line, or adds it to a batch that is still to be settled. The lock
// is held.
func (p *pipe) send(b *batch, text []byte) error {
	if b != nil {
		b.answers = append(b.answers, text)
		return nil
	}
	_, err := p.out.Write(append(text, '\n'))
	return err
}

// Close ends Read. The input may still block, but Read does not wait for it.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}
