package base

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// loadWhatCan reads the settings that are correct. A mistake in them must not prevent
// install and uninstall.
func (a *App) loadWhatCan(src config.Sources) error {
	if err := a.loadToInspect(src); err != nil {
		return err
	}
	for _, f := range a.Faults {
		a.Remark("note: %s; satchel doctor explains the effects", clean.Inline(f.Err.Error()))
	}
	a.Diagnostics(a.Settings.Diagnostics)
	return nil
}

// FlagError says which values a flag takes. The library quotes a function of strconv
// instead.
func FlagError(err error) error {
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

// Load reads the settings before a command runs.
func (a *App) Load(cmd *cobra.Command) error {
	named := a.Dir != ""
	switch {
	case a.Dir == "" && cmd.Name() == "mcp" && a.workspace() != "":
		a.Dir = a.workspace()
	case a.Dir == "":
		a.Dir = a.Env.Dir
	default:
		a.Dir = a.FromHere(a.Dir)
	}
	if IsHook(cmd) {
		return nil // a hook reads the settings of the session's folder, and prints nothing about them
	}
	for c := cmd; c != nil; c = c.Parent() {
		switch c.Name() {
		case "completion", "help", "version", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
			return nil // help works with a damaged configuration
		}
	}
	if named {
		switch st, err := os.Stat(a.Dir); {
		case err != nil:
			return fmt.Errorf("open %s: %w", a.Dir, fsx.Cause(err))
		case !st.IsDir():
			return fmt.Errorf("%s: not a folder", a.Dir)
		}
	}
	for _, name := range []string{"exclude", "unignore"} {
		if lists := a.Given[name]; lists != nil {
			var err error
			if a.Given[name], err = a.scopePatterns(cmp.Or(a.Written[name], "--"+name), lists); err != nil {
				return err
			}
		}
	}
	src := config.Sources{Dir: a.Dir, Environ: a.Env.Environ, Flags: a.Given, Written: a.Written}
	if cmd.Name() == "doctor" || cmd.HasParent() && cmd.Parent().Name() == "config" { // to repair it
		return a.loadToInspect(src)
	}
	if cmd.Name() == "install" || cmd.Name() == "uninstall" {
		return a.loadWhatCan(src)
	}
	s, err := loadSettings(src)
	if err != nil {
		return err
	}
	a.Settings = s
	a.Bar = a.Progress()
	if cmd.Name() != "config" { // config shows them as its result
		a.Diagnostics(s.Diagnostics)
	}
	return nil
}

func loadSettings(src config.Sources) (*config.Settings, error) {
	s, err := config.Load(src)
	var usage *config.UsageError
	if err != nil && !errors.As(err, &usage) {
		return nil, Usage(err, "correct the file or move it away")
	}
	return s, err
}

// loadToInspect reads the settings for doctor, which shows mistakes in them as
// findings. A wrong flag is an error.
func (a *App) loadToInspect(src config.Sources) error {
	a.Settings, a.Faults = config.Salvage(src)
	a.Bar = a.Progress()
	for _, f := range a.Faults {
		var usage *config.UsageError
		if errors.As(f.Err, &usage) && strings.HasPrefix(usage.Where, "--") {
			return f.Err
		}
	}
	return nil
}

// IsHook reports whether a command is one of hookCommands.
func IsHook(cmd *cobra.Command) bool {
	return cmd.HasParent() && !cmd.Parent().HasParent() && slices.Contains(hookCommands, cmd.Name())
}

// workspace returns the only folder that an agent names, or "".
func (a *App) workspace() string {
	for _, agent := range agents.All {
		for _, name := range agent.Folders {
			dir := a.Getenv(name)
			if fi, err := os.Stat(dir); filepath.IsAbs(dir) && err == nil && fi.IsDir() {
				return filepath.Clean(dir)
			}
		}
	}
	return ""
}

// hookCommands are the commands that agents run between a person and a model. They always
// exit with 0, and print only answers.
var hookCommands = []string{"hook", "statusline"}

// hastyGit is the default limit for git, in seconds, while an agent waits.
const hastyGit = 10

// Hasty lowers limits for a process that an agent waits for.
func (a *App) Hasty() {
	a.Settings.GitTimeout = cmp.Or(a.Settings.GitTimeout, hastyGit)
	if debug.SetMemoryLimit(-1) > agentMemory && a.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(agentMemory)
	}
}

// ReadSettings are the settings that are flags of all commands which read a repository.
// --set sets the others.
var ReadSettings = []string{"exclude", "cache-dir"}

// agentMemory is the size of the heap, in bytes, above which a process next to an agent
// collects garbage more often.
const agentMemory = 256 << 20

// Documents returns the settings for documents in packs, or nil if documents are ordinary
// files. If own is true, they are a separate source by default.
func (a *App) Documents(own bool) *satchel.Documents {
	c := a.Settings
	most := c.Docs
	if o := c.Origins["docs"]; own && len(o) == 1 && o[0].Source == config.Default {
		most = c.OwnDocs
	}
	if most == 0 {
		return nil
	}
	return &satchel.Documents{
		Most: most, Share: float64(c.DocsShare), Depth: c.DocsDepth,
		Linked: c.NoDocsSearch, NoLinks: c.NoDocsLinks, MaxBytes: c.DocsFileBytes,
	}
}
