package program

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/spf13/cobra"
)

// root builds the command.
func (a *app) root() *cobra.Command {
	var showVersion bool // a template of cobra's would link text/template, and with it every exported method
	root := &cobra.Command{
		Use:               "satchel",
		Short:             "The right context for coding agents, within a token budget",
		Long:              overview,
		Example:           startExamples(),
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,

		RunE: func(*cobra.Command, []string) error {
			text := "satchel " + base.Version() + "\n"
			if !showVersion {
				text = overviewText(a.helpWidth())
			}
			_, err := a.Out.WriteString(text)
			return err
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return nil
			}
			return a.Load(cmd)
		},
	}
	root.SetIn(a.Env.Stdin)
	root.SetOut(a.Out)
	root.SetErr(a.Env.Stderr)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		text := a.helpText
		if cmd.HasParent() && slices.Contains(a.Args, "-h") {
			text = a.shortHelp
		}
		fmt.Fprint(a.Out, text(cmd, a.helpWidth()))
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagUsage(c, err) })
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "print the version")
	root.PersistentFlags().StringVarP(&a.Dir, "dir", "C", "", "work in this `folder` instead of the current one")
	a.SettingFlags(root.PersistentFlags(), []string{"quiet"})
	root.PersistentFlags().VarPF(&base.SetFlag{App: a.App}, "set", "", "set any `setting` for this call: NAME=VALUE (repeatable)")
	for _, c := range a.named() {
		if c.New != nil {
			root.AddCommand(c.New(a.App))
		}
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	checkHelpTopics(root)
	root.PersistentFlags().SortFlags = false
	for _, c := range root.Commands() {
		c.Hidden = !slices.ContainsFunc(a.commands, func(x Command) bool { return x.Name == c.Name() && x.Group != "" })
		c.Flags().SortFlags = false
		if c.Name() == "pack" || c.Name() == "search" { // words, not files
			c.ValidArgsFunction = completePaths
		}
		argumentErrors(c)
	}
	if len(a.Args) > 0 && strings.HasPrefix(a.Args[0], cobra.ShellCompRequestCmd) {
		completeFlags(root)
	}
	root.Args = argsAsUsage(knownCommand)
	for _, c := range root.Commands() {
		suggestCommands(c)
	}
	return root
}

// named returns the command that the first argument names, or all if it names none, such
// as help, a flag or a mistake.
func (a *app) named() []Command {
	if len(a.Args) > 0 {
		if i := slices.IndexFunc(a.commands, func(c Command) bool { return c.Name == a.Args[0] }); i >= 0 && a.commands[i].New != nil {
			return a.commands[i : i+1]
		}
	}
	return a.commands
}

// knownCommand refuses an argument where a command belongs, with the ones that were
// likely meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	what := "unknown command " + strconv.Quote(args[0])
	if cmd.HasParent() {
		what += " for " + strconv.Quote(cmd.CommandPath())
	}
	var names []string
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, args[0]) {
			return base.Usage(errors.New(what), "did you mean "+c.Name()+"?")
		}
		names = append(names, c.Name())
	}
	if near := files.Nearest(names, args[0]); near != "" {
		return base.Usage(errors.New(what), "did you mean "+near+"?")
	}
	if cmd.HasParent() {
		return base.Usage(errors.New(what), "want "+strings.Join(names, ", "))
	}
	return errors.New(what)
}

// suggestCommands makes a group of commands refuse an unknown command; the library
// would show its help, with exit code 0. It also suggests commands for the names that
// other programs use.
func suggestCommands(c *cobra.Command) {
	if !c.HasSubCommands() {
		return
	}
	for _, sub := range c.Commands() {
		sub.SuggestFor = append(sub.SuggestFor, otherNames[sub.Name()]...)
	}
	if !c.Runnable() {
		c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if c.Args == nil || c.Args(c, []string{"one"}) != nil { // it takes nothing itself
		c.Args = argsAsUsage(knownCommand)
	}
}

// otherNames are what other programs call what our commands do.
var otherNames = map[string][]string{
	"list": {"ls"}, "remove": {"rm", "delete", "del"}, "add": {"new", "create"}, "show": {"cat", "view", "get"}, "set": {"unset"},
}

// checkHelpTopics makes help refuse an unknown command, instead of showing the help
// of its parent.
func checkHelpTopics(root *cobra.Command) {
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		if c, rest, err := root.Find(args); err == nil && len(rest) > 0 && c.HasSubCommands() {
			return c.Args(c, rest)
		}
		return nil
	}
}

