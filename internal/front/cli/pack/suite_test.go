package pack_test

import (
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/cli/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/config"
	"github.com/satchel-dev/satchel/internal/front/cli/contextfiles"
	"github.com/satchel-dev/satchel/internal/front/cli/diff"
	"github.com/satchel-dev/satchel/internal/front/cli/hook"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/install"
	"github.com/satchel-dev/satchel/internal/front/cli/mcp"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/search"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/cli/show"
	"github.com/satchel-dev/satchel/internal/front/cli/snapshot"
	"github.com/satchel-dev/satchel/internal/front/cli/tokens"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "pack", New: pack.New},
		{Name: "search", New: search.New},
		{Name: "diff", New: diff.New},
		{Name: "show", New: show.New},
		{Name: "tokens", New: tokens.New},
		{Name: "review", New: assist.NewReview},
		{Name: "commit", New: assist.NewCommit},
		{Name: "ask", New: assist.NewAsk},
		{Name: "pr", New: assist.NewPR},
		{Name: "session", New: session.New},
		{Name: "status", New: session.NewStatus},
		{Name: "run", New: session.NewRun},
		{Name: "doctor", New: install.NewDoctor},
		{Name: "index", New: index.New},
		{Name: "hook", New: hook.New},
		{Name: "mcp", New: func(b *base.App) *cobra.Command { return mcp.New(b, session.StatusForAgent) }},
		{Name: "config", New: config.New},
		{Name: "snapshot", New: snapshot.New},
		{Name: "context", New: contextfiles.New},
	},
	Documents:  slices.Concat(assist.Documents(), config.Documents(), contextfiles.Documents(), diff.Documents(), index.Documents(), install.Documents(), pack.Documents(), search.Documents(), session.Documents(), show.Documents(), snapshot.Documents(), tokens.Documents()),
	Written:    pack.Documents(),
	Types:      []schema.Types{config.Types(), install.Types()},
	Cmds:       map[string]func(*testscript.TestScript, bool, []string){"serve-git": serveGit},
	Conditions: map[string]func() bool{"http-backend": func() bool { return httpBackend() != "" }},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
