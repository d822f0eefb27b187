package assist

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// reviewFlags are the flags of review.
type reviewFlags struct {
	assistFlags
	base, commit  string
	format        string
	minConfidence int
	minSeverity   string
	focus, passes []string
	check         string
	failOn        string
	baseline      string
	all           bool
	output        string
}

func NewReview(b *base.App) *cobra.Command {
	a := &app{b}
	var f reviewFlags
	cmd := &cobra.Command{
		Use:   "review [RANGE] [PATH]...",
		Short: "Let a model review a change, and verify its findings",
		Long: `Let a model look for defects in a change: the staged changes, else the work tree, or a
RANGE and paths as in satchel diff. Each finding must quote the code that it is
about; satchel drops quotes that are in neither the change nor its files. Names and files that satchel
cannot confirm lower the confidence. Dismissed findings stay hidden until their code
changes. Very large changes are read in parts. The exit code is 7 if --fail-on is
met, else 6 if part of the change was not reviewed.`,
		Example: `  satchel review
  satchel review --base main --fail-on high
  satchel review HEAD~1..HEAD --format sarif -o review.sarif`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			q := engine.DiffRequest{Base: f.base, Commit: f.commit}
			if q.Range, q.Files, err = a.ChangeArguments(cmd, args); err != nil {
				return err
			}
			if n := base.CountSet(q.Range, q.Base, q.Commit); n > 1 {
				return base.Usagef("choose one of a range, --base and --commit")
			}
			return a.review(cmd.Context(), q, &f)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.base, "base", "", "review changes since HEAD left this `branch`")
	fs.StringVar(&f.commit, "commit", "", "review what this `commit` changed")
	fs.StringVarP(&f.format, "format", "f", base.FormatText, "output `format`: text, md, json, sarif or github")
	fs.IntVar(&f.minConfidence, "min-confidence", finding.DefaultConfidence, "least confidence to show, in `percent`")
	fs.StringVar(&f.minSeverity, "min-severity", string(finding.Low), "least `severity`: critical, high, medium, low")
	fs.StringSliceVar(&f.focus, "focus", nil, "look mainly for these `topics`: security,api")
	fs.StringSliceVar(&f.passes, "passes", nil, "read again for each of these `topics`: security,api")
	fs.StringVar(&f.check, "check", string(assist.CheckAuto), "check findings again `when`: auto, always, never")
	fs.StringVar(&f.failOn, "fail-on", "", "exit 7 for a finding of this `severity` or worse")
	fs.StringVar(&f.baseline, "baseline", "", "leave out findings of this earlier --json `file`")
	fs.BoolVar(&f.all, "all", false, "also show findings that were filtered, and why")
	fs.StringVarP(&f.output, "output", "o", "", "write to this `file` instead of standard output")
	a.JSONFlag(fs)
	a.askFlags(fs, &f.assistFlags)
	cmd.AddCommand(a.reviewDismissCommand(), a.reviewDismissedCommand())
	return cmd
}

// rules are what the flags say of findings.
func (f *reviewFlags) rules() (finding.Rules, error) {
	r := finding.Rules{Confidence: f.minConfidence, Severity: finding.Severity(f.minSeverity)}
	severities := []string{string(finding.Critical), string(finding.High), string(finding.Medium), string(finding.Low)}
	switch {
	case f.minConfidence < 1 || f.minConfidence > 100:
		return r, base.Usagef("--min-confidence %d: want 1 to 100", f.minConfidence)
	case !slices.Contains(severities, f.minSeverity):
		return r, base.Usagef("--min-severity %s: want one of %s", f.minSeverity, strings.Join(severities, ", "))
	case f.failOn != "" && !slices.Contains(severities, f.failOn):
		return r, base.Usagef("--fail-on %s: want one of %s", f.failOn, strings.Join(severities, ", "))
	case !slices.Contains([]string{"auto", "always", "never"}, f.check):
		return r, base.Usagef("--check %s: want auto, always or never", f.check)
	case !slices.Contains([]string{base.FormatText, base.FormatMD, base.FormatJSON, base.FormatSARIF, base.FormatGitHub}, f.format):
		return r, base.Usagef("--format %s: want text, md, json, sarif or github", f.format)
	case len(f.passes) > mostPasses:
		return r, base.Usagef("--passes: want at most %d", mostPasses)
	}
	return r, nil
}

// mostPasses is how many specialists read one change.
const mostPasses = 10

