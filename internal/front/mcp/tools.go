package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-dev/satchel/engine"
)

// A tool is one entry of the list of tools. All of it is text that stands here,
// so that no repository can put words into it.
type tool struct {
	name, title, use string
	schema           string // JSON, keys sorted
	answer           func(ctx context.Context, s *Server, e *engine.Engine, raw json.RawMessage, usual int) (string, error)
}

// tools are in the order of their names, as they are listed. Names say what a
// tool does: some clients show a model nothing else until it asks.
var tools = []tool{
	{
		"diff", "Explain a change",
		"What changed, most relevant file first, with reasons. Default: what is staged, else the work tree.",
		object(`"base":{"description":"what HEAD did since it left this branch","type":"string"}`,
			budgetSchema, cursorSchema,
			`"detail":{"description":"standard adds the hunks","enum":["summary","standard"],"type":"string"}`,
			`"files":{"description":"only these paths or patterns","items":{"type":"string"},"type":"array"}`,
			formatSchema,
			`"range":{"description":"A..B, A...B, A^! (a commit), A (work tree since A), or staged, unstaged, worktree, untracked","type":"string"}`,
			`"task":{"description":"adds relevance to it","type":"string"}`),
		diffTool,
	},
	{
		"pack", "Pack context for a task",
		"The code and documents a task needs, ranked, in the detail that fits the budget, and a receipt of what was left out. Call it first.",
		object(budgetSchema, cursorSchema,
			`"detail":{"description":"the most that is shown of anything","enum":["full","trimmed","outline","mention"],"type":"string"}`,
			`"diff":{"description":"pack this change and what a reviewer needs beside it: a range as for diff","type":"string"}`,
			formatSchema, pathsSchema,
			`"pins":{"description":"files to show whatever happens","items":{"type":"string"},"type":"array"}`,
			revSchema,
			`"task":{"description":"issue, question or traceback, in full; empty: the whole repository","type":"string"}`),
		packTool,
	},
	{
		"read", "Read lines of a file",
		"The exact text of a file or some of its lines, as receipts and searches name them.",
		object(budgetSchema, cursorSchema, formatSchema,
			`"path":{"description":"PATH, PATH:FROM-TO or PATH:1-5,9-12","type":"string"}`,
			revSchema) + required("path"),
		readTool,
	},
	{
		"search", "Search files and definitions",
		"Files ranked for words, names, a path or a traceback, with their best lines.",
		object(budgetSchema, cursorSchema,
			`"explain":{"description":"add the reasons of each score","type":"boolean"}`,
			formatSchema,
			`"limit":{"description":"results (default 20)","type":"integer"}`,
			pathsSchema,
			`"query":{"type":"string"}`,
			revSchema,
			`"symbols":{"description":"rank definitions instead of files","type":"boolean"}`) + required("query"),
		searchTool,
	},
	{
		"session", "Context window of this session",
		"What fills your context window and how many turns are left; with handle, the whole block that a trim replaced by it.",
		object(budgetSchema, cursorSchema, formatSchema,
			`"handle":{"description":"such as @ldhhu","type":"string"}`,
			`"session":{"description":"id of a session of this project (default: the newest)","type":"string"}`),
		sessionTool,
	},
}

// Arguments that several tools take.
const (
	budgetSchema = `"budget":{"description":"most tokens of the answer (default 8000, in Codex 2000)","maximum":20000,"minimum":200,"type":"integer"}`
	cursorSchema = `"cursor":{"description":"from the last answer, to go on","type":"string"}`
	formatSchema = `"format":{"enum":["text","json"],"type":"string"}`
	pathsSchema  = `"paths":{"description":"only these folders, files or patterns","items":{"type":"string"},"type":"array"}`
	revSchema    = `"rev":{"description":"revision instead of the work tree","type":"string"}`
)

// object is a schema without its end: see tool.describe.
func object(properties ...string) string {
	s := `{"additionalProperties":false,"properties":{`
	for i, p := range properties {
		if i > 0 {
			s += ","
		}
		s += p
	}
	return s + `}`
}

func required(name string) string { return `,"required":["` + name + `"]` }

// describe is the tool as it is listed.
func (t *tool) describe() *sdk.Tool {
	no := false
	return &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.use, InputSchema: json.RawMessage(t.schema + `,"type":"object"}`),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}
}

// tool answers the calls of a tool. What is wrong with a call is told to the
// model, which can mend it, and not to the protocol.
func (s *Server) tool(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		done := s.hub.listen(ctx, req)
		text, err := s.answer(ctx, t, req.Params.Arguments, usualBudget(req.ClientInfo()))
		done()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", t.name, ctx.Err())
		}
		if err != nil {
			return &sdk.CallToolResult{IsError: true, Content: content(bounded(s.hint(err)))}, nil
		}
		return &sdk.CallToolResult{Content: content(text)}, nil
	}
}

func (s *Server) answer(ctx context.Context, t tool, raw json.RawMessage, usual int) (string, error) {
	if len(raw) > mostArguments {
		return "", decode(raw, nil)
	}
	raw, err := t.asMeant(raw, s.opts.Share)
	if err != nil {
		return "", err
	}
	e, err := s.use(ctx)
	if err != nil {
		return "", err
	}
	return t.answer(ctx, s, e, raw, usual)
}

// usualBudget is the budget of a call that names none. Codex 0.169.0 takes the
// middle out of results of more than 10,000 bytes, and the cursor of the rest with
// it; a token has less than five bytes.
func usualBudget(client *sdk.Implementation) int {
	if client != nil && client.Name == "codex-mcp-client" {
		return 2000
	}
	return defaultBudget
}

func content(text string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: text}} }
