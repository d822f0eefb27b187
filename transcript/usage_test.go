package transcript_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
)

// A provider pretends to be one: what it reports follows from a rate that the
// measure has to find out.
type provider struct {
	perToken, perResult float64
	hidden              int  // system prompt and tool schemas
	partial             bool // outputs are those of the first event of a stream

	model    tokens.Model
	context  float64
	messages []transcript.Message
}

func newProvider(perToken, perResult float64) *provider {
	m, err := tokens.ModelByName("claude-sonnet-4-5")
	if err != nil {
		panic(err)
	}
	p := &provider{perToken: perToken, perResult: perResult, hidden: 12_000, model: m}
	p.context = float64(p.hidden)
	return p
}

func (p *provider) user(text string) {
	p.context += p.perToken * float64(p.model.Encoding().Count(text))
	p.messages = append(p.messages, transcript.Message{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}})
}

// answer is a call of a tool, of some output, with usage.
func (p *provider) answer(id string, output int) {
	u := &transcript.Usage{Input: 7, CacheRead: int(p.context) - 7, Output: output}
	p.context += float64(output)
	if p.partial {
		u.Output = 1
	}
	p.messages = append(p.messages, transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer, Usage: u,
		Blocks: []transcript.Block{{Type: transcript.Call, ID: id, Name: "read", Input: []byte(`{"path":"some/file/in/the/tree.go"}`)}}})
}

func (p *provider) result(id, text string) {
	p.context += p.perToken*float64(p.model.Encoding().Count(text)) + p.perResult
	p.messages = append(p.messages, transcript.Message{Role: transcript.User, Kind: transcript.Results, Blocks: []transcript.Block{{Type: transcript.Result, ID: id, Text: text}}})
}

// work is n calls whose results differ in size.
func (p *provider) work(n int) {
	for i := range n {
		id := fmt.Sprint(i)
		p.answer(id, 40)
		p.result(id, strings.Repeat(fmt.Sprintf("func step%d(x int) error { return nil }\n", i), 5+i*7%40))
	}
}

func (p *provider) measure() *transcript.Sizes {
	return transcript.Measure(&transcript.Session{Messages: p.messages}, p.model)
}

func TestMeasureAnchored(t *testing.T) {
	p := newProvider(1.2, 20)
	p.user("Do it.")
	p.answer("1", 50)
	z := p.measure()
	if z.Context.Tokens != int(p.context) || z.Context.Method != "usage" || z.Context.Error != 0 {
		t.Errorf("at the anchor: %+v, want %v tokens, exactly", z.Context, p.context)
	}
	if z.Anchor != 1 || z.Messages[1].Tokens != 50 || z.Messages[1].Method != "usage" {
		t.Errorf("anchor %d, answer %+v", z.Anchor, z.Messages[1])
	}
	p.result("1", strings.Repeat("hello world, this is a line\n", 100))
	z = p.measure()
	if off := math.Abs(float64(z.Context.Tokens)-p.context) / p.context; off > 0.01 || z.Context.Method != "usage + estimate" {
		t.Errorf("one result later: %+v, off by %.2f %% of %v", z.Context, 100*off, p.context)
	}
	if off := math.Abs(float64(z.Context.Tokens)-p.context) / float64(z.Context.Tokens); off > z.Context.Error*2 {
		t.Errorf("off by %.4f, the band is %.4f", off, z.Context.Error)
	}
}

// What a compaction left standing reported a context that is no more.
func TestMeasureKept(t *testing.T) {
	p := newProvider(1.2, 20_000)
	p.user("Do it.")
	p.answer("1", 50)
	for i := range p.messages {
		p.messages[i].Kept = true
	}
	if z := p.measure(); z.Anchor >= 0 || z.Context.Tokens > 1000 {
		t.Errorf("the context is %+v, built on message %d", z.Context, z.Anchor)
	}
}

// TestMeasureBefore checks that what a compaction took out says how large the hidden part is.
func TestMeasureBefore(t *testing.T) {
	p := newProvider(1.2, 20_000)
	p.user("Do it.")
	p.answer("1", 50)
	var m transcript.Meter
	for i := range p.messages {
		m.Before(&p.messages[i])
	}
	m.Add(&transcript.Message{Role: transcript.User, Kind: transcript.Summary, Blocks: []transcript.Block{{Type: transcript.Text, Text: "It was done."}}})
	z := m.Sizes(p.model, nil)
	if want := p.messages[1].Usage.Prompt(); z.Anchor >= 0 || z.Hidden.Tokens < want*9/10 || z.Hidden.Tokens > want {
		t.Errorf("hidden %+v, want nearly the %d tokens of the first call", z.Hidden, want)
	}
}

// TestMeasureRefits: with enough calls the session teaches its own rate, which
// the table of 1.24 is far from.
func TestMeasureRefits(t *testing.T) {
	for _, rate := range []struct{ token, result float64 }{{1.6, 12}, {1.0, 90}, {1.24, 30}} {
		p := newProvider(rate.token, rate.result)
		p.user("Do it.")
		p.work(25)
		p.answer("last", 30)
		z := p.measure()
		if math.Abs(z.Rate.Code-rate.token) > 0.03 || math.Abs(z.Rate.Result-rate.result) > 6 || z.Rate.Steps != 25 {
			t.Errorf("fitted %.3f a token and %.1f a result in %d steps, want %v and %v in 25", z.Rate.Code, z.Rate.Result, z.Rate.Steps, rate.token, rate.result)
		}
		if z.Rate.Error > 0.02 || !strings.HasPrefix(z.Rate.Method(), "fitted to 25 calls of the session: o200k_base x ") {
			t.Errorf("band %.3f, method %s", z.Rate.Error, z.Rate.Method())
		}
		// The usage says how large every result was, to the token.
		for i, m := range p.messages {
			if m.Kind == transcript.Results && z.Messages[i].Method != "usage" {
				t.Errorf("result %d: %+v", i, z.Messages[i])
				break
			}
		}
		if hidden := z.Hidden.Tokens; hidden < p.hidden-5 || hidden > p.hidden+200 {
			t.Errorf("hidden %d, want about %d", hidden, p.hidden)
		}
	}
}

