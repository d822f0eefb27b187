package git

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A TreeFile is one file of a revision.
type TreeFile struct {
	Path string
	Mode Mode
	OID  string // of the blob, or of the commit of a submodule
	Size int64  // of the blob; -1 if it is missing, and for a submodule
}

// mostListed is how many files [Repo.Tree] lists. Ten trees can name 10^10 files.
const mostListed = 1_000_000

// Tree lists all files of a revision or of a tree id, sorted by path. Symbolic
// links and submodules are listed like files, and not followed. More than
// mostListed files are an error.
func (r *Repo) Tree(ctx context.Context, treeish string) ([]TreeFile, error) {
	files, more, err := r.TreeWithin(ctx, treeish, mostListed)
	if err == nil && more {
		err = fmt.Errorf("tree %s: only %d files are listed", clean(treeish), len(files))
	}
	if err != nil {
		return nil, err
	}
	return files, nil
}

// TreeWithin is Tree, but stops after most files, those nearest the root, or when
// their names take too much memory, and reports whether there are more.
func (r *Repo) TreeWithin(ctx context.Context, treeish string, most int) (files []TreeFile, more bool, err error) {
	if !r.format.validID(treeish) {
		if _, treeish, err = r.Resolve(ctx, treeish); err != nil {
			return nil, false, err
		}
	}
	t := r.treeReader(ctx)
	defer t.Close()
	more, err = t.compare(r.format.emptyTree(), treeish, most, func(x delta) {
		files = append(files, TreeFile{Path: x.path, Mode: x.new.mode, OID: x.new.oid, Size: -1})
	})
	if err != nil {
		return nil, false, err
	}
	sortTree(files)
	sizes := make(map[string]int64)
	for i := range files {
		if files[i].Mode != ModeSubmodule {
			sizes[files[i].OID] = -1
		}
	}
	blobs := slices.Sorted(maps.Keys(sizes))
	err = t.Sizes(blobs, func(i int, size int64, err error) {
		if err == nil {
			sizes[blobs[i]] = size
		}
	})
	for i := range files {
		if size, ok := sizes[files[i].OID]; ok {
			files[i].Size = size
		}
	}
	if errors.Is(err, errMore) { // the reader has ended, and with it the source of sizes
		err = nil
	}
	return files, more, err
}

func sortTree(files []TreeFile) {
	byPath := func(a, b TreeFile) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(files, byPath) {
		slices.SortStableFunc(files, byPath)
	}
}

// TreeEntries lists the names directly in the tree of a commit or tree id.
func (r *Repo) TreeEntries(ctx context.Context, id string) (entries []TreeEntry, err error) {
	if !r.format.validID(id) {
		return nil, &UnknownRevisionError{Rev: id, Why: "want a full object id"}
	}
	t := r.treeReader(ctx)
	defer t.Close()
	if id, err = t.root(id); err != nil {
		return nil, err
	}
	err = t.each(id, func(e TreeEntry) { entries = append(entries, e) })
	return entries, err
}

// A treeReader reads each tree once, however often others name it: git, which lists
// and compares trees by walking through them, visits 10^10 folders where 10 trees name
// each other ten times.
type treeReader struct {
	*Objects
	known map[string]string // contents by id
	bytes int               // of them, and of the paths that were made
	stop  context.CancelCauseFunc
}

func (r *Repo) treeReader(ctx context.Context) *treeReader {
	ctx, stop := context.WithCancelCause(ctx)
	t := &treeReader{Objects: r.Objects(ctx), known: map[string]string{r.format.emptyTree(): ""}, stop: stop}
	t.Limit = maxTree / 4
	return t
}

// Close ends the reader.
func (t *treeReader) Close() {
	t.stop(nil)
	t.Objects.Close()
}

// errMore means that trees hold more than is read.
var errMore = errors.New("too many trees")

// load reads the trees that are not known yet.
func (t *treeReader) load(ids ...string) error {
	var ask []string
	for _, id := range ids {
		if _, ok := t.known[id]; !ok {
			t.known[id] = ""
			ask = append(ask, id)
		}
	}
	var failed error
	err := t.ReadAll(ask, func(i int, data []byte, err error) {
		if err != nil && failed == nil {
			failed = fmt.Errorf("tree %w", err)
		}
		t.known[ask[i]] = string(data)
		if t.bytes += len(data); t.bytes > maxTree {
			t.stop(errMore)
		}
	})
	return cmp.Or(err, failed)
}

