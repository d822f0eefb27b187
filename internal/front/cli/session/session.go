// Package session has the commands about sessions of agents: session, status, statusline, and run, which starts an agent.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An app is one run of a command.
type app struct{ *base.App }

// recorders are the titles of the agents that record sessions.
func recorders() (titles []string) {
	for _, a := range agents.All {
		if a.Format != "" {
			titles = append(titles, a.Title)
		}
	}
	return titles
}

func New(b *base.App) *cobra.Command {
	a := &app{b}
	cmd := &cobra.Command{
		Use:   "session",
		Short: "Read and trim the sessions that coding agents record",
		Long: `Read the sessions that coding agents record: where their tokens go, and which turns
matter. trim writes a copy cut to a token limit; fetch prints what it left out.
FILE is a session file, an id from session list, or - for standard input. It
defaults to latest, the newest session of this project. satchel reads sessions of
` + strings.Join(recorders(), ", ") + `, SWE-agent, OpenHands, Cline and Roo, and arrays
of API messages. No command changes the session itself.`,
		Example: `  satchel session list
  satchel session stats latest
  satchel session trim latest --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.sessionListCommand(), a.sessionStatsCommand(), a.sessionShowCommand(),
		a.sessionTrimCommand(), a.sessionFetchCommand())
	for _, c := range cmd.Commands() {
		c.Flags().SortFlags = false
		c.ValidArgsFunction = a.completeSession(strings.Count(c.Use, " ") - 1)
	}
	return cmd
}

// openSession opens a session by its path.
func (a *app) openSession(ctx context.Context, name string) (*sessions.File, error) {
	if name != base.StdinSession {
		return sessions.Open(name)
	}
	text, err := a.ReadText(ctx, "-")
	if err != nil {
		return nil, err
	}
	return sessions.InMemory(base.StdinSession, text), nil
}

// readSession reads a session, and gives up waiting for it when interrupted.
func (a *app) readSession(ctx context.Context, name string) (*transcript.Session, error) {
	return base.Wait(ctx, func() (*transcript.Session, error) {
		if name != base.StdinSession {
			s, err := sessions.Read(name)
			return s, sessionError(err)
		}
		f, err := a.openSession(ctx, name)
		if err != nil {
			return nil, err
		}
		s, err := transcript.Read(f, f.Size)
		if err != nil {
			return nil, sessionError(fmt.Errorf("read %s: %w", name, err))
		}
		return s, nil
	})
}

// sessionError adds a hint to an error about a session.
func sessionError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, transcript.ErrFormat):
		return base.Hint(err, "satchel session --help lists the agents whose sessions satchel reads")
	case errors.Is(err, fs.ErrNotExist):
		return base.Hint(err, "satchel session list shows the sessions of this project")
	case errors.Is(err, sessions.ErrRewritten):
		return base.Hint(err, "run it again: the agent is writing to the session")
	}
	return err
}

// sessionModel returns the model that a session is counted for: the one that
// --model names, else its own.
func (a *app) sessionModel(s *transcript.Session) (tokens.Model, error) {
	if a.Settings.Model == "" {
		return transcript.ModelOf(s, a.Settings.Models...), nil
	}
	m, err := tokens.ModelByName(a.Settings.Model, a.Settings.Models...)
	if err != nil {
		return m, base.Usagef("--model: %w", err)
	}
	return m, nil
}

// windowFlags are the flags that say how large the window is.
type windowFlags struct {
	window  int
	context string

	read bool          // plan and file are known
	plan *gitclaw.Plan // of the context.json; nil if there is none
	file string
}

func (f *windowFlags) add(a *app, fs *pflag.FlagSet) {
	a.SettingFlags(fs, []string{"model"})
	fs.Lookup("model").Usage = "count for this model (default the session's own)"
	fs.Var(base.TokensFlag{N: &f.window}, "window", "the model's context window in `tokens`, such as 200k")
	fs.StringVar(&f.context, "context", "", "take the window from this context.json `file` of GITCLAW")
}

// Sizes of windows that the table of models does not hold.
const (
	largeWindow = 1_000_000 // what Claude's models take on request
	fullPercent = 100
)

// find finds the size of the window: from --window, --model, the context.json, or the
// model of the session, in this order. largest is the largest context that the provider
// has accepted.
func (f *windowFlags) find(a *app, m tokens.Model, largest int) (recordings.Window, error) {
	w := recordings.Window{Tokens: m.Window, Source: "window of " + m.Name, Thresholds: gitclaw.Thresholds}
	plan, err := f.readPlan(a)
	if err != nil {
		return w, err
	}
	if plan != nil {
		w.Thresholds = plan.Thresholds()
		if a.Settings.Model == "" {
			w.Tokens, w.Source = plan.Total, "totalTokens of "+f.file
		}
	}
	if f.window > 0 {
		w.Tokens, w.Source = f.window, "--window"
	}
	if f.window > 0 || plan != nil {
		return w, nil
	}
	if w.Tokens > 0 && largest > w.Tokens && largest <= largeWindow {
		w.Source = fmt.Sprintf("the provider accepted a context of %s tokens, more than the %s known for %s", render.Thousands(largest), render.Thousands(w.Tokens), m.Name)
		w.Tokens = largeWindow
	}
	if w.Tokens <= 0 {
		return w, base.Hint(&unknownWindowError{m.Name}, "add --window TOKENS or --model NAME")
	}
	return w, nil
}

// An unknownWindowError says that the size of a session's window is unknown.
type unknownWindowError struct{ model string }

func (e *unknownWindowError) Error() string {
	if e.model == "" {
		return "the session names no model, so its window is not known"
	}
	return fmt.Sprintf("the window of model %q is not known", e.model)
}

// readPlan reads the context.json, once. It returns nil if the project has no such file
// and --context is not given.
func (f *windowFlags) readPlan(a *app) (*gitclaw.Plan, error) {
	if f.read {
		return f.plan, nil
	}
	name := a.FromHere(f.context)
	if f.context == "" {
		name = filepath.Join(config.Root(a.Dir), ".GITCLAW", "context.json")
		if st, err := os.Lstat(name); err != nil || !st.Mode().IsRegular() {
			f.read = true
			return nil, nil //nolint:nilerr // a project without one is the common case
		}
	}
	text, err := a.ReadAll(name, base.MaxText)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, fsx.Cause(err))
	}
	p, diags, err := gitclaw.ParsePlan(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for i := range diags {
		diags[i].Path = name
	}
	a.Diagnostics(diags)
	f.read, f.plan, f.file = true, &p, filepath.Base(name)
	return f.plan, nil
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[base.RunRecord]("run", base.RunRecordVersion, "The run of an agent", "run"),
		schema.Writes[runPrompt]("run-dry-run", 2, "The first prompt of a run", "run --dry-run"),
		schema.Writes[recordings.Block]("session-fetch", 1, "The original of a block that a trim removed", "session fetch"),
		schema.Writes[recordings.List]("session-list", 2, "The sessions that agents recorded", "session list"),
		schema.Writes[recordings.Turns]("session-show", 3, "The turns of a session", "session show"),
		schema.Writes[recordings.Stats]("session-stats", 2, "Statistics of a session", "session stats"),
		schema.Writes[trimResult]("session-trim", 3, "The result that a trim would have", "session trim --dry-run"),
		schema.Writes[recordings.Status]("status", 2, "The contents of a session's window; with --watch, a stream of documents", "status"),
		schema.Writes[statuslineDocument]("statusline", 2, "The fill level of a session's window", "statusline"),
	}
}

// A profile names a set of rules for trimming a session.
type profile string

const (
	profileDefault profile = "default"
	profileGitClaw profile = "gitclaw"
)

// parseProfile reads the name of a profile.
func parseProfile(name string) (profile, error) {
	switch p := profile(name); p {
	case profileDefault, profileGitClaw:
		return p, nil
	}
	return "", base.Usagef("--profile %s: want default or gitclaw", name)
}

// completeSession completes the n-th argument with the ids of the project's sessions. The
// shell completes files.
func (a *app) completeSession(n int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) != n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		dir := a.FromHere(cmp.Or(a.Dir, a.Env.Dir)) // no settings are read here
		all, _ := sessions.List(sessions.Query{Dir: dir, Getenv: a.Getenv})
		var out []cobra.Completion
		if strings.HasPrefix(base.Latest, begun) && len(all) > 0 {
			out = append(out, cobra.CompletionWithDesc(base.Latest, "the newest of this project"))
		}
		for _, s := range all {
			if base.SessionID().MatchString(s.ID) && strings.HasPrefix(s.ID, begun) {
				out = append(out, cobra.CompletionWithDesc(s.ID, string(s.Format)+": "+base.Shown(s.Title)))
			}
		}
		return out, cobra.ShellCompDirectiveKeepOrder
	}
}
