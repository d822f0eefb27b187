package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
	"github.com/satchel-dev/satchel/transcript"
)

// A fault is what a server does wrong, and what has to come of it.
type faultCase struct {
	name  string
	steps []llmtest.Step
	only  Kind // "" means both protocols

	reason Reason // "" means that there is an answer
	words  string // that the error, or else a Diagnostic, holds; "" of an answer means no Diagnostic
	tries  int
	check  func(*testing.T, *Answer)
}

var good = llmtest.Step{Text: "The answer, in some words.", Calls: []llmtest.Call{{Name: "submit", Input: json.RawMessage(`{"text":"yes"}`)}}}

// always plays a step as often as it is asked for.
func always(s llmtest.Step) []llmtest.Step { s.Times = -1; return []llmtest.Step{s} }

// once plays a step, and a good answer after it.
func once(s llmtest.Step) []llmtest.Step { return []llmtest.Step{s, good} }

func with(s llmtest.Step, f func(*llmtest.Step)) llmtest.Step { f(&s); return s }

func header(name, value string) map[string]string { return map[string]string{name: value} }

// body is a stream of the events of one protocol.
func body(events ...string) llmtest.Step {
	return llmtest.Step{Body: "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"}
}

func isWhole(t *testing.T, a *Answer) {
	t.Helper()
	b := a.Message.Blocks
	if len(b) != 2 || b[0].Text != good.Text || string(b[1].Input) != `{"text":"yes"}` || a.Stop != StopCall {
		t.Errorf("answer %+v", a)
	}
}

