// Package cli is the satchel command: it reads flags, calls the engine, and
// shows what comes back. No judgement about context lives here.
//
// The result of a command goes to standard output and everything else to
// standard error, as lines that begin with "satchel: ". Nothing is read from
// the surroundings but what [Env] holds, so that tests can run any command.
//
// Start with [Main]. Each command has a file of its own.
package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/source/history"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/llm"
)

// An Env is everything that the command takes from its surroundings.
type Env struct {
	Dir     string   // the current folder
	Environ []string // names in upper case on Windows, which ignores case
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer

	// Whether the streams are terminals, and the width of the one behind
	// Stderr in columns; 0 means unknown.
	StdinTTY, StdoutTTY, StderrTTY bool
	Width                          int

	// Detach starts this program again with other arguments, in a folder and with
	// an environment, and does not wait for it. Nil means that it cannot.
	Detach func(dir string, environ []string, args ...string) error

	// Now is the clock for dates in stored data. Nil means the system's.
	Now func() time.Time

	// Pause waits before a request to a model's server is repeated. Nil means that
	// time passes.
	Pause func(ctx context.Context, d time.Duration) error

	// HookDeadline is the most time that a hook may take. Zero means as long as agents
	// and people wait.
	HookDeadline time.Duration
}

// Exit codes. Scripts may rely on them; an unknown code is a failure.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2   // the command line, a variable or the user's configuration is wrong
	exitBudget      = 3   // the budget is too small for what must be packed
	ExitCredential  = 4   // a model's server needs a key
	exitStore       = 5   // the index is locked or damaged and could not be rebuilt, or the notes are
	exitIncomplete  = 6   // something was not looked at, not answered or not verified: the result says what
	exitFound       = 7   // review --fail-on was met
	ExitInterrupted = 130 // 128 + SIGINT
)

// Main runs the command and returns its exit code. Cancelling ctx interrupts
// it.
func Main(ctx context.Context, env Env, args []string) int {
	a := newApp(env)
	a.args = args
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	a.bar.stop()
	if isHook(cmd) {
		_ = a.flush() // of --help; an error cannot be reported
		return ExitOK
	}
	if flushErr := a.flush(); err == nil {
		err = flushErr
	}
	return a.exit(ctx, cmd, err)
}

// An app is one run of the command.
type app struct {
	env     Env
	out     *bufio.Writer // standard output
	bar     *progress
	given   map[string][]string // settings of the command line
	written map[string]string   // by key: how --set spelled it
	args    []string            // of the command line
	dir     string              // --dir

	json    bool          // --json
	lines   *bufio.Reader // what somebody answers on the terminal, once asked
	asking  bool          // what is read is sent to a model: see engine.Options.Asking
	records bool          // SATCHEL_RECORD was begun
	serves  bool          // many questions are answered by this process, rather than one

	settings *config.Settings // set by load
	faults   []config.Fault   // in them; for doctor alone, other commands end with the first
}

func newApp(env Env) *app {
	a := &app{env: env, bar: new(progress), given: make(map[string][]string), written: make(map[string]string)}
	a.out = bufio.NewWriterSize(results{a}, 64<<10)
	return a
}

// results is standard output, without the bar before what is written.
type results struct{ *app }

func (r results) Write(p []byte) (int, error) {
	r.bar.clear()
	return r.env.Stdout.Write(p)
}

// flush writes what standard output still has to get.
func (a *app) flush() error {
	a.bar.clear()
	if err := a.out.Flush(); err != nil {
		return fmt.Errorf("write standard output: %w", fsx.Cause(err))
	}
	return nil
}

// A usageError is a command line that cannot be understood.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// A hintError is an error with a word about what to do next.
type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }

