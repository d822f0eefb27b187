package trim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A Strategy says which messages [Pack] prefers.
type Strategy string

const (
	Recent      Strategy = "recent"      // the newest, without a hole
	Relevance   Strategy = "relevance"   // those that share words with the task
	Hybrid      Strategy = "hybrid"      // both, and role, errors and length; the default
	Compression Strategy = "compression" // the newest verbatim, older ones with their results cut
)

// Strategies lists the strategies.
var Strategies = []Strategy{Recent, Relevance, Hybrid, Compression}

// PackOptions say what Pack may keep.
type PackOptions struct {
	Strategy Strategy // empty means Hybrid
	Budget   int      // tokens of the kept messages; 0 or less keeps only what must be kept
	Task     string   // what the agent is about to do
	Pins     []int    // indices of messages that must be kept

	// Tokens counts a message. Nil means o200k_base with the overheads of
	// [Options.Count].
	Tokens func(*transcript.Message) int

	// Sizes and Scores are the tokens and the scores of the messages, where the
	// caller knows them. Nil means those of Tokens and of the strategy; so does a
	// size below 1. A score that is no number is the lowest.
	Sizes  []int
	Scores []float64

	// Whole messages are kept, also with Compression: no result is cut.
	Whole bool

	// PinsOnly means that nothing has to be kept for where it stands.
	PinsOnly bool
}

// A Packing is what Pack chose.
type Packing struct {
	Strategy Strategy
	Messages []transcript.Message // what is kept, in order; with Compression, results may be cut
	Kept     []int                // indices of the kept messages, ascending
	Dropped  []int                // and of the others
	Cut      []int                // indices of kept messages whose results are cut
	Must     int                  // messages that had to be kept
	Tokens   int                  // of Messages; more than Budget only with an *satchel.OverflowError
	Budget   int
	Summary  string // of what was dropped, for a person or a model; empty if nothing was
}

// Pack chooses the messages that an agent is sent if not all of them fit.
//
// It chooses among groups: an answer with all results of its calls, or one
// other message. A group is kept whole or not at all, so that every call has its
// results and every result its call. The group of the first prompt, those of
// the last four messages and those of the pins are kept first; if these alone
// take more than the budget, the error is an *[satchel.OverflowError] and the Packing
// holds nothing else. An answer from before the first prompt comes with a message
// of the user that stands before it, since a conversation begins with one; not so
// with PinsOnly. Then groups follow in the order of the strategy's score,
// by value and not by value for each token, as long as they fit.
func Pack(messages []transcript.Message, o PackOptions) (*Packing, error) {
	o.Strategy = cmp.Or(o.Strategy, Hybrid)
	if !slices.Contains(Strategies, o.Strategy) {
		return nil, fmt.Errorf("strategy %.40q: want recent, relevance, hybrid or compression", o.Strategy)
	}
	for _, i := range o.Pins {
		if i < 0 || i >= len(messages) {
			return nil, fmt.Errorf("pin %d: there are %d messages", i, len(messages))
		}
	}
	if n := len(o.Sizes); n > 0 && n != len(messages) {
		return nil, fmt.Errorf("%d sizes of %d messages", n, len(messages))
	}
	if n := len(o.Scores); n > 0 && n != len(messages) {
		return nil, fmt.Errorf("%d scores of %d messages", n, len(messages))
	}
	p := &packer{o: o, in: messages, groups: reuse.Groups(messages), tokens: o.Tokens, words: taskWords(o.Task), opener: -1}
	if p.tokens == nil {
		m := cutting.NewMeter(nil)
		p.tokens = func(msg *transcript.Message) int { return m.Exact([]transcript.Message{*msg}) }
	}
	return p.run()
}

// lastMessages is how many of the last messages are always kept.
const lastMessages = 4

type packer struct {
	o      PackOptions
	in     []transcript.Message
	groups []reuse.Group
	tokens func(*transcript.Message) int

	words  []string // of the task
	must   []bool
	form   [][]transcript.Message // of groups: what is kept of them; nil if dropped
	used   int
	first  int // group that is kept; len(groups) if none is
	opener int // the group that begins a conversation; -1 if none has to
}

// A form is what may be kept of a group.
type form struct {
	messages []transcript.Message
	tokens   int
}

