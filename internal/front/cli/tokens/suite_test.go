package tokens_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/tokens"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "tokens", New: tokens.New},
		{Name: "pack", New: pack.New},
	},
	Documents: slices.Concat(pack.Documents(), tokens.Documents()),
	Written:   tokens.Documents(),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
