package llm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// wireFunc answers requests without a network.
type wireFunc func(*http.Request) (*http.Response, error)

func (f wireFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRepeatedKey: a server that repeats the key in any form puts it neither into an
// answer nor into a record nor into an error.
func TestRepeatedKey(t *testing.T) {
	const key = "sk-live+0123/456789=abcdef"
	escaped := ""
	for _, c := range key {
		escaped += fmt.Sprintf(`\u%04x`, c)
	}
	content := func(list ...string) (events string) {
		for _, c := range list {
			events += `data: {"choices":[{"index":0,"delta":{"content":` + c + "}}]}\n\n"
		}
		return events + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	}
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	var letters []string
	for _, c := range key {
		letters = append(letters, quoted(string(c)))
	}
	call := func(arguments string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":` + quoted(arguments) + "}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
	}
	for _, tt := range []struct {
		name   string
		status int
		header http.Header
		body   string
	}{
		{"plain", 200, nil, content(quoted("x " + key + " y"))},
		{"two events", 200, nil, content(quoted("x "+key[:9]), quoted(key[9:]+" y"))},
		{"an event a letter", 200, nil, content(letters...)},
		{"escaped", 200, nil, content(`"x ` + escaped + ` y"`)},
		{"in a URL", 200, nil, content(quoted("https://x.example/?k=sk-live%2B0123%2F456789%3Dabcdef"))},
		{"base64", 200, nil, content(quoted(base64.StdEncoding.EncodeToString([]byte(key))))},
		{"base64 behind a word", 200, nil, content(quoted(base64.URLEncoding.EncodeToString([]byte("Bearer " + key + "!"))))},
		{"arguments", 200, nil, call(`{"path":"` + key + `"}`)},
		{"escaped arguments", 200, nil, call(`{"path":"` + escaped + `"}`)},
		{"error", 400, nil, `{"error":{"message":"bad key ` + escaped + `"}}`},
		{"error of text", 401, nil, key},
		{"type", 200, http.Header{"Content-Type": {"text/" + key}}, "x"},
		{"packed", 200, http.Header{"Content-Encoding": {key}}, "x"},
		{"later", 429, http.Header{"Retry-After": {key}}, `{"error":{"message":"` + key + `"}}`},
	} {
		var record strings.Builder
		rec := &Recorder{Key: key, Done: func(trip Trip) {
			line, err := trip.Line()
			if err != nil {
				t.Fatal(err)
			}
			record.Write(line)
		}, Wire: wireFunc(func(r *http.Request) (*http.Response, error) {
			h := http.Header{"Content-Type": {"text/event-stream"}}
			for k, v := range tt.header {
				h[k] = v
			}
			return &http.Response{StatusCode: tt.status, Header: h, Body: io.NopCloser(strings.NewReader(tt.body)), Request: r}, nil
		})}
		c, err := New(Endpoint{URL: "http://localhost:1", Kind: OpenAI, Model: "m", Key: key}, &Options{Wire: rec, Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
		if err != nil {
			t.Fatal(err)
		}
		var said string
		a, err := c.Ask(t.Context(), ask1("hi"), nil)
		if err != nil {
			said = err.Error()
		} else {
			said = string(encode(a.Message)) + spokenIn(string(encode(a.Message)))
			for _, b := range a.Message.Blocks {
				said += b.Text + spokenIn(string(b.Input))
			}
		}
		if record.Len() == 0 {
			t.Errorf("%s: nothing is recorded", tt.name)
		}
		var trip Trip
		_ = json.Unmarshal([]byte(strings.SplitN(record.String(), "\n", 2)[0]), &trip)
		for what, text := range map[string]string{"answer": said, "record": record.String(), "recorded answer": spokenIn(string(trip.Answer()))} {
			if mute(key, text) != text {
				t.Errorf("%s: the %s repeats the key: %s", tt.name, what, text)
			}
		}
	}
}

// TestEndless: an answer that does not end is given up when it has more bytes than
// the tokens of its limit can take.
func TestEndless(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	event := []byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"more and more \"}}]}\n\n")
	var sent atomic.Int64
	wire := wireFunc(func(r *http.Request) (*http.Response, error) {
		pr, pw := io.Pipe()
		go func() {
			for {
				n, err := pw.Write(event)
				sent.Add(int64(n))
				if err != nil {
					return
				}
			}
		}()
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: pr, Request: r}, nil
	})
	c, err := New(Endpoint{URL: "http://localhost:1", Kind: OpenAI, Model: "m"}, &Options{Wire: wire})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Ask(t.Context(), ask1("hi"), nil); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("Ask = %v, want an error about its bytes", err)
	}
	if most := int64(maxStream + maxToken*defaultMaxTokens + 1<<20); sent.Load() > most {
		t.Errorf("%d bytes were read, want %d at most", sent.Load(), most)
	}
}
