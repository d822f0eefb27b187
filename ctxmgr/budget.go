package ctxmgr

import (
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/dialect/hawk"
)

// A ContextBudget divides a model's context window between what an agent is
// sent. All numbers are tokens, none is negative, and they add up to Total.
//
// The fields may be changed by hand: [ContextBudget.Allocate] believes them.
type ContextBudget struct {
	Total int // the model's whole context window

	// What does not change with the conversation.
	SystemPrompt int // rules, identity
	ToolDefs     int // descriptions of tools
	RepoMap      int // ranked symbols
	Memory       int // notes
	Workspace    int // branch, status, recent commits

	// What does. PreloadedFiles is the most that files get.
	PreloadedFiles int
	Conversation   int

	// What stays empty.
	OutputReserve int // room for the answer
	SafetyMargin  int // for errors of estimation and what the API adds
}

// A ContextAllocation says where the tokens of a window go beside a conversation
// of some length.
type ContextAllocation struct {
	SystemPrompt   int
	ToolDefs       int
	RepoMap        int
	Memory         int
	Workspace      int
	PreloadedFiles int
	Conversation   int
	OutputReserve  int
	SafetyMargin   int
	Remaining      int // 0 or more, and 0 unless fields were changed by hand
}

// NewContextBudget divides a window of so many tokens; see [budget.CtxMgr]. A
// window of 0 or less is empty.
func NewContextBudget(contextSize int) *ContextBudget {
	d, err := hawk.Divide(contextSize, 0, 0)
	if err != nil {
		return &ContextBudget{}
	}
	return &ContextBudget{
		Total:          d.Window,
		SystemPrompt:   d.Tokens(hawk.SystemPrompt),
		ToolDefs:       d.Tokens(hawk.ToolDefs),
		RepoMap:        d.Tokens(hawk.RepoMap),
		Memory:         d.Tokens(hawk.Memory),
		Workspace:      d.Tokens(hawk.Workspace),
		PreloadedFiles: d.Tokens(hawk.PreloadedFiles),
		Conversation:   d.Tokens(hawk.Conversation),
		OutputReserve:  d.Tokens(hawk.OutputReserve),
		SafetyMargin:   d.Tokens(hawk.SafetyMargin),
	}
}

// division is the window beside a conversation.
func (b *ContextBudget) division(conversationTokens int) budget.Division {
	d, err := hawk.Adapt(&budget.Division{Window: b.Total, Parts: []budget.Part{
		{Name: hawk.SystemPrompt, Tokens: b.SystemPrompt},
		{Name: hawk.ToolDefs, Tokens: b.ToolDefs},
		{Name: hawk.RepoMap, Tokens: b.RepoMap},
		{Name: hawk.Memory, Tokens: b.Memory},
		{Name: hawk.Workspace, Tokens: b.Workspace},
		{Name: hawk.PreloadedFiles, Tokens: b.PreloadedFiles},
		{Name: hawk.Conversation, Tokens: b.Conversation},
		{Name: hawk.OutputReserve, Tokens: b.OutputReserve},
		{Name: hawk.SafetyMargin, Tokens: b.SafetyMargin},
	}}, conversationTokens)
	if err != nil {
		return budget.Division{} // of an empty window
	}
	return d
}

// Allocate divides the window beside a conversation of so many tokens: as it
// grows, PreloadedFiles makes room for it. See [hawk.Adapt].
func (b *ContextBudget) Allocate(conversationTokens int) *ContextAllocation {
	d := b.division(conversationTokens)
	return &ContextAllocation{
		SystemPrompt:   d.Tokens(hawk.SystemPrompt),
		ToolDefs:       d.Tokens(hawk.ToolDefs),
		RepoMap:        d.Tokens(hawk.RepoMap),
		Memory:         d.Tokens(hawk.Memory),
		Workspace:      d.Tokens(hawk.Workspace),
		PreloadedFiles: d.Tokens(hawk.PreloadedFiles),
		Conversation:   d.Tokens(hawk.Conversation),
		OutputReserve:  d.Tokens(hawk.OutputReserve),
		SafetyMargin:   d.Tokens(hawk.SafetyMargin),
		Remaining:      d.Free,
	}
}

// FilesBudget returns the tokens for preloaded files beside a conversation.
func (b *ContextBudget) FilesBudget(conversationTokens int) int {
	return b.Allocate(conversationTokens).PreloadedFiles
}

// ShouldCompact reports whether a conversation takes more than its share.
func (b *ContextBudget) ShouldCompact(conversationTokens int) bool {
	return conversationTokens > b.Allocate(conversationTokens).Conversation
}

// UsageReport returns the allocation for people.
func (b *ContextBudget) UsageReport(conversationTokens int) string {
	d := b.division(conversationTokens)
	return hawk.Budget(&d, conversationTokens)
}