func faults() []faultCase {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	leak := llmtest.Key + " " + strings.Repeat("x", 300)
	list := []faultCase{
		{name: "well", steps: []llmtest.Step{good}, tries: 1, check: isWhole},

		{name: "400", steps: always(llmtest.Step{Status: 400, Message: "no such parameter"}), reason: Refused, words: "the server says 400 Bad Request: no such parameter", tries: 1},
		{name: "401", steps: always(llmtest.Step{Status: 401, Message: "your key is " + leak}), reason: Refused, words: "the server says 401 Unauthorized: your key is [key] xxx", tries: 1},
		{name: "402", steps: always(llmtest.Step{Status: 402}), reason: Quota, words: "402 Payment Required", tries: 1},
		{name: "403", steps: always(llmtest.Step{Status: 403}), reason: Refused, words: "403 Forbidden", tries: 1},
		{name: "404", steps: always(llmtest.Step{Status: 404, Message: "model: m-1"}), reason: Refused, words: "404 Not Found: model: m-1", tries: 1},
		{name: "408", steps: once(llmtest.Step{Status: 408}), tries: 2, check: isWhole},
		{name: "413", steps: always(llmtest.Step{Status: 413}), reason: TooLong, words: "413 Request Entity Too Large", tries: 1},
		{name: "422", steps: always(llmtest.Step{Status: 422}), reason: Refused, words: "422 Unprocessable Entity", tries: 1},
		{name: "too long, Anthropic's words", steps: always(llmtest.Step{Status: 400, Message: "prompt is too long: 210000 tokens > 200000 maximum"}), reason: TooLong, words: "prompt is too long", tries: 1},
		{name: "too long, OpenAI's words", steps: always(llmtest.Step{Status: 400, Kind: "context_length_exceeded", Message: "This model's maximum context length is 8192 tokens."}), reason: TooLong, words: "maximum context length", tries: 1},
		{name: "too long, llama.cpp's words", steps: always(llmtest.Step{Status: 400, Message: "the request exceeds the available context size"}), reason: TooLong, words: "context size", tries: 1},

		{name: "429", steps: once(llmtest.Step{Status: 429}), tries: 2, check: isWhole},
		{name: "429 in seconds", steps: once(llmtest.Step{Status: 429, Header: header("Retry-After", "3")}), tries: 2, check: waited(3 * time.Second)},
		{name: "429 in milliseconds", steps: once(llmtest.Step{Status: 429, Header: header("Retry-After-Ms", "2500")}), tries: 2, check: waited(2500 * time.Millisecond)},
		{name: "429 as a date", steps: once(llmtest.Step{Status: 429, Header: map[string]string{"Date": "Wed, 21 Oct 2015 07:28:00 GMT", "Retry-After": "Wed, 21 Oct 2015 07:28:07 GMT"}}), tries: 2, check: waited(7 * time.Second)},
		{name: "429 for longer than there is time", steps: once(llmtest.Step{Status: 429, Header: header("Retry-After", "86400")}), tries: 2, check: isWhole},
		{name: "429 without end", steps: always(llmtest.Step{Status: 429, Message: "slow down"}), reason: Busy, words: "429 Too Many Requests: slow down", tries: 4},
		{name: "429 of money", steps: always(llmtest.Step{Status: 429, Kind: "insufficient_quota", Message: "You exceeded your current quota, please check your plan and billing details."}), reason: Quota, words: "exceeded your current quota", tries: 1},
		{name: "429 that calls itself a quota, and passes", steps: once(llmtest.Step{Status: 429, Message: "You exceeded your current quota, please check your plan and billing details.", Header: header("Retry-After", "1")}), tries: 2, check: isWhole},
		{name: "400 of money", steps: always(llmtest.Step{Status: 400, Message: "Your credit balance is too low to access the API."}), reason: Quota, words: "credit balance", tries: 1},

		{name: "500", steps: once(llmtest.Step{Status: 500}), tries: 2, check: isWhole},
		{name: "502", steps: once(llmtest.Step{Status: 502}), tries: 2, check: isWhole},
		{name: "503, 504, 529", steps: []llmtest.Step{{Status: 503}, {Status: 504}, {Status: 529}, good}, tries: 4, check: isWhole},
		{name: "529 without end", steps: always(llmtest.Step{Status: 529, Message: "Overloaded"}), reason: Busy, words: "the server says 529: Overloaded", tries: 4},
		{name: "501", steps: always(llmtest.Step{Status: 501}), reason: Refused, words: "501", tries: 1},

		{name: "an error event before anything", steps: []llmtest.Step{{EventError: "overloaded_error"}, {EventError: "rate_limit_error"}, {EventError: "api_error"}, good}, tries: 4, check: isWhole},
		{name: "an error event after some words", steps: once(llmtest.Step{Text: "The ans", EventError: "overloaded_error"}), tries: 2, check: isWhole},
		{name: "error events after some words", steps: always(llmtest.Step{Text: "The ans", EventError: "overloaded_error"}), reason: Busy, words: "the server says 529", tries: 2},
		{name: "an error event that stays", steps: always(llmtest.Step{Text: "The ans", EventError: "invalid_request_error"}), reason: Refused, words: "the server says 400", tries: 1},
		{name: "an error event of money", steps: always(llmtest.Step{EventError: "insufficient_quota"}), reason: Quota, words: "429", tries: 1},

		{name: "1-byte chunks", steps: []llmtest.Step{with(good, func(s *llmtest.Step) { s.Chunk = 1 })}, tries: 1, check: isWhole},
		{name: "CRLF", steps: []llmtest.Step{with(good, func(s *llmtest.Step) { s.CRLF = true; s.Chunk = 1 })}, tries: 1, check: isWhole},
		{name: "BOM", steps: []llmtest.Step{with(good, func(s *llmtest.Step) { s.BOM = true })}, tries: 1, check: isWhole},
		{name: "comments and unknown events", steps: []llmtest.Step{with(good, func(s *llmtest.Step) { s.Comments = true })}, words: "unknown events of the server were skipped", tries: 1, check: isWhole},

		{name: "an 8 MiB event", steps: always(body(`{"type":"ping","x":"` + strings.Repeat("x", 8<<20) + `"}`)), reason: Malformed, words: "an event of more than 4194304 bytes", tries: 1},
		{name: "a stream of 8 MiB", steps: always(llmtest.Step{Body: strings.Repeat(": "+strings.Repeat("x", 1<<10)+"\n\n", 8<<10)}), reason: Malformed, words: "more than 4325376 bytes", tries: 1},
		{name: "a page", steps: always(llmtest.Step{Type: "text/html", Body: "<html>Sign in</html>"}), reason: Malformed, words: "it is text/html, not a stream of events", tries: 1},
		{name: "an error as a document", steps: once(llmtest.Step{Type: "application/json", Body: `{"error":{"type":"overloaded_error","message":"later"}}`}), tries: 2, check: isWhole},
		{name: "JSON", steps: always(llmtest.Step{Type: "application/json", Body: `{"type":"message"}`}), reason: Malformed, words: "it is application/json", tries: 1},
		{name: "nothing", steps: always(llmtest.Step{Body: " "}), reason: Broken, words: "the answer broke off", tries: 4},
		{name: "an event is not valid JSON", steps: always(body("<html>")), reason: Malformed, words: "an event is not valid JSON", tries: 1},
		{name: "gzip", steps: always(llmtest.Step{Header: header("Content-Encoding", "gzip"), Body: "\x1f\x8b\x08"}), reason: Malformed, words: "it is compressed (gzip)", tries: 1},
		{name: "a redirect", steps: always(llmtest.Step{Status: 302, Header: header("Location", "http://example.invalid/")}), reason: Refused, words: "it is a redirect, which is not followed", tries: 1},
		{name: "nested events", steps: always(body(deep)), reason: Malformed, words: "an event is not valid JSON", tries: 1},
		{
			name: "nested arguments", steps: []llmtest.Step{{Calls: []llmtest.Call{{Name: "submit", Raw: deep}}, Piece: 4096}}, words: "is not a JSON object", tries: 1,
			check: func(t *testing.T, a *Answer) {
				if in := a.Message.Blocks[0].Input; len(in) < 20_000 || !json.Valid(in) {
					t.Errorf("input %.20s", in)
				}
			},
		},
		{
			name: "arguments that were cut", steps: []llmtest.Step{{Calls: []llmtest.Call{{Name: "submit", Raw: `{"text":"y`}}, Stop: "length"}}, words: "is not a JSON object", tries: 1,
			check: func(t *testing.T, a *Answer) {
				if in := string(a.Message.Blocks[0].Input); in != `"{\"text\":\"y"` || a.Stop != StopLength {
					t.Errorf("input %s, stop %s", in, a.Stop)
				}
			},
		},
		{
			name: "refusal", steps: []llmtest.Step{{Text: "I cannot.", Stop: "refusal"}}, tries: 1,
			check: func(t *testing.T, a *Answer) {
				if a.Stop != StopRefusal || a.Text() != "I cannot." {
					t.Errorf("answer %+v", a)
				}
			},
		},
		{
			name: "usage missing", steps: []llmtest.Step{with(good, func(s *llmtest.Step) { s.NoUsage = true })}, tries: 1,
			check: func(t *testing.T, a *Answer) {
				if isWhole(t, a); a.Usage != nil || a.Tries[0].Usage != nil || a.Dropped {
					t.Errorf("usage %+v", a.Usage)
				}
			},
		},
		{
			name: "usage negative", steps: []llmtest.Step{with(good, func(s *llmtest.Step) { s.Usage = &llmtest.Usage{Input: -5, Output: 3} })}, words: "an impossible usage", tries: 1,
			check: func(t *testing.T, a *Answer) {
				if isWhole(t, a); a.Usage != nil {
					t.Errorf("usage %+v", a.Usage)
				}
			},
		},
		{
			name: "a prompt that was read in part", steps: []llmtest.Step{with(good, func(s *llmtest.Step) { s.Usage = &llmtest.Usage{Input: 30, CacheRead: 30, Output: 3} })}, words: "the server read 60 of about ", tries: 1,
			check: func(t *testing.T, a *Answer) {
				if isWhole(t, a); !a.Dropped {
					t.Error("it is not said")
				}
			},
		},
		{
			name: "an empty answer", steps: []llmtest.Step{{}}, tries: 1,
			check: func(t *testing.T, a *Answer) {
				if len(a.Message.Blocks) != 0 || a.Stop != StopEnd {
					t.Errorf("answer %+v", a)
				}
			},
		},
	}
	return append(list, ownFaults()...)
}

