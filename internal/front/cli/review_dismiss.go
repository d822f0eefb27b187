package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
)

// reviewVerdictCommands are the commands by which people say what findings are worth.
func (a *app) reviewVerdictCommands() []*cobra.Command {
	return []*cobra.Command{a.reviewDismissCommand(), a.reviewUsefulCommand(), a.reviewDismissedCommand()}
}

func (a *app) reviewDismissCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "dismiss ID...",
		Short: "Hide findings until the code changes that they are about",
		Long: `Hide findings of earlier reviews, by the ids that these showed. A dismissal holds
until the definition changes that the finding is about; the finding is then shown
again, and says that it was dismissed before. Critical findings are marked and never
hidden. What is dismissed often in a category raises the confidence that others of
it need, by 10 % at most. All of it is kept below the repository's git directory.`,
		Example: `  satchel review dismiss a3f1
  satchel review dismiss a3f1 7be0 --reason "the caller holds the lock"`,
		Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.sayOfFindings(cmd.Context(), func(e *engine.Engine) ([]finding.Known, error) {
				return e.Reviewed().Dismiss(args, reason, a.env.now())
			}, "dismissed")
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&reason, "reason", "", "`why`, for who reads the list")
	a.jsonFlag(fs)
	a.settingFlags(fs, readSettings)
	return cmd
}

func (a *app) reviewUsefulCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "useful ID...",
		Short: "Say that findings were worth showing, so that their like is shown sooner",
		Long: `Say that findings of earlier reviews were worth showing, by the ids that these
showed. What is useful often in a category lowers the confidence that others of it
need, by 10 % at most. A finding that was dismissed is so no more.`,
		Example: `  satchel review useful a3f1`,
		Args:    someIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.sayOfFindings(cmd.Context(), func(e *engine.Engine) ([]finding.Known, error) { return e.Reviewed().Useful(args) }, "useful")
		},
	}
	a.jsonFlag(cmd.Flags())
	a.settingFlags(cmd.Flags(), readSettings)
	return cmd
}

func someIDs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("want the ids of findings, such as a3f1")
	}
	return nil
}

// knownFindings is the JSON form of what was said of findings.
type knownFindings struct {
	Version  int             `json:"version"`
	Findings []finding.Known `json:"findings"`
}

// sayOfFindings keeps what is said of findings, and shows of which.
func (a *app) sayOfFindings(ctx context.Context, say func(*engine.Engine) ([]finding.Known, error), said string) error {
	return a.withEngine(ctx, func(e *engine.Engine) error {
		list, err := say(e)
		if err != nil {
			return findingHint(err)
		}
		if a.json {
			return a.writeJSON(knownFindings{1, list})
		}
		for i := range list {
			fmt.Fprintln(a.out, knownLine(&list[i]))
		}
		a.remark("%s %s", render.Plural(len(list), "finding"), said)
		return nil
	})
}

// findingHint adds what to do about an id that is not known.
func findingHint(err error) error {
	var unknown *finding.UnknownIDError
	if errors.As(err, &unknown) {
		if len(unknown.Any) > 0 {
			return &hintError{err, "give more of it"}
		}
		return &hintError{err, "satchel review shows the ids of its findings; those of the newest 500 are known"}
	}
	return err
}

// knownLine is a finding on one line.
func knownLine(k *finding.Known) string {
	s := shortPrint(k) + "  " + clean.Inline(k.Category) + "  " + clean.Inline(k.Path)
	if k.Definition != "" {
		s += " " + clean.Inline(k.Definition)
	}
	return s + "  " + clean.Inline(k.Title)
}

// shortPrint is as much of a fingerprint as people type.
func shortPrint(k *finding.Known) string {
	return clean.Inline(k.Fingerprint[:min(len(k.Fingerprint), 8)])
}

func (a *app) reviewDismissedCommand() *cobra.Command {
	var forget string
	cmd := &cobra.Command{
		Use:   "dismissed",
		Short: "List the findings that were dismissed, and what was learned by category",
		Long: `List the findings that were dismissed, newest first, and by how much what people
said of a category moves the confidence that its findings need. --forget takes one
dismissal back.`,
		Example: `  satchel review dismissed
  satchel review dismissed --forget a3f1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withEngine(cmd.Context(), func(e *engine.Engine) error {
				if cmd.Flags().Changed("forget") {
					return a.forgetDismissal(e, forget)
				}
				return a.listDismissed(e)
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&forget, "forget", "", "take the dismissal of the finding with this `id` back")
	a.jsonFlag(fs)
	a.settingFlags(fs, readSettings)
	return cmd
}

// A forgottenDismissal is the JSON form of a dismissal that is taken back.
type forgottenDismissal struct {
	Version   int               `json:"version"`
	Forgotten finding.Dismissal `json:"forgotten"`
}

func (a *app) forgetDismissal(e *engine.Engine, id string) error {
	d, err := e.Reviewed().Forget(id)
	if err != nil {
		return findingHint(err)
	}
	if a.json {
		return a.writeJSON(forgottenDismissal{1, d})
	}
	fmt.Fprintln(a.out, knownLine(&d.Known))
	a.remark("forgotten: it is shown again")
	return nil
}

// learnedCounts are what people said of a category, and what follows from it.
type learnedCounts struct {
	finding.Counts
	Adjust int `json:"adjust"` // percent
}

// dismissedFindings is the JSON form of the list of what was dismissed.
type dismissedFindings struct {
	Version   int                      `json:"version"`
	Dismissed []finding.Dismissal      `json:"dismissed"`
	Learned   map[string]learnedCounts `json:"categories"`
}

func (a *app) listDismissed(e *engine.Engine) error {
	d, err := e.Reviewed().Read()
	if err != nil {
		return err
	}
	learned := map[string]learnedCounts{}
	for c, n := range d.Counts {
		learned[c] = learnedCounts{n, d.Adjust(c)}
	}
	if a.json {
		list := append([]finding.Dismissal{}, d.Dismissed...)
		return a.writeJSON(dismissedFindings{1, list, learned})
	}
	for _, k := range slices.Backward(d.Dismissed) {
		fmt.Fprintf(a.out, "%s  %s\n", k.Taken.Format("2006-01-02"), knownLine(&k.Known))
		if k.Reason != "" {
			fmt.Fprintf(a.out, "            %s\n", clean.Inline(k.Reason))
		}
	}
	for _, c := range slices.Sorted(maps.Keys(learned)) {
		n := learned[c]
		fmt.Fprintf(a.out, "%s: %d useful, %d dismissed, needs %+d %% confidence\n", clean.Inline(c), n.Useful, n.Dismissed, n.Adjust)
	}
	if len(d.Dismissed) == 0 {
		a.remark("no finding is dismissed")
	}
	return nil
}
