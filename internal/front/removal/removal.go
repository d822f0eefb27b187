// Package removal finds what satchel keeps on a machine, and removes it.
//
// It knows the names that satchel gives, and touches no other: what it does not know,
// such as files of a newer version, stays and is listed as that. It follows no link. What
// nobody else has, notes and snapshots, is marked by the [Consent] that it takes; whether
// that was given is the caller's to ask. Start with [Repository], [Cache] and [Config];
// what stands in the settings of agents is package install's.
package removal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Kind says what an Item is.
type Kind string

const (
	Index     Kind = "index"     // of a repository; it is built again
	Prompts   Kind = "prompts"   // the record of what hooks put beside the last prompts
	Notes     Kind = "notes"     // what satchel was told: notes, context files, feedback, dismissals
	Snapshots Kind = "snapshots" // in git's objects
	Clone     Kind = "clone"     // of a repository elsewhere, with what was told and taken there
	Caches    Kind = "cache"     // indexes of plain folders, clones, vectors
	Settings  Kind = "config"    // the user's config.toml
	Unknown   Kind = "unknown"   // nothing that this version would have written
)

// A Consent is what has to be given beside the yes to all the rest.
type Consent uint8

const (
	OfNotes     Consent = 1 << iota // to remove what only satchel was told
	OfSnapshots                     // to remove snapshots
)

// An Item is one thing that can be removed.
type Item struct {
	Kind  Kind
	Path  string // of its folder, or of the one file
	Bytes int64
	Needs Consent
	Stays string // why it is not removed, "" if it can be

	root  string   // the folder in which
	names []string // these go
}

// The names in the folder of a repository, and in that of a plain folder's cache.
const (
	indexName = "index"
	lastName  = "last"
	lockName  = "lock" // of files that are replaced; it is made again
	stateName = "state.db"
)

// told are the names of what satchel was told. SQLite's files beside a database that is
// open, or was when its process ended, belong to it.
var told = []string{stateName, stateName + "-wal", stateName + "-shm", stateName + "-journal", "feedback", "review.json"}

// Repository lists what is kept below the git folder that all worktrees share, but for
// snapshots, which are git's objects.
func Repository(common string) ([]Item, error) {
	root := filepath.Join(common, "satchel")
	names, link, err := list(root)
	if err != nil || link != nil {
		return link, err
	}
	var items []Item
	var built, notes, unknown []string
	for _, n := range names {
		switch {
		case n == indexName, n == lockName:
			built = append(built, n)
		case n == lastName:
			items = append(items, item(Prompts, root, n))
		case slices.Contains(told, n):
			notes = append(notes, n)
		default:
			unknown = append(unknown, n)
		}
	}
	if built != nil {
		it := item(Index, root, built...)
		it.Path = filepath.Join(root, built[0])
		items = append([]Item{it}, items...)
	}
	if notes != nil {
		it := item(Notes, root, notes...)
		it.Needs = OfNotes
		items = append(items, it)
	}
	return append(items, strangers(root, unknown)...), nil
}

// Cache lists what is kept in satchel's folder in the user's cache folder.
func Cache(root string) ([]Item, error) {
	names, link, err := list(root)
	if err != nil || link != nil {
		return link, err
	}
	var items []Item
	rest := Item{Kind: Caches, Path: root, root: root}
	for _, n := range names {
		switch inside, _ := readNames(filepath.Join(root, n)); {
		case n == "clones":
			for _, c := range inside {
				it := item(Clone, root, filepath.Join(n, c))
				if it.Needs = cloneNeeds(it.Path); it.Needs != 0 {
					items = append(items, it)
				} else {
					rest.add(filepath.Join(n, c))
				}
			}
			if len(items) == 0 {
				rest.add(n)
			}
		case slices.Contains(inside, stateName):
			it := Item{Kind: Notes, Path: filepath.Join(root, n), Needs: OfNotes, root: root}
			for _, name := range inside {
				if slices.Contains(told, name) {
					it.add(filepath.Join(n, name))
				} else {
					rest.add(filepath.Join(n, name))
				}
			}
			items = append(items, it)
		default:
			rest.add(n)
		}
	}
	if rest.names != nil {
		items = append([]Item{rest}, items...)
	}
	return items, nil
}

// cloneNeeds says what of a clone nobody else has.
func cloneNeeds(dir string) (c Consent) {
	git := filepath.Join(dir, "clone", ".git")
	if names, _ := readNames(filepath.Join(git, "satchel")); slices.ContainsFunc(names, func(n string) bool { return slices.Contains(told, n) }) {
		c |= OfNotes
	}
	packed, _ := os.ReadFile(filepath.Join(git, "packed-refs"))
	if _, err := os.Lstat(filepath.Join(git, "refs", "satchel")); err == nil || strings.Contains(string(packed), " refs/satchel/") {
		c |= OfSnapshots
	}
	return c
}

// Config lists the user's file of settings.
func Config(file string) []Item {
	fi, err := os.Lstat(file)
	switch {
	case file == "" || err != nil:
		return nil
	case fi.Mode()&fs.ModeSymlink != 0:
		return linkTo(Settings, file)
	}
	it := item(Settings, filepath.Dir(file), filepath.Base(file))
	return []Item{it}
}

// Remove removes an item, and its folder if nothing else is in it.
func (it *Item) Remove() error {
	if it.Stays != "" {
		return errors.New(it.Stays)
	}
	root, err := os.OpenRoot(it.root)
	if err != nil {
		return err
	}
	var errs []error
	for _, n := range it.names {
		errs = append(errs, root.RemoveAll(n))
		for dir := filepath.Dir(n); dir != "."; dir = filepath.Dir(dir) {
			_ = root.Remove(dir) // it stays if anything is in it
		}
	}
	errs = append(errs, root.Close())
	_ = os.Remove(it.root) // the same
	return errors.Join(errs...)
}

func item(kind Kind, root string, names ...string) Item {
	it := Item{Kind: kind, Path: root, root: root}
	for _, n := range names {
		it.add(n)
	}
	if len(names) == 1 {
		it.Path = filepath.Join(root, names[0])
	}
	return it
}

// add adds a name below the root, and what it takes on the disk.
func (it *Item) add(name string) {
	it.names = append(it.names, name)
	_ = filepath.WalkDir(filepath.Join(it.root, name), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if fi, err := d.Info(); err == nil {
				it.Bytes += fi.Size()
			}
		}
		return nil // what cannot be read is not counted
	})
}

func strangers(root string, names []string) []Item {
	if names == nil {
		return nil
	}
	it := item(Unknown, root, names...)
	it.Stays = "this version of satchel writes nothing of that name: " + strings.Join(names, ", ")
	return []Item{it}
}

// list returns what is in a folder of satchel's; nothing if there is none, and in its
// place an item that stays if it is a link.
func list(root string) (names []string, link []Item, err error) {
	fi, err := os.Lstat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case fi.Mode()&fs.ModeSymlink != 0:
		return nil, linkTo(Unknown, root), nil
	}
	names, err = readNames(root)
	return names, nil, err
}

func linkTo(kind Kind, path string) []Item {
	target, _ := os.Readlink(path)
	return []Item{{Kind: kind, Path: path, Stays: "it is a link to " + target + ": remove both yourself"}}
}

func readNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}