func (p *packer) run() (*Packing, error) {
	n := len(p.groups)
	p.first = n
	p.must, p.form = make([]bool, n), make([][]transcript.Message, n)
	p.oblige()
	for g, must := range p.must {
		if must {
			p.keep(g, p.whole(g))
		}
	}
	if p.used > p.o.Budget {
		return p.packing(), &satchel.OverflowError{What: cutting.Newest, Need: p.used, Limit: p.o.Budget}
	}
	switch p.o.Strategy {
	case Recent:
		for g := n - 1; g >= 0; g-- {
			if p.form[g] == nil && !p.fits(g, p.whole(g)) {
				break
			}
		}
	case Compression:
		if !p.o.Whole {
			p.compress()
			break
		}
		fallthrough
	default:
		for _, g := range p.order() {
			if p.form[g] == nil {
				p.fits(g, p.whole(g))
			}
		}
	}
	return p.packing(), nil
}

// oblige marks the groups that must be kept.
func (p *packer) oblige() {
	first := slices.IndexFunc(p.in, func(m transcript.Message) bool {
		return m.Role == transcript.User && m.Kind != transcript.Results && m.Kind != transcript.Meta
	})
	for g, gr := range p.groups {
		p.must[g] = !p.o.PinsOnly && (gr.From <= first && first < gr.To || gr.To > len(p.in)-lastMessages) ||
			slices.ContainsFunc(p.o.Pins, func(i int) bool { return gr.From <= i && i < gr.To })
	}
	if p.o.PinsOnly {
		return
	}
	least := 0
	for g := range p.groups {
		if p.answers(g) {
			break
		}
		if n := p.whole(g).tokens; p.opener < 0 || n <= least {
			p.opener, least = g, n
		}
	}
	if i := slices.Index(p.must, true); p.opener >= 0 && i >= 0 && p.answers(i) {
		p.must[p.opener] = true
	}
}

// answers reports whether a group is an answer of the assistant.
func (p *packer) answers(g int) bool { return p.in[p.groups[g].From].Role == transcript.Assistant }

// opening is what has to be kept before a group so that the user speaks first:
// nothing, if something is.
func (p *packer) opening(g int) form {
	if p.opener < 0 || p.first < g || !p.answers(g) {
		return form{}
	}
	return p.whole(p.opener)
}

// whole is all of a group.
func (p *packer) whole(g int) form {
	gr := p.groups[g]
	f := form{messages: p.in[gr.From:gr.To]}
	for i := gr.From; i < gr.To; i++ {
		if len(p.o.Sizes) > 0 && p.o.Sizes[i] > 0 {
			f.tokens = plus(f.tokens, p.o.Sizes[i])
		} else {
			f.tokens = plus(f.tokens, p.tokens(&p.in[i]))
		}
	}
	return f
}

// plus adds two sizes; a negative one is 0, and no sum overflows.
func plus(a, b int) int {
	if b = max(b, 0); b > math.MaxInt-a {
		return math.MaxInt
	}
	return a + b
}

func (p *packer) keep(g int, f form) {
	p.form[g], p.first = f.messages, min(p.first, g)
	p.used = plus(p.used, f.tokens)
}

// fits keeps a group if there is room.
func (p *packer) fits(g int, f form) bool { return p.within(p.o.Budget, g, f) }

func (p *packer) within(limit, g int, f form) bool {
	opening := p.opening(g)
	if plus(plus(p.used, opening.tokens), f.tokens) > limit {
		return false
	}
	if opening.messages != nil {
		p.keep(p.opener, opening)
	}
	p.keep(g, f)
	return true
}

// order returns the groups by falling score, the newer first of equals.
func (p *packer) order() []int {
	order, score := make([]int, len(p.groups)), make([]float64, len(p.groups))
	for g := range p.groups {
		order[g], score[g] = g, p.score(g)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(b, a))
	})
	return order
}

// score is the best of a group's messages.
func (p *packer) score(g int) (best float64) {
	gr := p.groups[g]
	if len(p.o.Scores) > 0 {
		best = math.Inf(-1)
		for _, v := range p.o.Scores[gr.From:gr.To] {
			if v > best { // not if it is NaN
				best = v
			}
		}
		return best
	}
	for i := gr.From; i < gr.To; i++ {
		best = max(best, scoreMessage(&p.in[i], p.words, i, len(p.in), p.o.Strategy))
	}
	return best
}

