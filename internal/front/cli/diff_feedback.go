package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// feedbackFlags are the flags of diff feedback.
type feedbackFlags struct {
	source      diffFlags
	mattered    []string
	message     string
	messageFile string
	show, reset bool
}

func (a *app) diffFeedbackCommand() *cobra.Command {
	var q engine.DiffRequest
	var f feedbackFlags
	cmd := &cobra.Command{
		Use:   "feedback [RANGE]",
		Short: "Remember which changed files mattered, so that their like come first",
		Long: `Remember which files of a change mattered: those that the message of the commit
names, by their names or by what they define, or those of --mattered. RANGE is as
in satchel diff; without one it is the last commit, as with --commit HEAD. After a commit whose message
you kept or edited, one call is enough; a post-commit hook may make it.

What is learned are factors for the signals of the default profile, for this
repository only. They are kept below its git directory, shared by work trees and
branches, with the measured signals and paths, and no text of yours. From the
first verdict on satchel diff heeds them and says so.`,
		Example: `  satchel diff feedback
  satchel diff feedback --commit v1.2.0 --mattered internal/proxy/proxy.go,internal/auth/login.go
  satchel diff feedback --commit v1.2.0 --message "proxy: dial with a timeout"
  satchel diff feedback --show
  satchel diff feedback --reset`,
		Args: oneRange,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if args[0] == "" {
					return usagef("the range is empty")
				}
				q.Range = args[0]
			}
			return a.diffFeedback(cmd.Context(), q, &f)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.mattered, "mattered", nil, "these `paths`, folders or patterns mattered, whatever a message says")
	fs.StringVar(&f.message, "message", "", "the `text` of the message, instead of the commit's")
	fs.StringVar(&f.messageFile, "message-file", "", "read it from this `file`, or from standard input for -")
	fs.StringVar(&q.Commit, "commit", "", "of what this `commit` changed (default HEAD)")
	fs.BoolVar(&f.source.staged, "staged", false, "of what the next commit changes")
	fs.StringVar(&q.Base, "base", "", "of what HEAD did since it left this `branch`")
	fs.BoolVar(&f.show, "show", false, "print what was learned, and from what")
	fs.BoolVar(&f.reset, "reset", false, "forget all of it")
	a.jsonFlag(fs)
	a.settingFlags(fs, readSettings)
	return cmd
}

// feedbackGiven is the JSON form of a verdict, and of what follows from all of them.
type feedbackGiven struct {
	Version     int                    `json:"version"`
	Verdict     engine.FeedbackVerdict `json:"verdict"`
	Multipliers map[string]float64     `json:"multipliers"`
	Changesets  int                    `json:"changesets"`
	Recorded    bool                   `json:"recorded"`
	Why         string                 `json:"why,omitempty"` // nothing is recorded
}

func (a *app) diffFeedback(ctx context.Context, q engine.DiffRequest, f *feedbackFlags) error {
	if err := f.check(&q, a); err != nil {
		return err
	}
	message := f.message
	if f.messageFile != "" {
		text, err := a.readText(ctx, f.messageFile)
		if err != nil {
			return fmt.Errorf("message file: %w", err)
		}
		message = string(text)
	}
	mattered, err := a.filterPaths(f.mattered)
	if err != nil {
		return err
	}
	return a.withEngine(ctx, func(e *engine.Engine) error {
		switch {
		case f.reset:
			return a.resetFeedback(e)
		case f.show:
			return a.showFeedback(e)
		}
		v, learned, err := e.Feedback().Record(ctx, engine.FeedbackRequest{Changes: q, Mattered: mattered, Message: message, Now: a.env.now()})
		if errors.Is(err, engine.ErrNoneMattered) || errors.Is(err, engine.ErrAllMattered) {
			return a.nothingLearned(e, v, err)
		}
		if err != nil {
			return noFeedback(err, q.Range)
		}
		if a.json {
			return a.writeJSON(feedbackGiven{Version: 1, Verdict: v, Multipliers: learned.Multipliers, Changesets: len(learned.Verdicts), Recorded: true})
		}
		for i := range v.Files {
			if v.Files[i].Mattered {
				fmt.Fprintf(a.out, "%s\n", clean.Inline(v.Files[i].Path))
			}
		}
		a.remark("%s of feedback, %s", render.Plural(len(learned.Verdicts), "changeset"), factors(learned.Multipliers))
		return nil
	})
}

// check refuses flags that contradict each other, and completes the request.
func (f *feedbackFlags) check(q *engine.DiffRequest, a *app) error {
	said := f.message != "" || f.messageFile != "" || len(f.mattered) > 0
	which := q.Range != "" || q.Commit != "" || q.Base != "" || f.source.staged
	switch {
	case f.show && f.reset:
		return usagef("--show and --reset contradict each other")
	case (f.show || f.reset) && (said || which):
		return usagef("--show and --reset are about all that was recorded")
	case f.message != "" && f.messageFile != "":
		return usagef("the message is given twice: as --message and as --message-file")
	case (f.message != "" || f.messageFile != "") && len(f.mattered) > 0:
		return usagef("--mattered says it without a message")
	}
	if err := a.diffSource(q, &f.source); err != nil {
		return err
	}
	if !which {
		q.Commit = "HEAD"
	}
	return nil
}

