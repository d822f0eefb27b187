package embed_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/embed"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "embed", New: embed.New},
		{Name: "index", New: index.New},
		{Name: "pack", New: pack.New},
	},
	Documents: slices.Concat(embed.Documents(), index.Documents(), pack.Documents()),
	Written:   embed.Documents(),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
