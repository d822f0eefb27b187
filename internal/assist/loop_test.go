package assist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/transcript"
)

// A script is a Model that says what it is told to, one answer after the other. It
// checks each call as a server would.
type script struct {
	t       *testing.T
	answers []func(call *llm.Call) (*llm.Answer, error)

	mu    sync.Mutex
	calls []*llm.Call
}

func (s *script) Endpoint() llm.Endpoint {
	return llm.Endpoint{URL: "http://localhost:1", Kind: llm.OpenAI, Model: "gpt-4o", MaxTokens: 500}
}

func (s *script) Ask(ctx context.Context, call *llm.Call, _ func(llm.Delta)) (*llm.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t.Helper()
	if err := transcript.Valid(call.Messages); err != nil {
		s.t.Errorf("%s: %v", call.Label, err)
	}
	copied := *call
	copied.Messages = append([]transcript.Message(nil), call.Messages...)
	s.calls = append(s.calls, &copied)
	if len(s.calls) > len(s.answers) {
		s.t.Fatalf("%s: nothing is left to answer", call.Label)
	}
	return s.answers[len(s.calls)-1](call)
}

type said1 = func(*llm.Call) (*llm.Answer, error)

func answer(blocks ...transcript.Block) *llm.Answer {
	return &llm.Answer{
		Message: transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Sent: true, Blocks: blocks},
		Usage:   &transcript.Usage{Input: 100, Output: 10}, Stop: llm.StopCall, Tries: []llm.Try{{Status: 200}},
	}
}

var callNumber int

// calls is an answer that calls tools: name and input, in turns.
func calls(pairs ...string) said1 {
	return func(*llm.Call) (*llm.Answer, error) {
		var blocks []transcript.Block
		for i := 0; i < len(pairs); i += 2 {
			callNumber++
			input := json.RawMessage(pairs[i+1])
			if !json.Valid(input) || input[0] != '{' {
				input, _ = json.Marshal(pairs[i+1])
			}
			blocks = append(blocks, transcript.Block{Type: transcript.Call, ID: fmt.Sprint("c", callNumber), Name: pairs[i], Input: input})
		}
		return answer(blocks...), nil
	}
}

func says(text string) said1 {
	return func(*llm.Call) (*llm.Answer, error) {
		a := answer(transcript.Block{Type: transcript.Text, Text: text})
		a.Stop = llm.StopEnd
		return a, nil
	}
}

func fails(err error) said1 { return func(*llm.Call) (*llm.Answer, error) { return nil, err } }

// box is a Toolbox of one tool, look, which answers by its argument.
type box struct{ huge bool }

func (box) List() []llm.Tool {
	return []llm.Tool{{Name: "look", Use: "looks", Schema: json.RawMessage(`{"type":"object"}`)}}
}

func (b box) Answer(_ context.Context, _ string, input json.RawMessage, most int) (string, error) {
	var v struct{ At string }
	_ = json.Unmarshal(input, &v)
	switch {
	case strings.HasPrefix(v.At, "bad"):
		return "", errors.New("no such place: " + v.At)
	case strings.HasPrefix(v.At, "empty"):
		return "", nil
	case b.huge:
		return strings.Repeat(fmt.Sprintf("line %08x of it\n", crc32.ChecksumIEEE([]byte(v.At))), 2000), nil
	}
	return fmt.Sprintf("seen: %08x", crc32.ChecksumIEEE([]byte(v.At))), nil
}

// good takes {"result":"…"}.
func good(input json.RawMessage) error {
	_, err := resultOf(input)
	return err
}

const done = `{"result":"yes"}`

