// Package hawk is what hawk's context manager gives and draws, in its own numbers
// and words, for programs that read them.
//
// It divides a window as hawk does ([Divide], [Adapt]) and has its layouts
// ([Bar], [Table] and others). What is over-full is shown, absurd numbers count as
// 0, and widths are shared by largest remainder. Package ctxmgr is the Go interface
// over it.
package hawk

import (
	"fmt"

	"github.com/satchel-dev/satchel/budget"
)

// Thresholds are those of hawk's context manager, which always shows the window,
// alerts above 85 % and calls it critical above 95 %.
var Thresholds = budget.Thresholds{Show: 0, Note: 0.85, Warn: 0.95}

// The names of the sections of a division, in their order.
const (
	SystemPrompt   = "system prompt"
	ToolDefs       = "tool definitions"
	RepoMap        = "repository map"
	Memory         = "memory"
	Workspace      = "workspace"
	PreloadedFiles = "preloaded files"
	Conversation   = "conversation"
	OutputReserve  = "output reserve"
	SafetyMargin   = "safety margin"
)

// A category is a row of hawk's table: a share of the window between a floor
// and a ceiling.
type category struct {
	name        string
	per         int // the share is window/per
	times       int // times this
	floor, ceil int

	// grows says that the ceiling was made for windows up to [ordinaryWindow],
	// and is raised in proportion above: what a large window is bought for. What
	// an agent says of itself does not grow with it.
	grows bool

	// most is the largest part of a small window, in percent, that the section
	// insists on; drop is budget.Section.Drop.
	most, drop int
}

// categories is the table of hawk's NewContextBudget. The last two columns are
// ours: hawk gives negative numbers below windows of 14,300 tokens, and a
// conversation of 850 at 16,000. What all sections insist on adds up to 80 % of
// the window, so that every window can be divided.
var categories = []category{
	{name: SystemPrompt, per: 100, times: 3, floor: 3_000, ceil: 5_000, most: 15},
	{name: ToolDefs, per: 100, times: 2, floor: 2_000, ceil: 3_000, most: 10},
	{name: RepoMap, per: 100, times: 2, floor: 2_000, ceil: 4_000, grows: true, drop: 3},
	{name: Memory, per: 100, times: 1, floor: 1_000, ceil: 2_000, grows: true, drop: 2},
	{name: Workspace, per: 200, times: 1, floor: 300, ceil: 500, drop: 1},
	{name: PreloadedFiles},
	{name: Conversation},
	{name: OutputReserve, per: 100, times: 10, floor: 4_000, ceil: 20_000, grows: true, most: 20},
	{name: SafetyMargin, per: 100, times: 7, floor: 2_000, ceil: 15_000, grows: true, most: 5},
}

const (
	// ordinaryWindow is the largest window that hawk's ceilings were made for.
	ordinaryWindow = 200_000

	// leastConversation is the percentage of the window that a conversation
	// insists on: with less an agent compacts at every answer.
	leastConversation = 30
)

// of returns what hawk gives the category.
func (c *category) of(window int) int {
	return clamp(int(int64(window)*int64(c.times)/int64(c.per)), c.floor, c.ceiling(window))
}

func (c *category) ceiling(window int) int {
	if c.grows {
		return grown(c.ceil, window)
	}
	return c.ceil
}

// grown raises a ceiling in proportion to what a window is above an ordinary
// one.
func grown(ceil, window int) int {
	if window <= ordinaryWindow {
		return ceil
	}
	return int(int64(ceil) * int64(window) / ordinaryWindow)
}

func clamp(n, least, most int) int { return max(least, min(n, most)) }

