package assist_test

import (
	"context"
	"testing"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/cli/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/snapshot"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

var suite = &clitest.Suite{Written: assist.Documents()}

func init() {
	suite.Documents = append([]schema.Document{}, assist.Documents()...)
	suite.Documents = append(suite.Documents, snapshot.Documents()...)
	again := func(ctx context.Context, env base.Env, args []string) int {
		return program.Main(ctx, env, suite.Commands, args)
	}
	suite.Commands = []program.Command{
		{Name: "ask", New: assist.NewAsk}, {Name: "commit", New: assist.NewCommit}, {Name: "review", New: assist.NewReview},
		{Name: "pr", New: assist.NewPR}, {Name: "changelog", New: assist.NewChangelog}, {Name: "snapshot", New: snapshot.New},
		{Name: "log", New: func(b *base.App) *cobra.Command { return assist.NewLog(b, again) }},
	}
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }

var run = suite.Run
