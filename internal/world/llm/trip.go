package llm

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// anthropicVersion is the version of the protocol; there is no newer one.
const anthropicVersion = "2023-06-01"

// maxComplaint is how much is read of an answer that is none.
const maxComplaint = 64 << 10

// errSilent ends a try whose server says nothing.
var errSilent = errors.New("silence")

// try asks once. It also says how long the server wants us to wait.
func (c *Client) try(ctx context.Context, q *exchange, t *Try) (after time.Duration, e *Error) {
	body, err := q.body()
	if err != nil {
		return 0, &Error{Reason: Refused, Text: "encode the question: " + err.Error(), err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return 0, &Error{Reason: Refused, Text: err.Error(), err: err}
	}
	c.head(req.Header)
	idle := watchSilence(c.endpoint.IdleTimeout, q.quiet, cancel)
	defer idle.stop()
	res, err := c.http.Do(req)
	if err != nil {
		return 0, c.failed(ctx, err)
	}
	defer res.Body.Close()
	idle.heard()
	res.Body = &heard{res.Body, idle}
	t.Status = res.StatusCode
	if e := c.refused(res); e != nil {
		return retryAfter(res.Header), e
	}
	err = q.read(res, t)
	if err == nil {
		return 0, nil
	}
	if !errors.As(err, &e) {
		e = c.failed(ctx, err)
	}
	if e.Reason == Broken && context.Cause(ctx) != nil { // it is we who broke it
		began := e.began
		e = c.failed(ctx, err)
		e.began = began
	}
	return 0, e
}

// head says what is sent and who sends it.
func (c *Client) head(h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if c.endpoint.Kind != Embeddings {
		h.Set("Accept", "text/event-stream")
	}
	h.Set("Accept-Encoding", "identity")
	h.Set("User-Agent", "satchel")
	key := c.endpoint.Key
	if c.endpoint.Kind == Anthropic {
		h.Set("Anthropic-Version", anthropicVersion)
		if key != "" {
			h.Set("X-Api-Key", key)
		}
	} else if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

// failed is the error of a connection.
func (c *Client) failed(ctx context.Context, err error) *Error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // the URL is known
	}
	if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
		return &Error{Reason: Idle, Text: fmt.Sprintf("the server sent nothing for %v", c.endpoint.IdleTimeout), err: errSilent, again: true}
	}
	// A host that does not exist, or is another, stays so.
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	stays := errors.As(err, &cert) || errors.As(err, &dns) && dns.IsNotFound
	text := err.Error()
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		cause := dial.Err
		for inner := errors.Unwrap(cause); inner != nil; inner = errors.Unwrap(inner) {
			cause = inner
		}
		text = fmt.Sprintf("cannot reach %s: %v", c.host, cause)
	}
	return &Error{Reason: Broken, Text: c.mute(text), err: err, again: !stays}
}

// refused is the error of an answer that is none, by what stands above it; nil if
// it is one.
func (c *Client) refused(res *http.Response) *Error {
	if packed := res.Header.Get("Content-Encoding"); packed != "" && !strings.EqualFold(packed, "identity") {
		return malformed("it is compressed (%s), which was not requested", short(c.mute(packed)))
	}
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return &Error{Reason: Refused, Status: res.StatusCode, Text: "it is a redirect, which is not followed"}
	case res.StatusCode == http.StatusOK:
		return nil
	}
	answer, _ := io.ReadAll(io.LimitReader(res.Body, maxComplaint)) // the status says enough
	said, _ := readComplaint(answer)
	said.Message = c.mute(said.Message) // before it is cut
	return refusal(res.StatusCode, said, retryAfter(res.Header) > 0)
}

// isType reports whether an answer is of a media type.
func isType(res *http.Response, want string) bool {
	got, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	return err == nil && got == want
}

// A silence ends a try when nothing was heard for too long, and tells of shorter
// ones each second.
type silence struct {
	mu   sync.Mutex
	last time.Time

	done chan struct{}
	gone sync.WaitGroup
}

// watchSilence watches until it is stopped. quiet may be nil.
func watchSilence(most time.Duration, quiet func(time.Duration), cancel context.CancelCauseFunc) *silence {
	s := &silence{last: time.Now(), done: make(chan struct{})}
	s.gone.Go(func() {
		tick := time.NewTicker(min(time.Second, most))
		defer tick.Stop()
		for {
			select {
			case <-s.done:
				return
			case now := <-tick.C:
				d := s.since(now)
				if d >= most {
					cancel(errSilent)
					return
				}
				if quiet != nil && d >= time.Second {
					quiet(d)
				}
			}
		}
	})
	return s
}

func (s *silence) since(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.last)
}

func (s *silence) heard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
}

func (s *silence) stop() {
	close(s.done)
	s.gone.Wait()
}

// heard is a body that says when something came.
type heard struct {
	io.ReadCloser
	s *silence
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	if n > 0 {
		h.s.heard()
	}
	return n, err
}
