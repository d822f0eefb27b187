package llm

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Pause waits for a time, or until ctx ends, whose error it returns then.
type Pause func(ctx context.Context, d time.Duration) error

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// limits hold for all questions of one Client, whoever asks them.
type limits struct {
	gate             gate
	requests, tokens *rate.Limiter // nil means no limit
}

// newLimits fills the buckets as servers do: with a minute's tokens, but with few
// requests, since some servers count these by the second.
func newLimits(e *Endpoint) *limits {
	l := &limits{gate: gate{room: e.Concurrency}}
	if e.RPM > 0 {
		l.requests = rate.NewLimiter(rate.Limit(e.RPM)/60, min(e.RPM, e.Concurrency))
	}
	if e.TPM > 0 {
		l.tokens = rate.NewLimiter(rate.Limit(e.TPM)/60, e.TPM)
	}
	return l
}

// wait waits until a request of so many tokens may go.
func (l *limits) wait(ctx context.Context, tokens int, pause Pause) error {
	now := time.Now()
	var delay time.Duration
	for _, b := range []struct {
		bucket *rate.Limiter
		n      int
	}{{l.requests, 1}, {l.tokens, tokens}} {
		if b.bucket == nil {
			continue
		}
		// A request of more than a minute's tokens waits for a full bucket.
		delay = max(delay, b.bucket.ReserveN(now, min(b.n, b.bucket.Burst())).DelayFrom(now))
	}
	if delay == 0 {
		return ctx.Err()
	}
	return pause(ctx, delay)
}

// A gate lets some in at once, in the order in which they came.
type gate struct {
	mu     sync.Mutex
	room   int // at once
	inside int
	queue  []chan struct{}
}

// enter waits until there is room. After a nil error leave has to follow.
func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	if g.inside < g.room && len(g.queue) == 0 {
		g.inside++
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.queue = append(g.queue, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, t := range g.queue {
		if t == turn {
			g.queue = append(g.queue[:i], g.queue[i+1:]...)
			return ctx.Err()
		}
	}
	g.inside-- // its turn came meanwhile
	g.call()
	return ctx.Err()
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.call()
}

// halve lets half as many in from now on, and one at least.
func (g *gate) halve() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.room = max(1, g.room/2)
}

// call lets in those whose turn it is.
func (g *gate) call() {
	for g.inside < g.room && len(g.queue) > 0 {
		close(g.queue[0])
		g.queue = g.queue[1:]
		g.inside++
	}
}
