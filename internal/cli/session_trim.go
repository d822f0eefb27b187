package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/trim"
)

type trimFlags struct {
	format string
	budget string
	output string
}

func (a *app) sessionTrimCommand() *cobra.Command {
	var f trimFlags
	cmd := &cobra.Command{
		Use:   "trim [FILE|-]",
		Short: "Cut a session to a token limit, keeping what the agent needs next",
		Long: `Cut a session to a token limit. The newest messages stay verbatim; before them,
text and tool inputs stay in place and results shrink to selected lines; what is
older becomes one message with the user's words verbatim and selected lines of
the rest. The file is never changed: the result goes to standard output or to
the file that -o names.`,
		Example: `  satchel session trim --format messages conversation.json -o short.json --budget 20000`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "-"
			if len(args) > 0 {
				name = args[0]
			}
			return a.sessionTrim(cmd.Context(), &f, name)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.format, "format", "messages", "the file's `format`: messages")
	fs.StringVar(&f.budget, "budget", "30%", "tokens of the result: 20000, 20k, or a share of what the session takes now")
	fs.StringVarP(&f.output, "output", "o", "", "write to this `file` instead of standard output")
	return cmd
}

func (a *app) sessionTrim(ctx context.Context, f *trimFlags, name string) error {
	if f.format != "messages" {
		return usagef("--format %s: want messages", f.format)
	}
	limit, err := budget.Parse(f.budget)
	if err != nil {
		return usagef("--budget: %w", err)
	}
	text, err := a.readText(ctx, name)
	if err != nil {
		return err
	}
	file, ms, err := readMessages(text)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	window := 0
	if limit.NeedsWindow() {
		window = trim.Estimate(ms)
	}
	n, err := limit.Tokens(window, 0, budget.Complexity{}, budget.Auto{})
	if err != nil {
		return usagef("--budget: %w", err)
	}
	res, err := trim.Trim(ms, trim.Options{Budget: n})
	if err != nil {
		var overflow *trim.OverflowError
		if errors.As(err, &overflow) {
			return &hintError{err, fmt.Sprintf("--budget %d is enough", overflow.Need)}
		}
		return err
	}
	a.notes(res.Notes)
	out, err := writeMessages(file, res.Messages)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		_, err := w.Write(append(out, '\n'))
		return err
	}
	if f.output == "" || f.output == "-" {
		return write(a.out)
	}
	if !filepath.IsAbs(f.output) {
		f.output = filepath.Join(a.env.Dir, f.output)
	}
	return writeFile(f.output, write)
}
