package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/front/removal"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
)

// uninstallFlags are what uninstall --all takes.
type uninstallFlags struct {
	all, yes, notes, snapshots bool
}

// needsAll is the flag that was given and says nothing without --all.
func (f *uninstallFlags) needsAll() string {
	switch {
	case f.yes:
		return "yes"
	case f.notes:
		return "notes"
	case f.snapshots:
		return "snapshots"
	}
	return ""
}

// uninstallDocument is the JSON form of the result of uninstall --all.
type uninstallDocument struct {
	Version int              `json:"version"`
	DryRun  bool             `json:"dry_run"`
	Agents  []installResult  `json:"agents"`
	Items   []removedItem    `json:"items"`
	Failed  []installFailure `json:"failed"`          // agents whose settings are as they were
	Swept   []string         `json:"swept,omitempty"` // files that belong to no agent that is listed
}

// A removedItem is one thing that satchel kept.
type removedItem struct {
	Kind    removal.Kind `json:"kind"`
	Path    string       `json:"path"`
	Bytes   int64        `json:"bytes"`
	Count   int          `json:"count,omitempty"`
	Goes    bool         `json:"goes"`            // by what was said; a dry run removes nothing of it
	Removed bool         `json:"removed"`         // it is gone
	Why     string       `json:"why,omitempty"`   // it stays
	Error   string       `json:"error,omitempty"` // it could not be removed
}

// A kept is one thing that can be removed: an item of package removal, or the
// snapshots of a repository.
type kept struct {
	removal.Item
	count  int    // of snapshots
	dir    string // of its repository, "" of what is in no repository
	remove func() error
	hidden error // why it is not known what there is
}

// A settingsPlace is where an agent's settings are: the user's, or those of a project.
type settingsPlace struct {
	options install.Options
	client  install.Client
}

// An emptying is one run of uninstall --all.
type emptying struct {
	*app
	flags  *uninstallFlags
	places []settingsPlace
	kept   []kept
	doc    uninstallDocument
}

// uninstallAll lists everything that satchel keeps, and removes it after a yes.
func (a *app) uninstallAll(ctx context.Context, folders []string, f installFlags, flags *uninstallFlags) error {
	if f.user || f.project {
		return usagef("--all is about the settings of all agents, yours and those of projects: leave out --user and --project")
	}
	for _, name := range folders {
		if install.Client(name).Known() {
			return &usageError{fmt.Errorf("--all is about every agent, and what stands beside it are folders: leave out --all, or %s", name),
				fmt.Sprintf("satchel uninstall %s takes it out of that agent alone; a folder of that name is ./%[1]s", name)}
		}
	}
	o, err := a.installOptions(f)
	if err != nil {
		return err
	}
	e := &emptying{app: a, flags: flags, doc: uninstallDocument{Version: 1, DryRun: f.dryRun}}
	roots, err := e.repositories(ctx, folders, install.Projects(o))
	if err != nil {
		return err
	}
	e.findSettings(o, roots)
	if err := e.findCaches(); err != nil {
		return err
	}
	if !a.json {
		e.list()
	}
	switch {
	case f.dryRun:
		e.decide(flags.notes, flags.snapshots)
		e.takeOut()
		return e.report(o)
	case len(e.places)+len(e.kept) == 0:
		e.doc.Swept = install.Sweep(o)
		return e.report(o)
	}
	if err := a.flush(); err != nil {
		return err
	}
	if goes, err := e.consent(ctx); err != nil || !goes {
		return err
	}
	e.takeOut()                    // first, so that no agent brings back what is removed next
	e.doc.Swept = install.Sweep(o) // records of files that somebody else removed
	e.empty()
	return e.report(o)
}

