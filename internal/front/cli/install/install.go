// Package install has the commands install, uninstall and doctor: satchel in the settings of agents.
package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

// installFlags are what install and uninstall have in common.
type installFlags struct {
	user, project, dryRun bool
}

// hasHooks and isEditor tell the two kinds of agents that satchel is put into.
func hasHooks(a *agents.Agent) bool { return a.Settings != nil && a.Hooks != nil }
func isEditor(a *agents.Agent) bool { return a.Settings != nil && a.Hooks == nil }

func New(b *base.App) *cobra.Command {
	a := &app{b}
	var f installFlags
	var plugin, extension string
	cmd := &cobra.Command{
		Use:   "install [AGENT...]",
		Short: "Add satchel to the settings of a coding agent",
		Long: `Add satchel to the settings of coding agents: ` + agents.Names("or", hasHooks) + `.
Each gets hooks that add context to every prompt, and an MCP server with tools.
Claude Code also gets a status line; ` + agents.Names("and", isEditor) + ` get only the MCP server.
Without a name, satchel lists the agents on this machine and asks on a terminal.
In a file, only satchel's entries change, and a copy is kept for satchel uninstall.
Running it again changes nothing.`,
		Example: `  satchel install claude
  satchel install claude --dry-run
  satchel install codex --project`,
		ValidArgs: clientNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if plugin != "" || extension != "" {
				return a.bundle(args, plugin, extension, f)
			}
			return a.install(cmd.Context(), args, f, true)
		},
	}
	a.scopeFlags(cmd, &f)
	fs := cmd.Flags()
	fs.StringVar(&plugin, "plugin", "", "write a Claude Code and Codex plugin to this `folder` instead")
	fs.StringVar(&extension, "extension", "", "write a Gemini CLI extension to this `folder` instead")
	return cmd
}

func NewUninstall(b *base.App) *cobra.Command {
	a := &app{b}
	var f installFlags
	var everything uninstallFlags
	cmd := &cobra.Command{
		Use:   "uninstall AGENT... | --all [FOLDER...]",
		Short: "Remove satchel from an agent's settings, or this machine",
		Long: `Remove satchel from the settings of coding agents. A file that nothing else has
changed is restored byte for byte; otherwise only satchel's entries are removed.

--all lists everything that satchel keeps on this machine, and removes it after a
yes. That includes its data in this repository, in projects of install --project,
and in each FOLDER. Notes and snapshots have no other copy: they need another yes,
or --notes and --snapshots. Other repositories keep their data, because satchel
has no list of them.`,
		Example: `  satchel uninstall claude
  satchel uninstall --all --dry-run
  satchel uninstall --all --yes --notes`,
		ValidArgs: clientNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if everything.all {
				return a.uninstallAll(cmd.Context(), args, f, &everything)
			}
			for _, flag := range []string{"yes", "notes", "snapshots"} {
				if cmd.Flags().Changed(flag) {
					return base.Usagef("--%s is for --all", flag)
				}
			}
			return a.install(cmd.Context(), args, f, false)
		},
	}
	a.scopeFlags(cmd, &f)
	fs := cmd.Flags()
	fs.BoolVar(&everything.all, "all", false, "remove all that satchel keeps on this machine, after a yes")
	fs.BoolVarP(&everything.yes, "yes", "y", false, "with --all, do not ask; notes and snapshots stay")
	fs.BoolVar(&everything.notes, "notes", false, "with --all, also remove notes, context files and dismissals")
	fs.BoolVar(&everything.snapshots, "snapshots", false, "with --all, also remove snapshots")
	return cmd
}

func (a *app) scopeFlags(cmd *cobra.Command, f *installFlags) {
	fs := cmd.Flags()
	fs.BoolVar(&f.user, "user", false, "change your own settings, for all projects (the default)")
	fs.BoolVar(&f.project, "project", false, "change this project's settings, which its users share")
	fs.BoolVarP(&f.dryRun, "dry-run", "n", false, "show the changes as a diff, and change nothing")
	a.JSONFlag(fs)
}