// nothingLearned says why a verdict is not recorded. That is no failure: a hook may
// call on every commit.
func (a *app) nothingLearned(e *engine.Engine, v engine.FeedbackVerdict, why error) error {
	a.diagnostics([]satchel.Diagnostic{{Text: "nothing is recorded: " + why.Error()}})
	if !a.json {
		return nil
	}
	learned, err := e.Feedback().Read()
	if err != nil {
		return unreadFeedback(err)
	}
	return a.writeJSON(feedbackGiven{Version: 1, Verdict: v, Multipliers: learned.Multipliers, Changesets: len(learned.Verdicts), Why: why.Error()})
}

// noFeedback tells what to say where no message says what mattered.
func noFeedback(err error, rev string) error {
	switch {
	case errors.Is(err, engine.ErrNoMessage) && rev != "" && git.ParseDiffSpec(rev).Source == "" && !strings.Contains(rev, ".."):
		return &usageError{err, "--commit " + clean.Inline(rev) + " is what that commit changed, with its message"}
	case errors.Is(err, engine.ErrNoMessage):
		return &usageError{err, "add --message, --message-file or --mattered"}
	}
	return err
}

func unreadFeedback(err error) error {
	return &hintError{err, "satchel diff feedback --reset removes it"}
}

// feedbackForgotten is the JSON form of a reset.
type feedbackForgotten struct {
	Version   int `json:"version"`
	Forgotten int `json:"forgotten"`
}

func (a *app) resetFeedback(e *engine.Engine) error {
	n, err := e.Feedback().Reset()
	if err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(feedbackForgotten{1, n})
	}
	a.remark("%s of feedback forgotten", render.Plural(n, "changeset"))
	return nil
}

// A feedbackDocument is the JSON form of the file of feedback.
type feedbackDocument struct {
	*engine.Feedback
	File string `json:"file"`
}

func (a *app) showFeedback(e *engine.Engine) error {
	f, err := e.Feedback().Read()
	if err != nil {
		return unreadFeedback(err)
	}
	if a.json {
		return a.writeJSON(feedbackDocument{f, e.Feedback().File()})
	}
	if len(f.Verdicts) == 0 {
		a.remark("no feedback yet")
		return nil
	}
	fmt.Fprintf(a.out, "%s of feedback in %s\n", render.Plural(len(f.Verdicts), "changeset"), clean.Inline(e.Feedback().File()))
	fmt.Fprintf(a.out, "\nlearned factors\n")
	for _, name := range slices.Sorted(maps.Keys(f.Multipliers)) {
		fmt.Fprintf(a.out, "  %-20s x%-5g %s\n", name, f.Multipliers[name], whyOf(name))
	}
	if len(f.Multipliers) == 0 {
		fmt.Fprintf(a.out, "  none\n")
	}
	fmt.Fprintf(a.out, "\nwhat mattered, newest first\n")
	for i := len(f.Verdicts) - 1; i >= 0; i-- {
		v := &f.Verdicts[i]
		var names []string
		for k := range v.Files {
			if v.Files[k].Mattered {
				names = append(names, clean.Inline(v.Files[k].Path))
			}
		}
		fmt.Fprintf(a.out, "  %s  %s  %d of %s by %s: %s\n", v.Taken.Format("2006-01-02"), clean.Inline(v.Source), len(names), render.Plural(len(v.Files), "file"), clean.Inline(v.By), strings.Join(names, ", "))
	}
	return nil
}

// factors says in a few words what was learned: the strongest first.
func factors(m map[string]float64) string {
	if len(m) == 0 {
		return "and nothing learned yet"
	}
	names := slices.Sorted(maps.Keys(m))
	strength := func(name string) float64 { return max(m[name], 1/max(m[name], 1e-3)) }
	slices.SortStableFunc(names, func(a, b string) int {
		switch x, y := strength(a), strength(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var out []string
	for _, n := range names[:min(len(names), 3)] {
		out = append(out, fmt.Sprintf("%s x%g", n, m[n]))
	}
	s := strings.Join(out, ", ")
	if len(names) > 3 {
		s += fmt.Sprintf(" and %d more factors", len(names)-3)
	}
	return s
}

// whyOf returns what a signal of a change means.
func whyOf(signal string) string {
	for i := range rank.Changes.Rules {
		if r := &rank.Changes.Rules[i]; r.Signal == signal && r.Why != "" {
			return r.Why
		}
	}
	return strings.ReplaceAll(signal, "_", " ")
}
