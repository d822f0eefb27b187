package diff_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/diff"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/tokens"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "diff", New: diff.New},
		{Name: "pack", New: pack.New},
		{Name: "tokens", New: tokens.New},
		{Name: "review", New: assist.NewReview},
		{Name: "commit", New: assist.NewCommit},
	},
	Documents: slices.Concat(assist.Documents(), diff.Documents(), pack.Documents(), tokens.Documents()),
	Written:   diff.Documents(),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
