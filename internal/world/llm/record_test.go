package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/transcript"
)

func ask1(text string) *Call {
	return &Call{Label: "test call 1", System: "be good", Messages: []transcript.Message{
		{Role: transcript.User, Kind: transcript.Prompt, Sent: true, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}},
	}}
}

// TestRecordAndReplay: what was recorded answers again as it did, without a server,
// retries and breaks included; another question is refused by name.
func TestRecordAndReplay(t *testing.T) {
	const secret = "ghp_" + "6aJLNNTUxJaP1YlT9O93AdonTHzMOwOTi1xr"
	var calls atomic.Int32 // of connections side by side
	event := func(w http.ResponseWriter, text string) {
		quoted, _ := json.Marshal(text)
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", quoted)
		w.(http.Flusher).Flush()
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := calls.Add(1)
		switch n {
		case 1:
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
			return
		case 2: // breaks off before anything came
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, "hel")
		if n == 4 {
			event(w, secret)
		}
		event(w, "lo")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	endpoint := Endpoint{URL: server.URL, Kind: OpenAI, Model: "m", Key: "sk-test-key-0123456789"}
	pause := func(ctx context.Context, d time.Duration) error { return ctx.Err() }
	var record bytes.Buffer
	head, _ := json.Marshal(RecordHeader{Version: RecordVersion, Command: []string{"ask"}})
	record.Write(append(head, '\n'))
	rec := &Recorder{Done: func(trip Trip) {
		line, err := trip.Line()
		if err != nil {
			t.Error(err)
		}
		record.Write(line)
	}}
	live, err := New(endpoint, &Options{Wire: rec, Pause: pause})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	first, err := live.Ask(t.Context(), ask1("hello?"), nil)
	if err != nil {
		t.Fatal(err)
	}
	second := ask1("a secret?")
	second.Label = "test call 2"
	if _, err := live.Ask(t.Context(), second, nil); err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{endpoint.Key, secret} {
		if strings.Contains(record.String(), never) {
			t.Errorf("the record holds %q", never)
		}
	}
	open := func() (*Client, *Replay) {
		p, err := ReadRecord(bytes.NewReader(record.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(Endpoint{URL: server.URL, Kind: OpenAI, Model: "m"}, &Options{Wire: p, Pause: pause})
		if err != nil {
			t.Fatal(err)
		}
		return c, p
	}
	before := calls.Load()
	c, p := open()
	again, err := c.Ask(t.Context(), ask1("hello?"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(first.Message, again.Message); d != "" || len(again.Tries) != 3 {
		t.Errorf("%d tries, %s", len(again.Tries), d)
	}
	if _, err := c.Ask(t.Context(), second, nil); err == nil || !strings.Contains(p.Err().Error(), "cannot be replayed") {
		t.Errorf("an answer without its secrets: %v", err)
	}
	c, p = open()
	_, err = c.Ask(t.Context(), ask1("hello!"), nil)
	var wrong *MismatchError
	if err == nil || !errors.As(p.Err(), &wrong) || !strings.Contains(wrong.Error(), "message 1 of 1 differs") && !strings.Contains(wrong.Error(), "message 2 of 2 differs") {
		t.Errorf("another question: %v, %v", err, p.Err())
	}
	if n := calls.Load(); n != before {
		t.Errorf("a replay made %d requests", n-before)
	}
}

// Whatever stands in a record, it is read or refused, and never more.
func FuzzReadRecord(f *testing.F) {
	f.Add([]byte(`{"version":1}` + "\n" + `{"label":"a","try":1,"chunks":[[1,"x"],[2,"","/w=="]]}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte("\n\n{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := ReadRecord(bytes.NewReader(raw))
		if (p == nil) == (err == nil) {
			t.Errorf("ReadRecord(%q) = %v, %v", raw, p, err)
		}
		if p == nil {
			return
		}
		for _, list := range p.trips {
			for _, trip := range list {
				line, err := trip.Line()
				if err != nil || !json.Valid(line) {
					t.Errorf("line %q, %v", line, err)
				}
			}
		}
	})
}
