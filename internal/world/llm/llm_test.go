package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/transcript"
)

const key = "sk-test-0123456789"

// A server speaks both protocols as their documents say, and refuses what these
// refuse. The first requests are answered by faults, one each.
type server struct {
	*httptest.Server
	t      *testing.T
	faults []http.HandlerFunc
	asked  atomic.Int32
	text   string // the answer
	stop   string // instead of the usual end
	newer  bool   // knows max_completion_tokens only
}

func serve(t *testing.T, s *server) *server {
	t.Helper()
	s.t = t
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.guard(s.messages))
	mux.HandleFunc("POST /v1/chat/completions", s.guard(s.completions))
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *server) guard(answer func(http.ResponseWriter, *http.Request, question)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n := int(s.asked.Add(1)) - 1
		var q question
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.Header.Get("Content-Type") != "application/json" || q.Model == "" {
			refuse(w, http.StatusBadRequest, "malformed")
			return
		}
		if n < len(s.faults) {
			s.faults[n](w, r)
			return
		}
		answer(w, r, q)
	}
}

type question struct {
	Model    string
	System   []struct{ Text string }
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
	MaxTokens int `json:"max_tokens"`
	Most      int `json:"max_completion_tokens"`
}

func refuse(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": "some_error", "message": text}})
}

func (s *server) messages(w http.ResponseWriter, r *http.Request, q question) {
	switch {
	case r.Header.Get("X-Api-Key") != key:
		refuse(w, http.StatusUnauthorized, "invalid x-api-key")
	case r.Header.Get("Anthropic-Version") == "":
		refuse(w, http.StatusBadRequest, "Anthropic-version: header is required")
	case q.MaxTokens <= 0 || len(q.Messages) != 1 || q.Messages[0].Role != "user" || len(q.System) != 1 || q.System[0].Text != "be brief":
		refuse(w, http.StatusBadRequest, "messages")
	default:
		half := len(s.text) / 2
		stream(w,
			map[string]any{"type": "message_start", "message": map[string]any{"id": "msg_1", "role": "assistant", "usage": map[string]any{"input_tokens": 3, "output_tokens": 1}}},
			map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "thinking", "thinking": ""}},
			map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "signature_delta", "signature": "x"}},
			map[string]any{"type": "content_block_start", "index": 1, "content_block": map[string]any{"type": "text", "text": ""}},
			map[string]any{"type": "content_block_delta", "index": 1, "delta": map[string]any{"type": "text_delta", "text": s.text[:half]}},
			map[string]any{"type": "content_block_delta", "index": 1, "delta": map[string]any{"type": "text_delta", "text": s.text[half:]}},
			map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": or(s.stop, "end_turn")}, "usage": map[string]any{"output_tokens": 4}},
			map[string]any{"type": "message_stop"})
	}
}

// stream answers with events.
func stream(w http.ResponseWriter, events ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		b, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "data: %s\n\n", b)
	}
}