func (a *app) review(ctx context.Context, q engine.DiffRequest, f *reviewFlags) error {
	rules, err := f.rules()
	if err != nil {
		return err
	}
	if a.JSON {
		f.format = base.FormatJSON
	}
	if f.baseline != "" {
		text, err := a.ReadAtMost(ctx, f.baseline, mostRecord)
		if err == nil {
			rules.Baseline, err = finding.ReadBaseline(text)
		}
		if err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
	}
	e, err := a.OpenAsking(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if rules.Dismissals, err = e.Reviewed().Read(); err != nil {
		a.Diagnostics([]satchel.Diagnostic{{Text: "dismissals are ignored: " + err.Error()}})
	}
	r, err := a.desk(ctx, e, &f.assistFlags, q)
	if err != nil {
		return err
	}
	var v *assist.Review
	text, dry, err := r.answer(ctx, func() (text string, shown *assist.Material, err error) {
		v, err = r.Review(ctx, assist.ReviewRequest{Change: q, Focus: f.focus, Passes: f.passes, Check: assist.Check(f.check), Rules: rules})
		switch {
		case errors.Is(err, assist.ErrNothing):
			return "", nil, base.Hint(errors.New("nothing changed: there is nothing to review"), "name a range, or --base BRANCH")
		case err != nil && v == nil:
			return "", nil, err
		case err != nil:
			return "", &v.Material, err
		}
		if err := e.Reviewed().Record(v.Findings); err != nil {
			a.Diagnostics([]satchel.Diagnostic{{Text: "satchel review dismiss cannot find these findings: " + err.Error()}})
		}
		r.incomplete = v.Incomplete
		text, err = reviewText(r.reviewDocument(v, f), f.format)
		return text, &v.Material, err
	})
	if err != nil || dry {
		return err
	}
	if f.format == base.FormatText && f.output == "" && a.Color(a.Env.StdoutTTY) {
		text = render.PaintReview(text)
	}
	if err := a.WriteBytes(f.output, []byte(text)); err != nil {
		return err
	}
	return reviewExit(v, f.failOn)
}

// reviewExit returns the error for the exit code of a review. Findings that meet
// --fail-on come first, even if the review is incomplete.
func reviewExit(v *assist.Review, failOn string) error {
	n := 0
	for _, f := range finding.Shown(v.Findings) {
		if failOn != "" && f.Severity.AtLeast(finding.Severity(failOn)) {
			n++
		}
	}
	switch found := fmt.Sprintf("%s of severity %s or worse", render.Plural(n, "finding"), failOn); {
	case n > 0 && len(v.Incomplete) > 0:
		return &base.StatusError{Code: base.ExitFound, Err: fmt.Errorf("%s; %w", found, &base.IncompleteError{})}
	case n > 0:
		return &base.StatusError{Code: base.ExitFound, Err: errors.New(found)}
	case len(v.Incomplete) > 0:
		return &base.IncompleteError{}
	}
	return nil
}

// reviewDocument is a review as render takes it.
func (r *deskRun) reviewDocument(v *assist.Review, f *reviewFlags) *render.Review {
	d := &render.Review{
		Source: v.Report.Source, From: v.Report.From, To: v.Report.To, Totals: v.Report.Shown, Findings: v.Findings, Summary: v.Summary,
		Coverage: coverageOf(v.Coverage), Confidence: f.minConfidence, Checked: f.check != string(assist.CheckNever), All: f.all, Spent: r.spent(v.Parts),
	}
	for _, o := range v.Open {
		d.Open = append(d.Open, render.Question{Text: o.Question, Path: o.Path})
	}
	for _, why := range v.Incomplete {
		what, rest, ok := strings.Cut(why, ": ")
		if !ok {
			what, rest = "the review", why
		}
		d.Incomplete = append(d.Incomplete, render.Gap{What: what, Why: rest})
	}
	return d
}

func coverageOf(list []ask.Shown) (c render.Coverage) {
	for _, s := range list {
		switch s.How {
		case ask.Full:
			c.Full++
		case ask.Part:
			c.Part = append(c.Part, s.Path)
		case ask.Folded:
			c.Folded = append(c.Folded, s.Path)
		default:
			c.Unlooked = append(c.Unlooked, s.Path)
		}
	}
	return c
}

// spent says what a run took.
func (r *deskRun) spent(parts int) *render.Spent {
	s := r.Spend.Spent()
	out := &render.Spent{Parts: parts, Calls: s.Calls, Usage: s.Usage}
	if s.Known {
		out.Cost = costText(s)
	}
	return out
}

func reviewText(d *render.Review, format string) (string, error) {
	switch format {
	case base.FormatJSON:
		return render.ReviewJSON(d)
	case base.FormatSARIF:
		return render.ReviewSARIF(d, base.Version())
	case base.FormatGitHub:
		return render.ReviewGitHub(d)
	case base.FormatMD:
		return render.ReviewMarkdown(d), nil
	}
	return render.ReviewText(d), nil
}
