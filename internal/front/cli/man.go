package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/render"
)

func (a *app) manCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "man [COMMAND]...",
		Short: "Write manual pages",
		Long: `Write the manual page of satchel, or of one of its commands, for man to show:

  satchel man session trim | man -l -

--output writes the pages of all commands into a folder, such as
~/.local/share/man/man1. They say what --help says.`,
		Example: `  satchel man pack
  satchel man -o man1`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			page, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil || len(rest) > 0:
				return usagef("satchel %s is no command", strings.Join(args, " "))
			case folder == "":
				_, err := a.out.WriteString(manPage(page))
				return err
			case len(args) > 0:
				return usagef("--output writes the pages of all commands: it takes no COMMAND")
			}
			return a.manPages(cmd.Root(), folder)
		},
	}
	cmd.Flags().StringVarP(&folder, "output", "o", "", "write a page for each command into this `folder`")
	return cmd
}

// manPages writes the pages of a command and all below it.
func (a *app) manPages(root *cobra.Command, folder string) error {
	folder = a.fromHere(folder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("create %s: %w", folder, fsx.Cause(err))
	}
	n := 0
	for todo := []*cobra.Command{root}; len(todo) > 0; todo = todo[1:] {
		c := todo[0]
		todo = append(todo, c.Commands()...)
		if c.Hidden && !slices.Contains(hiddenCommands, c.Name()) {
			continue
		}
		err := writeFile(filepath.Join(folder, manName(c)+".1"), func(w io.Writer) error {
			_, err := io.WriteString(w, manPage(c))
			return err
		})
		if err != nil {
			return err
		}
		n++
	}
	a.remark("%s in %s", render.Plural(n, "page"), clean.Inline(folder))
	return nil
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the page of a command, of what its help is made of.
func manPage(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s\n", roffQuote(strings.ToUpper(manName(c))), roffQuote("satchel "+version()))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(c)), roff(c.Short))
	b.WriteString(".SH SYNOPSIS\n")
	if c.Runnable() && c.HasParent() {
		fmt.Fprintf(&b, ".B %s\n", roff(c.UseLine()))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, ".br\n.B %s\n.I COMMAND\n", roff(c.CommandPath()))
	}
	b.WriteString(".SH DESCRIPTION\n" + roffText(cmp.Or(c.Long, c.Short)))
	for i, g := range commandsByGroup(c) {
		if i == 0 {
			b.WriteString(".SH COMMANDS\n")
		}
		fmt.Fprintf(&b, ".SS %s\n", roff(g.title))
		for _, sub := range g.commands {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(manName(sub)), roff(sub.Short))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	for _, g := range flagsByGroup(c) {
		fmt.Fprintf(&b, ".SS %s\n", roff(g.title))
		for _, f := range g.flags {
			name, use := flagHelp(f)
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name)), roff(use))
		}
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + roffText(c.Example))
	}
	if !c.HasParent() {
		b.WriteString(".SH EXIT STATUS\n")
		for _, r := range exitCodes {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", r.name, roff(r.text))
		}
	} else {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(manName(c.Parent())))
	}
	return b.String()
}

// roffText returns text as paragraphs; what is indented stays as it is.
func roffText(text string) string {
	var b strings.Builder
	verbatim := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != verbatim {
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n"}[indented])
			verbatim = indented
		}
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if verbatim {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// roff returns a line of text as text: no character of it is a command, and all
// of them are ASCII, which is what every man reads.
func roff(line string) string {
	var b strings.Builder
	if strings.HasPrefix(line, ".") {
		b.WriteString(`\&`)
	}
	for _, r := range line {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r >= utf8.RuneSelf:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// roffQuote returns text as one argument of a command.
func roffQuote(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
