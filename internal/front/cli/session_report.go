package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

type reportFlags struct {
	windowFlags
	format string
	always bool
}

func (a *app) sessionReportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report [FILE|latest|-]",
		Short: "Say how full a session's window is",
		Long: `Say how full a session's window is: a bar, the percentage, how many more turns
fit, and what a trim would free. Nothing is said below pressure-show (30 %), a
note is added above pressure-note (60 %) and a warning above pressure-warn (80 %).

The size is what the provider reported last, plus an estimate of what was said
since. --format md writes what GITCLAW appends to a comment.`,
		Example: `  satchel session report session.jsonl --always
  satchel session report session.jsonl --window 10000 --format md
  satchel session report latest --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.sessionReport(cmd.Context(), &f, args) },
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.format, "format", "f", "text", "write `text`, md or json")
	fs.BoolVar(&a.json, "json", false, "the same as --format json")
	fs.BoolVar(&f.always, "always", false, "say something below the first threshold, too")
	f.add(a, fs)
	f.addThresholds(fs)
	a.settingFlags(fs, []string{"pressure-show", "pressure-note", "pressure-warn"})
	return cmd
}

func (a *app) sessionReport(ctx context.Context, f *reportFlags, args []string) error {
	if a.json {
		f.format = "json"
	}
	if f.format != "text" && f.format != "md" && f.format != "json" {
		return usagef("--format %s: want text, md or json", f.format)
	}
	name, err := a.sessionPath(args)
	if err != nil {
		return err
	}
	c, err := a.census(ctx, name)
	if err != nil {
		return err
	}
	a.diagnostics(c.session.Diagnostics)
	w, err := f.find(a, c.model, c.session.Largest)
	if err != nil {
		return err
	}
	r, err := recordings.ReportOf(name, c.model, c.stats, w)
	if err != nil {
		return err
	}
	p := r.Pressure
	switch f.format {
	case "json":
		return a.writeJSON(r)
	case "md":
		if p.Level == budget.Hidden && f.always {
			p.Level = budget.Shown
		}
		_, err = a.out.WriteString(gitclaw.PressureComment(p))
		return err
	}
	_, err = a.out.WriteString(gitclaw.PressureText(p, f.always))
	if p.Level == budget.Hidden && !f.always {
		a.remark("the window is %d %% full, and nothing is reported below %.0f %%; --always does", p.Percent, fullPercent*w.Thresholds.Show)
	}
	return err
}

// A census is a session counted.
type census struct {
	session *transcript.Session
	model   tokens.Model
	stats   *trim.Stats
}

// census counts a session without keeping it in memory.
func (a *app) census(ctx context.Context, name string) (*census, error) {
	count := trim.Census{Mask: session.WithoutSecrets}
	s, m, err := a.scan(ctx, name, count.Add)
	if err != nil {
		return nil, err
	}
	return &census{s, m, count.Stats(m, s.System)}, nil
}