// TestMeasurePartialOutput: an output of the first event of a stream is no
// output.
func TestMeasurePartialOutput(t *testing.T) {
	p := newProvider(1.24, 17)
	p.partial = true
	p.user("Do it.")
	p.work(12)
	p.messages = append(p.messages, transcript.Message{Role: transcript.Assistant, Kind: transcript.Answer,
		Usage:  &transcript.Usage{Input: int(p.context), Output: 2},
		Blocks: []transcript.Block{{Type: transcript.Text, Text: strings.Repeat("a long answer with many words ", 200)}}})
	z := p.measure()
	if last := z.Messages[len(z.Messages)-1]; last.Tokens < 1000 || last.Method == "usage" || z.Context.Error == 0 {
		t.Errorf("an answer of 1,200 words has %+v; context %+v", last, z.Context)
	}
}

// TestMeasureShrunk: a client that clears old results between two calls makes
// the context smaller; what was said is not negative for that.
func TestMeasureShrunk(t *testing.T) {
	p := newProvider(1.2, 20)
	p.user("Do it.")
	p.work(3)
	p.context -= 1000
	p.work(3)
	z := p.measure()
	for i, c := range z.Messages {
		if c.Tokens < 0 {
			t.Errorf("message %d has %d tokens", i, c.Tokens)
		}
	}
	if z.Hidden.Tokens < 0 {
		t.Errorf("hidden %d", z.Hidden.Tokens)
	}
}

func TestMeasureUnanchored(t *testing.T) {
	p := newProvider(1.2, 20)
	p.user(strings.Repeat("some words ", 100))
	z := p.measure()
	if z.Anchor != -1 || z.Hidden.Method != "unknown" || z.Context.Error < 0.1 || !strings.HasSuffix(z.Context.Method, "estimate") {
		t.Errorf("anchor %d, hidden %+v, context %+v", z.Anchor, z.Hidden, z.Context)
	}
	empty := transcript.Measure(&transcript.Session{}, p.model)
	if empty.Context.Tokens != 0 || empty.Anchor != -1 {
		t.Errorf("nothing: %+v", empty.Context)
	}
	with := transcript.Measure(&transcript.Session{System: []string{"You are an agent."}}, p.model)
	if with.Hidden.Tokens < 4 || with.Context.Tokens != with.Hidden.Tokens {
		t.Errorf("a recorded system prompt: hidden %+v, context %+v", with.Hidden, with.Context)
	}
}

// TestMeasureHostile: numbers that nobody can mean teach nothing.
func TestMeasureHostile(t *testing.T) {
	p := newProvider(1.2, 20)
	p.user("Do it.")
	p.work(15)
	for i := range p.messages {
		if u := p.messages[i].Usage; u != nil {
			u.Input = (i * 7919) % 5 * 1_000_000_000
			u.Output = -5
		}
	}
	z := p.measure()
	if z.Rate.Steps != 0 && (z.Rate.Code < 0.6 || z.Rate.Code > 2.5) {
		t.Errorf("taught %.2f tokens a token", z.Rate.Code)
	}
	for i, c := range z.Messages {
		if c.Tokens < 0 || math.IsNaN(c.Error) {
			t.Errorf("message %d: %+v", i, c)
		}
	}
}

// TestOpenAIReasoning: what is shown of reasoning is not what is counted.
func TestOpenAIReasoning(t *testing.T) {
	m, err := tokens.ModelByName("gpt-5")
	if err != nil {
		t.Fatal(err)
	}
	s := &transcript.Session{Messages: []transcript.Message{
		{Role: transcript.User, Kind: transcript.Prompt, Blocks: []transcript.Block{{Type: transcript.Text, Text: "hi"}}},
		{Role: transcript.Assistant, Kind: transcript.Answer, Usage: &transcript.Usage{Input: 1000, Output: 480, Reasoning: 400},
			Blocks: []transcript.Block{{Type: transcript.Thinking, Text: "**Thinking**", Opaque: 1600}, {Type: transcript.Text, Text: "hello"}}},
	}}
	if z := transcript.Measure(s, m); z.Context.Tokens != 1480 || z.Messages[1].Tokens != 480 {
		t.Errorf("context %+v, answer %+v: reasoning counts", z.Context, z.Messages[1])
	}
}

func TestModelOf(t *testing.T) {
	for _, tt := range []struct {
		s      transcript.Session
		family string
		window int
	}{
		{transcript.Session{Model: "claude-sonnet-4-5-20250929"}, "claude", 200_000},
		{transcript.Session{Model: "gpt-5.5", Format: transcript.Codex, Window: 258_400}, "openai", 258_400},
		{transcript.Session{Model: "secret-model", Format: transcript.ClaudeCode}, "claude", 0},
		{transcript.Session{Format: transcript.Pi}, "", 0},
	} {
		if m := transcript.ModelOf(&tt.s); m.Family != tt.family || m.Window != tt.window {
			t.Errorf("model %q of %s: family %q, window %d, want %q, %d", tt.s.Model, tt.s.Format, m.Family, m.Window, tt.family, tt.window)
		}
	}
}