// sectionsOf returns hawk's nine categories for a window and the tokens that
// the conversation takes already: as it grows, the preloaded files make room for
// it. Output is the most that the model answers with; 0 means unknown. It bounds
// the reserve.
//
// Windows of 28,000 to 200,000 tokens come to the numbers of the reference. Below,
// sections shrink instead of going below zero; above, ceilings grow with the
// window.
func sectionsOf(window, conversation, output int) []budget.Section {
	window = clamp(window, 0, budget.MostTokens)
	fixed := 0
	sections := make([]budget.Section, len(categories))
	files, talk := 0, 0
	for i := range categories {
		c := &categories[i]
		sections[i] = budget.Section{Name: c.name, Drop: c.drop}
		switch c.name {
		case PreloadedFiles:
			files = i
			continue
		case Conversation:
			talk = i
			continue
		}
		n := c.of(window)
		if c.name == OutputReserve && output > 0 {
			n = min(n, output)
		}
		sections[i].Want, sections[i].Weight = n, budget.WeightOf(n)
		sections[i].Min = min(n, percentOf(window, c.most))
		fixed += n
	}
	least := percentOf(window, leastConversation)
	f := filesFor(window, max(0, window-fixed), conversation)
	sections[files].Want, sections[files].Weight, sections[files].Drop = f, budget.WeightOf(f), 4
	sections[talk].Min, sections[talk].Want = least, least
	sections[talk].Elastic = true
	return sections
}

func percentOf(window, percent int) int { return int(int64(window) * int64(percent) / 100) }

// filesFor returns how much of the room that files and conversation share goes
// to files: 15 % of the window for an empty conversation, and less in a straight
// line as it grows, down to 5 % where it fills the rest. Both are bounded as in
// the reference: 5,000 to 30,000 tokens, and 2,000 to 10,000, the upper bounds
// in proportion above windows of 200,000; and half of the room at most.
func filesFor(window, room, conversation int) int {
	window, room = clamp(window, 0, budget.MostTokens), clamp(room, 0, budget.MostTokens)
	most := clamp(percentOf(window, 15), 5_000, grown(30_000, window))
	if most > room {
		most = room / 2
	}
	return filesUpTo(most, window, room, conversation)
}

// filesUpTo is FilesFor with the tokens that files get beside no conversation.
func filesUpTo(most, window, room, conversation int) int {
	least := min(clamp(percentOf(window, 5), 2_000, grown(10_000, window)), most)
	span := room - least
	switch {
	case conversation <= 0:
		return most
	case conversation >= span:
		return least
	}
	return most - int(int64(most-least)*int64(conversation)/int64(span))
}

// Adapt divides a window of hawk's nine categories anew for a conversation: as
// it grows, the preloaded files make room for it, and everything else keeps what
// d gives it. For a division beside no conversation, of a window that holds what
// hawk gives, that is what [Divide] returns.
//
// The numbers of d may have been changed by hand. A negative one counts as 0,
// and if they leave the conversation less than 30 % of the window, all shrink in
// proportion.
func Adapt(d *budget.Division, conversation int) (budget.Division, error) {
	if d.Window <= 0 {
		return budget.Division{}, fmt.Errorf("divide a window of %d tokens: want a positive number", d.Window)
	}
	window := min(d.Window, budget.MostTokens)
	fixed := 0
	sections := make([]budget.Section, len(categories))
	files, talk := 0, 0
	for i := range categories {
		c := &categories[i]
		n := clamp(d.Tokens(c.name), 0, window)
		sections[i] = budget.Section{Name: c.name, Want: n, Weight: budget.WeightOf(n)}
		switch c.name {
		case PreloadedFiles:
			files = i
		case Conversation:
			talk = i
		default:
			fixed += n
		}
	}
	f := filesUpTo(sections[files].Want, window, max(0, window-fixed), conversation)
	sections[files].Want, sections[files].Weight = f, budget.WeightOf(f)
	least := percentOf(window, leastConversation)
	sections[talk] = budget.Section{Name: Conversation, Min: least, Want: least, Elastic: true}
	return budget.Split(window, sections)
}

// Divide divides a window. The conversation is in tokens; output is the most that
// the model answers with, 0 if unknown.
func Divide(window, conversation, output int) (budget.Division, error) {
	if window <= 0 {
		return budget.Division{}, fmt.Errorf("divide a window of %d tokens: want a positive number", window)
	}
	return budget.Split(window, sectionsOf(window, conversation, output))
}
