package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-dev/satchel/internal/front/tools"
)

// describe is a tool as it is listed.
func describe(t *tools.Tool) *sdk.Tool {
	no := false
	return &sdk.Tool{
		Name: t.Name, Title: t.Title, Description: t.Use, InputSchema: t.Schema(),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}
}

// tool answers the calls of a tool. Errors of a call go to the model, which can
// correct them, and not to the protocol.
func (s *Server) tool(t *tools.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		done := s.hub.listen(ctx, req)
		text, err := s.answer(ctx, t, req.Params.Arguments, usualBudget(req.ClientInfo()))
		done()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, ctx.Err())
		}
		if err != nil {
			return &sdk.CallToolResult{IsError: true, Content: content(tools.Bounded(s.hint(err)))}, nil
		}
		return &sdk.CallToolResult{Content: content(text)}, nil
	}
}

func (s *Server) answer(ctx context.Context, t *tools.Tool, raw json.RawMessage, usual int) (string, error) {
	e, err := s.use(ctx)
	if err != nil {
		return "", err
	}
	return t.Answer(ctx, &s.opts.Host, e, raw, usual)
}

// usualBudget is the budget of a call that names none. Codex 0.169.0 takes the
// middle out of results of more than 10,000 bytes, and the cursor of the rest with
// it; a token has less than five bytes.
func usualBudget(client *sdk.Implementation) int {
	if client != nil && client.Name == "codex-mcp-client" {
		return 2000
	}
	return tools.DefaultBudget
}

func content(text string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: text}} }