// compress keeps the newest groups verbatim in half of what is left, and then
// older ones with their results cut, the newest first.
func (p *packer) compress() {
	verbatim := p.used + (p.o.Budget-p.used)/2
	g := len(p.groups) - 1
	for ; g >= 0; g-- {
		if p.form[g] != nil {
			continue
		}
		if !p.within(verbatim, g, p.whole(g)) {
			break
		}
	}
	for ; g >= 0; g-- {
		if p.form[g] != nil {
			continue
		}
		for _, lines := range []int{5, 1, 0} {
			if p.fits(g, p.cutResults(g, lines)) {
				break
			}
		}
	}
}

// cutResults returns a group with the first and last lines of its results.
func (p *packer) cutResults(g, ends int) form {
	gr := p.groups[g]
	f := form{messages: slices.Clone(p.in[gr.From:gr.To])}
	for i := range f.messages {
		f.messages[i] = cutting.Results(f.messages[i], func(text string) string { return headTail(text, ends) })
		f.tokens = plus(f.tokens, p.tokens(&f.messages[i]))
	}
	return f
}

// headTail keeps so many lines at either end of a text, and says how many went.
func headTail(text string, ends int) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= 2*ends+1 {
		return cutting.Middle(text, 400)
	}
	gone := fmt.Sprintf("[%d of %d lines left out]", len(lines)-2*ends, len(lines))
	kept := slices.Concat(lines[:ends], []string{gone}, lines[len(lines)-ends:])
	return cutting.Middle(strings.Join(kept, "\n"), 200*(ends+1))
}

func (p *packer) packing() *Packing {
	k := &Packing{Strategy: p.o.Strategy, Budget: p.o.Budget, Tokens: p.used}
	for g, gr := range p.groups {
		for i := gr.From; i < gr.To; i++ {
			if p.must[g] {
				k.Must++
			}
			if p.form[g] == nil {
				k.Dropped = append(k.Dropped, i)
				continue
			}
			k.Kept = append(k.Kept, i)
			m := p.form[g][i-gr.From]
			if !same(&p.in[i], &m) {
				k.Cut = append(k.Cut, i)
			}
			k.Messages = append(k.Messages, m)
		}
	}
	k.Summary = SummarizeDropped(p.in, k.Dropped)
	return k
}

// The parts of a message's score, which are those of the reference packer.
const (
	weightRecency   = 0.4
	weightRelevance = 0.3
	weightRole      = 0.1
	weightTool      = 0.1
	weightLength    = 0.1

	recencySlope = 3.0 // the oldest message has exp(-3)
	recentEnough = 0.7 // above it, compression does not discount
	oldDiscount  = 0.3
)

// MustScore is the score of a message that must be kept, in the reference packer.
const MustScore = 1000

// ScoreMessage returns how much a message at a position of n is worth to a
// task, from 0 to 1.
func ScoreMessage(m *transcript.Message, task string, position, n int, s Strategy) float64 {
	return scoreMessage(m, taskWords(task), position, n, s)
}

func scoreMessage(m *transcript.Message, task []string, position, n int, s Strategy) float64 {
	recency := 1.0
	if n > 1 {
		recency = math.Exp(-recencySlope * (1 - float64(position)/float64(n-1)))
	}
	switch s {
	case Recent:
		return recency
	case Compression:
		if recency > recentEnough {
			return recency
		}
		return recency * oldDiscount
	}
	content := allText(m)
	relevance := share(task, strings.ToLower(content))
	if s == Relevance {
		return relevance
	}
	role, tool := 0.5, 0.5
	switch {
	case m.Kind == transcript.Results:
		role, tool = 0.6, 0.4
		if slices.ContainsFunc(m.Blocks, func(b transcript.Block) bool { return b.Failed || b.Type == transcript.Result && tellsError(b.Text) }) {
			tool = 1
		}
	case m.Kind == transcript.Meta:
		role = 0.4
	case m.Role == transcript.User:
		role = 0.7
	}
	length := 0.4
	switch n := len(content); {
	case n <= 100:
		length = 1
	case n <= 500:
		length = 0.8
	case n <= 2000:
		length = 0.6
	}
	return float64(weightRecency*recency) + float64(weightRelevance*relevance) + float64(weightRole*role) + float64(weightTool*tool) + float64(weightLength*length)
}