func (s *server) completions(w http.ResponseWriter, r *http.Request, q question) {
	switch {
	case r.Header.Get("Authorization") != "Bearer "+key:
		refuse(w, http.StatusUnauthorized, "Incorrect API key provided: "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	case s.newer && q.MaxTokens != 0:
		refuse(w, http.StatusBadRequest, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case q.MaxTokens+q.Most <= 0 || len(q.Messages) != 2 || q.Messages[0].Role != "system" || q.Messages[1].Role != "user":
		refuse(w, http.StatusBadRequest, "messages")
	default:
		choice := func(delta any, stop any) any {
			return map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": stop}}}
		}
		half := len(s.text) / 2
		stream(w, choice(map[string]any{"role": "assistant", "content": ""}, nil),
			choice(map[string]any{"content": s.text[:half]}, nil), choice(map[string]any{"content": s.text[half:]}, nil),
			choice(map[string]any{}, or(s.stop, "stop")),
			map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": 3, "completion_tokens": 4}})
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func client(t *testing.T, s *server, kind Kind) *Client {
	t.Helper()
	c, err := New(Endpoint{URL: s.URL, Model: "m-1", Kind: kind, Key: key, Timeout: time.Minute, MaxTokens: 100}, &Options{
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// eachKind runs a test in both protocols.
func eachKind(t *testing.T, fn func(t *testing.T, kind Kind)) {
	for _, kind := range []Kind{Anthropic, OpenAI} {
		t.Run(string(kind), func(t *testing.T) { fn(t, kind) })
	}
}

// complete asks one question.
func complete(ctx context.Context, c *Client, prompt string) (string, error) {
	a, err := c.Ask(ctx, &Call{System: "be brief", Messages: []transcript.Message{say(prompt)}}, nil)
	if err != nil {
		return "", err
	}
	return a.Text(), nil
}

func TestComplete(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		s := serve(t, &server{text: "Goal: mend the <lexer>.\n"})
		got, err := complete(t.Context(), client(t, s, kind), "what was said")
		if err != nil || got != s.text {
			t.Errorf("answer %q, %v, want %q", got, err, s.text)
		}
	})
}

func TestNewerModels(t *testing.T) {
	s := serve(t, &server{text: "yes", newer: true})
	got, err := complete(t.Context(), client(t, s, OpenAI), "?")
	if err != nil || got != "yes" || s.asked.Load() != 2 {
		t.Errorf("answer %q, %v after %d requests, want yes after 2", got, err, s.asked.Load())
	}
}

// fault answers with a status.
func fault(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { refuse(w, code, fmt.Sprintf("fault %d", code)) }
}

// drop closes the connection after some bytes of an answer.
func drop(after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, after)
		if tcp, ok := conn.(*net.TCPConn); ok && after == "" {
			_ = tcp.SetLinger(0) // reset
		}
		conn.Close()
	}
}

const halfAnswer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\ndata: {\"type\":\"mess"

func TestRetries(t *testing.T) {
	for _, tt := range []struct {
		name   string
		faults []http.HandlerFunc
		want   string // of the error; empty means an answer
		asked  int32
	}{
		{"busy", []http.HandlerFunc{fault(429)}, "", 2},
		{"broken", []http.HandlerFunc{fault(500)}, "", 2},
		{"overloaded", []http.HandlerFunc{fault(529), fault(503)}, "", 3},
		{"reset", []http.HandlerFunc{drop("")}, "", 2},
		{"torn answer", []http.HandlerFunc{drop(halfAnswer), fault(500), drop("")}, "", 4},
		{"always busy", []http.HandlerFunc{fault(429), fault(429), fault(429), fault(429)}, "the server says 429 Too Many Requests: fault 429", tries},
		{"always dropped", []http.HandlerFunc{drop(""), drop(halfAnswer), drop(""), drop(halfAnswer)}, "unexpected EOF", tries},
		{"refused", []http.HandlerFunc{fault(400)}, "the server says 400 Bad Request: fault 400", 1},
		{"not found", []http.HandlerFunc{fault(404)}, "the server says 404 Not Found: fault 404", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, kind Kind) {
				s := serve(t, &server{text: "yes", faults: tt.faults})
				got, err := complete(t.Context(), client(t, s, kind), "?")
				if tt.want == "" && (err != nil || got != "yes") || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
					t.Errorf("answer %q, %v, want error %q", got, err, tt.want)
				}
				if n := s.asked.Load(); n != tt.asked {
					t.Errorf("%d requests, want %d", n, tt.asked)
				}
			})
		})
	}
}

// TestRetryAfter: what the server says is heeded if there is time for it. A date
// counts from the server's.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        time.Duration // 0 means one that we choose
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "Wed, 21 Oct 2015 07:28:05 GMT", 5 * time.Second},
		{"Retry-After", "Wed, 21 Oct 2015 07:27:05 GMT", 0},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		{"Retry-After", "3600", 0},
		{"Retry-After", "-1", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "soon", 0},
	} {
		s := serve(t, &server{text: "yes", faults: []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(tt.name, tt.value)
			w.Header().Set("Date", "Wed, 21 Oct 2015 07:28:00 GMT")
			refuse(w, 429, "quota")
		}}})
		c := client(t, s, Anthropic)
		var waits []time.Duration
		c.pause = func(ctx context.Context, d time.Duration) error { waits = append(waits, d); return ctx.Err() }
		got, err := complete(t.Context(), c, "?")
		if err != nil || got != "yes" || len(waits) != 1 || tt.want != 0 && waits[0] != tt.want || waits[0] > mostPause {
			t.Errorf("%s: %s: %q, %v after waiting %v, want %v", tt.name, tt.value, got, err, waits, tt.want)
		}
	}
}

func raw(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}
}

// TestRedirect shows that neither the session nor the key goes anywhere else.
func TestRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		s := serve(t, &server{faults: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/v1/messages", code)
		}}})
		_, err := complete(t.Context(), client(t, s, Anthropic), "?")
		if err == nil || !strings.Contains(err.Error(), "it is a redirect, which is not followed") {
			t.Errorf("%d: error %v", code, err)
		}
	}
}

