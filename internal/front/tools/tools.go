// Package tools is the one table of what models may ask of a repository: the tools
// that the server of the Model Context Protocol offers to agents, and those that a
// model of our own asking may call. All of them only read.
//
// It decides nothing about context: every tool takes its arguments apart, calls
// package engine, and shows what comes back as text, within its budget. Text of the
// repository stands in a fence that it cannot close, secrets redacted. No argument
// names a place outside of the workspace.
//
// Start with [Table] and [Tool.Answer].
package tools

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/session/recordings"
)

// Budgets of answers, in tokens of o200k_base, over the whole text.
const (
	// DefaultBudget keeps an answer below the 10,000 tokens of Claude (1.24 for
	// each of ours) from which on Claude Code warns about it.
	DefaultBudget = 8000
	// MostBudget keeps it below the 25,000 that Claude Code takes at most.
	MostBudget = 20000
	// leastBudget has room for a frame, a cursor, and something between them.
	leastBudget = 200
)

// An Audience says who may call a tool.
type Audience int

// Outside are the agents that a server answers, Inside is a model that this program
// asks by itself. What is in Both is for either.
const (
	Outside Audience = iota + 1
	Inside
	Both = Outside | Inside
)

// A Tool is one entry of the table. All of its text is constant, so no repository can
// add words to it.
type Tool struct {
	For              Audience
	Name, Title, Use string
	schema           string // JSON, keys sorted
	answer           answerFunc
}

// An answerFunc answers a call. Usual is the budget of a call that names none.
type answerFunc func(ctx context.Context, h *Host, e *engine.Engine, raw json.RawMessage, usual int) (string, error)

// A Host is what tools need of the program that serves them. Path is wanted.
type Host struct {
	// Path returns a path as a model writes it (absolute, or relative to the
	// root) relative to the root, or says that it lies outside.
	Path func(name string) (string, error)

	// Share returns the tokens that a share of a window, such as 40%, comes to, at
	// least and at most: they differ for auto. Or it says why that is not known.
	// Nil means that it is not.
	Share func(text string) (least, most int, err error)

	// Sessions reads the sessions that agents recorded of the workspace. Nil means
	// that none are read.
	Sessions Sessions

	// Keep, if set, keeps a pack that is about to be sent, as the user's settings
	// ask for.
	Keep func(ctx context.Context, e *engine.Engine, k Kept) error

	// Change is what is looked at: the diff that is shown when a call names none,
	// and the revision that files are read at. Its zero value is what is staged,
	// else the work tree.
	Change engine.DiffRequest

	// Guarded refuses what a rule excludes and what holds secrets by its nature,
	// even if it is asked for by name, and numbers the lines of files: it is meant
	// for a model of our own asking, whose prompts leave the machine and whose
	// citations are checked.
	Guarded bool
}

// Sessions reads what agents recorded of the workspace. An id names a session
// that lies in an agent's own folder and belongs to the workspace; empty means
// the newest. It never opens another file.
type Sessions interface {
	// Pressure describes how full the window of a session is and what fills it, with
	// secrets redacted.
	Pressure(ctx context.Context, id string) (text string, err error)

	// Block returns the block that a handle names, secrets redacted.
	Block(ctx context.Context, handle, id string) (*recordings.Block, error)
}

// share is Share, if there is one.
func (h *Host) share(text string) (least, most int, err error) {
	if h.Share == nil {
		return 0, 0, errors.New("the window is unknown")
	}
	return h.Share(text)
}

// Of returns the tools for an audience, in the order of their names.
func Of(who Audience) (list []*Tool) {
	for i := range Table {
		if Table[i].For&who != 0 {
			list = append(list, &Table[i])
		}
	}
	return list
}

// Schema returns the JSON schema of a tool's input, its keys sorted.
func (t *Tool) Schema() json.RawMessage { return json.RawMessage(t.schema + `,"type":"object"}`) }

// Answer answers a call. Usual is the budget of a call that names none. An error
// is about the call, and meant for the model, which can mend it.
func (t *Tool) Answer(ctx context.Context, h *Host, e *engine.Engine, raw json.RawMessage, usual int) (string, error) {
	raw, err := t.asMeant(raw, h.share)
	if err != nil {
		return "", err
	}
	return t.answer(ctx, h, e, raw, usual)
}

