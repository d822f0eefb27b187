// Package program runs satchel with a table of commands: it builds the command that the
// arguments name, completes and suggests names, shows help, and turns errors into exit
// codes and hints.
package program

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/source/history"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/spf13/cobra"
)

// An app is one run of the program.
type app struct {
	*base.App
	commands []Command
}

// Main runs one of the commands and returns its exit code. Cancelling ctx interrupts it.
func Main(ctx context.Context, env base.Env, commands []Command, args []string) int {
	a := &app{base.NewApp(env), commands}
	a.Args = args
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	a.Bar.Stop()
	if base.IsHook(cmd) {
		_ = a.Flush() // of --help; an error cannot be reported
		return base.ExitOK
	}
	if flushErr := a.Flush(); err == nil {
		err = flushErr
	}
	return a.exit(ctx, cmd, err)
}

// exit reports the error and returns the exit code.
func (a *app) exit(ctx context.Context, cmd *cobra.Command, err error) int {
	if err == nil {
		return base.ExitOK
	}
	if brokenPipe(err, runtime.GOOS) {
		return base.ExitOK // the reader has seen enough
	}
	if ctx.Err() != nil {
		a.Say("interrupted")
		return base.ExitInterrupted
	}
	code, hint := exitOf(cmd, err)
	if hint == "" {
		hint = a.UnknownHint(ctx, err)
	}
	if u := urlHint(cmd); u != "" && code == base.ExitFailed {
		hint = u // the URL is the reason, whatever the error is
	}
	a.Say("%s", clean.Inline(fsx.Message(err)))
	var lacking *base.IncompleteError
	if errors.As(err, &lacking) {
		a.SayMissing(lacking)
	}
	if hint != "" {
		first, rest, more := strings.Cut(hint, "\n")
		a.Say("hint: %s", clean.Inline(first))
		if more { // to be copied
			text, _ := clean.Visible(rest)
			fmt.Fprintln(a.Env.Stderr, text)
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

// exitOf returns the exit code of an error, and what the user can do next. Errors of
// commands carry both. This function and libraryExits know the errors of other packages.
func exitOf(cmd *cobra.Command, err error) (code int, hint string) {
	code = base.ExitFailed
	var own interface{ Exit() (int, string) }
	if errors.As(err, &own) {
		code, hint = own.Exit()
		if _, usage := own.(*base.UsageError); hint != "" || !usage {
			return code, hint
		}
	}

	help := "see " + cmd.CommandPath() + " --help"
	var (
		unknown *tokens.UnknownModelError
		setting *config.UsageError
		asked   *llm.Error
		fetched *git.FetchError
	)
	switch {
	case errors.As(err, &unknown):
		return base.ExitUsage, modelHint
	case own != nil:
		return code, help
	case errors.As(err, &setting) && strings.HasPrefix(setting.Where, "SATCHEL_"):
		return base.ExitUsage, "correct or unset " + setting.Where
	case errors.As(err, &setting) && strings.HasPrefix(setting.Where, "--set "):
		return base.ExitUsage, "satchel config lists all settings"
	case errors.As(err, &setting):
		return base.ExitUsage, help
	case errors.As(err, &asked) && serverHints[asked.Reason] != "":
		return code, serverHints[asked.Reason]
	case errors.As(err, &fetched):
		return code, fetchHint(fetched)
	case errors.Is(err, git.ErrNoWorkTree) && cmd.Flags().Lookup("rev") != nil && !cmd.Flags().Changed("diff"):
		return code, "a bare repository has no work tree: add --rev HEAD"
	}
	if _, ok := errors.AsType[*engine.ProtectedError](err); ok {
		return code, "the agent must not change it; " + base.LiftsProtection + ", and --pin shows it"
	}
	_, silent := errors.AsType[*git.SilentError](err)
	if _, overdue := errors.AsType[*git.OverdueError](err); silent || overdue {
		return code, "if the disk is slow, wait longer: --set git-timeout=300"
	}
	if hint, ok := base.StateHint(err); ok {
		return base.ExitStore, hint
	}
	for _, x := range libraryExits {
		if errors.Is(err, x.err) {
			return code, x.hint
		}
	}
	return code, ""
}

// libraryExits are errors of git and what the user can do next.
var libraryExits = []struct {
	err  error
	hint string
}{
	{git.ErrNoWorkTree, "a bare repository has no work tree: compare commits, as in satchel diff HEAD^!"},
	{git.ErrNoGit, base.NeedsGit},
	{git.ErrMissing, "run git fetch --refetch, or git diff in a partial clone, to fetch missing objects"},
	{git.ErrUnborn, "commit first, or omit the revision to read the work tree"},
	{history.ErrNone, noRepository},
	{git.ErrNotRepository, noRepository},
}

const noRepository = "change to a git repository, or name one with -C FOLDER"

// urlHint returns a hint for a URL among the arguments of a command that works in a
// local repository, or "".
func urlHint(cmd *cobra.Command) string {
	if cmd.Name() == "pack" {
		return ""
	}
	for _, arg := range cmd.Flags().Args() {
		if base.IsURL(arg) && base.GitHost(arg) {
			if !cmd.HasParent() {
				return "satchel pack " + base.ShellWord(base.WithoutUser(arg)) + " packs that repository"
			}
			return "satchel pack " + base.ShellWord(base.WithoutUser(arg)) + " fetches that repository and prints the -C folder for " + cmd.CommandPath()
		}
	}
	return ""
}

// fetchHint says what to do if a fetch failed.
func fetchHint(e *git.FetchError) string {
	switch e.Kind {
	case git.FetchNoRev:
		return "for a remote repository, --rev takes a branch, a tag or a full commit id"
	case git.FetchNoAccess:
		return "check the URL and your credential helper or ssh key with git ls-remote URL; satchel never asks for a password"
	case git.FetchHostKey:
		return "connect to the host once with ssh to accept its key"
	case git.FetchTooLarge, git.FetchTooSlow:
		return "git clone the repository yourself, and name its folder with -C"
	}
	return "check the connection with git ls-remote URL"
}

// modelHint is what to do about a name that no model has.
const modelHint = "satchel tokens --models lists known models; [[models]] in your config.toml adds one"
