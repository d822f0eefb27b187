package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// readSettings are the settings that all commands which read a repository take as
// flags. Those that people seldom change from call to call have no flag: --set sets them.
var readSettings = []string{"exclude", "cache-dir"}

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
			text := "satchel " + version() + "\n"
			if !showVersion {
				text = overviewText(a.helpWidth())
			}
			_, err := a.out.WriteString(text)
			return err
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return nil
			}
			return a.load(cmd)
		},
	}
	root.SetIn(a.env.Stdin)
	root.SetOut(a.out)
	root.SetErr(a.env.Stderr)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		text := helpText
		if cmd.HasParent() && slices.Contains(a.args, "-h") {
			text = shortHelp
		}
		fmt.Fprint(a.out, text(cmd, a.helpWidth()))
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagUsage(c, err) })
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "print the version")
	root.PersistentFlags().StringVarP(&a.dir, "dir", "C", "", "work in this `folder` instead of the current one")
	a.settingFlags(root.PersistentFlags(), []string{"quiet"})
	root.PersistentFlags().VarPF(&setFlag{a}, "set", "", "set any `setting` for this call: NAME=VALUE (repeatable)")
	for _, c := range a.named() {
		root.AddCommand(c.build())
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	checkHelpTopics(root)
	root.PersistentFlags().SortFlags = false
	for _, c := range root.Commands() {
		c.Hidden = slices.Contains(hiddenCommands, c.Name())
		c.Flags().SortFlags = false
		if c.Name() == "pack" || c.Name() == "search" { // words, not files
			c.ValidArgsFunction = completePaths
		}
		argumentErrors(c)
	}
	if len(a.args) > 0 && strings.HasPrefix(a.args[0], cobra.ShellCompRequestCmd) {
		completeFlags(root)
	}
	root.Args = argsAsUsage(knownCommand)
	for _, c := range root.Commands() {
		suggestCommands(c)
	}
	return root
}

// A command is a name and what builds it.
type command struct {
	name  string
	build func() *cobra.Command
}

func (a *app) commands() []command {
	return []command{
		{"ask", a.askCommand}, {"commit", a.commitCommand}, {"review", a.reviewCommand}, {"pr", a.prCommand},
		{"changelog", a.changelogCommand}, {"log", a.logCommand}, {"pack", a.packCommand}, {"run", a.runCommand},
		{"diff", a.diffCommand}, {"search", a.searchCommand}, {"last", a.lastCommand}, {"show", a.showCommand},
		{"tokens", a.tokensCommand}, {"embed", a.embedCommand}, {"session", a.sessionCommand}, {"status", a.statusCommand},
		{"snapshot", a.snapshotCommand}, {"note", a.noteCommand}, {"context", a.contextCommand}, {"mcp", a.mcpCommand},
		{"index", a.indexCommand}, {"config", a.configCommand}, {"schema", a.schemaCommand}, {"version", a.versionCommand},
		{"hook", a.hookCommand}, {"statusline", a.statuslineCommand}, {"install", a.installCommand},
		{"uninstall", a.uninstallCommand}, {"doctor", a.doctorCommand},
	}
}

