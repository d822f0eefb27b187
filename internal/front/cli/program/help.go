package program

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

// Widths of the help. Longer lines are hard to read.
const (
	helpWidth  = 80
	widestHelp = 100
)

func (a *app) helpWidth() int {
	if w := a.Width(); w > 0 {
		return min(w, widestHelp)
	}
	return helpWidth
}

// overviewText is the first screen.
func overviewText(width int) string {
	var b strings.Builder
	b.WriteString(wrap(overview, width) + "\nStart in a git repository, or in any folder:\n\n")
	var rows []helpRow
	for _, s := range starts {
		rows = append(rows, helpRow{s.line, s.use})
	}
	writeRows(&b, rows, width)
	b.WriteString("\n" + wrap("Run satchel --help for all commands, or satchel COMMAND --help for one.", width))
	return b.String()
}

func startExamples() string {
	var lines []string
	for _, s := range starts[:3] {
		lines = append(lines, "  "+s.line)
	}
	return strings.Join(lines, "\n")
}

// shortHelp is what -h prints: usage, examples and the names of flags.
func (a *app) shortHelp(cmd *cobra.Command, width int) string {
	var b strings.Builder
	b.WriteString(wrap(cmd.Short+".", width))
	writeUsage(&b, cmd)
	a.writeCommands(&b, cmd, width)
	var names []string
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			names = append(names, "--"+f.Name)
		}
	})
	if len(names) > 0 {
		flags := strings.TrimSuffix(wrap(strings.Join(names, " "), width-2), "\n")
		b.WriteString("\nFlags:\n  " + strings.ReplaceAll(flags, "\n", "\n  ") + "\n")
	}
	b.WriteString("\n" + wrap("Run "+cmd.CommandPath()+" --help for all of it.", width))
	return b.String()
}

// helpText is the whole help of a command.
func (a *app) helpText(cmd *cobra.Command, width int) string {
	var b strings.Builder
	b.WriteString(wrap(cmp.Or(cmd.Long, cmd.Short), width))
	writeUsage(&b, cmd)
	a.writeCommands(&b, cmd, width)
	b.WriteString("\nFlags:\n" + cmd.LocalFlags().FlagUsagesWrapped(width))
	if inherited := cmd.InheritedFlags(); inherited.HasAvailableFlags() {
		b.WriteString("\nEverywhere:\n" + inherited.FlagUsagesWrapped(width))
	}
	if !cmd.HasParent() {
		b.WriteString("\nExit codes:\n")
		writeRows(&b, exitCodes, width)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + wrap("Run "+cmd.CommandPath()+" COMMAND --help for more about a command.", width))
	}
	return b.String()
}

func writeUsage(b *strings.Builder, cmd *cobra.Command) {
	b.WriteString("\nUsage:\n")
	if cmd.Runnable() && cmd.HasParent() {
		fmt.Fprintf(b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(b, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "\nExamples:\n%s\n", cmd.Example)
	}
}

// writeCommands lists the commands below one. The commands of satchel itself are in groups.
func (a *app) writeCommands(b *strings.Builder, cmd *cobra.Command, width int) {
	groups := []commandGroup{{title: "Commands"}}
	if !cmd.HasParent() {
		groups = a.groups()
	}
	for _, g := range groups {
		var rows []helpRow
		for _, c := range cmd.Commands() {
			if (c.IsAvailableCommand() || c.Name() == "help") && (cmd.HasParent() || slices.Contains(g.commands, c.Name())) {
				rows = append(rows, helpRow{c.Name(), c.Short})
			}
		}
		if len(rows) == 0 {
			continue
		}
		slices.SortStableFunc(rows, func(x, y helpRow) int {
			return slices.Index(g.commands, x.name) - slices.Index(g.commands, y.name)
		})
		fmt.Fprintf(b, "\n%s:\n", g.title)
		writeRows(b, rows, width)
	}
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

type helpRow struct{ name, text string }

// writeRows writes two columns, the second wrapped.
func writeRows(b *strings.Builder, rows []helpRow, width int) {
	column := 10
	for _, r := range rows {
		column = max(column, render.Width(r.name))
	}
	for _, r := range rows {
		text := wrap(r.text, max(width-column-4, 20))
		text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+strings.Repeat(" ", column+4))
		fmt.Fprintf(b, "  %s  %s\n", render.Pad(r.name, column), text)
	}
}

// wrap wraps paragraphs at a width, between words. Indented lines stay as they are.
func wrap(text string, width int) string {
	var b strings.Builder
	room := 0 // in the last line
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" || line[0] == ' ' {
			if room > 0 {
				b.WriteString("\n")
			}
			b.WriteString(strings.TrimRight(line, "\n") + "\n")
			room = 0
			continue
		}
		for word := range strings.FieldsSeq(line) {
			n := render.Width(word)
			switch {
			case room > n:
				b.WriteString(" ")
				room--
			case room > 0:
				b.WriteString("\n")
				fallthrough
			default:
				room = width
			}
			b.WriteString(word)
			room = max(room-n, 1)
		}
	}
	if room > 0 {
		b.WriteString("\n")
	}
	return b.String()
}
