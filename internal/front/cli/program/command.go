package program

import (
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/spf13/cobra"
)

// A Command is a row of the table of commands. New is nil for a command of the library.
type Command struct {
	Group string // its heading in the help; "" keeps it out of the help
	Name  string
	New   func(*base.App) *cobra.Command
}

// groups returns the headings of the help with the names below each, in order.
func (a *app) groups() (list []commandGroup) {
	for _, c := range a.commands {
		switch n := len(list); {
		case c.Group == "":
		case n > 0 && list[n-1].title == c.Group:
			list[n-1].commands = append(list[n-1].commands, c.Name)
		default:
			list = append(list, commandGroup{c.Group, []string{c.Name}})
		}
	}
	return list
}

// A commandGroup is a part of the list of commands.
type commandGroup struct {
	title    string
	commands []string // in the order in which they are shown
}