func TestSlow(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		free := make(chan struct{})
		slow := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"type":`) // a drop now and then is still slow
			_ = http.NewResponseController(w).Flush()
			select {
			case <-free:
			case <-r.Context().Done():
			}
		}
		s := serve(t, &server{faults: []http.HandlerFunc{slow}})
		defer close(free)
		c := client(t, s, kind)
		c.endpoint.Timeout = 100 * time.Millisecond
		if _, err := complete(t.Context(), c, "?"); err == nil || err.Error() != "no answer within 100ms" {
			t.Errorf("error %v, want no answer within 100ms", err)
		}
		c.endpoint.Timeout = time.Minute
		ctx, cancel := context.WithCancel(t.Context())
		s.faults = append(s.faults, func(w http.ResponseWriter, r *http.Request) { cancel(); slow(w, r) })
		if _, err := complete(ctx, c, "?"); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	})
}

// TestKeyStaysSecret shows that a server that repeats the key does not make us
// repeat it.
func TestKeyStaysSecret(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		s := serve(t, &server{faults: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			refuse(w, http.StatusUnauthorized, strings.Repeat("no ", 60)+r.Header.Get("X-Api-Key")+r.Header.Get("Authorization"))
		}}})
		_, err := complete(t.Context(), client(t, s, kind), "?")
		if err == nil || strings.Contains(err.Error(), "sk-test") || !strings.Contains(err.Error(), "401 Unauthorized: no no") {
			t.Errorf("error %v", err)
		}
	})
}

func TestNobodyListens(t *testing.T) {
	s := serve(t, &server{})
	c := client(t, s, Anthropic)
	s.Close()
	if _, err := complete(t.Context(), c, "?"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("error %v, want connection refused", err)
	}
}

func TestEndpoint(t *testing.T) {
	for _, tt := range []struct {
		e    Endpoint
		want string // the address, or what the error holds
	}{
		{Endpoint{URL: "https://api.example.com", Kind: Anthropic}, "https://api.example.com/v1/messages"},
		{Endpoint{URL: "https://api.example.com/", Kind: OpenAI}, "https://api.example.com/v1/chat/completions"},
		{Endpoint{URL: "https://api.example.com/v1", Kind: OpenAI}, "https://api.example.com/v1/chat/completions"},
		{Endpoint{URL: "https://example.com/api/v1/", Kind: Anthropic}, "https://example.com/api/v1/messages"},
		{Endpoint{URL: "https://example.com/llm/chat/completions", Kind: OpenAI}, "https://example.com/llm/chat/completions"},
		{Endpoint{URL: "http://localhost:11434", Kind: OpenAI}, "http://localhost:11434/v1/chat/completions"},
		{Endpoint{URL: "http://[::1]:80/v1", Kind: OpenAI}, "http://[::1]:80/v1/chat/completions"},
		{Endpoint{URL: "http://api.example.com", Kind: OpenAI}, "needs https"},
		{Endpoint{URL: "http://localhost.example.com", Kind: OpenAI}, "needs https"},
		{Endpoint{URL: "http://127.0.0.1@evil.example", Kind: OpenAI}, "url holds a password"},
		{Endpoint{URL: "ftp://example.com", Kind: OpenAI}, "want https"},
		{Endpoint{URL: "file:///etc/passwd", Kind: OpenAI}, "want https://HOST"},
		{Endpoint{URL: "api.example.com", Kind: OpenAI}, "want https://HOST"},
		{Endpoint{URL: "https://example.com/?key=x", Kind: OpenAI}, "want no ?"},
		{Endpoint{URL: "https://u:p@example.com", Kind: OpenAI}, "url holds a password"},
		{Endpoint{URL: "", Kind: OpenAI}, "url is missing"},
		{Endpoint{URL: "https://example.com", Kind: "gemini"}, `kind "gemini": want anthropic or openai`},
		{Endpoint{URL: "https://example.com", Kind: OpenAI, Model: "-"}, "model is missing"},
		{Endpoint{URL: "https://example.com", Kind: OpenAI, Key: "a\r\nHost: b"}, "invalid characters"},
		{Endpoint{URL: "https://example.com", Kind: OpenAI, Timeout: -1}, "timeout"},
		{Endpoint{URL: "https://example.com", Kind: OpenAI, MaxTokens: 1 << 30}, "max-tokens"},
	} {
		switch tt.e.Model {
		case "":
			tt.e.Model = "m"
		case "-":
			tt.e.Model = ""
		}
		got, err := tt.e.Address(), tt.e.Check()
		if strings.HasPrefix(tt.want, "http") && (got != tt.want || err != nil) || !strings.HasPrefix(tt.want, "http") && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %q, %v; want %s", tt.e, got, err, tt.want)
		}
		if _, err := New(tt.e, nil); (err == nil) != strings.HasPrefix(tt.want, "http") {
			t.Errorf("New(%+v): %v", tt.e, err)
		}
	}
}
