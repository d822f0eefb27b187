// Package mcp serves the engine to agents by the Model Context Protocol: a few
// tools that read, and resources for files and snapshots.
//
// It decides nothing about context: every tool takes its arguments apart, calls
// package engine, and shows what comes back as text. What it adds is what a
// server owes its clients and their models:
//
//   - An answer never has more tokens than its budget, whatever is asked for.
//     Where there is more, the answer ends with a cursor.
//   - Text of the repository is data that says where it is from, in a fence that
//     it cannot close; secrets are redacted, and so are terminal escapes, bidi
//     controls and what cannot be seen.
//   - The list of tools is the same for everybody, always, and holds no word of a
//     repository.
//   - The workspace is what the server was started with. No argument of a model
//     names another, and no path leads out of it.
//
// Nothing is kept of a connection: each request is answered from itself and the
// state of the repository, so that both eras of the protocol (the handshake of
// 2024-11-05 to 2025-11-25, and the stateless requests of 2026-07-28) are served
// on one pipe. Start with [New] and [Server.ServeStdio].
package mcp

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/tools"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// instructions describes the server to a model at the start of every session, in
// two lines.
//
//go:embed instructions.md
var instructions string

// Options say what to serve. Open and Path are wanted.
type Options struct {
	// Version is the version of the program.
	Version string

	// Open opens the engine on the workspace. It is called when the first call
	// needs it, and again if that failed.
	Open func(ctx context.Context, progress func(stage string, done, total int)) (*engine.Engine, error)

	// Host is what the tools need. Sessions is wanted.
	tools.Host

	// Hint says what to do about an error, or "".
	Hint func(error) string
}

// A Server answers requests. It is safe for concurrent use.
type Server struct {
	opts Options
	sdk  *sdk.Server
	hub  hub
	slot chan struct{} // one for each request at work

	open   sync.Mutex // held while the engine is opened
	engine *engine.Engine
	warm   sync.Once
	work   sync.WaitGroup // of what goes on beside requests
	stop   context.CancelFunc
	life   context.Context
}

// New returns a server. Nothing is opened before the first request.
func New(o Options) *Server {
	s := &Server{opts: o, slot: make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))}
	s.life, s.stop = context.WithCancel(context.Background())
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "satchel", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: capabilities(),
		SetCacheable: cacheable,
	})
	for _, t := range tools.Of(tools.Outside) {
		s.sdk.AddTool(describe(t), s.tool(t))
	}
	s.addResources()
	s.sdk.AddReceivingMiddleware(s.guard)
	return s
}

// Close ends what the server does beside requests, and closes the engine. No
// request may be at work.
func (s *Server) Close() error {
	s.stop()
	s.work.Wait()
	s.open.Lock()
	defer s.open.Unlock()
	if s.engine == nil {
		return nil
	}
	err := s.engine.Close()
	s.engine = nil
	return err
}

// capabilities returns the capabilities of a server with constant lists.
func capabilities() *sdk.ServerCapabilities {
	return &sdk.ServerCapabilities{Resources: &sdk.ResourceCapabilities{}, Tools: &sdk.ToolCapabilities{}}
}

// listTTL is for how long a client may keep the lists, in milliseconds. They
// change with the program only.
const listTTL = 3600 * 1000

// cacheable says that lists may be kept, and what is read from the repository
// may not.
func cacheable(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
	c.TTLMs, c.CacheScope = listTTL, "public"
	if _, ok := req.GetParams().(*sdk.ReadResourceParams); ok {
		c.TTLMs, c.CacheScope = 0, "private"
	}
}

// mostTime is how long a request may take: longer than indexing the largest
// repositories that were tried, shorter than what a client would forget.
const mostTime = 10 * time.Minute

// guard wraps every request: it limits the number of requests at work, and turns a
// crash into an error of its request.
func (s *Server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("internal error: %.200v\n%.600s", v, debug.Stack())}
			}
		}()
		switch method {
		case "tools/call", "resources/read":
			select {
			case s.slot <- struct{}{}:
				defer func() { <-s.slot }()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, mostTime)
			defer cancel()
			defer context.AfterFunc(s.life, cancel)() // the client is gone
			return next(ctx, method, req)
		case "initialize":
			result, err = next(ctx, method, req)
			if p, ok := req.GetParams().(*sdk.InitializeParams); ok && err != nil && p != nil {
				// The library counts a server/discover as a handshake and refuses one
				// after it. A client that asked and then chose the older way is right.
				result, err = s.initialized(p.ProtocolVersion), nil
			}
		default:
			result, err = next(ctx, method, req)
		}
		if method == "tools/list" || method == "server/discover" || method == "initialize" {
			s.warm.Do(func() { s.work.Go(s.warmUp) })
		}
		return result, err
	}
}

// initialized is the answer to a handshake.
func (s *Server) initialized(version string) *sdk.InitializeResult {
	const newest = "2025-11-25" // that begins with a handshake
	switch version {
	case "2024-11-05", "2025-03-26", "2025-06-18":
	default:
		version = newest
	}
	return &sdk.InitializeResult{
		ProtocolVersion: version, Capabilities: capabilities(), Instructions: instructions,
		ServerInfo: &sdk.Implementation{Name: "satchel", Version: s.opts.Version},
	}
}

// warmUp opens the engine and brings its index up to date while the client is
// still busy with its own start.
func (s *Server) warmUp() {
	defer func() { _ = recover() }() // the call that needs it will say so
	e, err := s.use(s.life)
	if err != nil {
		return // the first call says why
	}
	_, _ = e.Index().Refresh(s.life)
}

// use returns the engine. It reads the state of the repository in every call, so one
// serves as long as the server lives.
func (s *Server) use(ctx context.Context) (*engine.Engine, error) {
	s.open.Lock()
	defer s.open.Unlock()
	if s.engine != nil {
		return s.engine, nil
	}
	if s.life.Err() != nil {
		return nil, errors.New("the server is closing")
	}
	e, err := s.opts.Open(ctx, s.hub.step)
	if err != nil {
		return nil, err
	}
	s.engine = e
	return e, nil
}

// hint returns the text of an error, and what to do about it on a line of its own.
func (s *Server) hint(err error) string {
	text := fsx.Message(err)
	var small *satchel.OverflowError
	if errors.As(err, &small) {
		text = fmt.Sprintf("a budget of %d tokens is too small: this takes %d", small.Limit, small.Need)
	}
	if s.opts.Hint != nil {
		if h := s.opts.Hint(err); h != "" {
			text += "\nhint: " + h
		}
	}
	return text
}

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
