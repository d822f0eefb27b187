package ctxmgr

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
)

// A PackingStrategy says which messages a [ContextPacker] prefers.
type PackingStrategy string

const (
	// StrategyRecent keeps the newest messages, without a hole.
	StrategyRecent PackingStrategy = "recent"
	// StrategyRelevance prefers messages that share words with the task.
	StrategyRelevance PackingStrategy = "relevance"
	// StrategyHybrid weighs recency, relevance, role, errors and length; the default.
	StrategyHybrid PackingStrategy = "hybrid"
	// StrategyCompression prefers recent messages and discounts the others.
	StrategyCompression PackingStrategy = "compression"
)

// A ContextPacker chooses which messages to keep when not all of them fit.
type ContextPacker struct {
	MaxTokens          int             // the model's context window
	ReservedForOutput  int             // tokens kept for the answer
	SystemPromptTokens int             // tokens of the system prompt
	Strategy           PackingStrategy // empty or unknown means StrategyHybrid
}

// A ScoredMessage is a message that a [ContextPacker] may keep.
type ScoredMessage struct {
	Index    int    // of the message in its conversation
	Role     string // user, assistant, tool, tool_result or system; others score least
	Content  string
	Tokens   int     // 0 or less means that they are counted
	Score    float64 // for OptimalSelection
	MustKeep bool
}

// A PackingResult lists the kept and the dropped messages by their Index, or by
// their positions if several have the same Index.
type PackingResult struct {
	KeptMessages    []int   // in the order of the messages
	DroppedMessages []int   // the same
	TotalTokens     int     // of the kept messages
	Utilization     float64 // part of the budget that is used; more than 1 if what must be kept does not fit
	Summary         string  // of what was dropped; empty if nothing was
}

// reservedForOutput is the number of tokens that hawk keeps for an answer.
const reservedForOutput = 4096

// NewContextPacker returns a packer for a window, which keeps 4,096 tokens for
// the answer.
func NewContextPacker(maxTokens int) *ContextPacker {
	return &ContextPacker{MaxTokens: maxTokens, ReservedForOutput: reservedForOutput, Strategy: StrategyHybrid}
}

// Pack chooses messages for the task at hand. A message that calls tools and the
// results that follow it are a group: Pack keeps all of it or nothing. It always
// keeps the groups of system messages, of the first user message, of the last four
// messages and of messages with MustKeep. Then it adds groups by their best score,
// as long as they fit. A conversation begins with a user message, so an answer from
// before the first prompt comes with a message that precedes it.
func (cp *ContextPacker) Pack(messages []ScoredMessage, currentTask string) *PackingResult {
	p := newPacking(messages, cp.budget())
	p.keepAlways()

	if strategy := cp.strategy(); strategy == StrategyRecent {
		for g := len(p.groups) - 1; g >= 0 && (p.groups[g].kept || p.add(g)); g-- {
		}
	} else {
		task := taskWords(currentTask)
		p.addByScore(func(i int) float64 { return score(&messages[i], task, i, len(messages), strategy) })
	}

	kept, dropped := p.split()
	lost := make([]ScoredMessage, len(dropped))
	for k, i := range dropped {
		lost[k] = messages[i]
	}
	return &PackingResult{
		KeptMessages: named(messages, kept), DroppedMessages: named(messages, dropped),
		TotalTokens: p.used, Utilization: float64(p.used) / float64(max(p.budget, 1)), Summary: SummarizeDropped(lost),
	}
}

// OptimalSelection chooses messages by their Score, the best first, as long as
// they fit into a budget of tokens; those with MustKeep come first, and groups stay
// whole as in [ContextPacker.Pack]. It returns the messages' Index, in their order.
func (cp *ContextPacker) OptimalSelection(messages []ScoredMessage, budget int) []int {
	p := newPacking(messages, budget)
	p.keepMarked()
	p.addByScore(func(i int) float64 { return messages[i].Score })

	kept, _ := p.split()
	return named(messages, kept)
}

// ScoreMessage returns how much a message at a position of total is worth to a
// task, from 0 to 1, or 1000 if it must be kept.
func (cp *ContextPacker) ScoreMessage(msg ScoredMessage, currentTask string, position int, total int) float64 {
	if msg.MustKeep {
		return mustScore
	}
	return score(&msg, taskWords(currentTask), position, total, cp.strategy())
}

// strategy returns the packer's strategy, or the default if it is unknown.
func (cp *ContextPacker) strategy() PackingStrategy {
	switch cp.Strategy {
	case StrategyRecent, StrategyRelevance, StrategyCompression:
		return cp.Strategy
	}
	return StrategyHybrid
}

// budget returns how many tokens messages may take.
func (cp *ContextPacker) budget() int {
	left := max(cp.MaxTokens, 0)
	for _, n := range []int{cp.ReservedForOutput, cp.SystemPromptTokens} {
		left = max(left-max(n, 0), 0)
	}
	return left
}

// lastMessages is how many of the last messages are always kept.
const lastMessages = 4

