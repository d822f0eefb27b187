package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/text/clean"
)

// RecordVersion is that of the format of records: lines of JSON, a [RecordHeader] and then
// a [Trip] each, in the order in which they ended.
const RecordVersion = 1

// A RecordHeader says what a record is of.
type RecordHeader struct {
	Version   int                         `json:"version"`
	Command   []string                    `json:"command"`   // the arguments of satchel
	Top       string                      `json:"top"`       // the name of the endpoint that was asked first
	Endpoints map[string]RecordedEndpoint `json:"endpoints"` // by name; without keys
}

// A RecordedEndpoint is what a request depends on besides its conversation, as the user's
// configuration had it.
type RecordedEndpoint struct {
	URL       string `json:"url"`
	Kind      string `json:"kind"`
	Model     string `json:"model"`
	Window    int    `json:"window,omitempty"`
	MaxTokens int    `json:"max_tokens,omitempty"`
	Helper    string `json:"helper,omitempty"` // the name of another

	// Price is in US dollars for a million tokens: input, cache read, cache write and
	// output. Nil means that it was not known.
	Price []float64 `json:"price,omitempty"`
}

// A Trip is one request, and what came back.
type Trip struct {
	Label   string          `json:"label"` // of the call
	Try     int             `json:"try"`   // of its requests, from 1
	SHA256  string          `json:"sha256"`
	Request json.RawMessage `json:"request"`

	Status int     `json:"status,omitempty"` // of HTTP; 0 if there was no answer
	Type   string  `json:"type,omitempty"`   // of the answer's content
	After  string  `json:"after,omitempty"`  // when the server wants to be asked again
	Chunks []Chunk `json:"chunks,omitempty"` // of the answer, as they came
	Err    string  `json:"error,omitempty"`  // what broke
	Took   int64   `json:"took_ms,omitempty"`
	Secret int     `json:"redacted,omitempty"` // secrets that were taken out of the record: it cannot be replayed
}

// A Chunk is a piece of an answer: when it came, in milliseconds since the request
// was sent, and its bytes. Bytes that are no UTF-8 are encoded in base64.
type Chunk struct {
	At    int64
	Bytes []byte
}

// MarshalJSON writes [ms, "text"], or [ms, "", "base64"].
func (c Chunk) MarshalJSON() ([]byte, error) {
	if utf8.Valid(c.Bytes) {
		return json.Marshal([]any{c.At, string(c.Bytes)})
	}
	return json.Marshal([]any{c.At, "", c.Bytes})
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (c *Chunk) UnmarshalJSON(raw []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	var text string
	switch {
	case len(list) < 2 || len(list) > 3:
		return errors.New("a chunk is [ms, text] or [ms, \"\", base64]")
	case json.Unmarshal(list[0], &c.At) != nil || json.Unmarshal(list[1], &text) != nil:
		return errors.New("a chunk has a number and a text")
	case len(list) == 3:
		return json.Unmarshal(list[2], &c.Bytes)
	}
	c.Bytes = []byte(text)
	return nil
}

// A Recorder is a Wire that records what goes over another one. It is safe for
// concurrent use.
type Recorder struct {
	Wire Wire             // nil means the network
	Now  func() time.Time // nil means the system's clock
	Done func(Trip)       // hears of each trip when it has ended; one at a time

	// Key is what is sent to the server beside the request. A server that repeats
	// it is not recorded with it.
	Key string

	mu    sync.Mutex
	tries map[string]int
}

// RoundTrip sends a request, and records it with its answer when that has been read
// to its end or closed.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(body))
	trip := Trip{Label: LabelOf(req.Context()), SHA256: sum(body), Request: body}
	r.mu.Lock()
	if r.tries == nil {
		r.tries = make(map[string]int)
	}
	r.tries[trip.Label]++
	trip.Try = r.tries[trip.Label]
	r.mu.Unlock()
	start := r.now()
	wire := r.Wire
	if wire == nil {
		wire = Network()
	}
	res, err := wire.RoundTrip(req)
	if err != nil {
		trip.Err = "no answer"
		if req.Context().Err() != nil {
			trip.Err = "cancelled"
		}
		r.end(&trip, start)
		return nil, err
	}
	trip.Status, trip.Type, trip.After = res.StatusCode, res.Header.Get("Content-Type"), saidAfter(res.Header)
	res.Body = &taped{ReadCloser: res.Body, recorder: r, trip: &trip, start: start}
	return res, nil
}

// saidAfter is what a server says of when to ask again, as it says it.
func saidAfter(h http.Header) string {
	if ms := h.Get("Retry-After-Ms"); ms != "" {
		return ms + "ms"
	}
	return h.Get("Retry-After")
}

func sum(body []byte) string {
	s := sha256.Sum256(body)
	return hex.EncodeToString(s[:])
}

func (r *Recorder) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

func (r *Recorder) end(t *Trip, start time.Time) {
	t.Took = r.now().Sub(start).Milliseconds()
	t.mute(r.Key)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Done != nil {
		r.Done(*t)
	}
}

// A taped is the body of an answer that is recorded while it is read.
type taped struct {
	io.ReadCloser
	recorder *Recorder
	trip     *Trip
	start    time.Time
	once     sync.Once
}

func (b *taped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		at := b.recorder.now().Sub(b.start).Milliseconds()
		b.trip.Chunks = append(b.trip.Chunks, Chunk{at, bytes.Clone(p[:n])})
	}
	if err != nil {
		if err != io.EOF {
			b.trip.Err = "broke off"
		}
		b.finish()
	}
	return n, err
}

// Close ends the record, too: a reader that has seen the last event reads no further.
func (b *taped) Close() error {
	b.finish()
	return b.ReadCloser.Close()
}

func (b *taped) finish() { b.once.Do(func() { b.recorder.end(b.trip, b.start) }) }

// Line is a trip as a line of a record. Requests are redacted before they are sent;
// what an answer holds of secrets is redacted here, and the trip says so.
func (t Trip) Line() ([]byte, error) {
	answer := t.Answer()
	if shown, found := clean.Turn(string(answer)); len(found) > 0 {
		t.Chunks, t.Secret = []Chunk{{Bytes: []byte(shown.String())}}, len(found)
	}
	line, err := json.Marshal(&t)
	return append(line, '\n'), err
}

// Answer returns the bytes that came back.
func (t *Trip) Answer() []byte {
	list := make([][]byte, len(t.Chunks))
	for i, c := range t.Chunks {
		list[i] = c.Bytes
	}
	return bytes.Join(list, nil)
}
