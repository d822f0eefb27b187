package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
)

// uninstallFlags are the flags of uninstall --all.
type uninstallFlags struct {
	all, yes, notes, snapshots bool
}

// needsAll returns the name of a given flag that requires --all, or "".
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

// missing returns those of the flags that were not given, joined.
func (f *uninstallFlags) missing(needs []string) string {
	var flags []string
	for _, n := range needs {
		if n == forNotes && !f.notes || n == forSnapshots && !f.snapshots {
			flags = append(flags, n)
		}
	}
	return strings.Join(flags, " and ")
}

// The flags that allow --all to remove what exists nowhere else.
const (
	forNotes     = "--notes"
	forSnapshots = "--snapshots"
)

// A keptKind says what a removedItem is.
type keptKind string

const (
	keptIndex     keptKind = "index"     // satchel builds it again
	keptPrompts   keptKind = "prompts"   // the record of what hooks added to the last prompts
	keptNotes     keptKind = "notes"     // notes, context files, dismissals
	keptSnapshots keptKind = "snapshots" // in git's objects
	keptClone     keptKind = "clone"     // of a repository elsewhere, with notes or snapshots
	keptCache     keptKind = "cache"     // clones and vectors
	keptConfig    keptKind = "config"    // the user's config.toml
	keptUnknown   keptKind = "unknown"   // this version would not have written it
)

var keptKinds = []keptKind{keptIndex, keptPrompts, keptNotes, keptSnapshots, keptClone, keptCache, keptConfig, keptUnknown}

// keptNames are patterns of the names in satchel's own folders.
var keptNames = map[keptKind]*regexp.Regexp{
	keptIndex:   regexp.MustCompile(`^(index|lock|manifest|satchel-tmp-[0-9A-Za-z]+|[a-z]-[0-9a-f]+\.seg|t-[0-9a-f-]+\.ids|w-[0-9a-f]+\.stat|n-[0-9a-z_]+\.counts)$`),
	keptPrompts: regexp.MustCompile(`^last$`),
	keptNotes:   regexp.MustCompile(`^(state\.db(-wal|-shm|-journal)?|review\.json|feedback)$`),
	keptCache:   regexp.MustCompile(`^vectors\.db(-journal)?$`),
}

// cacheFolder matches the folders of plain folders in the cache, named by a hash.
var cacheFolder = lazy.Regexp(`^([0-9a-f]{32}|vectors)$`)

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
	Kind    keptKind `json:"kind"`
	Path    string   `json:"path"`
	Bytes   int64    `json:"bytes"`
	Count   int      `json:"count,omitempty"`
	Goes    bool     `json:"goes"`            // the flags and answers remove it; a dry run keeps it
	Removed bool     `json:"removed"`         // it is gone
	Why     string   `json:"why,omitempty"`   // it stays
	Error   string   `json:"error,omitempty"` // it could not be removed

	needs  []string // flags that remove it
	dir    string   // of its repository, or ""
	remove func() error
}

// A settingsPlace is where an agent's settings are: the user's, or those of a project.
type settingsPlace struct {
	options install.Options
	client  install.Client
}

// An uninstallRun is one run of uninstall --all.
type uninstallRun struct {
	*app
	flags  *uninstallFlags
	places []settingsPlace
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

	u := &uninstallRun{app: a, flags: flags, doc: uninstallDocument{Version: 1, DryRun: f.dryRun}}
	roots, err := u.findRepositories(ctx, folders, install.Projects(o))
	if err != nil {
		return err
	}
	u.findSettings(o, roots)
	u.findCache(ctx)

	if !a.json {
		u.list()
	}
	nothing := len(u.places)+len(u.doc.Items) == 0
	if !f.dryRun && !nothing {
		if err := a.flush(); err != nil {
			return err
		}
		if goes, err := u.consent(ctx); err != nil || !goes {
			return err
		}
	}

	u.uninstallAgents() // first, so that no agent brings back what is removed next
	if !f.dryRun {
		u.doc.Swept = install.Sweep(o)
	}
	for i := range u.doc.Items {
		u.doc.Items[i].settle(flags, f.dryRun)
	}
	return u.report(o)
}

// settle removes an item, if the flags say so.
func (it *removedItem) settle(flags *uninstallFlags, dryRun bool) {
	if missing := flags.missing(it.needs); it.Why == "" && missing != "" {
		it.Why = "nobody else has them: only with " + missing
	}
	it.Goes = it.Why == "" && it.Error == ""
	if !it.Goes || dryRun {
		return
	}
	if err := it.remove(); err != nil {
		it.Error = err.Error()
	} else {
		it.Removed = true
	}
}

