package search_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/search"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "search", New: search.New},
		{Name: "pack", New: pack.New},
	},
	Documents: slices.Concat(pack.Documents(), search.Documents()),
	Written:   search.Documents(),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
