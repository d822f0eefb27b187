package cli_test

import (
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/schema"
)

var suite = &clitest.Suite{
	Commands: cli.Commands(), Documents: cli.Documents(), Written: written("schema", "version"), Types: []schema.Types{cli.DocumentTypes()},
	Cmds: map[string]func(*testscript.TestScript, bool, []string){"newer-state": newerState},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }

var run = suite.Run

// written returns the documents of the commands here. The scripts of the families write
// all others.
func written(commands ...string) []schema.Document {
	return slices.DeleteFunc(cli.Documents(), func(d schema.Document) bool { return !slices.Contains(commands, d.Name) })
}
