package note_test

import (
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/note"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/show"
	"github.com/satchel-dev/satchel/internal/front/cli/snapshot"
)

var suite = &clitest.Suite{
	Commands: []program.Command{
		{Name: "note", New: note.New},
		{Name: "pack", New: pack.New},
		{Name: "show", New: show.New},
		{Name: "snapshot", New: snapshot.New},
	},
	Documents: slices.Concat(note.Documents(), pack.Documents(), show.Documents(), snapshot.Documents()),
	Written:   note.Documents(),
}

func TestMain(m *testing.M) { suite.Main(m) }

func TestScripts(t *testing.T) { suite.Scripts(t) }