// findRepositories lists what is kept in the current repository, in the named folders
// and in the projects that satchel was installed into. It returns their roots.
func (u *uninstallRun) findRepositories(ctx context.Context, named, installed []string) (roots []string, err error) {
	seen := map[string]bool{}
	add := func(dir string) error {
		repo, err := (&git.Options{Env: u.env.Environ}).Open(ctx, dir)
		if err != nil {
			return err
		}
		if root := config.Root(dir); !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
		if !seen[repo.CommonDir()] {
			seen[repo.CommonDir()] = true
			u.findSnapshots(ctx, dir, repo.CommonDir())
			u.findIn(filepath.Join(repo.CommonDir(), "satchel"), dir)
		}
		return nil
	}
	unread := func(dir string, err error) {
		u.doc.Items = append(u.doc.Items, removedItem{Kind: keptUnknown, Path: dir, Error: err.Error()})
	}

	if u.removed() == nil {
		if err := add(u.dir); err != nil && !errors.Is(err, git.ErrNotRepository) {
			unread(u.dir, err)
		}
	}
	for _, name := range named {
		dir := u.fromHere(name)
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
			return nil, fmt.Errorf("%s: it is no folder", name)
		}
		switch err := add(dir); {
		case errors.Is(err, git.ErrNotRepository): // one of many, perhaps
			u.remark("note: %s is in no git repository: what is kept of it is in your cache folder", clean.Inline(name))
		case err != nil:
			unread(dir, err)
		}
	}
	for _, root := range installed {
		if err := add(root); err != nil && !slices.Contains(roots, root) {
			roots = append(roots, root) // a plain folder, or one that is gone
		}
	}
	return roots, nil
}

// findSnapshots lists the snapshots of a repository.
func (u *uninstallRun) findSnapshots(ctx context.Context, dir, common string) {
	it := removedItem{Kind: keptSnapshots, Path: common, needs: []string{forSnapshots}, dir: dir}
	expire := func(dry bool) error {
		e, err := engine.Open(ctx, &engine.Options{Dir: dir, NoCache: true})
		if err != nil {
			return err
		}
		defer e.Close()
		out, err := e.Snapshots().Expire(ctx, engine.SnapshotExpiry{Before: everTaken, DryRun: dry})
		it.Count, it.Bytes = len(out.Dropped), out.Freed
		return err
	}
	if err := expire(true); err != nil {
		it.Why = err.Error()
	} else if it.Count == 0 {
		return
	}
	it.remove = func() error { return expire(false) }
	u.doc.Items = append(u.doc.Items, it)
}

// findIn lists what satchel keeps in a folder of its own, by the names in it.
func (u *uninstallRun) findIn(root, repo string) {
	if u.isLink(root) {
		return
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.doc.Items = append(u.doc.Items, removedItem{Kind: keptUnknown, Path: root, Error: fsx.Cause(err).Error()})
	}
	names := map[keptKind][]string{}
	for _, e := range entries {
		kind := keptUnknown
		for k, pattern := range keptNames {
			if pattern.MatchString(e.Name()) {
				kind = k
			}
		}
		names[kind] = append(names[kind], e.Name())
	}
	for _, kind := range keptKinds {
		u.add(kind, root, repo, names[kind]...)
	}
}

// add lists names in a folder that are removed together.
func (u *uninstallRun) add(kind keptKind, root, repo string, names ...string) {
	if len(names) == 0 {
		return
	}
	it := removedItem{Kind: kind, Path: root, dir: repo}
	if len(names) == 1 {
		it.Path = filepath.Join(root, names[0])
	}
	for _, n := range names {
		it.Bytes += treeBytes(filepath.Join(root, n))
	}
	switch kind {
	case keptNotes:
		it.needs = []string{forNotes}
	case keptUnknown:
		it.Why = "this version of satchel writes nothing of that name: " + strings.Join(names, ", ")
	}
	it.remove = func() error { return removeNames(root, names) }
	u.doc.Items = append(u.doc.Items, it)
}

// removeNames removes names in a folder, following no link, and then the folder and the
// one above it if they are empty.
func removeNames(dir string, names []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, n := range names {
		if err := fsx.RemoveAllIn(root, n); err != nil {
			errs = append(errs, &fs.PathError{Op: "remove", Path: filepath.Join(dir, n), Err: fsx.Cause(err)})
		}
	}
	errs = append(errs, root.Close())
	if os.Remove(dir) == nil && cacheFolder().MatchString(filepath.Base(dir)) {
		_ = os.Remove(filepath.Dir(dir))
	}
	return errors.Join(errs...)
}

