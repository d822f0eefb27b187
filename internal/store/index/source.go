package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// A Tree is files that can be viewed: a [*git.Repo], or a [*git.Folder], which is
// viewed without revisions and history.
type Tree interface {
	// ReadFile returns the bytes of a regular file of the work tree.
	ReadFile(path string, limit int64) ([]byte, error)

	// ReadTracked is ReadFile, and also reads what a sparse checkout leaves out.
	ReadTracked(path string, limit int64) (data []byte, sparse bool, err error)
}

// A folder is a Tree without git.
type folder interface {
	FilesIn(enter func(dir string) bool, most int) (files []git.WorkFile, diags []satchel.Diagnostic, more bool, err error)
}

// mostHasty limits the files of a plain folder that [Index.ViewReady] lists. Only a
// walk shows how many there are, and a larger folder is seldom a project: a walk of
// 20,000 files takes some 100 ms. Folders excluded by name, such as node_modules, are
// not entered and do not count.
const mostHasty = 20_000

// A CrowdedError says that a plain folder holds more than mostHasty files.
type CrowdedError struct{}

func (*CrowdedError) Error() string {
	return fmt.Sprintf("a folder without git and with more than %d files", mostHasty)
}

// Crowded returns a [*CrowdedError] if a tree is a plain folder of too many files
// to be looked at in passing.
func (x *Index) Crowded(tree Tree) error {
	m := &viewBuilder{Index: x, source: x.newSource(tree), hasty: true}
	f, ok := tree.(folder)
	if !ok || m.source.repo != nil {
		return nil
	}
	_, _, err := m.listFolder(f)
	return err
}

// listFolder lists a plain folder, without excluded folders of the user. In haste, it
// also omits folders that any rule excludes as a whole, and stops after MostHasty
// files.
func (m *viewBuilder) listFolder(f folder) ([]git.WorkFile, []satchel.Diagnostic, error) {
	most := math.MaxInt
	if m.hasty {
		most = mostHasty
	}
	m.readRoot()
	var unentered []git.WorkFile
	enter := func(dir string) bool {
		dir += "/"
		switch {
		case len(m.unignore) > 0 || slices.ContainsFunc(m.pinned, func(p string) bool { return strings.HasPrefix(p, dir) }):
		case m.leavesOut(dir):
			unentered = append(unentered, git.WorkFile{Path: dir, Mode: git.ModeFile, Untracked: true})
			return false
		case m.hasty:
			return byDirectory(&entry{path: dir, untracked: true}).why == ""
		}
		return true
	}
	files, diags, more, err := f.FilesIn(enter, most)
	if err == nil && more {
		err = &CrowdedError{}
	}
	if len(unentered) > 0 {
		files = append(files, unentered...)
		slices.SortFunc(files, func(a, b git.WorkFile) int { return strings.Compare(a.Path, b.Path) })
	}
	return files, diags, err
}

func (m *viewBuilder) leavesOut(dir string) bool {
	_, by := m.rules.match(dir)
	return by != nil
}

// readRules reads the rules of a listing, once.
func (m *viewBuilder) readRules() {
	if m.ruled {
		return
	}
	m.ruled = true
	m.readRoot()
	m.rules.fromListing(m.source, &m.listing)
	m.diags = append(m.diags, m.rules.Diagnostics...)
}

// readRoot reads the rules that need no listing.
func (m *viewBuilder) readRoot() {
	if m.rules == nil {
		m.rules = m.newRules()
		m.rules.fromDisk(m.source, slices.DeleteFunc(slices.Clone(rootFiles), func(name string) bool { return !m.rules.counts(name) }))
	}
}

// A listing is what a view is made of, before any rule is applied.
type listing struct {
	commit   string
	workTree bool
	digits   int     // of an object id
	entries  []entry // sorted by path
	diags    []satchel.Diagnostic
}

