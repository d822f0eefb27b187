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

// maxAnswer is how much of a server's answer is read: an answer of the largest
// MaxTokens, escaped, has less.
const maxAnswer = 1 << 20

// ErrCut says that the answer was longer than MaxTokens, and ends somewhere.
var ErrCut = errors.New("the answer was cut off")

// A StatusError is an answer that is none.
type StatusError struct {
	Code int
	Text string // what the server says, in a few words
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("the server says %d %s", e.Code, http.StatusText(e.Code))
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// Complete returns the model's answer to a prompt: text that is not empty. The
// error is [ErrCut] if it is longer than the endpoint's MaxTokens, a
// [*StatusError] if the server refuses, ctx's if that ends, or says what was
// wrong with connection or answer.
func (c *Client) Complete(ctx context.Context, system, prompt string) (string, error) {
	limited, cancel := context.WithTimeoutCause(ctx, c.endpoint.Timeout, errSlow)
	defer cancel()
	body := c.request(system, prompt, false)
	renamed := false
	var last error
	for n := 0; ; n++ {
		text, wait, err := c.try(limited, body)
		var status *StatusError
		switch {
		case err == nil:
			return text, nil
		case ctx.Err() != nil:
			return "", ctx.Err()
		case limited.Err() != nil && last != nil:
			return "", fmt.Errorf("%w (%v before that)", c.slow(), last)
		case limited.Err() != nil:
			return "", c.slow()
		case errors.As(err, &status) && status.Code == http.StatusBadRequest && !renamed && strings.Contains(status.Text, newName):
			// OpenAI's own newer models know the limit by another name only.
			body, renamed, wait = c.request(system, prompt, true), true, 0
		case !again(err) || n+1 == tries:
			return "", err
		default:
			wait = max(wait, c.pause(n))
		}
		last = err
		if end, ok := limited.Deadline(); ok && time.Until(end) < wait {
			return "", fmt.Errorf("%w (%v)", c.slow(), last)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-limited.Done():
			timer.Stop()
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			return "", fmt.Errorf("%w (%v)", c.slow(), last)
		}
	}
}

var errSlow = errors.New("no answer in time")

func (c *Client) slow() error { return fmt.Errorf("no answer within %v", c.endpoint.Timeout) }

// errAnswer marks what is wrong with an answer: asking again will not mend it.
var errAnswer = errors.New("malformed answer")

// again reports whether the same question may get an answer next time.
func again(err error) bool {
	var status *StatusError
	switch {
	case errors.As(err, &status):
		switch status.Code {
		case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded:
			return true
		}
		return false
	case errors.Is(err, errAnswer), errors.Is(err, ErrCut):
		return false
	}
	// A host that does not exist, or is another, stays so.
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	return !errors.As(err, &cert) && (!errors.As(err, &dns) || !dns.IsNotFound)
}

const statusOverloaded = 529 // Anthropic's

// newName is what newer models of OpenAI call max_tokens.
const newName = "max_completion_tokens"

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// request encodes a question.
func (c *Client) request(system, prompt string, renamed bool) []byte {
	r := struct {
		Model     string    `json:"model"`
		System    string    `json:"system,omitempty"`
		Messages  []message `json:"messages"`
		MaxTokens int       `json:"max_tokens,omitempty"`
		Most      int       `json:"max_completion_tokens,omitempty"`
	}{Model: c.endpoint.Model}
	if c.endpoint.Kind == Anthropic {
		r.System = system
	} else if system != "" {
		r.Messages = append(r.Messages, message{"system", system})
	}
	r.Messages = append(r.Messages, message{"user", prompt})
	if renamed {
		r.Most = c.endpoint.MaxTokens
	} else {
		r.MaxTokens = c.endpoint.MaxTokens
	}
	body, err := json.Marshal(&r)
	if err != nil {
		panic(err) // strings and numbers
	}
	return body
}

// anthropicVersion is the version of the protocol; there is no newer one.
const anthropicVersion = "2023-06-01"

// try asks once. It also says how long the server wants us to wait.
func (c *Client) try(ctx context.Context, body []byte) (text string, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "satchel")
	if c.endpoint.Kind == Anthropic {
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
		return "", 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return "", 0, fmt.Errorf("read the answer: %w", err)
	}
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return "", 0, &StatusError{res.StatusCode, "it redirects, which is not followed"}
	case res.StatusCode != http.StatusOK:
		return "", retryAfter(res.Header), &StatusError{res.StatusCode, short(c.mute(complaint(answer)))}
	case len(answer) > maxAnswer:
		return "", 0, fmt.Errorf("%w: more than %d bytes", errAnswer, maxAnswer)
	}
	text, err = c.parse(answer)
	return text, 0, err
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

// parse takes the text out of an answer.
func (c *Client) parse(answer []byte) (string, error) {
	var text, stop string
	var err error
	if c.endpoint.Kind == Anthropic {
		text, stop, err = anthropicText(answer)
	} else {
		text, stop, err = openAIText(answer)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %v", errAnswer, err)
	case stop == "max_tokens" || stop == "length":
		return "", fmt.Errorf("%w at %d tokens", ErrCut, c.endpoint.MaxTokens)
	case stop == "refusal" || stop == "content_filter":
		return "", fmt.Errorf("%w: the model declines", errAnswer)
	case strings.TrimSpace(text) == "":
		return "", fmt.Errorf("%w: no text", errAnswer)
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}

func anthropicText(answer []byte) (text, stop string, err error) {
	var r struct {
		Type    string `json:"type"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Stop string `json:"stop_reason"`
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		return "", "", errors.New("no JSON of a message")
	}
	if r.Type != "message" {
		return "", "", fmt.Errorf("type is %.20q: want a message", r.Type)
	}
	var b strings.Builder
	for _, c := range r.Content {
		if c.Type == "text" {
			b.WriteString(c.Text)
		}
	}
	return b.String(), r.Stop, nil
}

func openAIText(answer []byte) (text, stop string, err error) {
	var r struct {
		Choices []struct {
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
			Stop string `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		return "", "", errors.New("no JSON of a completion")
	}
	if len(r.Choices) == 0 {
		return "", "", errors.New("no choices")
	}
	first := r.Choices[0]
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	switch {
	case len(first.Message.Content) == 0 || string(first.Message.Content) == "null":
	case json.Unmarshal(first.Message.Content, &text) == nil:
	case json.Unmarshal(first.Message.Content, &parts) == nil:
		for _, p := range parts {
			if p.Type == "text" {
				text += p.Text
			}
		}
	default:
		return "", "", errors.New("content is no text")
	}
	return text, first.Stop, nil
}
