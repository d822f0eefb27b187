package show_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/search"
	"github.com/satchel-dev/satchel/internal/front/cli/show"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "show", New: show.New},
		{Name: "search", New: search.New},
	},
	Documents: slices.Concat(search.Documents(), show.Documents()),
	Written:   show.Documents(),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