// isLink reports whether a path is a symbolic link, and lists it then.
func (u *uninstallRun) isLink(path string) bool {
	target, err := os.Readlink(path)
	if err == nil {
		u.doc.Items = append(u.doc.Items, removedItem{Kind: keptUnknown, Path: path, Why: "it is a link to " + target + ": remove both yourself"})
	}
	return err == nil
}

// findCache lists the cache folder and the user's settings.
func (u *uninstallRun) findCache(ctx context.Context) {
	if dir, err := project.UserCache(u.env.Environ); err == nil && !u.isLink(filepath.Join(dir, "satchel")) {
		root := filepath.Join(dir, "satchel")
		entries, _ := os.ReadDir(root)
		var unknown []string
		for _, e := range entries {
			switch name := e.Name(); {
			case cacheFolder().MatchString(name) && e.IsDir():
				u.findIn(filepath.Join(root, name), "")
			case name == "clones" && e.IsDir():
				u.findClones(ctx)
			default:
				unknown = append(unknown, name)
			}
		}
		u.add(keptUnknown, root, "", unknown...)
	}
	if file := config.UserFile(u.getenv); file != "" && !u.isLink(file) {
		if _, err := os.Lstat(file); err == nil {
			u.add(keptConfig, filepath.Dir(file), "", filepath.Base(file))
		}
	}
	if dir := u.settings.CacheDir; dir != "" {
		u.doc.Items = append(u.doc.Items, removedItem{Kind: keptUnknown, Path: dir, Why: "cache-dir names it, and what else is in it is yours: delete it yourself"})
	}
}

// findClones lists the clones of repositories. A clone with notes or snapshots needs
// their flags; one in which somebody works stays.
func (u *uninstallRun) findClones(ctx context.Context) {
	clones, _ := u.knownClones(ctx)
	for i := range clones {
		c := &clones[i]
		it := removedItem{Kind: keptCache, Path: c.clone.dir, Bytes: c.Bytes}
		it.remove = func() error {
			err := c.clone.remove()
			_ = os.Remove(filepath.Dir(c.clone.dir)) // if it is empty
			_ = os.Remove(filepath.Dir(filepath.Dir(c.clone.dir)))
			return err
		}
		inside := filepath.Join(c.clone.dir, "clone")
		if _, err := os.Lstat(filepath.Join(inside, ".git", "satchel", "state.db")); err == nil {
			it.needs = append(it.needs, forNotes)
		}
		packed, _ := os.ReadFile(filepath.Join(inside, ".git", "packed-refs"))
		if _, err := os.Lstat(filepath.Join(inside, ".git", "refs", "satchel")); err == nil || strings.Contains(string(packed), " refs/satchel/") {
			it.needs = append(it.needs, forSnapshots)
		}
		if len(it.needs) > 0 {
			it.Kind = keptClone
		}
		if entries, _ := os.ReadDir(inside); len(entries) > 1 {
			it.Kind, it.Why = keptClone, "in it is what satchel does not write: remove it yourself"
		}
		u.doc.Items = append(u.doc.Items, it)
	}
}

