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
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A Kind says what an Item is.
type Kind string

const (
	Index     Kind = "index"     // of a repository; it is built again
	Prompts   Kind = "prompts"   // the record of what hooks put beside the last prompts
	Notes     Kind = "notes"     // what satchel was told: notes, context files, dismissals
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

// Repository lists what is kept below the git folder that all worktrees share, but for
// snapshots, which are git's objects.
func Repository(common string) ([]Item, error) {
	root := filepath.Join(common, "satchel")
	names, link, err := list(root)
	if err != nil || link != nil {
		return link, err
	}
	var items []Item
	var notes, unknown []string
	index := item(Index, root)
	for _, n := range names {
		switch {
		case n == indexName:
			unknown = append(unknown, index.addIndex(n)...)
		case n == lockName:
			index.add(n)
		case n == lastName:
			items = append(items, item(Prompts, root, n))
		case isTold(n):
			notes = append(notes, n)
		default:
			unknown = append(unknown, n)
		}
	}
	if index.names != nil {
		index.Path = filepath.Join(root, first(index.names[0]))
		items = append([]Item{index}, items...)
	}
	if notes != nil {
		it := item(Notes, root, notes...)
		it.Needs = OfNotes
		items = append(items, it)
	}
	return append(items, strangers(root, unknown)...), nil
}

// first is the name before the first separator of a path.
func first(path string) string {
	name, _, _ := strings.Cut(filepath.ToSlash(path), "/")
	return name
}

// addIndex adds what satchel wrote of the folder of an index, and returns the rest.
func (it *Item) addIndex(dir string) (unknown []string) {
	list := entries(filepath.Join(it.root, dir))
	if len(list) == 0 {
		it.add(dir) // an empty folder, or what stands in its place
	}
	for _, e := range list {
		if name := filepath.Join(dir, e.Name()); isBuilt(e) {
			it.add(name)
		} else {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// Cache lists what is kept in satchel's folder in the user's cache folder.
func Cache(root string) ([]Item, error) {
	names, link, err := list(root)
	if err != nil || link != nil {
		return link, err
	}
	var items []Item
	var unknown []string
	rest := Item{Kind: Caches, Path: root, root: root}
	if _, err := os.Lstat(root); len(names) == 0 && err == nil {
		rest.names = []string{} // the folder alone
	}
	for _, n := range names {
		inside := entries(filepath.Join(root, n))
		switch fi, err := os.Lstat(filepath.Join(root, n)); {
		case err != nil || !fi.IsDir():
			unknown = append(unknown, n)
		case n == clonesName || n == vectorsName || hashed.MatchString(n):
			if len(inside) == 0 {
				rest.add(n)
			}
			if n == clonesName {
				clones, strange := rest.addClones(inside)
				items, unknown = append(items, clones...), append(unknown, strange...)
				continue
			}
			it := Item{Kind: Notes, Path: filepath.Join(root, n), Needs: OfNotes, root: root}
			for _, e := range inside {
				switch name := filepath.Join(n, e.Name()); {
				case isBuilt(e), n != vectorsName && e.Name() == lastName:
					rest.add(name)
				case n != vectorsName && isTold(e.Name()):
					it.add(name)
				default:
					unknown = append(unknown, name)
				}
			}
			if it.names != nil {
				items = append(items, it)
			}
		default:
			unknown = append(unknown, n)
		}
	}
	if rest.names != nil {
		items = append([]Item{rest}, items...)
	}
	return append(items, strangers(root, unknown)...), nil
}

// addClones adds the clones that anybody can fetch again, and returns the others.
func (it *Item) addClones(inside []fs.DirEntry) (clones []Item, unknown []string) {
	for _, e := range inside {
		name := filepath.Join(clonesName, e.Name())
		if !e.IsDir() || !hashed.MatchString(e.Name()) {
			unknown = append(unknown, name)
			continue
		}
		c := item(Clone, it.root, name)
		c.Needs = cloneNeeds(c.Path)
		if strange := foreign(c.Path); strange != nil {
			c.Stays = "in it is what satchel does not write: " + some(strange)
		}
		if c.Needs != 0 || c.Stays != "" {
			clones = append(clones, c)
		} else {
			it.add(name)
		}
	}
	return clones, unknown
}

// cloneNeeds says what of a clone nobody else has.
func cloneNeeds(dir string) (c Consent) {
	git := filepath.Join(dir, "clone", ".git")
	if names, _ := readNames(filepath.Join(git, "satchel")); slices.ContainsFunc(names, isTold) {
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
		if err := fsx.RemoveAllIn(root, n); err != nil {
			errs = append(errs, it.failed(n, err))
		}
		for dir := filepath.Dir(n); dir != "."; dir = filepath.Dir(dir) {
			_ = root.Remove(dir) // it stays if anything is in it
		}
	}
	errs = append(errs, root.Close())
	_ = os.Remove(it.root) // the same
	return errors.Join(errs...)
}

// failed names the whole path of what could not be removed, and says if somebody has it
// open: the agent that works with it, perhaps.
func (it *Item) failed(name string, err error) error {
	return &fs.PathError{Op: "remove", Path: filepath.Join(it.root, name), Err: fsx.Cause(err)}
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
	it.Stays = "this version of satchel writes nothing of that name: " + some(names)
	return []Item{it}
}

// some lists names; of many the first ones.
func some(names []string) string {
	if rest := len(names) - 8; rest > 1 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:8], ", "), rest)
	}
	return strings.Join(names, ", ")
}

// below returns what belongs to an item, as paths below a folder.
func (it *Item) below(dir string) (names []string) {
	for _, n := range it.names {
		if rel, err := filepath.Rel(dir, filepath.Join(it.root, n)); err == nil {
			names = append(names, rel)
		}
	}
	return names
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
