package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
)

// uninstallFlags are the flags of uninstall --all.
type uninstallFlags struct{ all, yes, notes, snapshots bool }

// The flags that allow --all to remove what exists nowhere else.
const (
	forNotes     = "--notes"
	forSnapshots = "--snapshots"
)

// missing returns the flags of needs that were not given, joined.
func (f *uninstallFlags) missing(needs []string) string {
	given := map[string]bool{forNotes: f.notes, forSnapshots: f.snapshots}
	return strings.Join(slices.DeleteFunc(slices.Clone(needs), func(flag string) bool { return given[flag] }), " and ")
}

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

// keptNames lists the names in satchel's own folders. The first row that matches counts.
var keptNames = []struct {
	kind  keptKind
	names func() *regexp.Regexp
}{
	{keptIndex, lazy.Regexp(`^(index|lock|manifest|satchel-tmp-[0-9A-Za-z]+|[a-z]-[0-9a-f]+\.seg|t-[0-9a-f-]+\.ids|w-[0-9a-f]+\.stat|n-[0-9a-z_]+\.counts)$`)},
	{keptPrompts, lazy.Regexp(`^last$`)},
	{keptNotes, base.KeptNotesNames},
	{keptCache, lazy.Regexp(`^vectors\.db(-journal)?$`)},
	{keptUnknown, lazy.Regexp(``)},
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

// onlyCopy says why an item stays that needs flags, which follow.
const onlyCopy = "no other copy: kept without "

// A settingsPlace is the place of an agent's settings: the user's or a project's.
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
		return base.Usagef("--all covers the settings of all agents and projects: omit --user and --project")
	}
	for _, name := range folders {
		if install.Client(name).Known() {
			return base.Usage(fmt.Errorf("--all takes folders, not agents: omit --all, or %s", name),
				fmt.Sprintf("satchel uninstall %s removes satchel from that agent only; for a folder, use ./%[1]s", name))
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
	for i := range u.doc.Items {
		it := &u.doc.Items[i]
		u.list(it.Kind, u.Tilde(it.Path), it.text(flags))
	}
	if !f.dryRun && len(u.places)+len(u.doc.Items) > 0 {
		if goes, err := u.consent(ctx); err != nil || !goes {
			return err
		}
	}

	for _, s := range u.places { // first, so that no agent brings back what is removed next
		s.options.DryRun = f.dryRun
		r, err := install.Uninstall(s.options, s.client)
		if err != nil {
			u.doc.Failed = append(u.doc.Failed, failureOf(s.client, err))
		}
		if r != nil {
			u.doc.Agents = append(u.doc.Agents, installResult{Result: r})
		}
	}
	if !f.dryRun {
		u.doc.Swept = install.Sweep(o)
	}
	for i := range u.doc.Items {
		it := &u.doc.Items[i]
		if missing := flags.missing(it.needs); it.Why == "" && missing != "" {
			it.Why = onlyCopy + missing
		}
		it.Goes = it.Why == "" && it.Error == ""
		if it.Goes && !f.dryRun {
			err := it.remove()
			if it.Removed = err == nil; err != nil {
				it.Error = err.Error()
			}
		}
	}
	return u.report(o)
}

// findRepositories lists what is kept in the current repository, in the named folders
// and in the projects that satchel was installed into. It returns their roots.
func (u *uninstallRun) findRepositories(ctx context.Context, named, installed []string) (roots []string, err error) {
	seen := map[string]bool{}
	add := func(dir string) error {
		repo, err := (&git.Options{Env: u.Env.Environ}).Open(ctx, dir)
		if err != nil {
			return err
		}
		defer repo.Close()
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
	unread := func(dir string, err error) { u.keep(removedItem{Kind: keptUnknown, Path: dir, Error: err.Error()}) }

	if u.Removed() == nil {
		if err := add(u.Dir); err != nil && !errors.Is(err, git.ErrNotRepository) {
			unread(u.Dir, err)
		}
	}
	for _, name := range named {
		dir := u.FromHere(name)
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
			return nil, fmt.Errorf("%s: not a folder", name)
		}
		switch err := add(dir); {
		case errors.Is(err, git.ErrNotRepository): // one of many, perhaps
			u.Remark("note: %s is not in a git repository: its data is in your cache folder", clean.Inline(name))
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

func (u *uninstallRun) keep(it removedItem) { u.doc.Items = append(u.doc.Items, it) }

// findSnapshots lists the snapshots of a repository.
func (u *uninstallRun) findSnapshots(ctx context.Context, dir, common string) {
	it := removedItem{Kind: keptSnapshots, Path: common, needs: []string{forSnapshots}, dir: dir}
	expire := func(dry bool) error {
		e, err := engine.Open(ctx, &engine.Options{Dir: dir, NoCache: true})
		if err != nil {
			return err
		}
		defer e.Close()
		out, err := e.Snapshots().Expire(ctx, engine.SnapshotExpiry{Before: base.EverTaken, DryRun: dry})
		it.Count, it.Bytes = len(out.Dropped), out.Freed
		return err
	}
	it.remove = func() error { return expire(false) }
	if err := expire(true); err != nil {
		it.Why = err.Error()
	}
	if it.Why != "" || it.Count > 0 {
		u.keep(it)
	}
}

// findIn lists what satchel keeps in a folder of its own, by the names in it.
func (u *uninstallRun) findIn(root, repo string) {
	if u.isLink(root) {
		return
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.keep(removedItem{Kind: keptUnknown, Path: root, Error: fsx.Cause(err).Error()})
	}
	for _, row := range keptNames {
		var names []string
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
			ok := row.names().MatchString(e.Name())
			if ok {
				names = append(names, e.Name())
			}
			return ok
		})
		u.keepNames(row.kind, root, repo, names...)
	}
}

// keepNames lists names in a folder that are removed together.
func (u *uninstallRun) keepNames(kind keptKind, root, repo string, names ...string) {
	it := removedItem{Kind: kind, Path: root, dir: repo, remove: func() error { return removeNames(root, names) }}
	switch len(names) {
	case 0:
		return
	case 1:
		it.Path = filepath.Join(root, names[0])
	}
	for _, n := range names {
		it.Bytes += base.TreeBytes(filepath.Join(root, n))
	}
	switch kind {
	case keptNotes:
		it.needs = []string{forNotes}
	case keptUnknown:
		it.Why = "not written by this version of satchel: " + strings.Join(names, ", ")
	}
	u.keep(it)
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
		u.keep(removedItem{Kind: keptUnknown, Path: path, Why: "a link to " + target + ": remove both yourself"})
	}
	return err == nil
}

// findCache lists the cache folder and the user's settings.
func (u *uninstallRun) findCache(ctx context.Context) {
	if dir, err := project.UserCache(u.Env.Environ); err == nil && !u.isLink(filepath.Join(dir, "satchel")) {
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
		u.keepNames(keptUnknown, root, "", unknown...)
	}
	if file := config.UserFile(u.Getenv); file != "" && !u.isLink(file) {
		if _, err := os.Lstat(file); err == nil {
			u.keepNames(keptConfig, filepath.Dir(file), "", filepath.Base(file))
		}
	}
	if dir := u.Settings.CacheDir; dir != "" {
		u.keep(removedItem{Kind: keptUnknown, Path: dir, Why: "named by cache-dir, and may hold other files: delete it yourself"})
	}
}

// findClones lists the clones of repositories. A clone with notes or snapshots needs
// their flags; a clone with other files stays.
func (u *uninstallRun) findClones(ctx context.Context) {
	clones, _ := u.KnownClones(ctx)
	for _, c := range clones {
		it := removedItem{Kind: keptCache, Path: c.Dir, Bytes: base.TreeBytes(c.Dir)}
		it.remove = func() error {
			err := c.Remove()
			_ = os.Remove(filepath.Dir(it.Path)) // if it is empty
			_ = os.Remove(filepath.Dir(filepath.Dir(it.Path)))
			return err
		}
		notes, snapshots, other := c.Holds()
		if notes {
			it.needs = append(it.needs, forNotes)
		}
		if snapshots {
			it.needs = append(it.needs, forSnapshots)
		}
		if len(it.needs) > 0 {
			it.Kind = keptClone
		}
		if other {
			it.Kind, it.Why = keptClone, "contains files of others: delete it yourself"
		}
		u.keep(it)
	}
}

// findSettings finds and lists the agents' settings that name satchel. A file that cannot
// be read and may name it is tried, and fails by name.
func (u *uninstallRun) findSettings(o install.Options, roots []string) {
	be := "would be "
	if u.flags.yes && !o.DryRun { // without a question
		be = ""
	}
	o.DryRun = true
	find := func(shared string) {
		for _, c := range install.Clients {
			r, err := install.Uninstall(o, c)
			if err == nil && !r.Changed() || err != nil && !install.Mentioned(o, c) {
				continue
			}
			u.places = append(u.places, settingsPlace{o, c})
			if err != nil {
				u.list("settings", string(c)+": "+u.Tilde(failureOf(c, err).Error), "")
			}
			for _, change := range changesOf(r) {
				u.list("settings", u.Tilde(change.Path), fmt.Sprintf("  (%s%s%s)", be, change.Action, shared))
			}
		}
	}
	find("")
	for _, root := range roots {
		if o.Scope, o.Project = agents.Project, root; root != o.Home() {
			find(", shared with other users of the project")
		}
	}
}

// failureOf returns what the document says of an agent whose settings stay.
func failureOf(c install.Client, err error) installFailure {
	return installFailure{string(c), strings.TrimPrefix(err.Error(), string(c)+": "), installHint(err)}
}

// changesOf returns the files that an uninstall changes; r may be nil.
func changesOf(r *install.Result) []install.Change {
	if r == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Changes), func(c install.Change) bool { return c.Action == install.Unchanged })
}