// list lists the revision, or the work tree if rev is "".
func (m *viewBuilder) list(ctx context.Context, rev string) (err error) {
	l := &m.listing
	l.digits = git.SHA1.HexLen()
	repo := m.source.repo
	if repo == nil {
		f, ok := m.source.tree.(folder)
		switch {
		case !ok:
			return fmt.Errorf("index: a %T cannot be listed", m.source.tree)
		case rev != "":
			return &git.UnknownRevisionError{Rev: rev, Why: "not in a git repository"}
		}
		files, diags, err := m.listFolder(f)
		if err != nil {
			return err
		}
		l.work(files, diags)
		m.listPinned()
		l.empty("the folder is empty")
		return nil
	}
	l.digits = repo.Format().HexLen()
	if rev == "" && repo.Dir() == "" {
		rev = "HEAD" // a bare repository has no work tree
	}
	if rev == "" {
		// Two questions to git at the same time.
		var files []git.WorkFile
		var diags []satchel.Diagnostic
		var headErr, treeErr error
		var wg sync.WaitGroup
		wg.Go(func() {
			l.commit, headErr = repo.Head(ctx)
			switch {
			case errors.Is(headErr, git.ErrUnborn):
				headErr = nil
			case headErr == nil:
				m.based(l.commit)
			}
		})
		files, diags, treeErr = repo.WorkTree(ctx)
		wg.Wait()
		if err := cmp.Or(headErr, treeErr); err != nil {
			return err
		}
		if m.opts.Submodules {
			var more []satchel.Diagnostic
			if files, more, err = repo.WithSubmodules(ctx, files); err != nil {
				return err
			}
			diags = append(diags, more...)
		}
		l.work(files, diags)
		m.listPinned()
		l.empty("the repository has no files")
		return nil
	}
	if m.opts.Submodules {
		l.diags = []satchel.Diagnostic{{Text: "submodules are not included: a revision does not contain their files"}}
	}
	var tree string
	if l.commit, tree, err = repo.Resolve(ctx, rev); err != nil {
		return err
	}
	m.based(l.commit)
	files, more, err := repo.TreeWithin(ctx, tree, m.opts.MaxFiles+spareListed)
	if err != nil {
		return err
	}
	if more {
		l.diags = append(l.diags, satchel.Diagnostic{Text: fmt.Sprintf("only %d files of the revision are read, nearest its root first (max-files)", len(files))})
	}
	l.entries = make([]entry, 0, len(files))
	for i := range files {
		f := &files[i]
		e := entry{path: f.Path, kind: kindOf(f.Mode), blob: f.OID, size: f.Size}
		l.entries = append(l.entries, e)
	}
	return nil
}

// work takes over the listing of a work tree or folder.
func (l *listing) work(files []git.WorkFile, diags []satchel.Diagnostic) {
	l.workTree = true
	l.diags = diags
	l.entries = make([]entry, 0, len(files))
	sparse := 0
	for i := range files {
		f := &files[i]
		if f.Sparse {
			sparse++
		}
		e := entry{path: f.Path, kind: kindOf(f.Mode), size: f.Size, dirty: !f.Clean, untracked: f.Untracked}
		if f.Clean || f.Sparse {
			e.blob, e.dirty = f.OID, false
		} else {
			e.stat = statOf(f)
		}
		l.entries = append(l.entries, e)
	}
	if sparse > 0 {
		l.diags = append(l.diags, satchel.Diagnostic{Text: fmt.Sprintf("%s: %d of the files", git.NotCheckedOut, sparse)})
	}
}

// empty says what there is nothing in.
func (l *listing) empty(what string) {
	if len(l.entries) == 0 {
		l.diags = append(l.diags, satchel.Diagnostic{Text: what})
	}
}

// listPinned adds the pinned files that are not listed because they are ignored.
func (m *viewBuilder) listPinned() {
	l := &m.listing
	for _, name := range m.pinned {
		byPath := func(e entry, name string) int { return strings.Compare(e.path, name) }
		at, listed := slices.BinarySearchFunc(l.entries, name, byPath)
		if listed || name == "" || strings.HasSuffix(name, "/") || slices.Contains(strings.Split(name, "/"), ".git") {
			continue
		}
		if _, err := m.source.tree.ReadFile(name, m.limit(name)); errors.Is(err, fs.ErrNotExist) {
			continue // what to say of it is the caller's choice
		}
		l.entries = slices.Insert(l.entries, at, entry{path: name, dirty: true, untracked: true})
		m.allow(&l.entries[at], satchel.WhyIgnored)
	}
}

