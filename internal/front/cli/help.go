package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/satchel-dev/satchel/render"
)

// overview is the first paragraph that satchel prints without a command.
const overview = `The right context for coding agents, within a token budget.

satchel picks the files, functions and documents that a task needs, cuts them to
fit, and lists what it left out.`

// starts are the first commands for a newcomer, with their purposes. The first
// three are the examples of the help.
var starts = []struct{ line, use string }{
	{`satchel pack "login times out"`, "write the context for a task"},
	{`satchel search "retry backoff"`, "rank the files for a query"},
	{`satchel diff`, "show what changed, most relevant first"},
	{`satchel session list`, "list the sessions of your coding agents"},
	{`satchel install claude`, "add context to every prompt of Claude Code"},
}

// Widths of the help. Longer lines are hard to read, and a column of text below
// the least is harder than a line for each flag.
const (
	helpWidth      = 80
	widestHelp     = 100
	leastTextWidth = 34
)

func (a *app) helpWidth() int {
	if w := a.width(); w > 0 {
		return min(w, widestHelp)
	}
	return helpWidth
}

// overviewText is the first screen.
func overviewText(width int) string {
	var b strings.Builder
	b.WriteString(reflow(overview+"\n", width) + "\nStart in a git repository, or in any folder:\n\n")
	var rows []helpRow
	for _, s := range starts {
		rows = append(rows, helpRow{s.line, s.use})
	}
	writeRows(&b, rows, column(rows), width)
	b.WriteString("\n" + reflow("Run satchel --help for all commands, or satchel COMMAND --help for one.\n", width))
	return b.String()
}

func startExamples() string {
	var lines []string
	for _, s := range starts[:3] {
		lines = append(lines, "  "+s.line)
	}
	return strings.Join(lines, "\n")
}

// helpText is the whole help of a command.
func helpText(cmd *cobra.Command, width int) string {
	var b strings.Builder
	b.WriteString(reflow(cmp.Or(cmd.Long, cmd.Short)+"\n", width))
	b.WriteString("\nUsage:\n")
	if cmd.Runnable() && cmd.HasParent() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	writeLists(&b, commandLists(cmd), width)
	writeLists(&b, flagLists(cmd), width)
	if !cmd.HasParent() {
		writeLists(&b, []helpList{{"Exit codes", exitCodes}}, width)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + reflow("Run "+cmd.CommandPath()+" COMMAND --help for more about a command.\n", width))
	}
	return b.String()
}

var exitCodes = []helpRow{
	{"0", "done"},
	{"1", "failed"},
	{"2", "wrong command line, variable or configuration"},
	{"3", "budget too small"},
	{"4", "credential missing"},
	{"5", "index or notes locked or damaged"},
	{"6", "incomplete: the result lists what is missing"},
	{"7", "review --fail-on matched"},
	{"130", "interrupted"},
	{"any", "run returns the code of its command; 124, 126 and 127 as in a shell, 128 plus a signal"},
}

// commandLists returns the commands below one. The commands of satchel itself are in groups.
func commandLists(cmd *cobra.Command) (lists []helpList) {
	groups := commandGroups
	if cmd.HasParent() {
		groups = []commandGroup{{title: "Commands"}}
		for _, c := range cmd.Commands() {
			groups[0].commands = append(groups[0].commands, c.Name())
		}
	}
	for _, g := range groups {
		l := helpList{title: g.title}
		for _, name := range g.commands {
			for _, c := range cmd.Commands() {
				if c.Name() == name && (c.IsAvailableCommand() || name == "help") {
					l.rows = append(l.rows, helpRow{name, c.Short})
				}
			}
		}
		if len(l.rows) > 0 {
			lists = append(lists, l)
		}
	}
	return lists
}

// fewFlags are shown in one list.
const fewFlags = 6

// flagLists returns the flags of a command by group, the flags of all commands last.
func flagLists(cmd *cobra.Command) (lists []helpList) {
	groups, everywhere := flagGroups[:len(flagGroups)-1], flagGroups[len(flagGroups)-1]
	own := flagGroup{title: "Flags"}
	for _, fs := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
		fs.VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(everywhere.flags, f.Name) {
				own.flags = append(own.flags, f.Name)
			}
		})
	}
	if len(own.flags) <= fewFlags {
		groups = []flagGroup{own}
	}
	for _, g := range append(slices.Clone(groups), everywhere) {
		l := helpList{title: g.title}
		for _, name := range g.flags {
			if f := cmd.Flag(name); f != nil && !f.Hidden {
				l.rows = append(l.rows, flagHelp(f))
			}
		}
		if len(l.rows) > 0 {
			lists = append(lists, l)
		}
	}
	return lists
}

// flagHelp returns a flag as it is written, and its effect.
func flagHelp(f *pflag.Flag) helpRow {
	value, use := pflag.UnquoteUsage(f)
	name := "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		name += " " + strings.ToUpper(value)
	}
	switch f.DefValue {
	case "", "0", "false", "[]":
	default:
		use += " (default " + f.DefValue + ")"
	}
	return helpRow{name, use}
}

type helpRow struct{ name, text string }

type helpList struct {
	title string
	rows  []helpRow
}

// writeLists writes lists with their titles, all with the same columns.
func writeLists(b *strings.Builder, lists []helpList, width int) {
	var names []helpRow
	for _, l := range lists {
		names = append(names, l.rows...)
	}
	for _, l := range lists {
		fmt.Fprintf(b, "\n%s:\n", l.title)
		writeRows(b, l.rows, column(names), width)
	}
}

// column is the width of the longest name.
func column(rows []helpRow) (n int) {
	for _, r := range rows {
		n = max(n, render.Width(r.name))
	}
	return n
}

// writeRows writes two columns, or a line for each name and its text below it
// where there is no room for two.
func writeRows(b *strings.Builder, rows []helpRow, column, width int) {
	const indent, gap = 2, 2
	room := width - indent - column - gap
	if room < leastTextWidth {
		for _, r := range rows {
			fmt.Fprintf(b, "%*s%s\n", indent, "", r.name)
			for _, line := range wrapText(r.text, width-8) {
				fmt.Fprintf(b, "%*s%s\n", 8, "", line)
			}
		}
		return
	}
	for _, r := range rows {
		name := r.name
		for _, line := range wrapText(r.text, room) {
			fmt.Fprintf(b, "%*s%s%*s%s\n", indent, "", render.Pad(name, column), gap, "", line)
			name = ""
		}
	}
}

// wrapText cuts text into lines of at most a width between its words; a word
// that is longer has a line of its own.
func wrapText(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case render.Width(line)+1+render.Width(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// reflow wraps paragraphs at a width. What is indented stays as it is.
func reflow(text string, width int) string {
	var b strings.Builder
	paragraph := ""
	flush := func() {
		if paragraph != "" {
			b.WriteString(strings.Join(wrapText(paragraph, width), "\n") + "\n")
		}
		paragraph = ""
	}
	for line := range strings.Lines(text) {
		if bare := strings.TrimSpace(line); bare == "" || line[0] == ' ' {
			flush()
			b.WriteString(strings.TrimRight(line, "\n") + "\n")
			continue
		}
		paragraph += line
	}
	flush()
	return b.String()
}
