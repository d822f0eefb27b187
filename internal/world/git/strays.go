package git

import (
	"bufio"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// # Untracked files
//
// Which files are untracked is git's to say, since it alone knows its ignore rules.
// But git looks for them in every folder of the work tree, while this package walks
// through the same folders to ask for the metadata of what is tracked. So the walk
// reads the names, too, and notes the strays: names that the index does not have.
// Only about those git is asked, and not at all if there are none. A stray says
// nothing about what is ignored, nested or of another case: git judges each, and
// everything in it, as it would have among all others.
//
// The walk gives up, and git lists everything, where the names in a folder could be
// fewer than git sees or git might complain: see [strays.doubt].

// Limits of what git is asked about: each path that git meets on its way is compared
// with each of the strays.
const (
	mostStrays     = 64
	mostStrayBytes = 16 << 10 // of arguments
)

// strays finds names that the index does not have. Several goroutines walk.
type strays struct {
	entries  []indexEntry // one for each path, strictly ascending
	doubtful atomic.Bool
	giveUp   func() // called once, as soon as git has to list everything

	mu    sync.Mutex
	found []string
	bytes int
}

// doubt gives up.
func (s *strays) doubt() {
	if s.doubtful.CompareAndSwap(false, true) {
		s.giveUp()
	}
}

// wants reports whether the names in a folder whose first entry is at are still to
// be read: each folder is read by the goroutine that comes to its first entry.
func (s *strays) wants(dir string, at int) bool {
	return s != nil && !s.doubtful.Load() && (at == 0 || !below(s.entries[at-1].path, dir))
}

// add notes names of strays.
func (s *strays) add(names []string) {
	if len(names) == 0 {
		return
	}
	s.mu.Lock()
	s.found = append(s.found, names...)
	for _, n := range names {
		s.bytes += len(n) + 1
	}
	many := len(s.found) > mostStrays || s.bytes > mostStrayBytes
	s.mu.Unlock()
	if many {
		s.doubt()
	}
}

// below returns the range of the entries in a folder that begins at at.
func (s *strays) below(dir string, at int) (from, to int) {
	if dir == "" {
		return 0, len(s.entries)
	}
	return at, at + sort.Search(len(s.entries)-at, func(k int) bool { return !below(s.entries[at+k].path, dir) })
}

// A namesOf looks for the names of one folder among the entries in it.
type namesOf struct {
	entries []indexEntry
	skip    int // length of the folder's path with its slash
}

// search returns the first entry whose rest of the path is not before name.
func (n namesOf) search(name []byte) int {
	lo, hi := 0, len(n.entries)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if n.entries[mid].path[n.skip:] < string(name) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// file returns the entry that has the name, or nil.
func (n namesOf) file(name []byte) *indexEntry {
	if i := n.search(name); i < len(n.entries) && n.entries[i].path[n.skip:] == string(name) {
		return &n.entries[i]
	}
	return nil
}

// folder reports whether an entry is below the name, which ends in a slash.
func (n namesOf) folder(name []byte) bool {
	i := n.search(name)
	return i < len(n.entries) && strings.HasPrefix(n.entries[i].path[n.skip:], string(name))
}

// The kinds of names that a stray can have, from dirent.h.
const (
	kindUnknown = 0
	kindFolder  = 4
	kindFile    = 8
	kindLink    = 10
)

// stray reports whether the index lacks a name of some kind, which is followed by a
// byte of the caller's buffer. It is not sure where the kind is not known.
func (n namesOf) stray(name []byte, kind byte) (stray, sure bool) {
	plain := name[:len(name)-1]
	switch {
	case string(plain) == ".", string(plain) == "..", string(plain) == ".git":
		return false, true
	case kind == kindFolder:
		name[len(plain)] = '/'
		if n.folder(name) {
			return false, true // the walk comes to it
		}
		e := n.file(plain)
		return e == nil || e.mode != ModeSubmodule, true
	case kind == kindFile, kind == kindLink:
		return n.file(plain) == nil, true
	}
	return false, kind != kindUnknown // git lists no pipes and devices
}

// ignoreFile is what git reads of every folder that it enters.
const ignoreFile = ".gitignore"

// newStrays returns what finds strays, or nil if git has to list everything.
func (r *Repo) newStrays(entries []indexEntry, giveUp func()) *strays {
	if !readsNames || r.folder.portable || len(entries) == 0 || !r.plainRules() {
		return nil
	}
	for i := range entries {
		if i > 0 && entries[i-1].path >= entries[i].path || !validPath(entries[i].path) {
			return nil
		}
	}
	return &strays{entries: entries, giveUp: giveUp}
}

// others asks git which of some paths are untracked, or of all if none are given,
// and what it complained about.
func (r *Repo) others(ctx context.Context, paths ...string) (files []WorkFile, complaint string, err error) {
	args := []string{"ls-files", "-z", "--others", "--exclude-standard"}
	if len(paths) > 0 {
		slices.Sort(paths)
		args = append(append(args, "--"), paths...)
	}
	complaint, err = r.run.stream(ctx, nil, maxListing, func(br *bufio.Reader) (err error) {
		files, err = parseOthers(br)
		return err
	}, args...)
	return files, complaint, err
}
