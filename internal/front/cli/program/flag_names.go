package program

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagsElsewhere are flags of other programs, and what does the same here; by the name
// of the command, "" for all.
var flagsElsewhere = map[string]map[string]string{
	"": {
		"ignore": "--exclude PATTERN", "i": "--include PATTERN", "e": "--exclude PATTERN", "stdin": "--files-from -", "clipboard": "--copy", "c": "--copy",
		"token-budget": "--budget TOKENS", "max-tokens": "--budget TOKENS", "tokens": "satchel tokens", "count-tokens": "satchel tokens",
	},
	"pack": {
		"style": "--format md|xml|json|plain", "F": "--format json", "compress": "--detail outline", "tree": "satchel tokens --tree", "token-count-tree": "satchel tokens --tree",
		"remote-branch": "--rev BRANCH", "branch": "--rev BRANCH", "include-submodules": "--set submodules", "stdout": "no flag: it is the default", "max-size": "--set max-file-bytes=BYTES",
		"include-diffs": "--diff HEAD, or --set with=git", "include-logs": "--set with=git", "no-gitignore": "--pin PATH, for single files", "map-tokens": "--detail outline --budget TOKENS",
	},
	"diff": {
		"cached": "--staged", "stat": "no flag: the summary is the default", "name-only": "no flag: the summary is the default", "name-status": "no flag: the summary is the default",
		"p": "--detail standard", "patch-with-stat": "--detail standard",
	},
	"search": {"n": "--limit COUNT", "k": "--limit COUNT"},
}

// removedCommand returns the error for arguments that begin with the name of a removed
// command.
func removedCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	path := cmd.CommandPath() + " " + args[0]
	if instead := config.Removed[path]; instead != "" {
		return base.Usage(errors.New(path+" was removed"), instead)
	}
	return nil
}

// flagUsage returns the error for a flag that a command cannot read. Its hint names what
// to use instead of a removed flag or a flag of another program.
func flagUsage(cmd *cobra.Command, err error) *base.UsageError {
	var usage *base.UsageError
	if errors.As(removedCommand(cmd, cmd.Flags().Args()), &usage) {
		return usage
	}
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 && errors.As(cmd.Args(cmd, args), &usage) {
		return usage // the flag belongs to a command that does not exist
	}

	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return base.Usage(base.FlagError(err), "")
	}
	name := unknown.GetSpecifiedName()
	if instead := cmp.Or(config.Removed[cmd.CommandPath()+" --"+name], config.Removed["--"+name], config.Removed[name]); instead != "" {
		return base.Usage(errors.New("--"+name+" was removed"), instead)
	}
	if name == "model" && cmd.Flags().Lookup("llm") != nil {
		return base.Usage(err, "use --llm NAME for [llm.NAME] of your config.toml")
	}
	if k, err := config.KeyByName(name); err == nil && k.Text() {
		how := "--set " + name + "=VALUE"
		if k.Kind() == "switch" {
			how = "--set " + name
		}
		return base.Usage(fmt.Errorf("--%s is a setting, not a flag", name), "use "+how)
	}
	for _, c := range []string{cmd.Name(), ""} {
		here := flagsElsewhere[c][name]
		flag, _, _ := strings.Cut(strings.TrimPrefix(here, "--"), " ")
		if here != "" && (!strings.HasPrefix(here, "--") || cmd.Flags().Lookup(flag) != nil) {
			return base.Usage(err, "use "+here)
		}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := files.Nearest(names, name); near != "" {
		return base.Usage(err, "did you mean --"+strings.ReplaceAll(near, " or ", " or --")+"?")
	}
	if cmd.Name() == "pack" {
		return base.Usage(err, "put -- before a task that begins with a dash: satchel pack -- '-v is ignored'")
	}
	return base.Usage(err, "")
}
