package diff_test

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/cli/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/diff"
	"github.com/satchel-dev/satchel/internal/front/cli/mcp"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/cli/show"
	"github.com/satchel-dev/satchel/internal/front/cli/tokens"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "diff", New: diff.New},
		{Name: "pack", New: pack.New},
		{Name: "tokens", New: tokens.New},
		{Name: "review", New: assist.NewReview},
		{Name: "commit", New: assist.NewCommit},
		{Name: "pr", New: assist.NewPR},
		{Name: "ask", New: assist.NewAsk},
		{Name: "changelog", New: assist.NewChangelog},
		{Name: "show", New: show.New},
		{Name: "mcp", New: func(b *base.App) *cobra.Command { return mcp.New(b, session.StatusForAgent) }},
	},
	Documents: slices.Concat(assist.Documents(), diff.Documents(), pack.Documents(), show.Documents(), tokens.Documents()),
	Written:   diff.Documents(),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