// allText is the text of a message, its results included.
func allText(m *transcript.Message) string {
	var parts []string
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Type == transcript.Text || b.Type == transcript.Result {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func tellsError(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"error", "failed", "panic", "exception", "traceback", "fatal"}, func(w string) bool { return strings.Contains(text, w) })
}

// taskStop are words of a task that say nothing about it.
var taskStop = []string{"the", "and", "for", "with", "that", "this", "from", "are", "was", "has", "have", "can", "will", "not", "but", "you", "all", "its", "should", "please"}

// taskWords returns the words of a task, each once, in lower case.
func taskWords(task string) []string {
	var words []string
	for w := range strings.FieldsSeq(strings.ToLower(task)) {
		w = strings.Trim(w, ".,:;!?\"'`()[]{}")
		if len(w) >= 3 && !slices.Contains(taskStop, w) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// share returns the share of words that occur in a text.
func share(words []string, lower string) float64 {
	if len(words) == 0 {
		return 0
	}
	n := 0
	for _, w := range words {
		if strings.Contains(lower, w) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// Topics of a summary.
const (
	maxTopics  = 5
	topicChars = 50
	leastTopic = 5
)

// SummarizeDropped says on one line what messages hold that were dropped; ""
// for none.
func SummarizeDropped(messages []transcript.Message, dropped []int) string {
	if len(dropped) == 0 {
		return ""
	}
	calls := make(map[string]bool) // and results, whose calls may be told apart only by them
	users, answers := 0, 0
	var topics []string
	for _, i := range dropped {
		m := &messages[i]
		for b := range m.Blocks {
			if t := m.Blocks[b].Type; t == transcript.Call || t == transcript.Result {
				calls[m.Blocks[b].ID] = true
			}
		}
		switch {
		case m.Role == transcript.Assistant:
			answers++
		case m.Kind != transcript.Results:
			users++
		}
		if topic := clip.UTF16(cutting.Headline(cutting.Said(m)), topicChars); len(topics) < maxTopics && len(topic) >= leastTopic && !slices.Contains(topics, topic) {
			topics = append(topics, topic)
		}
	}
	parts := []string{fmt.Sprintf("Earlier: %d messages dropped", len(dropped))}
	for _, c := range []struct {
		n    int
		what string
	}{{len(calls), "tool calls"}, {users, "user messages"}, {answers, "assistant messages"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(topics) > 0 {
		parts = append(parts, "topics: "+strings.Join(topics, ", "))
	}
	return strings.Join(parts, "; ")
}

// Utilization is the part of the budget that is used: more than 1 if what must
// be kept does not fit. A budget of 0 or less counts as 1 token.
func (k *Packing) Utilization() float64 { return float64(k.Tokens) / float64(max(k.Budget, 1)) }

// Report says what was kept and dropped, for people. The percentage is of the
// budget and shows an overflow.
func (k *Packing) Report() string {
	var b strings.Builder
	percent := 0.0
	if k.Budget > 0 {
		percent = 100 * float64(k.Tokens) / float64(k.Budget)
	}
	fmt.Fprintf(&b, "Context Packing:\n  Kept: %d/%d messages (%d/%d tokens, %.0f%%)\n", len(k.Kept), len(k.Kept)+len(k.Dropped), k.Tokens, k.Budget, percent)
	if len(k.Dropped) > 0 {
		fmt.Fprintf(&b, "  Dropped: %d messages (summarized)\n", len(k.Dropped))
	}
	if len(k.Cut) > 0 {
		fmt.Fprintf(&b, "  Cut: the results of %d messages\n", len(k.Cut))
	}
	fmt.Fprintf(&b, "  Strategy: %s\n", k.Strategy)
	if k.Must > 0 {
		fmt.Fprintf(&b, "  Must-keep: %d (pinned + tool pairs)\n", k.Must)
	}
	return b.String()
}