// named returns the command that the first argument names, or all if it names none, such
// as help, a flag or a mistake.
func (a *app) named() []command {
	all := a.commands()
	for i := range all {
		if len(a.args) > 0 && a.args[0] == all[i].name {
			return all[i : i+1]
		}
	}
	return all
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
			return &usageError{errors.New(what), "did you mean " + c.Name() + "?"}
		}
		names = append(names, c.Name())
	}
	if near := files.Nearest(names, args[0]); near != "" {
		return &usageError{errors.New(what), "did you mean " + near + "?"}
	}
	if cmd.HasParent() {
		return &usageError{errors.New(what), "want " + strings.Join(names, ", ")}
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
	help, _, err := root.Find([]string{"help"})
	if err != nil || help == root {
		return
	}
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

// completeFlags registers the completions of flag values. cobra keeps them, and with them
// this whole app, in a global map until the process ends, so only a shell that asks for
// completions gets them.
func completeFlags(root *cobra.Command) {
	_ = root.RegisterFlagCompletionFunc("set", completeSetting) // fails only if the flag does not exist
	var models []string
	for _, m := range tokens.Models() {
		models = append(models, m.Name)
	}
	for name, values := range map[string][]string{
		"format": {"md", "xml", "json", "plain"},
		"detail": {"full", "trimmed", "outline", "mention"},
		"budget": {"16k", "40%", "auto", "0"},
		"model":  models,
	} {
		for _, c := range root.Commands() {
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

// flagError says what a flag takes in words, where the library quotes a function
// of strconv.
func flagError(err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return err
	}
	var number *strconv.NumError
	if !errors.As(err, &number) {
		return fmt.Errorf("--%s %s: %w", value.GetFlag().Name, value.GetValue(), errors.Unwrap(value))
	}
	want := "a whole number"
	switch typ := value.GetFlag().Value.Type(); {
	case typ == "bool":
		want = "true or false"
	case strings.HasPrefix(typ, "float"):
		want = "a number such as 0.2"
	}
	return fmt.Errorf("--%s %s: want %s", value.GetFlag().Name, value.GetValue(), want)
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
		var usage *usageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return &usageError{err: argumentError(cmd, args, err)}
	}
}

// load reads the settings before a command runs.
func (a *app) load(cmd *cobra.Command) error {
	named := a.dir != ""
	switch {
	case a.dir == "" && cmd.Name() == "mcp" && a.workspace() != "":
		a.dir = a.workspace()
	case a.dir == "":
		a.dir = a.env.Dir
	default:
		a.dir = a.fromHere(a.dir)
	}
	if isHook(cmd) {
		return nil // it reads them where the session is, and says nothing about them
	}
	for c := cmd; c != nil; c = c.Parent() {
		switch c.Name() {
		case "completion", "help", "version", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
			return nil // a damaged configuration does not take help away
		}
	}
	if named {
		switch st, err := os.Stat(a.dir); {
		case err != nil:
			return fmt.Errorf("open %s: %w", a.dir, fsx.Cause(err))
		case !st.IsDir():
			return fmt.Errorf("%s: not a folder", a.dir)
		}
	}
	for _, name := range []string{"exclude", "unignore"} {
		if lists := a.given[name]; lists != nil {
			var err error
			if a.given[name], err = a.scopePatterns(cmp.Or(a.written[name], "--"+name), lists); err != nil {
				return err
			}
		}
	}
	src := config.Sources{Dir: a.dir, Environ: a.env.Environ, Flags: a.given, Written: a.written}
	if cmd.Name() == "doctor" || cmd.HasParent() && cmd.Parent().Name() == "config" { // which may mend it
		return a.loadToInspect(src)
	}
	if cmd.Name() == "install" || cmd.Name() == "uninstall" {
		return a.loadWhatCan(src)
	}
	s, err := loadSettings(src)
	if err != nil {
		return err
	}
	a.settings = s
	a.bar = a.progress()
	if cmd.Name() != "config" { // which shows them as its result
		a.diagnostics(s.Diagnostics)
	}
	return nil
}

func loadSettings(src config.Sources) (*config.Settings, error) {
	s, err := config.Load(src)
	var usage *config.UsageError
	if err != nil && !errors.As(err, &usage) {
		return nil, &usageError{err: err, hint: "correct the file or move it away"}
	}
	return s, err
}

// loadToInspect reads the settings for doctor, which shows mistakes in them as
// findings. A wrong flag is an error.
func (a *app) loadToInspect(src config.Sources) error {
	a.settings, a.faults = config.Salvage(src)
	a.bar = a.progress()
	for _, f := range a.faults {
		var usage *config.UsageError
		if errors.As(f.Err, &usage) && strings.HasPrefix(usage.Where, "--") {
			return f.Err
		}
	}
	return nil
}

// Root returns the whole command, for a test or a generator of manuals to walk.
// Running it needs [Main].
func Root() *cobra.Command { return newApp(Env{Stdout: io.Discard, Stderr: io.Discard}).root() }
