package config_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/config"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/tokens"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "config", New: config.New},
		{Name: "tokens", New: tokens.New},
	},
	Documents: slices.Concat(config.Documents(), tokens.Documents()),
	Written:   config.Documents(),
	Types:     []schema.Types{config.Types()},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
