package hook_test

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/cli/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/config"
	"github.com/satchel-dev/satchel/internal/front/cli/hook"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/install"
	"github.com/satchel-dev/satchel/internal/front/cli/mcp"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/search"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "hook", New: hook.New},
		{Name: "session", New: session.New},
		{Name: "statusline", New: session.NewStatusline},
		{Name: "index", New: index.New},
		{Name: "install", New: install.New},
		{Name: "config", New: config.New},
		{Name: "mcp", New: func(b *base.App) *cobra.Command { return mcp.New(b, session.StatusForAgent) }},
		{Name: "search", New: search.New},
		{Name: "log", New: func(b *base.App) *cobra.Command { return assist.NewLog(b, nil) }},
	},
	Documents: slices.Concat(assist.Documents(), config.Documents(), index.Documents(), install.Documents(), search.Documents(), session.Documents()),
	Types:     []schema.Types{config.Types(), install.Types()},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
