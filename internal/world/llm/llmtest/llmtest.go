// Package llmtest is a model's server for tests: it speaks Anthropic's Messages
// and OpenAI's Chat Completions, checks each request as the real ones would, and
// plays a script.
//
// A script is a list of steps. A request is answered by the first step that is
// left and that matches it; a request that no step matches is refused, and so is
// one that a real server would refuse, with that server's words:
//
//	s := llmtest.Start(t,
//		llmtest.Step{Match: "why?", Calls: []llmtest.Call{{Name: "read", Input: json.RawMessage(`{"path":"a.go"}`)}}},
//		llmtest.Step{Status: 529},
//		llmtest.Step{Calls: []llmtest.Call{{Name: "submit", Input: json.RawMessage(`{"text":"yes"}`)}}},
//	)
//	client, err := llm.New(llm.Endpoint{URL: s.URL, Kind: llm.Anthropic, Model: "m-1", Key: llmtest.Key}, nil)
//	…
//	for _, r := range s.Requests() { … r.Body, r.Status … }
//
// The same script as a file has a line of JSON for each step (# begins a comment):
//
//	{"match": "why?", "calls": [{"name": "read", "input": {"path": "a.go"}}]}
//	{"status": 529, "header": {"Retry-After": "0"}}
//	{"calls": [{"name": "submit", "input": {"text": "yes"}}]}
//
// In scripts of testscript, [Command] and [CheckRequests] are two commands, of
// which the first starts a server:
//
//	llm script.jsonl                    # sets LLM_URL and LLM_KEY
//	llm-requests 2 bodies.jsonl         # how many there were; their bodies to a file
//
// It shares no code with the client, so that both cannot agree on a mistake; the
// lab's wire compares it with the makers' own libraries. Usage is counted, so that
// a request costs what its texts have in tokens of o200k_base, unless a step says
// otherwise.
package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-dev/satchel/tokens"
)

// Key is what a Server wants to be sent as its key.
const Key = "sk-llmtest-0123456789abcdef"

// A Server is a model's. Its fields are set before the first request.
type Server struct {
	URL string

	NoTools  bool // the model knows no tools
	NewNames bool // OpenAI's: max_tokens is refused in favour of max_completion_tokens
	AnyKey   bool // keys are not looked at

	mu       sync.Mutex
	script   []Step
	used     []int // how often each step was played
	requests []Request
	http     *httptest.Server
}

// A Request is one that a Server got.
type Request struct {
	Path   string
	Header http.Header // without keys
	Body   []byte
	Last   string // the text of the user's newest turn, results of calls included
	Status int    // that it was answered with
	Step   int    // that was played; -1 if none
	Fault  string // why it was refused; "" if it was not
}

// Start serves a script until the test ends. A step that was not played fails the
// test, unless it may be played any number of times.
func Start(t testing.TB, script ...Step) *Server {
	t.Helper()
	s := Serve(script...)
	t.Cleanup(func() {
		s.Close()
		if left := s.Left(); len(left) > 0 && !t.Failed() {
			t.Errorf("steps %v of the script were not played", left)
		}
	})
	return s
}

// Serve serves a script until [Server.Close].
func Serve(script ...Step) *Server {
	s := &Server{script: script, used: make([]int, len(script))}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, anthropic{}) })
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, openAI{}) })
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	return s
}

// Close ends the server and all that is still being answered.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Requests are those that came so far, in their order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Left are the numbers of the steps that were not played.
func (s *Server) Left() (left []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, n := range s.used {
		if n == 0 && s.script[i].Times >= 0 {
			left = append(left, i)
		}
	}
	return left
}

// A protocol checks requests and writes answers as one kind of server does.
type protocol interface {
	// check says what is wrong with a request, as the server would.
	check(s *Server, h http.Header, body []byte) *fault
	// read takes out of a request what counts for an answer.
	read(body []byte) asked
	// answer returns the events of a step, or with stream false one document.
	answer(st *Step, q *asked, stream bool) []event
	// refuse returns the document of an error.
	refuse(f *fault) []byte
}

// An asked is what counts of a request for its answer.
type asked struct {
	model, last string
	stream      bool
	tokens      int
	calls       int // that the conversation has
}

// A fault is an answer that is none.
type fault struct {
	status        int
	kind, message string
	code          string // OpenAI's
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, p protocol) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it was given up
	}
	req := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, Step: -1}
	req.Header.Del("X-Api-Key")
	req.Header.Del("Authorization")
	f := p.check(s, r.Header, body)
	var q asked
	var st *Step
	if f == nil {
		q = p.read(body)
		req.Last = q.last
		if st, req.Step = s.next(&q, body); st == nil {
			f = &fault{status: http.StatusBadRequest, kind: "invalid_request_error", message: fmt.Sprintf("llmtest: no step of the script is left for %.200q", q.last)}
		}
	}
	if f != nil {
		req.Status, req.Fault = f.status, f.message
		s.remember(req)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(f.status)
		_, _ = w.Write(p.refuse(f)) // who has gone needs no answer
		return
	}
	req.Status = cmp.Or(st.Status, http.StatusOK)
	s.remember(req)
	play(w, r, st, &q, p)
}

func (s *Server) remember(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
}

// next is the first step that is left and matches.
func (s *Server) next(q *asked, body []byte) (*Step, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.script {
		st := &s.script[i]
		if st.Times >= 0 && s.used[i] >= max(1, st.Times) {
			continue
		}
		if strings.Contains(q.last, st.Match) && strings.Contains(string(body), st.In) {
			s.used[i]++
			return st, i
		}
	}
	return nil, -1
}

// count adds up the tokens of all texts of a document.
func count(doc []byte) int {
	var v any
	if json.Unmarshal(doc, &v) != nil {
		return 0
	}
	return countValue(v)
}

func countValue(v any) (n int) {
	switch v := v.(type) {
	case string:
		n = tokens.O200k().Count(v)
	case []any:
		for _, e := range v {
			n += countValue(e)
		}
	case map[string]any:
		for k, e := range v {
			n += tokens.O200k().Count(k) + countValue(e)
		}
	}
	return n
}
