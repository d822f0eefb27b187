package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/tools"
	"github.com/satchel-dev/satchel/render"
)

// mostArgument is how long an argument of a prompt may be, in bytes.
const mostArgument = 4096

func (s *Server) addPrompts() {
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "commit", Title: "Write a commit message",
		Description: "Write the message of a commit of what is staged, else of the work tree.",
	}, s.prompt(commitPrompt))
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "review", Title: "Review a change",
		Description: "Review a change: what it breaks, misses and leaves untested.",
		Arguments:   []*sdk.PromptArgument{{Name: "range", Description: "A..B, a commit, or staged, unstaged, worktree (default: worktree)"}},
	}, s.prompt(reviewPrompt))
}

func (s *Server) prompt(make func(ctx context.Context, e *engine.Engine, args map[string]string) (string, error)) sdk.PromptHandler {
	return func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text := ""
		var err error
		for k, v := range req.Params.Arguments {
			if len(v) > mostArgument {
				err = fmt.Errorf("argument %.40q has %d bytes, and %d is the most", k, len(v), mostArgument)
			}
		}
		var e *engine.Engine
		if err == nil {
			e, err = s.use(ctx)
		}
		if err == nil {
			text, err = make(ctx, e, req.Params.Arguments)
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("make prompt: %w", ctx.Err())
		}
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: tools.Bounded(s.hint(err))}
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
	}
}

// asked are the words of the prompts. The change follows them, as data.
const (
	askCommit = `Write the message of a commit of the changes below: a subject of at most 72 characters in the style of this repository's history, an empty line, and a body that says what was wrong or is new, why, and how one can tell that it is right. Answer with the message alone.

`
	askReview = `Review the change below. Say what it breaks, what it misses (callers, tests, documents, files that usually change with it), and what could go wrong at run time; give each finding a path and lines, the most serious first. Say so if there is nothing. Use the tools read and search for what is not shown.

`
)

func commitPrompt(ctx context.Context, e *engine.Engine, _ map[string]string) (string, error) {
	text, err := tools.Hunks(ctx, e, engine.DiffRequest{Detail: engine.DiffStandard}, tools.DefaultBudget-tools.Count(askCommit))
	return askCommit + text, err
}

func reviewPrompt(ctx context.Context, e *engine.Engine, args map[string]string) (string, error) {
	what := args["range"]
	if what == "" {
		what = "worktree"
	}
	if err := tools.Revision("range", what); err != nil {
		return "", err
	}
	p, err := e.Pack(ctx, satchel.Request{Changes: what, Budget: tools.DefaultBudget - tools.Count(askReview)})
	if err != nil {
		return "", err
	}
	if len(p.Entries) == 0 {
		return "", errors.New("nothing changed: there is nothing to review")
	}
	text, err := tools.Rendered(p, render.Markdown)
	return askReview + text, err
}