// findSettings finds the agents' settings in which satchel stands. What cannot be read
// and may name it is tried, and fails by name.
func (u *uninstallRun) findSettings(o install.Options, roots []string) {
	o.DryRun = true
	try := func(o install.Options) {
		for _, c := range install.Clients {
			r, err := install.Uninstall(o, c)
			if err == nil && r.Changed() || err != nil && install.Mentioned(o, c) {
				u.places = append(u.places, settingsPlace{o, c})
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

// list shows what there is.
func (u *uninstallRun) list() {
	be := "would be"
	if u.flags.yes && !u.doc.DryRun { // nobody is asked
		be = "to be"
	}
	for _, s := range u.places {
		r, err := install.Uninstall(s.options, s.client)
		if err != nil {
			fmt.Fprintf(u.out, "%-9s  %s: %s\n", "settings", s.client, clean.Inline(u.tilde(strings.TrimPrefix(err.Error(), string(s.client)+": "))))
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
				fmt.Fprintf(u.out, "%-9s  %s  (%s %s%s)\n", "settings", clean.Inline(u.tilde(c.Path)), be, c.Action, shared)
			}
		}
	}
	for i := range u.doc.Items {
		it := &u.doc.Items[i]
		fmt.Fprintf(u.out, "%-9s  %s  %s\n", it.Kind, clean.Inline(u.tilde(it.Path)), clean.Inline(it.size(u.flags)))
	}
}

// size says how much an item is, or why it stays.
func (it *removedItem) size(f *uninstallFlags) string {
	text := bytesText(it.Bytes)
	switch {
	case it.Error != "":
		return "(" + it.Error + ")"
	case it.Why != "":
		return "(stays: " + it.Why + ")"
	case it.Kind == keptSnapshots:
		text = render.Plural(it.Count, "snapshot") + ", " + text
	}
	if flags := f.missing(it.needs); flags != "" {
		return "(" + text + "), nobody else has them: only with " + flags
	}
	return "(" + text + ")"
}

// consent asks what the command line does not say.
func (u *uninstallRun) consent(ctx context.Context) (bool, error) {
	if u.flags.yes {
		return true, nil
	}
	if !u.env.StdinTTY || !u.env.StderrTTY || u.json {
		return false, &usageError{errors.New("nothing was removed: nobody said yes"), "--yes removes it, but for notes and snapshots, which --notes and --snapshots add; --dry-run only lists"}
	}
	for _, ask := range []struct {
		given    *bool
		needs    string
		question string
	}{
		{&u.flags.yes, "", "remove all this, but for notes and snapshots?"},
		{&u.flags.notes, forNotes, "remove the notes, context files and dismissals, too? nobody else has them"},
		{&u.flags.snapshots, forSnapshots, "remove the snapshots, too? nobody else has them"},
	} {
		needed := func(it removedItem) bool { return slices.Contains(it.needs, ask.needs) }
		if ask.needs != "" && (*ask.given || !slices.ContainsFunc(u.doc.Items, needed)) {
			continue
		}
		line, err := u.askLine(ctx, ask.question+" [y/N] ")
		if err != nil {
			return false, err
		}
		*ask.given = slices.Contains([]string{"y", "yes"}, strings.ToLower(line))
		if !u.flags.yes {
			u.remark("nothing was removed")
			return false, nil
		}
	}
	return true, nil
}

// uninstallAgents uninstalls from the agents' settings, unless it is a dry run.
func (u *uninstallRun) uninstallAgents() {
	for _, s := range u.places {
		s.options.DryRun = u.doc.DryRun
		r, err := install.Uninstall(s.options, s.client)
		if err != nil {
			u.doc.Failed = append(u.doc.Failed, installFailure{string(s.client), strings.TrimPrefix(err.Error(), string(s.client)+": "), installHint(err)})
		}
		if r == nil {
			continue
		}
		u.doc.Agents = append(u.doc.Agents, installResult{Result: r})
	}
}

// report says what became of everything.
func (u *uninstallRun) report(o install.Options) error {
	failed := len(u.doc.Failed)
	removed, stay := 0, 0
	swept := slices.Clone(u.doc.Swept)
	for _, r := range u.doc.Agents { // the files that are listed
		swept = append(swept, r.Swept...)
		for _, c := range r.Changes {
			if c.Action != install.Unchanged {
				removed++
			}
		}
	}
	for _, it := range u.doc.Items {
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
	if !u.json {
		u.printSwept(swept)
	}
	switch {
	case u.json:
		if err := u.writeJSON(&u.doc); err != nil {
			return err
		}
	case removed+stay+failed == 0:
		u.remark("nothing of satchel is kept here")
	case u.doc.DryRun:
		u.remark("%d would be removed, %d stay", removed, stay)
	default:
		u.sayFailed()
		u.remark("%d removed, %d stay", removed, stay)
		if next := u.next(); next != "" {
			u.remark("what nobody else has stays: %s removes it, too", clean.Inline(next))
		}
		if dir := install.Records(o); dir != "" {
			u.remark("copies of settings that were not brought back are in %s", clean.Inline(u.tilde(dir)))
		}
		if self, err := os.Executable(); err == nil {
			u.remark("satchel itself is %s: remove it as it was installed", clean.Inline(u.tilde(self)))
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d could not be removed", failed, failed+removed+stay)
	}
	return nil
}

// next is the command that removes what stays, or "". It names the repositories, since
// their records are gone.
func (u *uninstallRun) next() string {
	var dirs []string
	stays := false
	for _, it := range u.doc.Items {
		if it.Goes || it.Error != "" || len(it.needs) == 0 {
			continue
		}
		stays = true
		if it.dir != "" && !slices.Contains(dirs, it.dir) {
			dirs = append(dirs, it.dir)
		}
	}
	if !stays {
		return ""
	}
	return shellWords(append([]string{"satchel", "uninstall", "--all", forNotes, forSnapshots}, dirs...))
}

// sayFailed says what could not be removed, and why.
func (u *uninstallRun) sayFailed() {
	for _, f := range u.doc.Failed {
		u.say("%s: %s", f.Client, clean.Inline(u.tilde(f.Error)))
		if f.Hint != "" {
			u.say("hint: %s", clean.Inline(f.Hint))
		}
	}
	for _, it := range u.doc.Items {
		if it.Error != "" {
			u.say("%s %s: %s", it.Kind, clean.Inline(u.tilde(it.Path)), clean.Inline(it.Error))
		}
	}
}