// A packing is the state of one choice among messages.
type packing struct {
	messages []ScoredMessage
	groups   []group
	budget   int
	used     int // tokens of the kept groups

	first  int // the first kept group; len(groups) if none is
	opener int // the group that begins a conversation; -1 if none has to
}

// A group is an answer with the results that follow it, or one other message.
type group struct {
	from, to int // messages
	tokens   int
	must     bool
	kept     bool
}

// newPacking divides messages into groups, and marks those with MustKeep.
func newPacking(messages []ScoredMessage, budget int) *packing {
	p := &packing{messages: messages, budget: budget, opener: -1}
	meter := cutting.NewMeter(nil)
	for i := range messages {
		m := &messages[i]
		if i == 0 || !m.isResult() || messages[p.groups[len(p.groups)-1].from].Role != "assistant" {
			p.groups = append(p.groups, group{from: i})
		}
		g := &p.groups[len(p.groups)-1]
		g.to, g.must = i+1, g.must || m.MustKeep
		g.tokens = plus(g.tokens, m.size(meter))
	}
	p.first = len(p.groups)
	return p
}

// keepAlways keeps the groups that [ContextPacker.Pack] always keeps.
func (p *packing) keepAlways() {
	first := slices.IndexFunc(p.messages, func(m ScoredMessage) bool { return m.Role == "user" })
	for k := range p.groups {
		g := &p.groups[k]
		system := slices.ContainsFunc(p.messages[g.from:g.to], func(m ScoredMessage) bool { return m.Role == "system" })
		g.must = g.must || system || g.from <= first && first < g.to || g.to > len(p.messages)-lastMessages
	}

	// The opener is the smallest group before the first answer.
	for g := range p.groups {
		if p.isAnswer(g) {
			break
		}
		if p.opener < 0 || p.groups[g].tokens <= p.groups[p.opener].tokens {
			p.opener = g
		}
	}
	if g := slices.IndexFunc(p.groups, func(g group) bool { return g.must }); p.opener >= 0 && g >= 0 && p.isAnswer(g) {
		p.groups[p.opener].must = true
	}
	p.keepMarked()
}

// keepMarked keeps the groups that must be kept, even beyond the budget.
func (p *packing) keepMarked() {
	for g := range p.groups {
		if p.groups[g].must {
			p.keep(g)
		}
	}
}

// addByScore adds groups by their best message, the newer of equals first, as long
// as they fit. Nothing fits if what must be kept is above the budget.
func (p *packing) addByScore(scoreOf func(i int) float64) {
	order, best := make([]int, len(p.groups)), make([]float64, len(p.groups))
	for g := range p.groups {
		order[g], best[g] = g, math.Inf(-1)
		for i := p.groups[g].from; i < p.groups[g].to; i++ {
			if s := scoreOf(i); s > best[g] { // false for NaN
				best[g] = s
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(b, a))
	})
	for _, g := range order {
		if !p.groups[g].kept {
			p.add(g)
		}
	}
}

// add keeps a group if it fits, with the opener if the conversation would begin
// with an answer. It reports whether it fits.
func (p *packing) add(g int) bool {
	needsOpener := p.opener >= 0 && g < p.first && p.isAnswer(g)
	need := p.groups[g].tokens
	if needsOpener {
		need = plus(need, p.groups[p.opener].tokens)
	}
	if plus(p.used, need) > p.budget {
		return false
	}

	if needsOpener {
		p.keep(p.opener)
	}
	p.keep(g)
	return true
}

func (p *packing) keep(g int) {
	p.groups[g].kept = true
	p.first, p.used = min(p.first, g), plus(p.used, p.groups[g].tokens)
}

// isAnswer reports whether a group is an answer of the assistant.
func (p *packing) isAnswer(g int) bool { return p.messages[p.groups[g].from].Role == "assistant" }

// split returns the positions of the kept and of the dropped messages.
func (p *packing) split() (kept, dropped []int) {
	for _, g := range p.groups {
		for i := g.from; i < g.to; i++ {
			if g.kept {
				kept = append(kept, i)
			} else {
				dropped = append(dropped, i)
			}
		}
	}
	return kept, dropped
}

// plus adds two sizes that are not negative, without overflow.
func plus(a, b int) int {
	if b > math.MaxInt-a {
		return math.MaxInt
	}
	return a + b
}

// isResult reports whether a message is the result of a tool.
func (m *ScoredMessage) isResult() bool { return m.Role == "tool" || m.Role == "tool_result" }

// size returns the tokens of a message, and counts them if they are not known.
func (m *ScoredMessage) size(meter *cutting.Meter) int {
	if m.Tokens > 0 {
		return m.Tokens
	}
	b := transcript.Block{Type: transcript.Text, Text: m.Content}
	if m.isResult() {
		b.Type = transcript.Result
	}
	return meter.Exact([]transcript.Message{{Blocks: []transcript.Block{b}}})
}

// The parts of a message's score, as in hawk.
const (
	weightRecency   = 0.4
	weightRelevance = 0.3
	weightRole      = 0.1
	weightTool      = 0.1
	weightLength    = 0.1

	recencySlope = 3.0 // the oldest message has exp(-3)
	recentEnough = 0.7 // above it, StrategyCompression does not discount
	oldDiscount  = 0.3

	mustScore = 1000 // of a message with MustKeep
)

