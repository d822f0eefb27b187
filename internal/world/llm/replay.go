package llm

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Replay is a Wire that answers from a record, and connects to nothing. It is safe
// for concurrent use.
type Replay struct {
	Header RecordHeader

	mu    sync.Mutex
	trips map[string][]*Trip // by label, in order of tries
	wrong error              // the first request that is another one
}

// mostLine is the most that a line of a record has, in bytes.
const mostLine = 64 << 20

// ReadRecord reads a record. An error names the line.
func ReadRecord(in io.Reader) (*Replay, error) {
	p := &Replay{trips: make(map[string][]*Trip)}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, mostLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		switch {
		case len(line) == 0:
		case p.Header.Version == 0:
			if err := json.Unmarshal(line, &p.Header); err != nil || p.Header.Version == 0 {
				return nil, fmt.Errorf("line %d: not a record of satchel", n)
			}
			if p.Header.Version != RecordVersion {
				return nil, fmt.Errorf("line %d: unknown record version %d, want %d", n, p.Header.Version, RecordVersion)
			}
		default:
			t := new(Trip)
			if err := json.Unmarshal(line, t); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			p.Add(t)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if p.Header.Version == 0 {
		return nil, errors.New("it is empty")
	}
	return p, nil
}

// Add adds a trip.
func (p *Replay) Add(t *Trip) {
	if p.trips == nil {
		p.trips = make(map[string][]*Trip)
	}
	p.trips[t.Label] = append(p.trips[t.Label], t)
}

// A MismatchError says that a request is not the one that was recorded.
type MismatchError struct {
	Label string
	Why   string
}

func (e *MismatchError) Error() string { return "replay: " + e.Label + ": " + e.Why }

// Err returns the first request that was not the recorded one, as a *MismatchError;
// nil if there was none.
func (p *Replay) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wrong
}

// RoundTrip answers a request as it was answered when it was recorded.
func (p *Replay) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	label := LabelOf(req.Context())
	p.mu.Lock()
	defer p.mu.Unlock()
	fail := func(format string, args ...any) (*http.Response, error) {
		err := &MismatchError{label, fmt.Sprintf(format, args...)}
		p.wrong = cmp.Or[error](p.wrong, err)
		return nil, err
	}
	list := p.trips[label]
	if len(list) == 0 {
		return fail("the record has no such request")
	}
	t := list[0]
	switch {
	case t.Secret > 0:
		return fail("the recorded answer lacks its secrets: it cannot be replayed")
	case t.SHA256 != sum(body):
		return fail("the request is not the recorded one: %s", difference(t.Request, body))
	}
	p.trips[label] = list[1:]
	if t.Status == 0 {
		return nil, errors.New(t.Err)
	}
	return t.response(req), nil
}

// response is the recorded answer.
func (t *Trip) response(req *http.Request) *http.Response {
	h := make(http.Header)
	if t.Type != "" {
		h.Set("Content-Type", t.Type)
	}
	if ms, ok := strings.CutSuffix(t.After, "ms"); ok {
		h.Set("Retry-After-Ms", ms)
	} else if t.After != "" {
		h.Set("Retry-After", t.After)
	}
	var body io.Reader = bytes.NewReader(t.Answer())
	if t.Err != "" {
		body = io.MultiReader(body, broken{})
	}
	return &http.Response{
		StatusCode: t.Status, Status: fmt.Sprintf("%d %s", t.Status, http.StatusText(t.Status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Body: io.NopCloser(body), ContentLength: -1, Request: req,
	}
}

// broken is where a recorded answer broke off.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// difference names the first message of two requests that differs, or else the
// first field.
func difference(old, now []byte) string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(old, &a) != nil || json.Unmarshal(now, &b) != nil {
		return "it is not a JSON object"
	}
	for _, field := range []string{"model", "system", "tools"} {
		if !bytes.Equal(a[field], b[field]) {
			return field + " differs"
		}
	}
	var x, y []json.RawMessage
	_ = json.Unmarshal(a["messages"], &x) // nil is told as a difference
	_ = json.Unmarshal(b["messages"], &y)
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return fmt.Sprintf("message %d of %d differs", i+1, len(y))
		}
	}
	if len(x) != len(y) {
		return fmt.Sprintf("it has %d messages, the record has %d", len(y), len(x))
	}
	for field := range a {
		if !bytes.Equal(a[field], b[field]) {
			return field + " differs"
		}
	}
	return "its bytes differ"
}

// Elapsed returns what was recorded of how long something took.
func (p *Replay) Elapsed(label string, took time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.trips[label] {
		if t.Try == 0 {
			return time.Duration(t.Took) * time.Millisecond
		}
	}
	return took
}

// Trips returns all trips that are left, by label and try.
func (p *Replay) Trips() (list []Trip) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, label := range slices.Sorted(maps.Keys(p.trips)) {
		for _, t := range p.trips[label] {
			list = append(list, *t)
		}
	}
	return list
}
