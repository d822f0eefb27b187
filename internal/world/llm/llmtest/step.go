package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A Step answers one request. The zero value answers with no text at all.
type Step struct {
	// Match has to stand in the user's newest turn, In anywhere in the body.
	Match string `json:"match,omitempty"`
	In    string `json:"in,omitempty"`
	Times int    `json:"times,omitempty"` // how often it may be played; 0 means once, -1 always, if at all

	// What the model says, in this order. Stop ends it: end, call, length or
	// refusal; "" means as what it says asks for.
	Thinking string `json:"thinking,omitempty"`
	Text     string `json:"text,omitempty"`
	Calls    []Call `json:"calls,omitempty"`
	Stop     string `json:"stop,omitempty"`
	Usage    *Usage `json:"usage,omitempty"` // nil means that it is counted
	NoUsage  bool   `json:"no_usage,omitempty"`

	// A refusal: a status with an error of a kind. Header is set in any case.
	Status  int               `json:"status,omitempty"`
	Kind    string            `json:"kind,omitempty"` // "" means what fits the status
	Message string            `json:"message,omitempty"`
	Header  map[string]string `json:"header,omitempty"`

	// EventError ends the answer with an error event of that kind, after the
	// events of Thinking, Text and Calls.
	EventError string `json:"event_error,omitempty"`

	// How the answer is sent.
	DelayMS  int    `json:"delay_ms,omitempty"` // before it
	PauseMS  int    `json:"pause_ms,omitempty"` // between events
	Hang     bool   `json:"hang,omitempty"`     // after Cut bytes nothing comes, and the connection stays open
	Cut      int    `json:"cut,omitempty"`      // bytes of the answer before the connection breaks; 0 means none
	Chunk    int    `json:"chunk,omitempty"`    // bytes of one write; 0 means one for each event
	Piece    int    `json:"piece,omitempty"`    // characters of a text in one event; 0 means 12
	CRLF     bool   `json:"crlf,omitempty"`
	BOM      bool   `json:"bom,omitempty"`
	Comments bool   `json:"comments,omitempty"` // and unknown events between the events
	Type     string `json:"type,omitempty"`     // Content-Type; "" means the right one
	Body     string `json:"body,omitempty"`     // the bytes of the answer, as they were recorded
}

// A Call is one that the model makes. Raw, if not empty, takes the place of Input
// and need not be JSON.
type Call struct {
	ID    string          `json:"id,omitempty"` // "" means one of its own
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"`
	Raw   string          `json:"raw,omitempty"`
}

func (c *Call) arguments() string {
	if c.Raw != "" || len(c.Input) == 0 {
		return c.Raw
	}
	return string(c.Input)
}

// Usage is what an answer is said to cost.
type Usage struct {
	Input      int `json:"input"` // not read from the cache and not written to it
	CacheRead  int `json:"cache_read"`
	CacheWrite int `json:"cache_write"`
	Output     int `json:"output"`
}

// ParseScript reads steps, one of JSON a line. Empty lines and those that begin
// with # do not count.
func ParseScript(text string) (script []Step, err error) {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		var s Step
		d := json.NewDecoder(bytes.NewReader([]byte(line)))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if _, err := d.Token(); err != io.EOF {
			return nil, fmt.Errorf("line %d holds more than a step", i+1)
		}
		script = append(script, s)
	}
	return script, nil
}

// pieces cuts a text into what one event holds.
func (s *Step) pieces(text string) (list []string) {
	n := s.Piece
	if n <= 0 {
		n = 12
	}
	for r := []rune(text); len(r) > 0; r = r[min(n, len(r)):] {
		list = append(list, string(r[:min(n, len(r))]))
	}
	return list
}

// usage is what a step costs.
func (s *Step) usage(q *asked) *Usage {
	if s.Usage != nil {
		return s.Usage
	}
	u := &Usage{Input: q.tokens, Output: countValue(s.Thinking) + countValue(s.Text)}
	for i := range s.Calls {
		u.Output += countValue(s.Calls[i].Name) + countValue(s.Calls[i].arguments())
	}
	return u
}

// stop says why the answer ends.
func (s *Step) stop() string {
	switch {
	case s.Stop != "":
		return s.Stop
	case len(s.Calls) > 0:
		return "call"
	}
	return "end"
}

// callID is the id of the n-th call of a conversation.
func (s *Step) callID(i int, q *asked, prefix string) string {
	if id := s.Calls[i].ID; id != "" {
		return id
	}
	return fmt.Sprintf("%s%04d", prefix, q.calls+i)
}
