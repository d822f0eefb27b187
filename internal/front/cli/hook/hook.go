// Package hook has the command hook, which agents run at their events.
package hook

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/hook"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App) *cobra.Command {
	a := &app{b}
	names := slices.Sorted(maps.Keys(hook.Clients))
	cmd := &cobra.Command{
		Use:   "hook CLIENT [EVENT]",
		Short: "Answer a hook of a coding agent",
		Long: `Answer a hook of a coding agent: read its event on standard input, and write an
answer or nothing. satchel install writes the settings that call this command.
CLIENT is ` + strings.Join(names[:len(names)-1], ", ") + ` or ` + names[len(names)-1] + `. EVENT is the
agent's name of the event, if its input has none. The exit code is always 0 and
standard error is empty, because some agents stop otherwise. Set SATCHEL_HOOK_LOG to
a file to log what hooks do.`,
		Example: `  satchel hook claude < prompt.json
  satchel hook opencode chat.message < prompt.json`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.hook(cmd.Context(), args)
			return nil
		},
	}
	a.SettingFlags(cmd.Flags(), []string{"prompt-characters", "last-prompts"})
	return cmd
}

// hook answers an event. It goes round the buffer of standard output: an answer
// is written once, when it is whole.
func (a *app) hook(ctx context.Context, args []string) {
	var o *hook.Options
	o = &hook.Options{
		Stdin: a.Env.Stdin, Stdout: a.Env.Stdout, Dir: a.Dir, Now: a.Now(), Deadline: a.Env.HookDeadline,
		Open: func(ctx context.Context, dir string) (*engine.Engine, error) {
			// What a repository asks for is known only where the session is.
			s, faults := config.Salvage(config.Sources{Dir: dir, Environ: a.Env.Environ, Flags: a.Given, Written: a.Written})
			a.Settings, a.Dir = s, dir
			a.Hasty()
			o.Retention, o.Characters, o.Keep = s.Retention, s.PromptCharacters, s.LastPrompts
			switch why := a.NoProject(); {
			case why != "":
				o.Characters, o.Silent, o.Refresh = -1, why, nil
			case o.Characters == 0:
				o.Characters = -1 // nothing
			}
			for _, f := range faults {
				if f.HoldsBack && o.Characters > 0 {
					o.Characters, o.Silent = -1, f.Err.Error()
				}
			}
			return a.Open(ctx)
		},
		Refresh: a.refreshDetached,
	}
	if i := slices.Index(args, ";"); i >= 0 {
		args = args[:i] // cmd.exe hands over what other shells take for the next command
	}
	if len(args) > 0 {
		o.Client = args[0]
	}
	if len(args) > 1 {
		o.Event = args[1]
	}
	r := hook.Run(ctx, o)
	if name := a.Getenv("SATCHEL_HOOK_LOG"); name != "" {
		appendLine(name, r)
	}
}

// appendLine adds a value to a file as a line of JSON. It ignores failures.
func appendLine(name string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		return
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(b, '\n'))
	_ = f.Close()
}

// refreshDetached starts a process that brings an index up to date, and does not
// wait for it.
func (a *app) refreshDetached(dir string) error {
	if a.Env.Detach == nil {
		return nil
	}
	return a.Env.Detach(dir, a.Env.Environ, "index", "--background", "--quiet", "--dir", dir)
}
