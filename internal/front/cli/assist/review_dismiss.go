package assist

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/finding"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

func (a *app) reviewDismissCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "dismiss ID...",
		Short: "Hide findings until the code that they are about changes",
		Long: `Hide findings of earlier reviews by their ids. A dismissal lasts until the
definition that the finding is about changes. Then the finding appears again, marked
as dismissed before. Critical findings are marked, but never hidden. Dismissals stay
in the repository's git directory.`,
		Example: `  satchel review dismiss a3f1
  satchel review dismiss a3f1 7be0
  satchel review dismiss a3f1 --reason "the caller holds the lock"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return base.Usagef("want the ids of findings, such as a3f1")
			}
			return a.dismiss(cmd.Context(), args, reason)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&reason, "reason", "", "say `why`; the list of dismissed findings shows it")
	a.JSONFlag(fs)
	a.SettingFlags(fs, base.ReadSettings)
	return cmd
}

// knownFindings is the JSON form of the findings that were just dismissed.
type knownFindings struct {
	Version  int             `json:"version"`
	Findings []finding.Known `json:"findings"`
}

// dismiss dismisses findings and lists them.
func (a *app) dismiss(ctx context.Context, ids []string, reason string) error {
	return a.WithEngine(ctx, func(e *engine.Engine) error {
		list, err := e.Reviewed().Dismiss(ids, reason, a.Now())
		if err != nil {
			return findingHint(err)
		}
		if a.JSON {
			return a.WriteJSON(knownFindings{2, list})
		}
		for i := range list {
			fmt.Fprintln(a.Out, knownLine(&list[i]))
		}
		a.Remark("%s dismissed", render.Plural(len(list), "finding"))
		return nil
	})
}

// findingHint adds what to do about an id that is not known.
func findingHint(err error) error {
	var unknown *finding.UnknownIDError
	if errors.As(err, &unknown) {
		if len(unknown.Any) > 0 {
			return base.Hint(err, "type more of the id")
		}
		return base.Hint(err, "satchel review shows the ids; satchel keeps the newest 500 findings")
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
		Short: "List dismissed findings, or take a dismissal back",
		Long:  `List dismissed findings, newest first. --forget takes one dismissal back.`,
		Example: `  satchel review dismissed
  satchel review dismissed --json
  satchel review dismissed --forget a3f1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error {
				if cmd.Flags().Changed("forget") {
					return a.forgetDismissal(e, forget)
				}
				return a.listDismissed(e)
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&forget, "forget", "", "take back the dismissal of the finding with this `id`")
	a.JSONFlag(fs)
	a.SettingFlags(fs, base.ReadSettings)
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
	if a.JSON {
		return a.WriteJSON(forgottenDismissal{2, d})
	}
	fmt.Fprintln(a.Out, knownLine(&d.Known))
	a.Remark("dismissal removed: the finding is shown again")
	return nil
}

// dismissedFindings is the JSON form of the list of what was dismissed.
type dismissedFindings struct {
	Version   int                 `json:"version"`
	Dismissed []finding.Dismissal `json:"dismissed"`
}

func (a *app) listDismissed(e *engine.Engine) error {
	d, err := e.Reviewed().Read()
	if err != nil {
		return err
	}
	if a.JSON {
		list := append([]finding.Dismissal{}, d.Dismissed...)
		return a.WriteJSON(dismissedFindings{2, list})
	}
	for _, k := range slices.Backward(d.Dismissed) {
		fmt.Fprintf(a.Out, "%s  %s\n", k.Taken.Format("2006-01-02"), knownLine(&k.Known))
		if k.Reason != "" {
			fmt.Fprintf(a.Out, "            %s\n", clean.Inline(k.Reason))
		}
	}
	if len(d.Dismissed) == 0 {
		a.Remark("no dismissed findings")
	}
	return nil
}
