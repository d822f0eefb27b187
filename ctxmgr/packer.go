package ctxmgr

import (
	"math"
	"slices"
	"strconv"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
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
	// StrategyCompression prefers recent messages and discounts the others. A
	// result that holds indices cannot hold shortened messages; [trim.Pack] can.
	StrategyCompression PackingStrategy = "compression"
)

// A ContextPacker chooses which messages to keep when not all of them fit.
type ContextPacker struct {
	MaxTokens          int             // the model's context window
	ReservedForOutput  int             // tokens kept for the answer
	SystemPromptTokens int             // tokens of the system prompt
	Strategy           PackingStrategy // empty or unknown means StrategyHybrid
}

// A ScoredMessage is a message as the packer sees it.
type ScoredMessage struct {
	Index    int    // of the message in its conversation
	Role     string // user, assistant, tool or tool_result; others are kept like pins if system, and else weigh least
	Content  string
	Tokens   int     // 0 or less means that they are counted
	Score    float64 // for OptimalSelection
	MustKeep bool
}

// A PackingResult says what is kept and what is not. Messages are named by their
// Index, or by their positions if several have the same Index.
type PackingResult struct {
	KeptMessages    []int   // in the order of the messages
	DroppedMessages []int   // the same
	TotalTokens     int     // of the kept messages
	Utilization     float64 // part of the budget that is used; more than 1 if what must be kept does not fit
	Summary         string  // of what was dropped; empty if nothing was
}

// reservedForOutput is what hawk keeps for an answer.
const reservedForOutput = 4096

// NewContextPacker returns a packer for a window, which keeps 4,096 tokens for
// the answer.
func NewContextPacker(maxTokens int) *ContextPacker {
	return &ContextPacker{MaxTokens: maxTokens, ReservedForOutput: reservedForOutput, Strategy: StrategyHybrid}
}

func (cp *ContextPacker) strategy() trim.Strategy {
	if s := trim.Strategy(cp.Strategy); slices.Contains(trim.Strategies, s) {
		return s
	}
	return trim.Hybrid
}

// budget is what messages may take.
func (cp *ContextPacker) budget() int {
	left := max(cp.MaxTokens, 0)
	for _, n := range []int{cp.ReservedForOutput, cp.SystemPromptTokens} {
		left = max(left-max(n, 0), 0)
	}
	return left
}

// Pack chooses messages for the task at hand. A message that calls tools and the
// results that follow it are kept together or not at all. System messages, the
// first user message, the last four messages and those with MustKeep are always
// kept, with what belongs to them. See [trim.Pack].
func (cp *ContextPacker) Pack(messages []ScoredMessage, currentTask string) *PackingResult {
	o := options(messages)
	o.Strategy, o.Budget, o.Task = cp.strategy(), cp.budget(), currentTask
	for i := range messages {
		if messages[i].Role == "system" {
			o.Pins = append(o.Pins, i)
		}
	}
	p, _ := trim.Pack(conversation(messages), o) // what does not fit shows in Utilization
	return &PackingResult{
		KeptMessages: named(messages, p.Kept), DroppedMessages: named(messages, p.Dropped),
		TotalTokens: p.Tokens, Utilization: p.Utilization(), Summary: p.Summary,
	}
}

// OptimalSelection chooses messages by their Score, the best first, as long as
// they fit into a budget of tokens; those with MustKeep come first, and what
// belongs together stays together. It returns the messages' Index, in their
// order.
func (cp *ContextPacker) OptimalSelection(messages []ScoredMessage, budget int) []int {
	o := options(messages)
	o.Strategy, o.Budget, o.PinsOnly = trim.Hybrid, budget, true
	o.Scores = make([]float64, len(messages))
	for i := range messages {
		o.Scores[i] = messages[i].Score
	}
	p, _ := trim.Pack(conversation(messages), o)
	return named(messages, p.Kept)
}

// ScoreMessage returns how much a message at a position of total is worth to a
// task, from 0 to 1, or 1000 if it must be kept. See [trim.ScoreMessage].
func (cp *ContextPacker) ScoreMessage(msg ScoredMessage, currentTask string, position int, total int) float64 {
	if msg.MustKeep {
		return trim.MustScore
	}
	return trim.ScoreMessage(&conversation([]ScoredMessage{msg})[0], currentTask, position, total, cp.strategy())
}

// SummarizeDropped says on one line what was dropped.
func SummarizeDropped(dropped []ScoredMessage) string {
	all := make([]int, len(dropped))
	for i := range all {
		all[i] = i
	}
	return trim.SummarizeDropped(conversation(dropped), all)
}

// PackingReport returns a result for people.
func PackingReport(result *PackingResult, strategy PackingStrategy, totalMessages int, mustKeepCount int) string {
	if result == nil {
		result = &PackingResult{}
	}
	p := trim.Packing{
		Strategy: trim.Strategy(strategy), Kept: result.KeptMessages, Dropped: make([]int, max(totalMessages-len(result.KeptMessages), 0)),
		Tokens: result.TotalTokens, Must: mustKeepCount,
	}
	if u := result.Utilization; u > 0 {
		p.Budget = int(min(math.Round(float64(result.TotalTokens)/u), math.MaxInt32))
	}
	return p.Report()
}

// options are those of every choice among messages.
func options(messages []ScoredMessage) trim.PackOptions {
	o := trim.PackOptions{Whole: true, Sizes: make([]int, len(messages))}
	for i := range messages {
		o.Sizes[i] = messages[i].Tokens
		if messages[i].MustKeep {
			o.Pins = append(o.Pins, i)
		}
	}
	return o
}

// conversation is the messages as trim sees them.
func conversation(messages []ScoredMessage) []transcript.Message {
	out := make([]transcript.Message, len(messages))
	for i := range messages {
		m := &messages[i]
		b := transcript.Block{Type: transcript.Text, Text: m.Content}
		out[i].Role, out[i].Kind = transcript.User, transcript.Prompt
		switch m.Role {
		case "user":
		case "assistant":
			out[i].Role, out[i].Kind = transcript.Assistant, transcript.Answer
		case "tool", "tool_result":
			out[i].Kind = transcript.Results
			b.Type, b.ID = transcript.Result, strconv.Itoa(i)
		default:
			out[i].Kind = transcript.Meta
		}
		out[i].Blocks = []transcript.Block{b}
	}
	return out
}

// named turns positions into what messages are named by.
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