// repositories finds what is kept of the current repository, if it is one, of those that
// satchel was installed into, and of folders that were named, and returns their roots.
func (e *emptying) repositories(ctx context.Context, named, installed []string) (roots []string, err error) {
	seen := map[string]bool{}
	add := func(dir string) error {
		repo, err := git.Open(ctx, dir)
		if err != nil {
			return err
		}
		if root := config.Root(dir); !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
		if seen[repo.CommonDir()] {
			return nil
		}
		seen[repo.CommonDir()] = true
		return e.findKept(ctx, dir, repo.CommonDir())
	}
	if e.removed() == nil {
		if err := add(e.dir); err != nil && !errors.Is(err, git.ErrNotRepository) {
			e.hide(e.dir, err)
		}
	}
	for _, name := range named {
		if fi, err := os.Stat(e.fromHere(name)); err != nil || !fi.IsDir() {
			return nil, fmt.Errorf("%s: it is no folder", name)
		}
		switch err := add(e.fromHere(name)); {
		case errors.Is(err, git.ErrNotRepository): // one of many, perhaps
			e.remark("note: %s is in no git repository: what is kept of it is in your cache folder", clean.Inline(name))
		case err != nil:
			e.hide(e.fromHere(name), err)
		}
	}
	for _, root := range installed {
		if err := add(root); err != nil && !slices.Contains(roots, root) {
			roots = append(roots, root) // a plain folder, or one that is gone
		}
	}
	return roots, nil
}

// hide lists a repository of which it cannot be said what is kept; the rest goes.
func (e *emptying) hide(dir string, err error) {
	e.kept = append(e.kept, kept{Item: removal.Item{Kind: removal.Unknown, Path: dir}, hidden: err})
}

// findKept lists what is kept of one repository.
func (e *emptying) findKept(ctx context.Context, dir, common string) error {
	items, err := removal.Repository(common)
	if err != nil {
		return err
	}
	for _, it := range items {
		e.kept = append(e.kept, kept{Item: it, dir: dir, remove: it.Remove})
	}
	n, size, err := e.expireIn(ctx, dir, true)
	it := removal.Item{Kind: removal.Snapshots, Path: common, Bytes: size, Needs: removal.OfSnapshots}
	switch {
	case err != nil:
		it.Stays = err.Error()
	case n == 0:
		return nil
	}
	drop := func() error {
		_, _, err := e.expireIn(ctx, dir, false)
		return err
	}
	// First of the repository: the store that opens it is there still.
	e.kept = slices.Insert(e.kept, len(e.kept)-len(items), kept{Item: it, count: n, dir: dir, remove: drop})
	return nil
}

// expireIn drops the snapshots of a repository, or only counts them and their bytes.
func (e *emptying) expireIn(ctx context.Context, dir string, dry bool) (count int, size int64, err error) {
	en, err := engine.Open(ctx, &engine.Options{Dir: dir, NoCache: true})
	if err != nil {
		return 0, 0, err
	}
	defer en.Close()
	out, err := en.Snapshots().Expire(ctx, engine.SnapshotExpiry{Before: everTaken, DryRun: dry})
	return len(out.Dropped), out.Freed, err
}

// findSettings finds the agents' settings in which satchel stands. What cannot be read
// and may name it is tried, and fails by name.
func (e *emptying) findSettings(o install.Options, roots []string) {
	o.DryRun = true
	try := func(o install.Options) {
		for _, c := range install.Clients {
			r, err := install.Uninstall(o, c)
			if err == nil && r.Changed() || err != nil && install.Mentioned(o, c) {
				e.places = append(e.places, settingsPlace{o, c})
			}
		}
	}
	try(o)
	for _, root := range roots {
		if o.Scope, o.Project = agents.Project, root; root != o.Home() {
			try(o)
		}
	}
}

// findCaches lists the cache folder and the user's settings.
func (e *emptying) findCaches() error {
	if dir, err := os.UserCacheDir(); err == nil {
		items, err := removal.Cache(filepath.Join(dir, "satchel"))
		if err != nil {
			return err
		}
		for _, it := range items {
			e.kept = append(e.kept, kept{Item: it, remove: it.Remove})
		}
	}
	for _, it := range removal.Config(config.UserFile(e.getenv)) {
		e.kept = append(e.kept, kept{Item: it, remove: it.Remove})
	}
	if dir := e.settings.CacheDir; dir != "" {
		it := removal.Item{Kind: removal.Unknown, Path: dir, Stays: "cache-dir names it, and what else is in it is yours: delete it yourself"}
		e.kept = append(e.kept, kept{Item: it})
	}
	return nil
}