// list prints one thing that satchel keeps.
func (u *uninstallRun) list(kind keptKind, what, text string) {
	if !u.JSON {
		fmt.Fprintf(u.Out, "%-9s  %s%s\n", kind, clean.Inline(what), clean.Inline(text))
	}
}

// text returns the size of an item, or the reason why it stays.
func (it *removedItem) text(f *uninstallFlags) string {
	size := base.BytesText(it.Bytes)
	if it.Kind == keptSnapshots {
		size = render.Plural(it.Count, "snapshot") + ", " + size
	}
	switch missing := f.missing(it.needs); {
	case it.Error != "":
		return "  (" + it.Error + ")"
	case it.Why != "":
		return "  (stays: " + it.Why + ")"
	case missing != "":
		return "  (" + size + "), " + onlyCopy + missing
	}
	return "  (" + size + ")"
}

// consent asks for the flags that were not given. It reports whether anything is removed.
func (u *uninstallRun) consent(ctx context.Context) (bool, error) {
	if err := u.Flush(); err != nil || u.flags.yes {
		return err == nil, err
	}
	if !u.Env.StdinTTY || !u.Env.StderrTTY || u.JSON {
		return false, base.Usage(errors.New("nothing removed: confirm with --yes"), "--yes keeps notes and snapshots; --notes and --snapshots remove them too")
	}
	yes := func(question string) (bool, error) {
		line, err := u.AskLine(ctx, question+" [y/N] ")
		return slices.Contains([]string{"y", "yes"}, strings.ToLower(line)), err
	}
	lacks := func(flag string) bool {
		return slices.ContainsFunc(u.doc.Items, func(it removedItem) bool { return strings.Contains(u.flags.missing(it.needs), flag) })
	}

	var err error
	if u.flags.yes, err = yes("remove all this, except notes and snapshots?"); err == nil && !u.flags.yes {
		u.Remark("nothing removed")
	}
	if u.flags.yes && lacks(forNotes) {
		u.flags.notes, err = yes("remove the notes, context files and dismissals too? There is no other copy.")
	}
	if u.flags.yes && err == nil && lacks(forSnapshots) {
		u.flags.snapshots, err = yes("remove the snapshots too? There is no other copy.")
	}
	return u.flags.yes && err == nil, err
}

