// Package cli is the satchel command: the table of its commands and of their JSON
// documents. No judgement about context lives here or below.
//
// The result of a command goes to standard output and everything else to standard error,
// as lines that begin with "satchel: ". A command reads nothing from its surroundings
// except what [base.Env] holds, so tests can run any command.
//
// Package base has what commands share, program runs them, and each family of commands
// has a package of its own.
package cli

import (
	"context"

	"github.com/satchel-dev/satchel/internal/front/cli/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/config"
	"github.com/satchel-dev/satchel/internal/front/cli/contextfiles"
	"github.com/satchel-dev/satchel/internal/front/cli/diff"
	"github.com/satchel-dev/satchel/internal/front/cli/embed"
	"github.com/satchel-dev/satchel/internal/front/cli/hook"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/install"
	"github.com/satchel-dev/satchel/internal/front/cli/last"
	"github.com/satchel-dev/satchel/internal/front/cli/mcp"
	"github.com/satchel-dev/satchel/internal/front/cli/note"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/cli/search"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/cli/show"
	"github.com/satchel-dev/satchel/internal/front/cli/snapshot"
	"github.com/satchel-dev/satchel/internal/front/cli/tokens"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

// Main runs the command and returns its exit code. Cancelling ctx interrupts it.
func Main(ctx context.Context, env base.Env, args []string) int {
	return program.Main(ctx, env, Commands(), args)
}

// System returns what the program takes from the process.
func System() base.Env { return program.System() }

// Root returns the whole command, for a test or a generator of manuals to walk.
func Root() *cobra.Command { return program.Root(Commands()) }

// Commands returns all commands, in the order of the help. A command without a group is
// for programs or few people: docs/commands.md has it, the help does not.
func Commands() []program.Command {
	return []program.Command{
		{Group: "Every day", Name: "pack", New: pack.New},
		{Group: "Every day", Name: "diff", New: diff.New},
		{Group: "Every day", Name: "search", New: search.New},
		{Group: "Every day", Name: "show", New: show.New},
		{Group: "Every day", Name: "tokens", New: tokens.New},
		{Group: "Asking a model", Name: "commit", New: assist.NewCommit},
		{Group: "Asking a model", Name: "review", New: assist.NewReview},
		{Group: "Asking a model", Name: "pr", New: assist.NewPR},
		{Group: "Asking a model", Name: "changelog", New: assist.NewChangelog},
		{Group: "Asking a model", Name: "ask", New: assist.NewAsk},
		{Group: "Asking a model", Name: "log", New: func(b *base.App) *cobra.Command { return assist.NewLog(b, Main) }},
		{Group: "Sessions", Name: "session", New: session.New},
		{Group: "Sessions", Name: "status", New: session.NewStatus},
		{Group: "Agents", Name: "install", New: install.New},
		{Group: "Agents", Name: "uninstall", New: install.NewUninstall},
		{Group: "Agents", Name: "doctor", New: install.NewDoctor},
		{Group: "Agents", Name: "last", New: last.New},
		{Group: "Agents", Name: "run", New: session.NewRun},
		{Group: "Agents", Name: "mcp", New: func(b *base.App) *cobra.Command { return mcp.New(b, session.StatusForAgent) }},
		{Group: "Memory", Name: "note", New: note.New},
		{Group: "Memory", Name: "context", New: contextfiles.New},
		{Group: "Memory", Name: "snapshot", New: snapshot.New},
		{Group: "Setup", Name: "config", New: config.New},
		{Group: "Setup", Name: "index", New: index.New},
		{Group: "Setup", Name: "help"},
		{Group: "Setup", Name: "version", New: versionCommand},
		{Name: "embed", New: embed.New},
		{Name: "hook", New: hook.New},
		{Name: "statusline", New: session.NewStatusline},
		{Name: "schema", New: schemaCommand},
	}
}