func kindOf(m git.Mode) entryKind {
	switch {
	case m.IsRegular():
		return regular
	case m == git.ModeSymlink:
		return symlink
	case m == git.ModeSubmodule:
		return submodule
	}
	return special
}

// A source reads the bytes of a view's files.
type source struct {
	tree    Tree
	repo    *git.Repo           // nil outside git
	objects func() *git.Objects // shared by all views of the index
	held    map[string][]byte   // texts of unclean files, by path; see maxHeld
}

func (x *Index) newSource(tree Tree) *source {
	s := &source{tree: tree, held: map[string][]byte{}}
	s.repo, _ = tree.(*git.Repo)
	s.objects = func() *git.Objects { return x.objectsOf(s.repo) }
	return s
}

// objectsOf returns the reader of a repository's objects that lives until the
// index is closed.
func (x *Index) objectsOf(repo *git.Repo) *git.Objects {
	x.mu.Lock()
	defer x.mu.Unlock()
	o := x.objects[repo]
	if o == nil {
		o = repo.Objects(context.Background())
		o.Decoded = true
		if x.objects == nil {
			x.objects = map[*git.Repo]*git.Objects{}
		}
		x.objects[repo] = o
	}
	return o
}

// maxHeld is how many bytes of unclean files a View keeps, so that what it
// shows is what it indexed even if the files change meanwhile.
const maxHeld = 16 << 20

// A changedError says that a file changed after the View was made.
type changedError struct{ Path string }

func (e *changedError) Error() string { return e.Path + " changed while it was read" }

// read returns the text of a blob, verified and decoded. The bytes of a dirty file are
// only in the work tree.
func (s *source) read(ctx context.Context, workTree bool, path, blob string, dirty bool, limit int64) ([]byte, error) {
	if text, ok := s.held[path]; ok {
		return text, nil
	}
	if workTree {
		text, err := s.fromWorkTree(path, blob, limit)
		if err == nil {
			return text, nil
		}
		if dirty {
			if errors.Is(err, errElsewhere) {
				err = &changedError{path}
			}
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.objects().Read(blob, limit)
}

// fromWorkTree reads a file, compares its bytes with the blob, and decodes them.
func (s *source) fromWorkTree(path, blob string, limit int64) ([]byte, error) {
	text, err := s.tree.ReadFile(path, limit)
	if err != nil {
		return nil, err
	}
	if git.BlobID(s.format(), text) != blob {
		return nil, errElsewhere
	}
	return git.Decode(text), nil
}

func (s *source) format() git.Format {
	if s.repo == nil {
		return git.SHA1
	}
	return s.repo.Format()
}

// fetch reads the blobs of jobs from git, in order.
func (s *source) fetch(ctx context.Context, jobs []job, limit int64, send func(fetched) error) error {
	if s.repo == nil {
		for i := range jobs {
			if err := send(fetched{job: i, err: git.ErrMissing}); err != nil {
				return err
			}
		}
		return nil
	}
	// The context of the reader ends it when its output is no longer read.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := s.repo.Objects(ctx)
	o.Limit, o.Decoded = limit, true
	defer o.Close()
	oids := make([]string, len(jobs))
	for i := range jobs {
		oids[i] = jobs[i].blob
	}
	var failed error
	err := o.ReadAll(oids, func(i int, data []byte, err error) {
		if failed != nil {
			return
		}
		if data == nil && err == nil {
			data = []byte{}
		}
		if failed = send(fetched{job: i, text: data, err: err}); failed != nil {
			cancel(failed)
		}
	})
	if failed != nil {
		return failed
	}
	return err
}