// exit reports the error and returns the exit code.
func (a *app) exit(ctx context.Context, cmd *cobra.Command, err error) int {
	if err == nil {
		return ExitOK
	}
	if brokenPipe(err, runtime.GOOS) {
		return ExitOK // the reader has seen enough
	}
	if ctx.Err() != nil {
		a.say("interrupted")
		return ExitInterrupted
	}
	code, hint := classify(cmd, err)
	if hint == "" {
		hint = a.unknownHint(ctx, err)
	}
	if u := urlHint(cmd); u != "" && code == ExitFailed {
		hint = u // what another error needs has nothing to do with the URL
	}
	a.say("%s", clean.Inline(fsx.Message(err)))
	var lacking *incompleteError
	if errors.As(err, &lacking) {
		a.sayMissing(lacking)
	}
	if hint != "" {
		first, rest, more := strings.Cut(hint, "\n")
		a.say("hint: %s", clean.Inline(first))
		if more { // to be copied
			text, _ := clean.Visible(rest)
			fmt.Fprintln(a.env.Stderr, text)
		}
	}
	return code
}

// serverHints say what to do if a model's server gives no answer.
var serverHints = map[llm.Reason]string{
	llm.Broken:  "check that the server runs, and check its url in your config.toml",
	llm.Refused: "check key, url and model in your config.toml",
	llm.TooLong: "use a smaller --budget, or set window in your config.toml to the model's window",
	llm.Idle:    "set a longer idle-timeout in your config.toml",
}

// classify turns an error into an exit code and a hint.
func classify(cmd *cobra.Command, err error) (code int, hint string) {
	var (
		usage     *usageError
		setting   *config.UsageError
		small     *budgetError
		key       *credentialError
		fetched   *git.FetchError
		store     *storeError
		hinted    *hintError
		unwell    *unwellError
		status    *statusError
		lacking   *incompleteError
		protected *engine.ProtectedError
		silent    *git.SilentError
		asked     *llm.Error
		overdue   *git.OverdueError
	)
	switch {
	case errors.As(err, &status):
		return status.code, ""
	case errors.As(err, &lacking):
		return exitIncomplete, ""
	case isUnknownModel(err):
		return ExitUsage, modelHint
	case errors.As(err, &usage):
		return ExitUsage, cmp.Or(usage.hint, "see "+cmd.CommandPath()+" --help")
	case errors.As(err, &setting) && strings.HasPrefix(setting.Where, "SATCHEL_"):
		return ExitUsage, "correct or unset " + setting.Where
	case errors.As(err, &setting) && strings.HasPrefix(setting.Where, "--set "):
		return ExitUsage, "satchel config lists all settings"
	case errors.As(err, &setting):
		return ExitUsage, "see " + cmd.CommandPath() + " --help"
	case errors.As(err, &protected):
		return ExitFailed, "the agent must not change it; " + liftsProtection + ", and --pin shows it"
	case errors.As(err, &small):
		return exitBudget, small.hint
	case errors.As(err, &key):
		return ExitCredential, key.hint()
	case errors.As(err, &asked) && serverHints[asked.Reason] != "":
		return ExitFailed, serverHints[asked.Reason]
	case errors.As(err, &fetched):
		return ExitFailed, fetchHint(fetched)
	case errors.As(err, &hinted):
		return ExitFailed, hinted.hint
	case errors.As(err, &silent), errors.As(err, &overdue):
		return ExitFailed, "if the disk is slow, wait longer: --set git-timeout=300"
	case errors.Is(err, git.ErrNoWorkTree) && cmd.Flags().Lookup("rev") != nil && !cmd.Flags().Changed("diff"):
		return ExitFailed, "a bare repository has no work tree: add --rev HEAD"
	case errors.Is(err, git.ErrNoWorkTree):
		return ExitFailed, "a bare repository has no work tree: compare commits, as in satchel diff HEAD^!"
	case errors.Is(err, git.ErrNoGit):
		return ExitFailed, needsGit
	case errors.Is(err, git.ErrMissing):
		return ExitFailed, "run git fetch --refetch, or git diff in a partial clone, to fetch missing objects"
	case errors.Is(err, git.ErrUnborn):
		return ExitFailed, "commit first, or omit the revision to read the work tree"
	case errors.As(err, &store):
		return exitStore, "commands work without it, but slower; --cache-dir moves it"
	case errors.As(err, &unwell) && unwell.store:
		return exitStore, ""
	}
	if hint, ok := stateHint(err); ok {
		return exitStore, hint
	}
	if errors.Is(err, history.ErrNone) || errors.Is(err, git.ErrNotRepository) {
		return ExitFailed, "change to a git repository, or name one with -C FOLDER"
	}
	return ExitFailed, ""
}