func clientNames() (names []string) {
	for _, c := range install.Clients {
		names = append(names, string(c))
	}
	return names
}

// installOptions are what package install needs to know of the surroundings.
func (a *app) installOptions(f installFlags) (install.Options, error) {
	o := install.Options{Scope: install.User, Getenv: a.Getenv, Version: base.Version(), DryRun: f.dryRun}
	if o.Home() == "" {
		return o, base.Usagef("cannot find settings: HOME is not set to a folder")
	}
	if f.project {
		if err := a.Removed(); err != nil {
			return o, err
		}
		o.Scope, o.Project = install.Project, config.Root(a.Dir)
	}
	return o, nil
}

// installDocument is the JSON form of the result of install and uninstall.
type installDocument struct {
	Version int              `json:"version"`
	DryRun  bool             `json:"dry_run,omitempty"`
	Agents  []installResult  `json:"agents"`
	Failed  []installFailure `json:"failed,omitempty"`  // agents with settings that were not changed
	Indexed int              `json:"indexed,omitempty"` // documents in the index of the project that it was run in
}

// An installFailure is an agent whose settings, or some of them, are as they were, and why.
type installFailure struct {
	Client string `json:"client"`
	Error  string `json:"error"`
	Hint   string `json:"hint,omitempty"`
}

type installResult struct {
	*install.Result
	Diff string   `json:"diff,omitempty"` // of a dry run
	Next []string `json:"next,omitempty"` // what the user has to do yet
}

// install puts satchel into the agents, or takes it out of them.
func (a *app) install(ctx context.Context, args []string, f installFlags, in bool) error {
	for _, name := range args {
		if !install.Client(name).Known() {
			hint := ""
			if near := files.Nearest(clientNames(), name); near != "" {
				hint = "did you mean " + near + "?"
			}
			return base.Usage(fmt.Errorf("unknown agent %q: want one of %s", name, strings.Join(clientNames(), ", ")), hint)
		}
	}
	if f.user && f.project {
		return base.Usagef("--user and --project contradict each other")
	}
	if why := a.NoProject(); in && f.project && why != "" && a.Removed() == nil {
		return base.Hint(fmt.Errorf("this is %s: it has no project settings", why), "change to a project, or name one with -C FOLDER; omit --project to install for all projects")
	}
	o, err := a.installOptions(f)
	if err != nil {
		return err
	}
	switch {
	case len(args) > 0:
	case !in:
		return base.Usagef("no agent given: want one or more of %s", strings.Join(clientNames(), ", "))
	default:
		if args, err = a.askAgents(ctx, o); err != nil {
			return err
		}
		if len(args) == 0 {
			a.Say("nothing was installed")
			return nil
		}
	}
	doc, err := a.eachAgent(args, o, f, in)
	switch {
	case err != nil && a.JSON && len(doc.Agents) > 0: // some of its files were changed
		return errors.Join(a.WriteJSON(doc), err)
	case err != nil:
		return err
	}
	said := ""
	if in && !f.dryRun && len(doc.Agents) > 0 {
		said, doc.Indexed = a.prepare(ctx)
	}
	if err := a.sayInstalled(doc, said, f); err != nil {
		return err
	}
	return failedAgents(doc.Failed, len(args))
}

// eachAgent installs into the agents, or takes out of them. What fails is a part of the
// document, and if it is the only agent an error, too.
func (a *app) eachAgent(names []string, o install.Options, f installFlags, in bool) (*installDocument, error) {
	do := install.Uninstall
	if in {
		do = install.Install
	}
	doc := &installDocument{Version: 1, DryRun: f.dryRun, Agents: []installResult{}}
	for _, name := range names {
		r, err := do(o, install.Client(name))
		if r != nil { // beside an error, of some of its files
			a.installed(doc, r, o, f, in)
		}
		if err == nil {
			continue
		}
		hint := installHint(err)
		doc.Failed = append(doc.Failed, installFailure{name, strings.TrimPrefix(err.Error(), name+": "), hint})
		switch {
		case len(names) > 1:
		case hint != "":
			return doc, base.Hint(err, hint)
		default:
			return doc, err
		}
	}
	return doc, nil
}

