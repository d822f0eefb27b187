package assist

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
)

// DefaultWindow is that of a model of which nobody said how large it is.
const DefaultWindow = 128_000

// The zones of a conversation, as shares of the room that it has: above trimAt old results
// of tools go until trimTo, above lastAt the model has to answer. Each trim costs the
// provider's cache, so there is room between trimAt and trimTo.
const (
	trimAt = 0.80
	trimTo = 0.55
	lastAt = 0.95

	margin = 0.05 // of the window, since counts are estimates
)

// A meter counts tokens as a model does, about.
type meter struct{ factor float64 }

// unknownFactor is for models of which nothing is known: between OpenAI's and
// Anthropic's.
const unknownFactor = 1.1

func newMeter(model string) meter {
	m, err := tokens.ModelByName(model)
	if err != nil {
		return meter{unknownFactor}
	}
	return meter{m.Factor(tokens.Code)}
}

func (m meter) count(text string) int {
	return int(math.Ceil(float64(tokens.O200k().Count(text)) * m.factor))
}

// What the protocol adds to a message, and to a call or a result, about.
const (
	messageTokens = 4
	blockTokens   = 12
)

func (m meter) messages(list []transcript.Message) (n int) {
	for i := range list {
		n += messageTokens
		for _, b := range list[i].Blocks {
			n += m.count(b.Text) + m.count(string(b.Input))
			if b.Type == transcript.Call || b.Type == transcript.Result {
				n += blockTokens
			}
		}
	}
	return n
}

// fixed is what every call of a conversation sends besides messages.
func (m meter) fixed(system string, list []llm.Tool) int {
	n := m.count(system)
	for _, t := range list {
		n += m.count(t.Name) + m.count(t.Use) + m.count(string(t.Schema)) + blockTokens
	}
	return n
}

func (m meter) call(c *llm.Call) int { return m.fixed(c.System, c.Tools) + m.messages(c.Messages) }

// Room is how many tokens the messages of a conversation may take: the window less
// the answer, and less a margin.
func Room(window, maxTokens int) int {
	window = cmp.Or(max(window, 0), DefaultWindow)
	return max(window-maxTokens-int(margin*float64(window)), 0)
}

// errWindow means that a conversation does not fit the model's window.
var errWindow = errors.New("the conversation does not fit the model's window")

// fit keeps the conversation within its room. The first question stays.
func (t *talk) fit() error {
	e := t.Model.Endpoint()
	room := float64(max(Room(t.Window, cmp.Or(t.MaxTokens, e.MaxTokens))-t.meter.fixed(t.system, t.tools), 1))
	share := func() float64 { return float64(t.meter.messages(t.conv)) / room }
	if share() > trimAt {
		t.leaveOut(int(trimTo*room), int(lastAt*room))
	}
	if share() > lastAt {
		t.last = true
	}
	if share() > 1 {
		return errWindow
	}
	return nil
}

// shorterTo is what is left, once, of a conversation that a server calls too long: its
// window is smaller than was said.
const shorterTo = 0.70

// shorten cuts the conversation after a refusal that calls it too long, and reports
// whether there is something to ask again.
func (t *talk) shorten(err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) || e.Reason != llm.TooLong || t.short || len(t.conv) == t.pinned {
		return false
	}
	t.short = true
	was := t.meter.messages(t.conv)
	most := int(shorterTo * float64(was))
	t.leaveOut(most, most)
	return t.meter.messages(t.conv) < was
}

// leftOut replaces a result that was taken out.
const leftOut = "[left out to save room: call the tool again if you need it]"

// leaveOut takes out results of tools, the oldest first, until the conversation has at
// most this many tokens. Results of the newest turn go only above hard tokens, since the
// model waits for them.
func (t *talk) leaveOut(most, hard int) {
	newest := len(t.conv) - 1
	t.conv = slices.Clone(t.conv)
	n, stub := t.meter.messages(t.conv), t.meter.count(leftOut)
	for i := t.pinned; i <= newest; i++ {
		if i == newest {
			most = hard
		}
		m := &t.conv[i]
		m.Blocks = slices.Clone(m.Blocks) // those of requests that were sent stay
		for k := range m.Blocks {
			b := &m.Blocks[k]
			size := t.meter.count(b.Text)
			if n <= most || b.Type != transcript.Result || size <= stub {
				continue
			}
			b.Text = leftOut
			n += stub - size
			t.guard.forget()
		}
	}
}
