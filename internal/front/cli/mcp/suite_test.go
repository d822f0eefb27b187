package mcp_test

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/mcp"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/cli/snapshot"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "mcp", New: func(b *base.App) *cobra.Command { return mcp.New(b, session.StatusForAgent) }},
		{Name: "snapshot", New: snapshot.New},
		{Name: "session", New: session.New},
	},
	Documents: slices.Concat(session.Documents(), snapshot.Documents()),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