// root returns the id of a tree, given that or the id of its commit.
func (t *treeReader) root(id string) (string, error) {
	err := t.load(id)
	if rest, ok := strings.CutPrefix(t.known[id], "tree "); ok && err == nil { // no tree begins so
		id, _, _ = strings.Cut(rest, "\n")
		err = t.load(id)
	}
	return id, err
}

// each calls fn for the entries of a tree that was loaded: "mode SP name NUL id".
func (t *treeReader) each(tree string, fn func(TreeEntry)) error {
	n := t.repo.format.HexLen() / 2
	for body := t.known[tree]; body != ""; {
		head, rest, ok := strings.Cut(body, "\x00")
		mode, name, _ := strings.Cut(head, " ")
		m, err := strconv.ParseUint(mode, 8, 32)
		if !ok || err != nil || name == "" || len(rest) < n {
			return fmt.Errorf("tree %s: %w", tree, errAnswer)
		}
		fn(TreeEntry{usualMode(Mode(m)), name, hex.EncodeToString([]byte(rest[:n]))})
		body = rest[n:]
	}
	return nil
}

// usualMode returns the mode as git takes it: old programs wrote others.
func usualMode(m Mode) Mode {
	switch {
	case m.IsRegular() && m&0o100 != 0:
		return modeExecutable
	case m.IsRegular():
		return ModeFile
	case m&modeType == ModeSymlink, m&modeType == ModeDir:
		return m & modeType
	}
	return ModeSubmodule
}

// A treePair is a folder with its trees on two sides, "" where it has none.
type treePair struct{ path, old, new string }

// compare calls fn for the files that differ between two trees, level by level. It stops
// after most of them, or when their names take too much memory, and reports whether
// there are more.
func (t *treeReader) compare(old, new string, most int, fn func(delta)) (more bool, err error) {
	if old, err = t.root(old); err == nil {
		new, err = t.root(new)
	}
	n, empty := 0, t.repo.format.emptyTree()
	level := []treePair{{"", old, new}}
	for depth := 0; len(level) > 0 && n < most && err == nil; depth++ {
		var ids []string
		for _, p := range level {
			ids = append(ids, cmp.Or(p.old, empty), cmp.Or(p.new, empty))
		}
		if err = t.load(ids...); err != nil {
			break
		}
		var next []treePair
		full := false
		for _, p := range level {
			err = cmp.Or(err, t.compareFolder(p, func(name string, o, now TreeEntry) {
				if full = full || n == most || len(next) == most || depth == maxDepth || t.bytes > maxTree; full {
					return
				}
				path := p.path + name
				t.bytes += len(path)
				if o.Mode == ModeDir || now.Mode == ModeDir {
					next = append(next, treePair{path + "/", folderID(o), folderID(now)})
				}
				if x := (delta{path: path, old: fileOf(o), new: fileOf(now)}); x.old != x.new {
					n++
					fn(x)
				}
			}))
			if full {
				more = true
				break
			}
		}
		level = next
	}
	if errors.Is(err, errMore) {
		return true, nil
	}
	return more || len(level) > 0, err
}

// compareFolder calls fn for the names that differ in the two trees of a folder. An
// entry without a mode is not there.
func (t *treeReader) compareFolder(p treePair, fn func(name string, o, n TreeEntry)) error {
	olds := make(map[string]TreeEntry)
	var names []string
	err := t.each(p.old, func(e TreeEntry) {
		olds[e.Name] = e
		names = append(names, e.Name)
	})
	if err != nil {
		return err
	}
	err = t.each(p.new, func(e TreeEntry) {
		o := olds[e.Name]
		delete(olds, e.Name)
		if o != e {
			fn(e.Name, o, e)
		}
	})
	for _, name := range names {
		if o, gone := olds[name]; gone {
			delete(olds, name)
			fn(name, o, TreeEntry{})
		}
	}
	return err
}

// folderID returns the id of an entry that is a folder, else "".
func folderID(e TreeEntry) string {
	if e.Mode == ModeDir {
		return e.ID
	}
	return ""
}

// fileOf returns the side of a delta that an entry is, unless it is a folder.
func fileOf(e TreeEntry) blob {
	if e.Mode == ModeDir {
		return blob{}
	}
	return blob{e.Mode, e.ID}
}