// list shows what there is.
func (e *emptying) list() {
	be := "would be"
	if e.flags.yes && !e.doc.DryRun { // nobody is asked
		be = "to be"
	}
	for _, s := range e.places {
		r, err := install.Uninstall(s.options, s.client)
		if err != nil {
			fmt.Fprintf(e.out, "%-9s  %s: %s\n", "settings", s.client, clean.Inline(e.tilde(strings.TrimPrefix(err.Error(), string(s.client)+": "))))
		}
		if r == nil {
			continue
		}
		for _, c := range r.Changes {
			if c.Action != install.Unchanged {
				shared := ""
				if r.Scope == agents.Project {
					shared = ", other users of the project share it"
				}
				fmt.Fprintf(e.out, "%-9s  %s  (%s %s%s)\n", "settings", clean.Inline(e.tilde(c.Path)), be, c.Action, shared)
			}
		}
	}
	for _, k := range e.kept {
		fmt.Fprintf(e.out, "%-9s  %s  %s\n", k.Kind, clean.Inline(e.tilde(k.Path)), clean.Inline(k.size()+k.condition(e.flags)))
	}
}

// size says how much an item is.
func (k *kept) size() string {
	switch {
	case k.hidden != nil:
		return "(" + k.hidden.Error() + ")"
	case k.Stays != "":
		return "(stays: " + k.Stays + ")"
	case k.Kind == removal.Snapshots:
		return "(" + render.Plural(k.count, "snapshot") + ", " + bytesText(k.Bytes) + ")"
	}
	return "(" + bytesText(k.Bytes) + ")"
}

// condition says which flag an item waits for.
func (k *kept) condition(f *uninstallFlags) string {
	if k.Stays != "" {
		return ""
	}
	if flags := missing(k.Needs, f.notes, f.snapshots); flags != "" {
		return ", nobody else has them: only with " + flags
	}
	return ""
}

// missing are the flags for what an item needs and was not given.
func missing(needs removal.Consent, notes, snapshots bool) string {
	var flags []string
	if needs&removal.OfNotes != 0 && !notes {
		flags = append(flags, "--notes")
	}
	if needs&removal.OfSnapshots != 0 && !snapshots {
		flags = append(flags, "--snapshots")
	}
	return strings.Join(flags, " and ")
}

// consent asks for what was not said on the command line. Nothing is removed of which
// nobody said so.
func (e *emptying) consent(ctx context.Context) (bool, error) {
	notes, snapshots := e.flags.notes, e.flags.snapshots
	if !e.flags.yes {
		if !e.env.StdinTTY || !e.env.StderrTTY || e.json {
			return false, &usageError{errors.New("nothing was removed: nobody said yes"), "--yes removes it, but for notes and snapshots, which --notes and --snapshots add; --dry-run only lists"}
		}
		yes := func(question string) (bool, error) {
			line, err := e.askLine(ctx, question+" [y/N] ")
			return slices.Contains([]string{"y", "yes"}, strings.ToLower(line)), err
		}
		goes, err := yes("remove all this, but for notes and snapshots?")
		if err != nil {
			return false, err
		}
		if !goes {
			e.remark("nothing was removed")
			return false, nil
		}
		ask := func(what removal.Consent, given *bool, question string) error {
			if *given || !slices.ContainsFunc(e.kept, func(k kept) bool { return k.Needs&what != 0 }) {
				return nil
			}
			*given, err = yes(question)
			return err
		}
		if err := ask(removal.OfNotes, &notes, "remove the notes, context files and dismissals, too? nobody else has them"); err != nil {
			return false, err
		}
		if err := ask(removal.OfSnapshots, &snapshots, "remove the snapshots, too? nobody else has them"); err != nil {
			return false, err
		}
	}
	e.decide(notes, snapshots)
	return true, nil
}

// decide says of each item whether it goes.
func (e *emptying) decide(notes, snapshots bool) {
	for _, k := range e.kept {
		r := removedItem{Kind: k.Kind, Path: k.Path, Bytes: k.Bytes, Count: k.count, Why: k.Stays}
		if flags := missing(k.Needs, notes, snapshots); r.Why == "" && flags != "" {
			r.Why = "nobody else has them: only with " + flags
		}
		if k.hidden != nil {
			r.Error = k.hidden.Error()
		}
		r.Goes = r.Why == "" && r.Error == ""
		e.doc.Items = append(e.doc.Items, r)
	}
}