// say prints one line for people on standard error.
func (a *app) say(format string, args ...any) {
	a.bar.clear()
	fmt.Fprintf(a.env.Stderr, "satchel: "+format+"\n", args...)
}

// remark prints a line that is neither an error nor a result, unless --quiet is set.
func (a *app) remark(format string, args ...any) {
	if a.settings == nil || !a.settings.Quiet {
		a.say(format, args...)
	}
}

// diagnostics prints the notes of a result, unless --quiet is set.
func (a *app) diagnostics(diags []satchel.Diagnostic) {
	if a.settings != nil && a.settings.Quiet {
		return
	}
	for i, n := range diags {
		if i == maxNotes {
			a.say("%d more notes; --json lists them", len(diags)-i)
			break
		}
		if n.Path == "" {
			a.say("note: %s", clean.Inline(n.Text))
		} else {
			a.say("note: %s: %s", clean.Inline(n.Path), clean.Inline(n.Text))
		}
	}
}

// maxNotes is how many notes a terminal shows before the rest drowns the
// result.
const maxNotes = 10

// vault returns the folder of documents outside the repository, relative to the
// current folder; ~ is the home folder.
func (a *app) vault() string {
	dir := a.settings.Vault
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(a.getenv("HOME"), rest)
	}
	if dir == "" || filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(a.dir, dir)
}

// getenv returns the value of a variable. See [config.Getenv].
func (a *app) getenv(name string) string { return config.Getenv(a.env.Environ)(name) }

// removed returns an error if the working folder was removed after the user had
// entered it.
func (a *app) removed() error {
	if filepath.IsAbs(a.dir) {
		return nil
	}
	return &hintError{errors.New("the current folder was removed"), "change to another folder, or name one with -C FOLDER"}
}

// open opens the engine as the settings say.
func (a *app) open(ctx context.Context) (*engine.Engine, error) {
	return a.openWith(ctx, a.bar.step)
}

// openAsking is open for a command that asks a model.
func (a *app) openAsking(ctx context.Context) (*engine.Engine, error) {
	a.asking = true
	return a.open(ctx)
}

// openWith is open for who shows progress in a way of its own.
func (a *app) openWith(ctx context.Context, step func(stage string, done, total int)) (*engine.Engine, error) {
	if err := a.removed(); err != nil {
		return nil, err
	}
	c := &a.settings.Config
	o := &engine.Options{
		Dir:            a.dir,
		Exclude:        a.settings.OwnExclude(),
		Unignore:       c.Unignore,
		Never:          a.given["exclude"],
		NoAiIgnore:     c.NoAiIgnore,
		Submodules:     c.Submodules,
		Weights:        c.Weights,
		MaxFileBytes:   c.MaxFileBytes,
		MaxFiles:       c.MaxFiles,
		HistoryCommits: c.HistoryCommits,
		GitTimeout:     c.GitTimeout,
		Environ:        a.env.Environ,
		CacheDir:       c.CacheDir,
		Vault:          a.vault(),
		NoCache:        c.NoCache,
		Progress:       step,
		Asking:         a.asking,
	}
	if o.CacheDir != "" {
		o.CacheDir = a.fromHere(o.CacheDir)
	}
	if o.HistoryCommits == 0 {
		o.HistoryCommits = -1 // the engine's zero means the default
	}
	a.useEmbedder(o)
	return engine.Open(ctx, o)
}
