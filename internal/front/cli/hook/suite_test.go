package hook_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/hook"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/install"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
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
	},
	Documents: slices.Concat(index.Documents(), install.Documents(), session.Documents()),
	Types:     []schema.Types{install.Types()},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
