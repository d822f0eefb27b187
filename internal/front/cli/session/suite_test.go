package session_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/config"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/cli/show"
	"github.com/satchel-dev/satchel/internal/front/cli/snapshot"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "session", New: session.New},
		{Name: "status", New: session.NewStatus},
		{Name: "statusline", New: session.NewStatusline},
		{Name: "run", New: session.NewRun},
		{Name: "snapshot", New: snapshot.New},
		{Name: "config", New: config.New},
		{Name: "index", New: index.New},
		{Name: "show", New: show.New},
	},
	Documents: slices.Concat(config.Documents(), index.Documents(), session.Documents(), show.Documents(), snapshot.Documents()),
	Written:   session.Documents(),
	Types:     []schema.Types{config.Types()},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