func TestLoop(t *testing.T) {
	look := func(at string) said1 { return calls("look", `{"at":"`+at+`"}`) }
	many := make([]string, 0, 400)
	for i := range 200 {
		many = append(many, "look", fmt.Sprintf(`{"at":"p%d"}`, i))
	}
	for _, tt := range []struct {
		name    string
		tools   bool
		answers []said1
		most    int
		input   string // of the outcome; "" if there is none
		why     string // in one of the reasons; "" if the run is complete
		err     string
		turns   int
	}{
		{name: "at once", answers: []said1{calls("submit", done)}, input: done, turns: 1},
		{name: "after a look", tools: true, answers: []said1{look("a"), calls("submit", done)}, input: done, turns: 2},
		{name: "two looks at once", tools: true, answers: []said1{calls("look", `{"at":"a"}`, "look", `{"at":"b"}`), calls("submit", done)}, input: done, turns: 2},
		{name: "mended", answers: []said1{calls("submit", `{}`), calls("submit", `{"result":" "}`), calls("submit", done)}, input: done, turns: 3},
		{name: "never mended", answers: []said1{calls("submit", `{}`), calls("submit", `{}`), calls("submit", `{"result":3}`)}, input: `{"result":3}`, why: "answer has errors", turns: 3},
		{name: "cut", answers: []said1{calls("submit", `{"result":"ye`), calls("submit", done)}, input: done, turns: 2},
		{name: "submit twice", answers: []said1{calls("submit", done, "submit", `{"result":"no"}`)}, input: done, turns: 1},
		{name: "submit and a look, then mended", tools: true, answers: []said1{calls("look", `{"at":"a"}`, "submit", `{}`), calls("submit", done)}, input: done, turns: 2},
		{name: "words, then submit", tools: true, answers: []said1{says("I think so"), calls("submit", done)}, input: done, turns: 2},
		{name: "words with the answer in them", tools: true, answers: []said1{says("well"), says("Sure:\n```json\n" + done + "\n```")}, input: done, turns: 2},
		{name: "words alone", answers: []said1{says("a"), says("b"), says("c")}, err: "no usable answer", turns: 2},
		{name: "empty", answers: []said1{says(""), says(""), says("")}, err: "no usable answer", turns: 2},
		{name: "unknown tool", tools: true, answers: []said1{calls("run", `{"command":"rm"}`), calls("submit", done)}, input: done, turns: 2},
		{name: "no object", tools: true, answers: []said1{calls("look", `[1`), calls("submit", done)}, input: done, turns: 2},
		{name: "200 calls", tools: true, answers: []said1{calls(many...), calls("submit", done)}, input: done, turns: 2},
		{name: "the same call", tools: true, answers: []said1{look("a"), look("a"), look("a"), calls("submit", done)}, input: done, why: "repeats itself", turns: 4},
		{name: "two in turns", tools: true, answers: []said1{look("a"), look("b"), look("a"), look("b"), look("a"), calls("submit", done)}, input: done, why: "", turns: 6},
		{name: "one error for all", tools: true, answers: []said1{look("bad1"), look("bad2"), look("bad3"), calls("submit", done)}, input: done, why: "nothing new", turns: 4},
		{name: "empty results", tools: true, answers: []said1{look("empty1"), look("empty2"), look("empty3"), look("empty4"), calls("submit", done)}, input: done, why: "nothing new", turns: 5},
		{name: "does not end", tools: true, answers: []said1{look("1"), look("2"), look("3"), look("4"), look("5"), look("6")}, err: "no usable answer", turns: 6},
		{name: "fails at once", answers: []said1{fails(&llm.Error{Reason: llm.Refused, Status: 401, Text: "bad key"})}, err: "401", turns: 1},
		{name: "fails later", answers: []said1{calls("submit", `{"result":4}`), fails(&llm.Error{Reason: llm.Busy, Status: 529})}, input: `{"result":4}`, why: "529", turns: 2},
		{name: "too dear", most: 100, err: "the first call may take up to", turns: 1},
		{name: "room for the answer alone", tools: true, most: 900, answers: []said1{calls("submit", done)}, input: done, why: "used up", turns: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{t: t, answers: tt.answers}
			r := &Run{Model: s, Spend: &Spend{MostTokens: tt.most}, Label: "test", Check: good}
			if tt.tools {
				r.Tools, r.Turns = box{}, 6
			}
			out, err := r.Do(t.Context(), &ask.Ask{System: "be good", Shared: "the facts", Question: "is it so?", Schema: subSchema})
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if got := string(out.Input); got != tt.input && err == nil {
				t.Errorf("submitted %s, want %s", got, tt.input)
			}
			if err == nil && (tt.why == "") != (len(out.Why) == 0) || !strings.Contains(strings.Join(out.Why, "\n"), tt.why) {
				t.Errorf("incomplete because of %q, want %q", out.Why, tt.why)
			}
			if out.Turns != tt.turns {
				t.Errorf("%d turns, want %d", out.Turns, tt.turns)
			}
			// A request begins as the one before.
			for i := 1; i < len(s.calls); i++ {
				a, b := s.calls[i-1].Messages, s.calls[i].Messages
				if len(b) < len(a) {
					t.Fatalf("call %d has %d messages after %d", i+1, len(b), len(a))
				}
				x, _ := json.Marshal(a)
				y, _ := json.Marshal(b[:len(a)])
				if string(x) != string(y) {
					t.Errorf("call %d does not begin as the one before", i+1)
				}
			}
			if last := s.calls; len(last) > 0 && err == nil && last[len(last)-1].Tools[len(last[len(last)-1].Tools)-1].Name != submit {
				t.Error("submit is not offered last")
			}
		})
	}
}

// TestLoopOff: after three errors in a row a tool is switched off.
func TestLoopOff(t *testing.T) {
	s := &script{t: t, answers: []said1{
		calls("look", `{"at":"bad1"}`, "look", `{"at":"bad2"}`, "look", `{"at":"bad3"}`),
		calls("look", `{"at":"good"}`),
		calls("submit", done),
	}}
	r := &Run{Model: s, Spend: new(Spend), Tools: box{}, Label: "test", Check: good}
	if _, err := r.Do(t.Context(), &ask.Ask{System: "s", Question: "q", Schema: subSchema}); err != nil {
		t.Fatal(err)
	}
	last := s.calls[2].Messages
	if got := last[len(last)-1].Blocks[0].Text; !strings.Contains(got, "switched off") {
		t.Errorf("the fourth call is answered %q", got)
	}
}