// sayInstalled writes the document, or what is left to say when all files were printed.
func (a *app) sayInstalled(doc *installDocument, said string, f installFlags) error {
	if a.JSON {
		return a.WriteJSON(doc)
	}
	if err := a.Flush(); err != nil {
		return err
	}
	if said != "" {
		a.Remark("%s", clean.Inline(said))
		a.Remark("to check, run satchel doctor; to undo, run %s", undoes(doc.Agents, f))
	}
	for _, failed := range doc.Failed {
		a.Say("%s: %s", failed.Client, clean.Inline(failed.Error))
		if failed.Hint != "" {
			a.Say("hint: %s", clean.Inline(failed.Hint))
		}
	}
	return nil
}

// installed adds the result of one agent to the document, or prints it.
func (a *app) installed(doc *installDocument, r *install.Result, o install.Options, f installFlags, in bool) {
	res := installResult{Result: r}
	if f.dryRun {
		res.Diff = diffOf(r)
	}
	if r.Added() {
		res.Next = r.Next(a.Getenv)
	}
	doc.Agents = append(doc.Agents, res)
	if a.JSON {
		return
	}
	a.printInstall(&res, f.dryRun)
	if in && a.inOther(o, r.Client) {
		where, undo := "your own settings", ""
		if !f.project {
			where, undo = "the settings of this project", " --project"
		}
		a.Remark("note: %s: satchel is in %s too, so hooks may run twice; remove it there with satchel uninstall %s%s", r.Client, where, r.Client, undo)
	}
	if !in && !f.project && !r.Changed() && a.inProject(o, r.Client) {
		a.Say("hint: it is in the settings of this project: satchel uninstall %s --project removes it", r.Client)
	}
}

// installHint says what to do about an agent's refusal; "" for other errors.
func installHint(err error) string {
	var refused *install.RefusedError
	if errors.As(err, &refused) {
		return refused.Hint
	}
	return ""
}

// failedAgents is the error that sums up what was said of each agent, or nil.
func failedAgents(list []installFailure, of int) error {
	if len(list) == 0 {
		return nil
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Client)
	}
	return fmt.Errorf("%d of %d agents failed: %s", len(list), of, strings.Join(names, ", "))
}

// undoes returns the command that takes out again what was installed.
func undoes(list []installResult, f installFlags) string {
	words := []string{"satchel", "uninstall"}
	for _, r := range list {
		words = append(words, string(r.Client))
	}
	if f.project {
		words = append(words, "--project")
	}
	return strings.Join(words, " ")
}

// inOther reports whether the agent's settings of the other scope hold our hooks too:
// the agent reads user and project settings together. Claude Code and Gemini CLI run
// equal hooks once; other agents do not document it.
func (a *app) inOther(o install.Options, c install.Client) bool {
	if !hasHooks(agents.ByName(string(c))) || config.Root(a.Dir) == o.Home() { // then they are the same
		return false
	}
	if o.Scope == agents.User {
		return a.inProject(o, c)
	}
	o.Scope = agents.User
	return install.Holds(o, c)
}

// inProject reports whether the agent's project settings hold satchel.
func (a *app) inProject(o install.Options, c install.Client) bool {
	if a.Removed() != nil {
		return false
	}
	o.Scope, o.Project = install.Project, config.Root(a.Dir)
	return install.Holds(o, c)
}

// diffOf returns the changes as a patch, secrets redacted: the lines around an
// entry may hold a key.
func diffOf(r *install.Result) string {
	var b strings.Builder
	for _, c := range r.Changes {
		b.WriteString(clean.Patch(c.Path, string(c.Diff())).String())
	}
	return b.String()
}