//go:embed *.md
var texts embed.FS

// use returns the description of a tool, which is in a file of its name.
func use(name string) string {
	text, _ := texts.ReadFile(name + ".md") // a test reads all of them
	return strings.TrimSpace(string(text))
}

// Table lists the tools in the order of their names. Names say what a tool does:
// some clients show a model nothing else until it asks.
var Table = []Tool{
	{
		Inside, "blame", "Who changed lines",
		use("blame"),
		object(budgetSchema,
			`"from":{"type":"integer"}`,
			`"path":{"type":"string"}`,
			`"to":{"description":"at most 60 lines","type":"integer"}`) + required("from", "path"),
		with(blameTool),
	},
	{
		Both, "diff", "Explain a change",
		use("diff"),
		object(`"base":{"description":"changes of HEAD since it left this branch","type":"string"}`,
			budgetSchema, cursorSchema,
			`"detail":{"description":"standard adds hunks (default summary; with a budget standard)","enum":["summary","standard"],"type":"string"}`,
			`"files":{"description":"only these paths or patterns","items":{"type":"string"},"type":"array"}`,
			`"range":{"description":"A..B, A...B, A^! (a commit), A (work tree since A), or staged, unstaged, worktree, untracked","type":"string"}`,
			`"task":{"description":"adds relevance to this task","type":"string"}`),
		with(diffTool),
	},
	{
		Inside, "docs", "Search documents",
		use("docs"),
		object(budgetSchema,
			`"query":{"type":"string"}`) + required("query"),
		with(docsTool),
	},
	{
		Inside, "log", "Newest commits",
		use("log"),
		object(budgetSchema,
			`"count":{"description":"at most 30 (default 10)","type":"integer"}`,
			`"paths":{"description":"files or folders","items":{"type":"string"},"type":"array"}`),
		with(logTool),
	},
	{
		Inside, "map", "Map of the repository",
		use("map"),
		object(budgetSchema, pathsSchema),
		with(mapTool),
	},
	{
		Outside, "pack", "Pack context for a task",
		use("pack"),
		object(budgetSchema, cursorSchema,
			`"detail":{"description":"most detail to show","enum":["full","trimmed","outline","mention"],"type":"string"}`,
			`"diff":{"description":"pack this change with context for a reviewer: a range as in diff","type":"string"}`,
			`"edit":{"description":"files you will change: shows them, their tests and what changes with them","items":{"type":"string"},"type":"array"}`,
			namesSchema, pathsSchema,
			`"pins":{"description":"files to always show","items":{"type":"string"},"type":"array"}`,
			revSchema,
			`"task":{"description":"issue, question or traceback, in full; empty: the whole repository","type":"string"}`),
		with(packTool),
	},
	{
		Both, "read", "Read lines of a file",
		use("read"),
		object(budgetSchema, cursorSchema,
			`"path":{"description":"PATH, PATH:FROM-TO or PATH:1-5,9-12","type":"string"}`,
			revSchema) + required("path"),
		with(readTool),
	},
	{
		Both, "search", "Search files and definitions",
		use("search"),
		object(budgetSchema, cursorSchema,
			`"explain":{"description":"add the reasons for each score","type":"boolean"}`,
			`"limit":{"description":"results (default 20)","type":"integer"}`,
			namesSchema, pathsSchema,
			`"query":{"type":"string"}`,
			revSchema,
			`"symbols":{"description":"rank definitions instead of files","type":"boolean"}`) + required("query"),
		with(searchTool),
	},
	{
		Outside, "session", "Context window of this session",
		use("session"),
		object(budgetSchema, cursorSchema,
			`"handle":{"description":"such as @ldhhu","type":"string"}`,
			`"session":{"description":"id of a session of this project (default: the newest)","type":"string"}`),
		with(sessionTool),
	},
}

// Arguments that several tools take.
const (
	budgetSchema = `"budget":{"description":"token limit of the answer (default 8000, in Codex 2000)","maximum":20000,"minimum":200,"type":"integer"}`
	cursorSchema = `"cursor":{"description":"from the last answer, to continue","type":"string"}`
	namesSchema  = `"names":{"description":"expected identifiers and paths: guesses that only add weight","items":{"type":"string"},"type":"array"}`
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

func required(names ...string) string {
	return `,"required":["` + strings.Join(names, `","`) + `"]`
}
