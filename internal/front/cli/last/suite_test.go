package last_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/hook"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/last"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "last", New: last.New},
		{Name: "hook", New: hook.New},
		{Name: "index", New: index.New},
	},
	Documents: slices.Concat(index.Documents(), last.Documents()),
	Written:   last.Documents(),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
