package contextfiles_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/contextfiles"
	"github.com/satchel-dev/satchel/internal/front/cli/note"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "context", New: contextfiles.New},
		{Name: "pack", New: pack.New},
		{Name: "note", New: note.New},
		{Name: "session", New: session.New},
		{Name: "run", New: session.NewRun},
		{Name: "ask", New: assist.NewAsk},
	},
	Documents: slices.Concat(assist.Documents(), contextfiles.Documents(), note.Documents(), pack.Documents(), session.Documents()),
	Written:   contextfiles.Documents(),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