// empty removes what was decided; one failure keeps nothing else.
func (e *emptying) empty() {
	for i := range e.doc.Items {
		r := &e.doc.Items[i]
		if !r.Goes {
			continue
		}
		if err := e.kept[i].remove(); err != nil {
			r.Error = err.Error()
		} else {
			r.Removed = true
		}
	}
}

// takeOut uninstalls from the agents' settings, unless it is a dry run.
func (e *emptying) takeOut() {
	for _, s := range e.places {
		s.options.DryRun = e.doc.DryRun
		r, err := install.Uninstall(s.options, s.client)
		if err != nil {
			e.doc.Failed = append(e.doc.Failed, installFailure{string(s.client), strings.TrimPrefix(err.Error(), string(s.client)+": "), installHint(err)})
		}
		if r == nil {
			continue
		}
		e.doc.Agents = append(e.doc.Agents, installResult{Result: r})
	}
}

// report says what became of everything.
func (e *emptying) report(o install.Options) error {
	failed := len(e.doc.Failed)
	removed, stay := 0, 0
	swept := slices.Clone(e.doc.Swept)
	for _, r := range e.doc.Agents { // the files that are listed
		swept = append(swept, r.Swept...)
		for _, c := range r.Changes {
			if c.Action != install.Unchanged {
				removed++
			}
		}
	}
	for _, it := range e.doc.Items {
		switch {
		case it.Error != "":
			failed++
		case it.Goes:
			removed++
		default:
			stay++
		}
	}
	removed += len(swept)
	if !e.json {
		e.printSwept(swept)
	}
	switch {
	case e.json:
		if err := e.writeJSON(&e.doc); err != nil {
			return err
		}
	case removed+stay+failed == 0:
		e.remark("nothing of satchel is kept here")
	case e.doc.DryRun:
		e.remark("%d would be removed, %d stay", removed, stay)
	default:
		e.sayFailed()
		e.remark("%d removed, %d stay", removed, stay)
		if next := e.next(); next != "" {
			e.remark("what nobody else has stays: %s removes it, too", clean.Inline(next))
		}
		if dir := install.Records(o); dir != "" {
			e.remark("copies of settings that were not brought back are in %s", clean.Inline(e.tilde(dir)))
		}
		if self, err := os.Executable(); err == nil {
			e.remark("satchel itself is %s: remove it as it was installed", clean.Inline(e.tilde(self)))
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d could not be removed", failed, failed+removed+stay)
	}
	return nil
}

// next is the command that removes what stays for want of a yes; "" if nothing does.
// It names the repositories, since no record of them is left.
func (e *emptying) next() string {
	var needs removal.Consent
	words := []string{"satchel", "uninstall", "--all"}
	var dirs []string
	for i, it := range e.doc.Items {
		k := &e.kept[i]
		if it.Goes || k.Needs == 0 || k.Stays != "" {
			continue
		}
		needs |= k.Needs
		if k.dir != "" && !slices.Contains(dirs, k.dir) {
			dirs = append(dirs, k.dir)
		}
	}
	if needs == 0 {
		return ""
	}
	if needs&removal.OfNotes != 0 {
		words = append(words, "--notes")
	}
	if needs&removal.OfSnapshots != 0 {
		words = append(words, "--snapshots")
	}
	return shellWords(append(words, dirs...))
}

// sayFailed says what could not be removed, and why.
func (e *emptying) sayFailed() {
	for _, f := range e.doc.Failed {
		e.say("%s: %s", f.Client, clean.Inline(e.tilde(f.Error)))
		if f.Hint != "" {
			e.say("hint: %s", clean.Inline(f.Hint))
		}
	}
	for _, it := range e.doc.Items {
		if it.Error != "" {
			e.say("%s %s: %s", it.Kind, clean.Inline(e.tilde(it.Path)), clean.Inline(it.Error))
		}
	}
}
