package install_test

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/config"
	"github.com/satchel-dev/satchel/internal/front/cli/hook"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/install"
	"github.com/satchel-dev/satchel/internal/front/cli/last"
	"github.com/satchel-dev/satchel/internal/front/cli/mcp"
	"github.com/satchel-dev/satchel/internal/front/cli/note"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "install", New: install.New},
		{Name: "uninstall", New: install.NewUninstall},
		{Name: "doctor", New: install.NewDoctor},
		{Name: "pack", New: pack.New},
		{Name: "index", New: index.New},
		{Name: "note", New: note.New},
		{Name: "session", New: session.New},
		{Name: "status", New: session.NewStatus},
		{Name: "hook", New: hook.New},
		{Name: "mcp", New: func(b *base.App) *cobra.Command { return mcp.New(b, session.StatusForAgent) }},
		{Name: "config", New: config.New},
		{Name: "last", New: last.New},
	},
	Documents: slices.Concat(config.Documents(), index.Documents(), install.Documents(), last.Documents(), note.Documents(), pack.Documents(), session.Documents()),
	Written:   install.Documents(),
	Types:     []schema.Types{config.Types(), install.Types()},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