// ownFaults are those of one protocol.
func ownFaults() []faultCase {
	text := func(want string) func(*testing.T, *Answer) {
		return func(t *testing.T, a *Answer) {
			if a.Text() != want {
				t.Errorf("text %q, want %q", a.Text(), want)
			}
		}
	}
	return []faultCase{
		{
			name: "bad UTF-8", only: Anthropic, tries: 1, check: text("a\uFFFDb"),
			steps: []llmtest.Step{body("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"a\xffb\"}}", `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)},
		},
		{
			name: "bad UTF-8", only: OpenAI, tries: 1, check: text("a\uFFFDb"),
			steps: []llmtest.Step{body("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\xffb\"},\"finish_reason\":\"stop\"}]}")},
		},
		{name: "no candidate", only: OpenAI, steps: always(body(`{"choices":[]}`, "[DONE]")), reason: Malformed, words: "no candidate", tries: 1},
		{
			name: "two candidates", only: OpenAI, words: "several candidates", tries: 1, check: text("one"),
			steps: []llmtest.Step{body(`{"choices":[{"index":0,"delta":{"content":"one"}},{"index":1,"delta":{"content":"two"}}]}`, `{"choices":[{"index":1,"delta":{},"finish_reason":"stop"},{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]")},
		},
		{
			name: "no [DONE]", only: OpenAI, tries: 1, check: text("one"),
			steps: []llmtest.Step{body(`{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"one"}]},"finish_reason":"stop"}]}`)},
		},
		{name: "an error by number", only: OpenAI, steps: always(body(`{"error":{"code":502,"message":"upstream"}}`)), reason: Busy, words: "the server says 502 Bad Gateway: upstream", tries: 4},
		{name: "an error event with the key where it is cut", only: OpenAI, steps: always(body(`{"error":{"code":400,"message":"` + strings.Repeat("no ", 60) + llmtest.Key + strings.Repeat(" no", 60) + `"}}`)), reason: Refused, words: "no [key] no", tries: 1},
		{name: "vLLM's error", only: OpenAI, steps: always(body(`{"object":"error","code":400,"message":"bad"}`)), reason: Refused, words: "400 Bad Request: bad", tries: 1},
		{name: "1,000 calls", only: OpenAI, steps: always(body(`{"choices":[{"index":0,"delta":{"tool_calls":[` + strings.TrimSuffix(strings.Repeat(`{"function":{"name":"f"}},`, 1000), ",") + `]}}]}`)), reason: Malformed, words: "more than 512 blocks", tries: 1},
		{name: "a block that is none", only: Anthropic, steps: always(body(`{"type":"content_block_start","index":0,"content_block":5}`)), reason: Malformed, words: "a block is not valid JSON", tries: 1},
		{name: "a delta of no block", only: Anthropic, steps: []llmtest.Step{body(`{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"x"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)}, words: "1 unknown events", tries: 1, check: text("")},
	}
}

// waited checks how long the client was told to wait before the last try.
func waited(want time.Duration) func(*testing.T, *Answer) {
	return func(t *testing.T, a *Answer) {
		t.Helper()
		isWhole(t, a)
		if got := a.Tries[len(a.Tries)-1].Wait; got != want {
			t.Errorf("waited %v, want %v", got, want)
		}
	}
}

// faultCall is a question of some 300 tokens.
func faultCall() *Call {
	return &Call{Label: "part 1", System: "be brief", Tools: tools, Messages: []transcript.Message{say(strings.Repeat("some words of it ", 70))}}
}

func faultClient(t *testing.T, url string, kind Kind) *Client {
	t.Helper()
	c, err := New(Endpoint{URL: url, Model: "m-1", Kind: kind, Key: llmtest.Key}, &Options{
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestFaults is the matrix of what servers do wrong, in both protocols: the right
// words, as many tries as have a chance, and the key in none of it.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	for _, f := range faults() {
		eachKind(t, func(t *testing.T, kind Kind) {
			if f.only != "" && f.only != kind {
				return
			}
			t.Run(f.name, func(t *testing.T) {
				s := llmtest.Start(t, f.steps...)
				a, err := faultClient(t, s.URL, kind).Ask(t.Context(), faultCall(), nil)
				f.judge(t, a, err)
				if n := len(s.Requests()); n != f.tries {
					t.Errorf("%d requests, want %d", n, f.tries)
				}
			})
		})
	}
}

func (f *faultCase) judge(t *testing.T, a *Answer, err error) {
	t.Helper()
	var e *Error
	var log []Try
	switch {
	case f.reason == "" && err != nil:
		t.Fatalf("error %v, want an answer", err)
	case f.reason == "":
		log = a.Tries
		var said []string
		for _, d := range a.Diagnostics {
			said = append(said, d.Text)
		}
		if all := strings.Join(said, "\n"); !strings.Contains(all, f.words) || f.words == "" && all != "" {
			t.Errorf("diagnostics %q, want %q", all, f.words)
		}
		if f.check != nil {
			f.check(t, a)
		}
	case !errors.As(err, &e):
		t.Fatalf("%+v, %v, want an error", a, err)
	default:
		log = e.Tries
		if e.Reason != f.reason || !strings.Contains(err.Error(), f.words) {
			t.Errorf("%s: %v, want %s: %s", e.Reason, err, f.reason, f.words)
		}
		if len(err.Error()) > 400 || strings.Contains(err.Error(), llmtest.Key) {
			t.Errorf("error %s", err)
		}
	}
	if len(log) != f.tries {
		t.Errorf("%d tries in the record, want %d", len(log), f.tries)
	}
	for _, try := range log {
		if strings.Contains(try.Err, llmtest.Key) {
			t.Errorf("the key is in the record: %s", try.Err)
		}
	}
}

// TestCuts breaks the connection after every 97th byte: either all of the answer
// is there, or it is asked for again, twice in all once something came.
func TestCuts(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		whole := recorded(t, kind)
		ends := 0
		cuts := []int{len(whole) - 1}
		for cut := 1; cut < len(whole); cut += 97 {
			cuts = append(cuts, cut)
		}
		for _, cut := range cuts {
			s := llmtest.Serve(always(with(good, func(s *llmtest.Step) { s.Cut = cut }))...)
			a, err := faultClient(t, s.URL, kind).Ask(t.Context(), faultCall(), nil)
			n := len(s.Requests())
			s.Close()
			var e *Error
			switch {
			case err == nil:
				isWhole(t, a)
				ends++
			case !errors.As(err, &e) || e.Reason != Broken || n > tries || n != len(e.Tries) || e.began && n != triesBegun:
				t.Errorf("cut after %d bytes: %v after %d requests", cut, err, n)
			}
		}
		if ends == 0 || ends > 10 {
			t.Errorf("%d cuts gave an answer, want those behind its end alone", ends)
		}
	})
}

// recorded is the stream of a good answer.
func recorded(t *testing.T, kind Kind) string {
	t.Helper()
	s := llmtest.Start(t, good)
	c := faultClient(t, s.URL, kind)
	var whole strings.Builder
	next := c.http.Transport
	c.http.Transport = tripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err == nil {
			res.Body = struct {
				io.Reader
				io.Closer
			}{io.TeeReader(res.Body, &whole), res.Body}
		}
		return res, err
	})
	if _, err := c.Ask(t.Context(), faultCall(), nil); err != nil {
		t.Fatal(err)
	}
	return whole.String()
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A stalled body says something and then nothing, until its request ends.
type stalled struct {
	io.Reader
	ctx context.Context
}

func (s *stalled) Read(p []byte) (int, error) {
	if n, err := s.Reader.Read(p); err == nil {
		return n, nil
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func (s *stalled) Close() error { return nil }

// TestStall: silence ends a try at the idle timeout, a question ends at its
// timeout, and who watches is told of the silence. Time is the test's.
func TestStall(t *testing.T) {
	for _, tt := range []struct {
		name          string
		text          map[Kind]string // that comes before the silence; nil means not even a header
		idle, timeout time.Duration
		want          string
		reason        Reason
		tries         int
		took          time.Duration // at most
	}{
		{"no answer at all", nil, 30 * time.Second, 10 * time.Minute, "the server sent nothing for 30s", Idle, 4, 4*31*time.Second + 3*mostPause},
		{"silence after some words", begun, 30 * time.Second, 10 * time.Minute, "the server sent nothing for 30s", Idle, 2, 2*31*time.Second + mostPause},
		{"silence until the end", nil, 5 * time.Minute, time.Minute, "no answer within 1m0s", Late, 1, time.Minute + time.Second},
		{"no time for another try", nil, 50 * time.Second, time.Minute, "no answer within 1m0s", Late, 2, time.Minute + time.Second},
	} {
		eachKind(t, func(t *testing.T, kind Kind) {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					trips := 0
					c, err := New(Endpoint{URL: "http://127.0.0.1:1", Model: "m-1", Kind: kind, IdleTimeout: tt.idle, Timeout: tt.timeout}, &Options{
						Wire: tripper(func(r *http.Request) (*http.Response, error) {
							trips++
							if tt.text == nil {
								<-r.Context().Done()
								return nil, r.Context().Err()
							}
							res := answered(200, "text/event-stream", "")
							res.Body = &stalled{strings.NewReader(tt.text[kind]), r.Context()}
							return res, nil
						}),
					})
					if err != nil {
						t.Fatal(err)
					}
					start := time.Now()
					quiet := 0
					_, err = c.Ask(t.Context(), faultCall(), func(d Delta) {
						if d.Quiet > 0 {
							quiet++
						}
					})
					var e *Error
					if !errors.As(err, &e) || e.Reason != tt.reason || !strings.Contains(err.Error(), tt.want) || trips != tt.tries {
						t.Errorf("%v after %d trips, want %s: %q after %d", err, trips, tt.reason, tt.want, tt.tries)
					}
					if took := time.Since(start); took > tt.took {
						t.Errorf("took %v, want %v at most", took, tt.took)
					}
					if quiet < 20 {
						t.Errorf("silence was told of %d times", quiet)
					}
				})
			})
		})
	}
}

var begun = map[Kind]string{
	Anthropic: "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"The\"}}\n\n",
	OpenAI:    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"The\"}}]}\n\n",
}

// TestLimits: all who share a client share its limits, and a 429 halves how many
// are asked at once.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		inside, most, n := 0, 0, 0
		c, err := New(Endpoint{URL: "http://127.0.0.1:1", Model: "m-1", Kind: OpenAI, Concurrency: 4, RPM: 60}, &Options{
			Wire: tripper(func(*http.Request) (*http.Response, error) {
				mu.Lock()
				inside++
				most = max(most, inside)
				mu.Unlock()
				time.Sleep(10 * time.Second)
				mu.Lock()
				defer mu.Unlock()
				inside--
				if n++; n == 1 {
					return answered(429, "application/json", "{}"), nil
				}
				return answered(200, "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n"), nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		done := make(chan error)
		for range 12 {
			go func() {
				_, err := c.Ask(t.Context(), faultCall(), nil)
				done <- err
			}()
		}
		for range 12 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if c.limits.gate.room != 2 || most > 4 {
			t.Errorf("room for %d, %d at once", c.limits.gate.room, most)
		}
		if took := time.Since(start); took < 50*time.Second {
			t.Errorf("12 questions of 10s took %v", took)
		}
	})
}

// TestTokensPerMinute: a question waits for its tokens, whoever used them up.
func TestTokensPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Endpoint{URL: "http://127.0.0.1:1", Model: "m-1", Kind: OpenAI, TPM: 600}, &Options{
			Wire: tripper(func(*http.Request) (*http.Response, error) {
				return answered(200, "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n"), nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		call := faultCall()
		per := countText(call) + countTools(call)
		start := time.Now()
		const n = 5
		for range n {
			if _, err := c.Ask(t.Context(), call, nil); err != nil {
				t.Fatal(err)
			}
		}
		want := time.Duration(float64(n*per-600) / 10 * float64(time.Second))
		if took := time.Since(start); took < want-time.Second || took > want+time.Second {
			t.Errorf("%d questions of %d tokens took %v, want %v", n, per, took, want)
		}
	})
}

// TestCancel: a question ends with its context, at once, wherever it is, and no
// goroutine stays (synctest would say so).
func TestCancel(t *testing.T) {
	for _, after := range []time.Duration{0, 1, 3 * time.Second, 31 * time.Second, 45 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c, err := New(Endpoint{URL: "http://127.0.0.1:1", Model: "m-1", Kind: Anthropic, IdleTimeout: 30 * time.Second, Concurrency: 1}, &Options{
				Wire: tripper(func(r *http.Request) (*http.Response, error) {
					if LabelOf(r.Context()) != "part 1" {
						t.Error("the request has no label")
					}
					res := answered(200, "text/event-stream", "")
					res.Body = &stalled{strings.NewReader(begun[Anthropic]), r.Context()}
					return res, nil
				}),
			})
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(after, cancel)
			done := make(chan error)
			for range 2 { // one of which waits for its turn
				go func() {
					_, err := c.Ask(ctx, faultCall(), nil)
					done <- err
				}()
			}
			start := time.Now()
			for range 2 {
				var e *Error
				if err := <-done; !errors.Is(err, context.Canceled) || !errors.As(err, &e) || e.Reason != Ended {
					t.Errorf("after %v: error %v", after, err)
				}
			}
			if took := time.Since(start); took > after {
				t.Errorf("ended after %v, want %v", took, after)
			}
		})
	}
}