// report prints the result, or writes it as JSON.
func (u *uninstallRun) report(o install.Options) error {
	failed, removed, stay := len(u.doc.Failed), 0, 0
	swept := slices.Clone(u.doc.Swept)
	for _, r := range u.doc.Agents {
		swept = append(swept, r.Swept...)
		removed += len(changesOf(r.Result))
	}
	removed += len(swept)
	var again []string // repositories with items that more flags remove; "" is the cache
	for _, it := range u.doc.Items {
		switch {
		case it.Error != "":
			failed++
		case it.Goes:
			removed++
		default:
			stay++
			if len(it.needs) > 0 && !slices.Contains(again, it.dir) {
				again = append(again, it.dir)
			}
		}
	}
	var err error
	if failed > 0 {
		err = fmt.Errorf("%d of %d could not be removed", failed, failed+removed+stay)
	}
	if u.JSON {
		return cmp.Or(u.WriteJSON(&u.doc), err)
	}

	u.printSwept(swept)
	switch {
	case removed+stay+failed == 0:
		u.Remark("satchel keeps nothing here")
		return nil
	case u.doc.DryRun:
		u.Remark("%d would be removed, %d kept", removed, stay)
		return err
	}
	for _, f := range u.doc.Failed {
		u.Say("%s: %s", f.Client, clean.Inline(u.Tilde(f.Error)))
		if f.Hint != "" {
			u.Say("hint: %s", clean.Inline(f.Hint))
		}
	}
	for _, it := range u.doc.Items {
		if it.Error != "" {
			u.Say("%s %s: %s", it.Kind, clean.Inline(u.Tilde(it.Path)), clean.Inline(it.Error))
		}
	}
	u.Remark("%d removed, %d kept", removed, stay)
	if again != nil { // the records of these repositories are gone
		dirs := slices.DeleteFunc(again, func(dir string) bool { return dir == "" })
		u.Remark("items without another copy are kept: to remove them, run %s", clean.Inline(base.ShellWords(append([]string{"satchel", "uninstall", "--all", forNotes, forSnapshots}, dirs...))))
	}
	if dir := install.Records(o); dir != "" {
		u.Remark("copies of settings that were not restored are in %s", clean.Inline(u.Tilde(dir)))
	}
	if self, err := os.Executable(); err == nil {
		u.Remark("satchel itself is %s: remove it the way you installed it", clean.Inline(u.Tilde(self)))
	}
	return err
}

// Types are the schemas of the enumerations in this family's documents.
func Types() schema.Types {
	return schema.Types{
		reflect.TypeFor[keptKind]():      schema.Enum(keptKinds...),
		reflect.TypeFor[install.Level](): schema.Enum(install.OK, install.Note, install.Problem),
	}
}
