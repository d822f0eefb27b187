package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

func NewDoctor(b *base.App) *cobra.Command {
	a := &app{b}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find what keeps satchel from working",
		Long: `Check everything that satchel needs to work in your agents: settings, hooks, git,
the index and the notes. It also lists the servers that satchel would send data
to. It changes nothing but removes copies left by an interrupted install. The exit
code is 0 if nothing is wrong, 5 if only the index or the notes have a problem,
otherwise 1.`,
		Example: `  satchel doctor
  satchel doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context()) },
	}
	a.JSONFlag(cmd.Flags())
	a.SettingFlags(cmd.Flags(), []string{"cache-dir"})
	return cmd
}

// A doctorDocument is the JSON form of what was found.
type doctorDocument struct {
	Version  int               `json:"version"`
	Level    install.Level     `json:"level"`
	Findings []install.Finding `json:"findings"`
}

func (a *app) doctor(ctx context.Context) error {
	list := append([]install.Finding{}, a.inspectConfig()...)
	installed := false
	o, err := a.installOptions(installFlags{})
	if err != nil {
		list = append(list, install.Finding{About: "agents", Level: install.Problem, Text: err.Error(), Fix: "set HOME to your home folder"})
	} else {
		if a.Removed() == nil {
			o.Project = config.Root(a.Dir)
		}
		for _, name := range install.Sweep(o) {
			list = append(list, install.Finding{About: "leftovers", Level: install.Note, Text: "removed a leftover of an interrupted install: " + name})
		}
		for _, c := range install.Clients {
			list = append(list, install.Inspect(o, c)...)
		}
		installed = install.Installed(list)
		switch {
		case installed:
		case slices.ContainsFunc(install.Clients, o.Present):
			list = append(list, install.Finding{About: "agents", Level: install.Problem, Text: "satchel is not installed in any of your agents", Fix: "satchel install"})
		default:
			list = append(list, install.Finding{About: "agents", Level: install.OK, Text: "no known agent on this machine; the commands work without one"})
		}
	}
	self, err := os.Executable()
	if err == nil {
		f := install.InspectPath(ctx, a.Getenv, self, base.Version())
		if f.Level == install.Problem && !installed {
			f.Level = install.Note // agents do not look for it there
		}
		list = append(list, f)
	}
	store, crowded := a.inspectStore(ctx)
	list = append(list, store...)
	list = append(list, a.inspectEndpoints()...)
	list = append(list, a.inspectPrompts(crowded)...)

	level, storeOnly := install.Worst(list)
	if a.JSON {
		err = a.WriteJSON(doctorDocument{1, level, list})
	} else {
		a.printFindings(list)
	}
	problems := 0
	for _, f := range list {
		if f.Level == install.Problem {
			problems++
		}
	}
	switch {
	case err != nil:
		return err
	case storeOnly:
		return &base.UnwellError{Problems: problems, Store: true}
	case level == install.Problem:
		return &base.UnwellError{Problems: problems, Store: false}
	}
	return nil
}

// inspectGit says how git is where it need not work.
func (a *app) inspectGit(ctx context.Context, works string) install.Finding {
	o := git.Options{Env: a.Env.Environ}
	if err := o.Usable(ctx, a.Dir); err != nil {
		return install.Finding{About: "git", Level: install.Note, Text: err.Error(), Fix: base.NeedsGit}
	}
	return install.Finding{About: "git", Level: install.OK, Text: works}
}

// inspectStore says how git, the index and the notes are, and whether hooks leave
// this folder alone since it is crowded.
func (a *app) inspectStore(ctx context.Context) (_ []install.Finding, crowded error) {
	e, err := a.Open(ctx)
	if err != nil {
		f := install.Finding{About: "git", Level: install.Problem, Text: err.Error()}
		var old *git.VersionError
		var owner *git.OwnerError
		switch {
		case errors.As(err, &old):
			f.Fix = "update git to " + git.MinVersion + " or newer"
		case errors.Is(err, git.ErrNoGit):
			f.Fix = base.NeedsGit
		case a.Removed() != nil:
			f.About, f.Fix = "folder", "change to another folder, or name one with -C FOLDER"
		case errors.As(err, &owner):
			f.Fix = "git config --global --add safe.directory DIR, if you trust the repository"
		}
		return []install.Finding{f}, nil
	}
	defer e.Close()
	if a.NoProject() == "" {
		crowded = e.Index().Crowded()
	}
	if crowded != nil || a.NoProject() != "" {
		// Nor is anything looked at here: it would take long.
		return []install.Finding{a.inspectGit(ctx, "works; this folder is not a repository")}, crowded
	}
	list := []install.Finding{a.inspectGit(ctx, "works in this folder")}

	index := install.Finding{About: "index", Level: install.OK}
	s, err := e.Index().Status(ctx)
	damage := ""
	if err == nil {
		for _, n := range s.Diagnostics {
			if s.Dir != "" && strings.HasPrefix(n.Path, s.Dir) && damage == "" {
				damage = n.Path + ": " + n.Text
			}
		}
	}
	switch {
	case err != nil:
		index.Level, index.Store, index.Text, index.Fix = install.Problem, true, err.Error(), "satchel index"
	case damage != "":
		index.Level, index.Store, index.Text = install.Problem, true, damage
		index.Fix = "satchel index, which builds it again; you can delete " + s.Dir + " at any time"
	case s.Documents == 0 && !s.Fresh:
		index.Level, index.Text, index.Fix = install.Note, "not built yet: the first prompt builds it, and gets no context", "satchel index"
	case !s.Fresh:
		index.Level, index.Text, index.Fix = install.Note, render.Plural(s.Stale, "document")+" behind the work tree: the next prompt refreshes it", "satchel index"
	default:
		index.Text = fmt.Sprintf("up to date, %s", render.Plural(s.Documents, "document"))
	}
	list = append(list, index)

	notes := install.Finding{About: "notes", Level: install.OK, Text: "readable"}
	if _, _, err := e.Memory().Notes(ctx); err != nil {
		notes.Level, notes.Store, notes.Text = install.Problem, true, err.Error()
		notes.Fix, _ = base.StateHint(err)
	}
	return append(list, notes), nil
}

// inspectConfig says what could not be understood of the settings, and what comes
// of it.
func (a *app) inspectConfig() (list []install.Finding) {
	for _, f := range a.Faults {
		where, fix := "it", "correct it"
		var usage *config.UsageError
		if f.File != "" {
			where, fix = "the file", "correct "+f.File+", or move it away"
		} else if errors.As(f.Err, &usage) {
			fix = "correct or unset " + usage.Where
		}
		text := f.Err.Error() + "; until then only doctor, install, uninstall and config init work"
		if f.HoldsBack {
			text += ", and hooks add nothing to prompts, because " + where + " may contain exclusions"
		} else {
			text += ", and hooks ignore " + where
		}
		list = append(list, install.Finding{About: "config", Level: install.Problem, Text: text, Fix: fix})
	}
	for _, n := range a.Settings.Diagnostics {
		text := n.Text
		if n.Path != "" {
			text = n.Path + ": " + text
		}
		list = append(list, install.Finding{About: "config", Level: install.Note, Text: text})
	}
	if len(list) == 0 {
		list = append(list, install.Finding{About: "config", Level: install.OK, Text: "all settings are understood"})
	}
	return list
}

// inspectPrompts says why prompts get no context here, if they do not.
func (a *app) inspectPrompts(crowded error) (list []install.Finding) {
	note := func(fix, format string, args ...any) {
		list = append(list, install.Finding{About: "prompts", Level: install.Note, Text: fmt.Sprintf("prompts get no context: "+format, args...), Fix: fix})
	}
	if a.Settings.PromptCharacters == 0 {
		where := a.Settings.Origins["prompt-characters"]
		note("", "prompt-characters is 0 in %s", where[len(where)-1])
	}
	why := a.NoProject()
	if a.Removed() != nil {
		return list // which is a finding already
	}
	if why == "" && crowded != nil {
		why = crowded.Error()
	}
	if why != "" {
		note("start the agent in a project folder", "this is %s", why)
	}
	return list
}

// inspectEndpoints says what would be sent where.
func (a *app) inspectEndpoints() (list []install.Finding) {
	c := &a.Settings.Config
	note := func(format string, args ...any) {
		list = append(list, install.Finding{About: "endpoints", Level: install.Note, Text: fmt.Sprintf(format, args...)})
	}
	summarizer, _ := c.Summarizer() // nil if not configured
	for i := range c.LLMs {
		l := &c.LLMs[i]
		at := fmt.Sprintf("%s (%s)", l.URL, l.Model)
		switch {
		case c.Embedder() != nil && l.Name == c.Embedder().Name:
			note("embed build sends documents, and packs with documents send their task, to %s, secrets redacted", at)
		case l.Kind == llm.Embeddings:
			note("[llm.%s] is not used: embeddings come from [llm.embedder]", l.Name)
		default:
			what := fmt.Sprintf("commands that ask [llm.%s] send what their --dry-run shows", l.Name)
			if summarizer != nil && summarizer.Name == l.Name {
				what = "satchel session trim --summarize sends parts of a session"
				if l.Name == "default" {
					what += ", and other commands what their --dry-run shows"
				}
			}
			note("%s, secrets redacted, to %s", what, at)
		}
		if l.KeyEnv != "" && a.Getenv(l.KeyEnv) == "" {
			list[len(list)-1].Text += "; it needs a key, but " + l.KeyEnv + " is not set"
		}
	}
	if len(list) == 0 {
		list = append(list, install.Finding{About: "endpoints", Level: install.OK, Text: "no model is configured: nothing leaves this machine"})
	}
	return list
}

func (a *app) printFindings(list []install.Finding) {
	paint := base.Brush(a.Color(a.Env.StdoutTTY))
	width := 0
	var absent []string
	shown := list[:0:0]
	for _, f := range list {
		if f.Absent() {
			absent = append(absent, f.About)
			continue
		}
		shown = append(shown, f)
		width = max(width, len(f.About))
	}
	if len(absent) > 0 {
		shown = append(shown, install.Finding{About: "others", Level: install.OK, Text: "not on this machine: " + strings.Join(absent, ", ")})
	}
	about := ""
	for _, f := range shown {
		name := f.About
		if name == about {
			name = "" // as above
		}
		about = f.About
		level := fmt.Sprintf("%-7s", f.Level)
		switch f.Level {
		case install.Problem:
			level = paint.Paint("31", level)
		case install.OK:
			level = paint.Dim(level)
		}
		fmt.Fprintf(a.Out, "%s  %-*s  %s\n", level, width, name, clean.Inline(a.Tilde(f.Text)))
		if f.Fix != "" {
			fmt.Fprintf(a.Out, "%7s  %-*s  → %s\n", "", width, "", clean.Inline(a.Tilde(f.Fix)))
		}
	}
}