// score is [ContextPacker.ScoreMessage] for the words of a task.
func score(m *ScoredMessage, task []string, position, total int, s PackingStrategy) float64 {
	recency := 1.0
	if total > 1 {
		recency = math.Exp(-recencySlope * (1 - float64(position)/float64(total-1)))
	}
	switch s {
	case StrategyRecent:
		return recency
	case StrategyCompression:
		if recency > recentEnough {
			return recency
		}
		return recency * oldDiscount
	}

	relevance := share(task, strings.ToLower(m.Content))
	if s == StrategyRelevance {
		return relevance
	}

	role, tool := 0.4, 0.5
	switch {
	case m.isResult():
		role, tool = 0.6, 0.4
		if namesError(m.Content) {
			tool = 1
		}
	case m.Role == "user":
		role = 0.7
	case m.Role == "assistant":
		role = 0.5
	}

	length := 0.4
	switch n := len(m.Content); {
	case n <= 100:
		length = 1
	case n <= 500:
		length = 0.8
	case n <= 2000:
		length = 0.6
	}
	return float64(weightRecency*recency) + float64(weightRelevance*relevance) + float64(weightRole*role) + float64(weightTool*tool) + float64(weightLength*length)
}

// namesError reports whether a text has a word for an error.
func namesError(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"error", "failed", "panic", "exception", "traceback", "fatal"}, func(w string) bool { return strings.Contains(text, w) })
}

// stopWords are words of a task that do not describe it.
var stopWords = []string{"the", "and", "for", "with", "that", "this", "from", "are", "was", "has", "have", "can", "will", "not", "but", "you", "all", "its", "should", "please"}

// taskWords returns the words of a task, each once, in lower case.
func taskWords(task string) []string {
	var words []string
	for w := range strings.FieldsSeq(strings.ToLower(task)) {
		w = strings.Trim(w, ".,:;!?\"'`()[]{}")
		if len(w) >= 3 && !slices.Contains(stopWords, w) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// share returns the share of words that occur in a text in lower case.
func share(words []string, lower string) float64 {
	n := 0
	for _, w := range words {
		if strings.Contains(lower, w) {
			n++
		}
	}
	return float64(n) / float64(max(len(words), 1))
}

// Topics of a summary.
const (
	maxTopics  = 5
	topicChars = 50
	leastTopic = 5
)

// SummarizeDropped describes dropped messages on one line; "" for none.
func SummarizeDropped(dropped []ScoredMessage) string {
	if len(dropped) == 0 {
		return ""
	}
	calls, users, answers := 0, 0, 0
	var topics []string
	for i := range dropped {
		m := &dropped[i]
		if m.isResult() {
			calls++
			continue
		}
		if m.Role == "assistant" {
			answers++
		} else {
			users++
		}
		if topic := clip.UTF16(cutting.Headline(m.Content), topicChars); len(topics) < maxTopics && len(topic) >= leastTopic && !slices.Contains(topics, topic) {
			topics = append(topics, topic)
		}
	}

	parts := []string{fmt.Sprintf("Earlier: %d messages dropped", len(dropped))}
	for _, c := range []struct {
		n    int
		what string
	}{{calls, "tool calls"}, {users, "user messages"}, {answers, "assistant messages"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(topics) > 0 {
		parts = append(parts, "topics: "+strings.Join(topics, ", "))
	}
	return strings.Join(parts, "; ")
}

// PackingReport returns a result for people. The percentage is of the budget and
// shows an overflow.
func PackingReport(result *PackingResult, strategy PackingStrategy, totalMessages int, mustKeepCount int) string {
	if result == nil {
		result = &PackingResult{}
	}
	budget, percent := 0, 0.0
	if u := result.Utilization; u > 0 {
		budget = int(min(math.Round(float64(result.TotalTokens)/u), math.MaxInt32))
	}
	if budget > 0 {
		percent = 100 * float64(result.TotalTokens) / float64(budget)
	}
	kept := len(result.KeptMessages)
	dropped := max(totalMessages-kept, 0)

	var b strings.Builder
	fmt.Fprintf(&b, "Context Packing:\n  Kept: %d/%d messages (%d/%d tokens, %.0f%%)\n", kept, kept+dropped, result.TotalTokens, budget, percent)
	if dropped > 0 {
		fmt.Fprintf(&b, "  Dropped: %d messages (summarized)\n", dropped)
	}
	fmt.Fprintf(&b, "  Strategy: %s\n", strategy)
	if mustKeepCount > 0 {
		fmt.Fprintf(&b, "  Must-keep: %d (pinned + tool pairs)\n", mustKeepCount)
	}
	return b.String()
}

// named returns the Index of the messages at positions, or the positions if
// several messages have the same Index.
func named(messages []ScoredMessage, positions []int) []int {
	seen := make(map[int]bool, len(messages))
	for i := range messages {
		seen[messages[i].Index] = true
	}
	if len(seen) < len(messages) {
		return positions
	}
	out := make([]int, len(positions))
	for k, i := range positions {
		out[k] = messages[i].Index
	}
	return out
}
