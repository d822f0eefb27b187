package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A hub passes what the engine says about long work to the calls that asked to
// hear of it. The engine has one voice and does not know for whom it works; a call
// that waits for work begun by another hears of that.
type hub struct {
	mu    sync.Mutex
	next  int
	calls map[int]*listener
}

// A listener is a call with a progress token.
type listener struct {
	ctx     context.Context
	session *sdk.ServerSession
	token   any
	said    float64 // grows with every notification, as the protocol asks for
	last    time.Time
}

// spokenEvery is how often a call hears of progress at most.
const spokenEvery = 200 * time.Millisecond

// listen begins telling a call about progress, until the function that it returns
// is called: after that nothing more is sent.
func (h *hub) listen(ctx context.Context, req *sdk.CallToolRequest) (done func()) {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64, int, int64:
	default:
		return func() {}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calls == nil {
		h.calls = make(map[int]*listener)
	}
	h.next++
	id := h.next
	h.calls[id] = &listener{ctx: ctx, session: req.Session, token: token}
	return func() {
		h.mu.Lock()
		delete(h.calls, id)
		h.mu.Unlock()
	}
}

// step is engine.Options.Progress.
func (h *hub) step(stage string, done, total int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(h.calls)) {
		l := h.calls[id]
		if now := time.Now(); now.Sub(l.last) < spokenEvery || l.ctx.Err() != nil {
			continue
		} else {
			l.last = now
		}
		p := &sdk.ProgressNotificationParams{ProgressToken: l.token, Message: stage, Progress: float64(done), Total: float64(total)}
		if p.Progress <= l.said { // another stage began
			p.Progress, p.Total = l.said+1, 0
		}
		l.said = p.Progress
		_ = l.session.NotifyProgress(l.ctx, p) // a client that is gone hears nothing
	}
}