func (a *app) printInstall(r *installResult, dryRun bool) {
	if dryRun {
		if r.Diff == "" {
			a.Say("%s: nothing would change", r.Client)
			return
		}
		text, _ := clean.Visible(r.Diff)
		if base.Brush(a.Color(a.Env.StdoutTTY)) {
			text = render.PaintDiff(text)
		}
		fmt.Fprint(a.Out, text)
		for _, next := range r.Next {
			a.Say("%s: then %s", r.Client, next)
		}
		return
	}
	a.printSwept(r.Swept)
	for _, c := range r.Changes {
		became := string(c.Action)
		switch {
		case c.Missing:
			became, c.Entries = "missing", []string{"no such file: nothing to do"}
		case c.Action == install.Unchanged && len(c.Entries) == 0 && len(c.Kept) == 0:
			c.Entries = []string{"nothing to do"}
		}
		fmt.Fprintf(a.Out, "%-9s  %s\n", became, clean.Inline(a.Tilde(c.Path)))
		if c.Target != "" {
			fmt.Fprintf(a.Out, "%-9s  a link to %s\n", "", clean.Inline(a.Tilde(c.Target)))
		}
		if len(c.Entries) > 0 {
			fmt.Fprintf(a.Out, "%-9s  %s\n", "", clean.Inline(strings.Join(c.Entries, ", ")))
		}
		for _, k := range c.Kept {
			fmt.Fprintf(a.Out, "%-9s  %s\n", "", clean.Inline(k))
		}
		if c.Backup != "" {
			fmt.Fprintf(a.Out, "%-9s  before: %s\n", "", clean.Inline(a.Tilde(c.Backup)))
		}
	}
	if err := a.Flush(); err != nil || a.Settings.Quiet {
		return // what failed to be written is said at the end
	}
	for _, next := range r.Next {
		a.Say("%s: now %s", r.Client, clean.Inline(next))
	}
}

// printSwept lists the files that an install left which was killed, and that are gone.
func (a *app) printSwept(files []string) {
	for _, name := range files {
		fmt.Fprintf(a.Out, "%-9s  %s\n%-9s  left by an interrupted install\n", install.Removed, clean.Inline(a.Tilde(name)), "")
	}
}

// bundlesWritten is the JSON form of the plugin and the extension that were written.
type bundlesWritten struct {
	Version int             `json:"version"`
	Folders []bundleWritten `json:"folders"`
}

type bundleWritten struct {
	Folder string   `json:"folder"`
	Files  []string `json:"files"`
}

// bundle writes a plugin or an extension.
func (a *app) bundle(args []string, plugin, extension string, f installFlags) error {
	switch {
	case len(args) > 0 || f.user || f.project:
		return base.Usagef("--plugin and --extension install nothing: omit %s", strings.Join(append(args, "--user", "--project"), " "))
	case f.dryRun:
		return base.Usagef("--plugin and --extension write a new folder: omit --dry-run")
	}
	doc := bundlesWritten{Version: 1}
	for _, b := range []struct {
		bundle install.Bundle
		dir    string
	}{{install.Plugin, plugin}, {install.Extension, extension}} {
		if b.dir == "" {
			continue
		}
		if err := a.Removed(); err != nil && !filepath.IsAbs(b.dir) {
			return err
		}
		dir := a.FromHere(b.dir)
		files, err := b.bundle.Write(dir, base.Version())
		if err != nil {
			var refused *install.RefusedError
			if errors.As(err, &refused) {
				return base.Hint(err, refused.Hint)
			}
			return err
		}
		doc.Folders = append(doc.Folders, bundleWritten{dir, files})
		if a.JSON {
			continue
		}
		for _, name := range files {
			fmt.Fprintf(a.Out, "created    %s\n", clean.Inline(filepath.Join(b.dir, filepath.FromSlash(name))))
		}
		for _, next := range b.bundle.Next(b.dir) {
			a.Say("now %s", clean.Inline(next))
		}
	}
	if a.JSON {
		return a.WriteJSON(doc)
	}
	return nil
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[doctorDocument]("doctor", 1, "The findings of doctor", "doctor"),
		schema.Writes[installDocument]("install", 1, "Changes of the settings of agents", "install", "uninstall"),
		schema.Writes[bundlesWritten]("install-bundle", 1, "The written plugin and extension", "install --plugin", "install --extension"),
		schema.Writes[uninstallDocument]("uninstall-all", 1, "The data of satchel that was removed, and the data that was kept", "uninstall --all"),
	}
}
