package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/tools"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// The addresses of resources.
const (
	fileScheme     = "satchel://file/"
	snapshotScheme = "satchel://snapshot/"
	snapshotsURI   = "satchel://snapshots"
)

func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{
		URI: snapshotsURI, Name: "snapshots", Title: "Snapshots", MIMEType: "text/plain",
		Description: "Snapshots of what agents were shown, newest first.",
	}, s.resource(s.listSnapshots))
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: fileScheme + "{+path}", Name: "file", Title: "File", MIMEType: "text/plain",
		Description: "A file of the repository, or PATH:FROM-TO, with secrets redacted.",
	}, s.resource(s.readFile))
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: snapshotScheme + "{id}", Name: "snapshot", Title: "Snapshot", MIMEType: "text/plain",
		Description: "What an agent was shown, by the beginning of a snapshot's id, or latest.",
	}, s.resource(s.readSnapshot))
}

// resource makes a handler of what reads one text. What cannot be read is an
// invalid parameter, as the protocol wants it.
func (s *Server) resource(read func(ctx context.Context, e *engine.Engine, uri string) (string, error)) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		e, err := s.use(ctx)
		text := ""
		if err == nil {
			text, err = read(ctx, e, req.Params.URI)
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("read resource: %w", ctx.Err())
		}
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: tools.Bounded(s.hint(err))}
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: text}}}, nil
	}
}

func (s *Server) readFile(ctx context.Context, e *engine.Engine, uri string) (string, error) {
	name, err := below(uri, fileScheme)
	if err != nil {
		return "", err
	}
	text, err := s.opts.Text(ctx, e, name)
	if err != nil {
		return "", err
	}
	return tools.Whole(text, "for the rest, use the tool read")
}

// below returns the part of an address after its scheme, unescaped.
func below(uri, scheme string) (string, error) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", fmt.Errorf("%.200q: want an address that begins with %s", uri, scheme)
	}
	name, err := url.PathUnescape(rest)
	switch {
	case err != nil || !utf8.ValidString(name):
		return "", fmt.Errorf("%.200q is not an address", uri)
	case name == "":
		return "", errors.New("the address has no name")
	}
	return name, nil
}

// mostListed is how many snapshots are listed.
const mostListed = 100

func (s *Server) listSnapshots(ctx context.Context, e *engine.Engine, _ string) (string, error) {
	list, _, err := e.Snapshots().List(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, x := range list {
		if i == mostListed {
			fmt.Fprintf(&b, "%d more\n", len(list)-i)
			break
		}
		fmt.Fprintf(&b, "%s%.12s  %s  %s\n", snapshotScheme, x.ID, x.Taken.UTC().Format("2006-01-02 15:04"), clean.Inline(x.Summary))
	}
	if len(list) == 0 {
		b.WriteString("No snapshots.\n")
	}
	return tools.Whole(b.String(), "read one of them")
}

var snapshotID = lazy.Regexp(`^([0-9a-f]{4,64}|latest|previous)$`)

func (s *Server) readSnapshot(ctx context.Context, e *engine.Engine, uri string) (string, error) {
	id, err := below(uri, snapshotScheme)
	if err != nil {
		return "", err
	}
	if !snapshotID().MatchString(id) {
		return "", fmt.Errorf("snapshot %.80q: want four digits of its id or more, or latest", id)
	}
	found, err := e.Snapshots().Find(ctx, id)
	if err != nil {
		return "", err
	}
	text, err := e.Snapshots().Replay(ctx, found)
	if err != nil {
		return "", err
	}
	// Snapshots are taken redacted, but one may be imported.
	shown, _ := clean.File("", text)
	return tools.Whole(shown.String(), "satchel snapshot replay "+found.ID[:12]+" shows all of it")
}