// completePaths completes paths for pack. Its other words, and the words of a search,
// are not files.
func completePaths(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	if c.Name() == "pack" && strings.ContainsAny(word, "./") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// formats and details are the values of --format and --detail by command.
var (
	formats = map[string][]string{"pack": {"md", "xml", "json", "plain"}, "diff": {"text", "md"}, "review": {"text", "md", "json", "sarif", "github"}}
	details = map[string][]string{"pack": {"full", "trimmed", "outline", "mention"}, "diff": {"summary", "standard"}}
)

// completeFlags registers the completions of flag values. cobra keeps them, and with them
// this whole app, in a global map until the process ends, so only a shell that asks for
// completions gets them.
func completeFlags(root *cobra.Command) {
	_ = root.RegisterFlagCompletionFunc("set", base.CompleteSetting) // fails only if the flag does not exist
	var models []string
	for _, m := range tokens.Models() {
		models = append(models, m.Name)
	}
	for _, c := range root.Commands() {
		for name, values := range map[string][]string{
			"format":  formats[c.Name()],
			"detail":  details[c.Name()],
			"fail-on": {"critical", "high", "medium", "low"},
			"budget":  {"16k", "40%", "auto", "0"},
			"model":   models,
		} {
			if c.Flags().Lookup(name) != nil {
				_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
			}
		}
	}
}

// argumentErrors does argsAsUsage to a command and all below it.
func argumentErrors(c *cobra.Command) {
	if c.Args != nil {
		c.Args = argsAsUsage(c.Args)
	}
	for _, sub := range c.Commands() {
		argumentErrors(sub)
	}
}

// argumentError says which arguments a command takes, where the library counts
// "arg(s)" or calls an argument a command.
func argumentError(cmd *cobra.Command, args []string, err error) error {
	text := err.Error()
	if !strings.Contains(text, "arg(s)") && (cmd.HasSubCommands() || !strings.HasPrefix(text, "unknown command ")) {
		return err
	}
	_, takes, _ := strings.Cut(cmd.Use, " ")
	return fmt.Errorf("%s: got %s, want %s", cmd.CommandPath(), render.Plural(len(args), "argument"), cmp.Or(takes, "none"))
}

// argsAsUsage makes errors about arguments usage errors.
func argsAsUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := cmp.Or(removedCommand(cmd, args), check(cmd, args))
		var usage *base.UsageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return base.Usage(argumentError(cmd, args, err), "")
	}
}

// Root returns the whole command, for a test or a generator of manuals to walk.
// Running it needs [Main].
func Root(commands []Command) *cobra.Command {
	return (&app{base.NewApp(base.Env{Stdout: io.Discard, Stderr: io.Discard}), commands}).root()
}

// A Command is a row of the table of commands. New is nil for a command of the library.
type Command struct {
	Group string // its heading in the help; "" keeps it out of the help
	Name  string
	New   func(*base.App) *cobra.Command
}

// groups returns the headings of the help with the names below each, in order.
func (a *app) groups() (list []commandGroup) {
	for _, c := range a.commands {
		switch n := len(list); {
		case c.Group == "":
		case n > 0 && list[n-1].title == c.Group:
			list[n-1].commands = append(list[n-1].commands, c.Name)
		default:
			list = append(list, commandGroup{c.Group, []string{c.Name}})
		}
	}
	return list
}

// A commandGroup is a part of the list of commands.
type commandGroup struct {
	title    string
	commands []string // in the order in which they are shown
}
