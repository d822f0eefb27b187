package llm

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// tries is how often a question is asked before its error counts.
const tries = 4

// A statusError is an answer that is none.
type statusError struct {
	Code int
	Text string // what the server says, in a few words
}

func (e *statusError) Error() string {
	s := fmt.Sprintf("the server says %d %s", e.Code, http.StatusText(e.Code))
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// An exchange is one request, which may be tried several times.
type exchange struct {
	body  []byte
	most  int64                     // bytes of the answer
	parse func(answer []byte) error // takes what was asked for out of the answer

	// reword, if set, returns another body to try at once after a refusal, or nil.
	// Once it returned one it is not asked again.
	reword func(*statusError) []byte
}

// ask tries a question until there is an answer, an error that will not pass, or
// no time.
func (c *Client) ask(ctx context.Context, q *exchange) error {
	limited, cancel := context.WithTimeoutCause(ctx, c.endpoint.Timeout, errSlow)
	defer cancel()
	var last error
	for n := 0; ; n++ {
		wait, err := c.try(limited, q)
		var status *statusError
		var other []byte
		if errors.As(err, &status) && q.reword != nil {
			if other = q.reword(status); other != nil {
				q.reword = nil
			}
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case limited.Err() != nil && last != nil:
			return fmt.Errorf("%w (%v before that)", c.slow(), last)
		case limited.Err() != nil:
			return c.slow()
		case other != nil:
			q.body, wait = other, 0
		case !again(err) || n+1 == tries:
			return err
		default:
			wait = max(wait, c.pause(n))
		}
		last = err
		if end, ok := limited.Deadline(); ok && time.Until(end) < wait {
			return fmt.Errorf("%w (%v)", c.slow(), last)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-limited.Done():
			timer.Stop()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%w (%v)", c.slow(), last)
		}
	}
}

var errSlow = errors.New("no answer in time")

func (c *Client) slow() error { return fmt.Errorf("no answer within %v", c.endpoint.Timeout) }

// errAnswer marks what is wrong with an answer: asking again will not mend it.
var errAnswer = errors.New("malformed answer")

// again reports whether the same question may get an answer next time.
func again(err error) bool {
	var status *statusError
	switch {
	case errors.As(err, &status):
		switch status.Code {
		case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded:
			return true
		}
		return false
	case errors.Is(err, errAnswer), errors.Is(err, errCut):
		return false
	}
	// A host that does not exist, or is another, stays so.
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	return !errors.As(err, &cert) && (!errors.As(err, &dns) || !dns.IsNotFound)
}

const statusOverloaded = 529 // Anthropic's

// anthropicVersion is the version of the protocol; there is no newer one.
const anthropicVersion = "2023-06-01"

// try asks once. It also says how long the server wants us to wait.
func (c *Client) try(ctx context.Context, q *exchange) (wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(q.body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "satchel")
	if c.endpoint.Kind == anthropic {
		req.Header.Set("Anthropic-Version", anthropicVersion)
		if c.endpoint.Key != "" {
			req.Header.Set("X-Api-Key", c.endpoint.Key)
		}
	} else if c.endpoint.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.endpoint.Key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // the URL is known
		}
		return 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, q.most+1))
	if err != nil {
		return 0, fmt.Errorf("read the answer: %w", err)
	}
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return 0, &statusError{res.StatusCode, "it redirects, which is not followed"}
	case res.StatusCode != http.StatusOK:
		return retryAfter(res.Header), &statusError{res.StatusCode, short(c.mute(complaint(answer)))}
	case int64(len(answer)) > q.most:
		return 0, fmt.Errorf("%w: more than %d bytes", errAnswer, q.most)
	}
	return 0, q.parse(answer)
}

// mute takes the key out of a server's words.
func (c *Client) mute(s string) string {
	if c.endpoint.Key == "" {
		return s
	}
	return strings.ReplaceAll(s, c.endpoint.Key, "[key]")
}

// retryAfter reads the header of that name, in seconds; 0 if there is none.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(min(n, int(maxTimeout/time.Second))) * time.Second
}

// complaint is what a server says of an error: both protocols have it in
// error.message.
func complaint(answer []byte) string {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	var in struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(answer, &e) != nil {
		return ""
	}
	if json.Unmarshal(e.Error, &in) != nil && json.Unmarshal(e.Error, &in.Message) != nil {
		return ""
	}
	return in.Message
}

// short is the beginning of a text: at most 200 characters, on one line.
func short(s string) string {
	const most = 200
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
