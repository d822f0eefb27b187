package cli_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
)

var suite = &clitest.Suite{
	Commands: cli.Commands(), Documents: cli.Documents(), Written: cli.Documents(), Types: cli.DocumentTypes(),
	Cmds: map[string]func(*testscript.TestScript, bool, []string){
		"newer-state": newerState,
		"serve-git":   serveGit,
	},
	Conditions: map[string]func() bool{"http-backend": func() bool { return httpBackend() != "" }},
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }

var run = suite.Run
