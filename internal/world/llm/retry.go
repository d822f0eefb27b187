package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// How often a question is asked before its error counts.
const (
	tries      = 4
	triesBegun = 2 // if something of an answer had come: it was paid for
)

// Bounds of the pause before a new try, if the server does not say how long.
const (
	firstPause = 500 * time.Millisecond
	mostPause  = 20 * time.Second
)

// An exchange is one question, which may be tried several times.
type exchange struct {
	label  string
	tokens int                 // about how many are sent
	quiet  func(time.Duration) // is told of silence; may be nil

	// body returns what is sent. It is asked before each try, since a refusal may
	// teach the client another form.
	body func() ([]byte, error)

	// read takes what was asked for out of an answer of status 200, and sets what
	// it learns of a try.
	read func(*http.Response, *Try) error

	// reword says whether another form of the question is worth a try at once.
	reword func(*Error) bool
}

// ask tries a question until there is an answer, an error that will not pass, or
// no time. The time that others take before it is its turn does not count.
func (c *Client) ask(ctx context.Context, q *exchange) ([]Try, error) {
	if err := c.limits.gate.enter(ctx); err != nil {
		return nil, ended(err)
	}
	defer c.limits.gate.leave()
	if err := c.limits.wait(ctx, q.tokens, c.pause); err != nil {
		return nil, ended(err)
	}
	ctx = context.WithValue(ctx, labelKey{}, q.label)
	limited, cancel := context.WithTimeout(ctx, c.endpoint.Timeout)
	defer cancel()

	var log []Try
	var wait time.Duration
	begun := 0
	for {
		t := Try{Wait: wait}
		after, e := c.try(limited, q, &t)
		if e == nil {
			return append(log, t), nil
		}
		e = c.inTime(ctx, limited, e)
		t.Status, t.Err = e.Status, e.Error()
		log = append(log, t)
		e.Tries = log
		if e.Status == http.StatusTooManyRequests {
			c.limits.gate.halve()
		}
		if e.began {
			begun++
		}
		wait = 0
		switch {
		case len(log) == tries || begun == triesBegun:
			return log, e
		case q.reword != nil && q.reword(e):
		case !e.again:
			return log, e
		default:
			wait = pauseBefore(limited, len(log), after)
		}
		if c.rest(limited, q, wait) != nil {
			e = c.inTime(ctx, limited, e)
			e.Tries = log
			return log, e
		}
	}
}

// inTime is e, unless it came because the question's time is up.
func (c *Client) inTime(ctx, limited context.Context, e *Error) *Error {
	switch {
	case ctx.Err() != nil:
		return ended(ctx.Err())
	case limited.Err() == nil:
		return e
	}
	late := &Error{Reason: Late, Text: fmt.Sprintf("no answer within %v", c.endpoint.Timeout), began: e.began, err: context.DeadlineExceeded}
	if !errors.Is(e, context.DeadlineExceeded) {
		late.Text += " (" + e.Error() + ")"
	}
	return late
}

// rest waits before a new try, for the server's sake and for the limits'.
func (c *Client) rest(ctx context.Context, q *exchange, d time.Duration) error {
	if err := c.pause(ctx, d); err != nil {
		return err
	}
	return c.limits.wait(ctx, q.tokens, c.pause)
}

// pauseBefore is how long to wait before the n-th new try: as long as the server
// says, if there is time for it, else a random time with a rising limit, so that
// many that were turned away do not come back together.
func pauseBefore(ctx context.Context, n int, after time.Duration) time.Duration {
	if end, ok := ctx.Deadline(); after > 0 && (!ok || time.Until(end) > after) {
		return after
	}
	return rand.N(min(mostPause, firstPause<<n))
}

// retryAfter reads how long a server wants us to wait; 0 if it does not say. A
// date counts from the server's own, which need not be ours.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return seconds(s)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return seconds(at.Sub(now).Seconds())
}

// seconds is a duration that a server named, bounded.
func seconds(s float64) time.Duration {
	if !(s > 0) { // NaN too
		return 0
	}
	return time.Duration(min(s, maxTimeout.Seconds()*2) * float64(time.Second))
}
