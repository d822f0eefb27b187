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
	_ "embed"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

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
	"github.com/satchel-dev/satchel/internal/front/schema"
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

// A versionDocument is the JSON form of the build.
type versionDocument struct {
	Version int `json:"version"`
	base.Build
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

func versionCommand(b *base.App) *cobra.Command {
	a := &app{b}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit and its date",
		Example: `  satchel version
  satchel version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := base.ThisBuild()
			if a.JSON {
				return a.WriteJSON(versionDocument{1, b, runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			fmt.Fprintf(a.Out, "satchel %s (%s) %s %s/%s\n", b.Satchel, b.Origin(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

func versionDocuments() []schema.Document {
	return []schema.Document{
		schema.Writes[versionDocument]("version", 1, "The version and build", "version"),
	}
}

// Documents returns all JSON documents that commands write on standard output, sorted
// by name. A test fails if a command writes a document that no family lists.
func Documents() []schema.Document {
	all := slices.Concat(
		assist.Documents(),
		config.Documents(),
		contextfiles.Documents(),
		diff.Documents(),
		embed.Documents(),
		index.Documents(),
		install.Documents(),
		last.Documents(),
		note.Documents(),
		pack.Documents(),
		schemaDocuments(),
		search.Documents(),
		session.Documents(),
		show.Documents(),
		snapshot.Documents(),
		tokens.Documents(),
		versionDocuments(),
	)
	slices.SortFunc(all, func(a, b schema.Document) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// DocumentTypes are the schemas of all types that marshal themselves, and of enumerations.
func DocumentTypes() schema.Types {
	types := program.DocumentTypes()
	maps.Copy(types, config.Types())
	maps.Copy(types, install.Types())
	return types
}

//go:embed descriptions.txt
var descriptions string

// DocumentKeys say what the keys of all documents mean. They are the comments of the
// fields behind them, or, for fields without one, lines of testdata/keys.tsv.
func DocumentKeys() schema.Keys { return schema.ParseKeys(descriptions) }