// TestLoopWindow: a conversation that grows stays within the window, and what was
// asked stays as it is.
func TestLoopWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	var answers []said1
	for i := range 30 {
		answers = append(answers, calls("look", fmt.Sprintf(`{"at":"place %d"}`, i)))
	}
	answers = append(answers, calls("submit", done))
	s := &script{t: t, answers: answers}
	const window = 20_000
	r := &Run{Model: s, Spend: new(Spend), Tools: box{huge: true}, Turns: 31, Window: window, Label: "test", Check: good}
	out, err := r.Do(t.Context(), &ask.Ask{System: "s", Shared: "the facts", Question: "q", Schema: subSchema})
	if err != nil {
		t.Fatal(err)
	}
	m := newMeter("gpt-4o")
	for i, c := range s.calls {
		if n := m.call(c); n > window-500 {
			t.Errorf("call %d has %d tokens", i+1, n)
		}
		if c.Messages[0].Blocks[0].Text != "the facts" || c.Messages[1].Blocks[0].Text != "q" {
			t.Errorf("call %d begins with %q", i+1, c.Messages[0].Blocks[0].Text)
		}
	}
	t.Logf("%d turns, %q", out.Turns, out.Why)
}

// TestParallel: what a model asks side by side comes back in its order, and what
// fails says so.
func TestParallel(t *testing.T) {
	s := &script{t: t}
	reply := func(call *llm.Call) (*llm.Answer, error) {
		if strings.Contains(call.Messages[0].Blocks[0].Text, "second") {
			return nil, &llm.Error{Reason: llm.Busy, Status: 500}
		}
		return calls("submit", `{"result":"about `+call.Messages[0].Blocks[0].Text+`"}`)(call)
	}
	s.answers = []said1{reply, reply, reply}
	d := &Desk{Top: Seat{Model: s}, Spend: new(Spend), Tools: box{}, AtOnce: 1}
	got, err := d.parallel("review")(t.Context(), json.RawMessage(`{"tasks":["first","second","third"],"max_turns":0}`))
	if err != nil {
		t.Fatal(err)
	}
	var out analyses
	if err := json.Unmarshal([]byte(got), &out); err != nil {
		t.Fatal(err)
	}
	if out.Successful != 2 || out.Failed != 1 || out.Results[0].Result != "about first" || out.Results[1].Error == "" || out.Results[2].Result != "about third" {
		t.Errorf("got %s", got)
	}
	for _, c := range s.calls {
		for _, tool := range c.Tools {
			if tool.Name == parallelTool {
				t.Error("a task may ask others")
			}
		}
	}
	for _, bad := range []string{`{}`, `{"tasks":[]}`, `{"tasks":[""]}`, `{"tasks":["a"],"x":1}`, `{"tasks":["1","2","3","4","5","6","7","8","9","10","11"]}`} {
		if _, err := d.parallel("review")(t.Context(), json.RawMessage(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// TestLoopTooLong: a conversation that the server calls too long is cut once, and what
// was asked stays.
func TestLoopTooLong(t *testing.T) {
	tooLong := &llm.Error{Reason: llm.TooLong, Status: 400, Text: "prompt is too long"}
	var answers []said1
	for i := range 6 {
		answers = append(answers, calls("look", fmt.Sprintf(`{"at":"place %d"}`, i)))
	}
	answers = append(answers, fails(tooLong), calls("submit", done))
	s := &script{t: t, answers: answers}
	r := &Run{Model: s, Spend: new(Spend), Tools: box{huge: true}, Turns: 12, Label: "test", Check: good}
	out, err := r.Do(t.Context(), &ask.Ask{System: "s", Shared: "the facts", Question: "q", Schema: subSchema})
	if err != nil || string(out.Input) != done {
		t.Fatalf("%+v, %v", out, err)
	}
	m, refused, again := newMeter("gpt-4o"), s.calls[6], s.calls[7]
	if x, y := m.messages(again.Messages), m.messages(refused.Messages); float64(y)*0.75 < float64(x) {
		t.Errorf("%d tokens after %d", x, y)
	}
	if again.Messages[0].Blocks[0].Text != "the facts" || again.Messages[1].Blocks[0].Text != "q" {
		t.Errorf("it begins with %q", again.Messages[0].Blocks[0].Text)
	}
	// What is asked first cannot be cut.
	s = &script{t: t, answers: []said1{fails(tooLong)}}
	r = &Run{Model: s, Spend: new(Spend), Label: "test", Check: good}
	if _, err := r.Do(t.Context(), &ask.Ask{System: "s", Question: "q", Schema: subSchema}); !errors.Is(err, error(tooLong)) {
		t.Errorf("%v, want %v", err, tooLong)
	}
}
