package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// A Reason is the kind of an [Error], for those who act on it.
type Reason string

// The reasons. Busy, Broken and Idle were tried again before they counted.
const (
	Refused   Reason = "refused"   // the server refuses the request, or the key
	TooLong   Reason = "too-long"  // the conversation does not fit the model's window
	Quota     Reason = "quota"     // there is no money or quota left
	Busy      Reason = "busy"      // the server cannot answer for now
	Broken    Reason = "broken"    // no connection, or one that broke off
	Idle      Reason = "idle"      // silence longer than the idle timeout
	Late      Reason = "late"      // the time of the question is up
	Malformed Reason = "malformed" // an answer that is none
	Ended     Reason = "ended"     // the context of the question is done
)

// An Error says why there is no answer.
type Error struct {
	Reason Reason
	Status int    // of HTTP, or what an error event stands for; 0 if there is none
	Text   string // what was wrong; of a server's words the beginning
	Tries  []Try  // all of them; some may have cost something

	err   error // that it wraps, if any
	again bool  // the same request may get an answer next time
	began bool  // something of an answer came before it
}

func (e *Error) Error() string {
	switch {
	case e.Status == 0:
		return e.Text
	case e.Text == "":
		return strings.TrimSpace(fmt.Sprintf("the server says %d %s", e.Status, http.StatusText(e.Status)))
	case http.StatusText(e.Status) == "":
		return fmt.Sprintf("the server says %d: %s", e.Status, e.Text)
	}
	return fmt.Sprintf("the server says %d %s: %s", e.Status, http.StatusText(e.Status), e.Text)
}

func (e *Error) Unwrap() error { return e.err }

// ended is the error of a question whose context is done.
func ended(err error) *Error { return &Error{Reason: Ended, Text: err.Error(), err: err} }

// malformed returns the error of an answer that is none. Asking again will not
// mend it.
func malformed(format string, args ...any) *Error {
	return &Error{Reason: Malformed, Text: "malformed answer: " + fmt.Sprintf(format, args...)}
}

// brokenOff returns the error of an answer that ends before its end.
func brokenOff(err error) *Error {
	e := &Error{Reason: Broken, Text: "the answer broke off", err: err, again: true}
	if err != nil {
		e.Text += ": " + err.Error()
	}
	return e
}

// A complaint is what a server says of an error. Both protocols have it in error,
// as an object or, of some servers, as a text.
type complaint struct {
	Message string
	Type    string
	Code    string
	number  int // Code, of servers that give the status there
}

// readComplaint takes the complaint out of an answer or an event. ok is false if
// there is none.
func readComplaint(answer []byte) (c complaint, ok bool) {
	var e struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"` // of frameworks in front of a server
	}
	if json.Unmarshal(answer, &e) != nil {
		return c, false
	}
	if len(e.Error) == 0 || string(e.Error) == "null" {
		return c, json.Unmarshal(e.Detail, &c.Message) == nil
	}
	var in struct {
		Message any `json:"message"`
		Type    any `json:"type"`
		Code    any `json:"code"`
		Status  any `json:"status"` // Gemini's word for a code
	}
	if json.Unmarshal(e.Error, &c.Message) == nil {
		return c, true
	}
	if json.Unmarshal(e.Error, &in) != nil {
		return c, true
	}
	c.Message, _ = in.Message.(string)
	c.Type, _ = in.Type.(string)
	c.Code, _ = in.Code.(string)
	if c.Code == "" {
		c.Code, _ = in.Status.(string)
	}
	if n, is := in.Code.(float64); is {
		c.number = int(n)
	}
	return c, true
}

// statusOverloaded is Anthropic's.
const statusOverloaded = 529

// eventStatus is the status that a server would have given, had it not begun to
// answer already.
func (c *complaint) eventStatus() int {
	if c.number >= 400 && c.number < 600 {
		return c.number
	}
	for _, word := range []string{c.Type, c.Code} {
		if status, ok := statusOf[word]; ok {
			return status
		}
	}
	return http.StatusInternalServerError
}

var statusOf = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"rate_limit_exceeded":   http.StatusTooManyRequests,
	"insufficient_quota":    http.StatusTooManyRequests,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      statusOverloaded,
	"server_overloaded":     http.StatusServiceUnavailable,

	"context_length_exceeded": http.StatusBadRequest,
}

// refusal makes an error of a status and what the server says with it. told says
// that the server named a time after which to come again, so that what it calls a
// quota will pass.
func refusal(status int, c complaint, told bool) *Error {
	e := &Error{Reason: Refused, Status: status, Text: short(c.Message)}
	text := strings.ToLower(c.Message + " " + c.Type + " " + c.Code)
	switch status {
	case http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded:
		e.Reason, e.again = Busy, true
	case http.StatusTooManyRequests:
		e.Reason, e.again = Busy, true
		if !told && holds(text, "insufficient_quota", "billing", "credit balance") {
			e.Reason, e.again = Quota, false
		}
	case http.StatusPaymentRequired:
		e.Reason = Quota
	case http.StatusRequestEntityTooLarge:
		e.Reason = TooLong
	case http.StatusBadRequest:
		switch {
		case holds(text, tooLongWords...):
			e.Reason = TooLong
		case holds(text, "credit balance is too low", "insufficient_quota", "billing_error"):
			e.Reason = Quota
		}
	}
	return e
}

// tooLongWords are what servers say of a conversation that does not fit.
var tooLongWords = []string{
	"prompt is too long", "context_length_exceeded", "context length", "context limit", "context window",
	"context size", "exceed_context_size", "input token count", "too many tokens", "reduce the length",
}

func holds(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
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
