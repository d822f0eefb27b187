package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// sources finds the deltas between HEAD, the index and the files on disk.
func (d *differ) sources(ctx context.Context, source DiffSource) error {
	head, err := d.Head(ctx)
	if err != nil && !errors.Is(err, ErrUnborn) {
		return err
	}
	d.noteProgress()
	if source == SourceAmend {
		if err != nil {
			return err // there is nothing to amend
		}
		head, _, err = d.Resolve(ctx, "HEAD^")
		var root *UnknownRevisionError
		if errors.As(err, &root) {
			head, err = "", nil
		}
		if err != nil {
			return err
		}
		d.set.Source, d.set.From = string(source), head
		return d.staged(ctx, head)
	}
	if source == sourceAuto || source == SourceStaged || source == SourceWorkTree {
		if err := d.staged(ctx, head); err != nil {
			return err
		}
		if source == sourceAuto && len(d.deltas) == 0 {
			source = SourceWorkTree
		} else if source == sourceAuto {
			source = SourceStaged
		}
	}
	d.set.Source = string(source)
	switch source {
	case SourceStaged:
		d.set.From = head
		return nil
	case SourceWorkTree:
		d.set.From = head
	case sourceUnstaged, sourceUntracked:
	default:
		return fmt.Errorf("source of a comparison %q: want staged, unstaged, worktree or untracked", clean(string(source)))
	}
	return d.onDisk(ctx, source)
}

// sinceRevision finds the deltas between a revision and the files on disk that
// git knows. A branch without a commit has no files.
func (d *differ) sinceRevision(ctx context.Context, rev string) error {
	commit, tree, err := d.Resolve(ctx, rev)
	if err != nil && (!errors.Is(err, ErrUnborn) || strings.ContainsAny(rev, "~^:")) {
		return err
	}
	if d.folder == nil {
		return fmt.Errorf("%s: %w", clean(d.gitDir), ErrNoWorkTree)
	}
	d.noteProgress()
	d.set.From = commit
	if err := d.staged(ctx, tree); err != nil {
		return err
	}
	return d.onDisk(ctx, sourceTracked)
}

// noteProgress says what git is in the middle of.
func (d *differ) noteProgress() {
	for _, p := range []struct{ file, what string }{
		{"MERGE_HEAD", "a merge"}, {"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"},
		{"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase"},
	} {
		if _, err := os.Lstat(filepath.Join(d.gitDir, p.file)); err == nil {
			d.diagnose("", p.what+" is in progress")
		}
	}
}

// staged finds the deltas between a commit, or nothing, and the index.
func (d *differ) staged(ctx context.Context, head string) error {
	head = cmp.Or(head, d.format.emptyTree())
	frugal := d.run
	frugal.memory = stagedMemory
	_, err := frugal.stream(ctx, nil, maxListing, func(br *bufio.Reader) error {
		return readRaw(br, func(f change.File) error {
			x := delta{path: f.Path, old: blob{Mode(f.OldMode), f.OldBlob}, new: blob{Mode(f.NewMode), f.NewBlob},
				unmerged: f.Status == change.Unmerged}
			if n := len(d.deltas); n > 0 && d.deltas[n-1].path == x.path { // a conflict is listed twice
				d.deltas[n-1].unmerged = d.deltas[n-1].unmerged || x.unmerged
				return nil
			}
			d.deltas = append(d.deltas, x)
			return nil
		})
	}, "diff-index", "--cached", "-z", "--raw", "--no-abbrev", "--no-renames", "--ita-invisible-in-index", "--ignore-submodules=none",
		"--no-ext-diff", "--no-textconv", "--no-relative", "-O/dev/null", "--end-of-options", head, "--")
	return missingTree(err)
}

// sourceTracked is the tracked files on disk; the others are counted.
const sourceTracked DiffSource = "tracked"

// onDisk adds to the staged deltas, if there are any, what differs on disk, and
// the untracked files, if the source has them.
func (d *differ) onDisk(ctx context.Context, source DiffSource) error {
	files, entries, err := d.listStable(ctx, source != sourceUnstaged)
	if err != nil {
		return err
	}
	staged := make(map[string]int, len(d.deltas)) // path → index
	for i, x := range d.deltas {
		staged[x.path] = i
	}
	w := workReader{d: d, index: make(map[string]string)}
	var untracked []WorkFile
	for _, f := range files {
		if f.Untracked {
			untracked = append(untracked, f)
		}
	}
	if source != sourceUntracked {
		w.tracked(ctx, entries, files)
	}
	if n := len(untracked); source == sourceTracked && n > 0 {
		untracked = nil
		what := "1 untracked file is"
		if n > 1 {
			what = fmt.Sprintf("%d untracked files are", n)
		}
		d.diagnose("", what+" not shown; --untracked shows them")
	}
	for _, f := range untracked {
		if f.Mode == ModeSubmodule {
			d.diagnose(f.Path, "untracked repository, not compared")
			continue
		}
		w.read = append(w.read, unreadFile{delta{path: f.Path, new: blob{mode: f.Mode}, untracked: true}, f})
	}
	if err := w.contents(ctx); err != nil {
		return err
	}
	// What is on disk takes the place of what is staged; the old side stays.
	for _, x := range w.done {
		i, ok := staged[x.path]
		if !ok || x.untracked {
			if x.old != x.new || x.unmerged || x.why != "" {
				d.deltas = append(d.deltas, x)
			}
			continue
		}
		d.deltas[i].new, d.deltas[i].why = x.new, x.why
		d.deltas[i].unmerged = d.deltas[i].unmerged || x.unmerged
	}
	kept := d.deltas[:0]
	for _, x := range d.deltas {
		if x.old != x.new || x.unmerged || x.why != "" {
			kept = append(kept, x)
		}
	}
	d.deltas = kept
	return nil
}

// listStable lists the index and the work tree while the index does not change.
func (d *differ) listStable(ctx context.Context, others bool) ([]WorkFile, []indexEntry, error) {
	for try := 1; ; try++ {
		before, err := d.indexTime()
		if err != nil {
			return nil, nil, err
		}
		files, entries, diags, err := d.list(ctx, before, others)
		if err != nil {
			return nil, nil, err
		}
		if after, err := d.indexTime(); err == nil && (after == before || try == maxTries) {
			d.set.Diagnostics = append(d.set.Diagnostics, diags...)
			return files, entries, nil
		}
	}
}

// A workReader finds out which files on disk differ from the index.
type workReader struct {
	d     *differ
	read  []unreadFile // files whose contents decide
	done  []delta
	index map[string]string // path → id in the index, of the files in read

	modules int // submodules looked into
}

// An unreadFile is a file that has to be read.
type unreadFile struct {
	delta
	file WorkFile
}

// tracked goes through the entries of the index, sorted by path as the files.
func (w *workReader) tracked(ctx context.Context, entries []indexEntry, files []WorkFile) {
	for i := range entries {
		e := &entries[i]
		for len(files) > 0 && (files[0].Path < e.path || files[0].Path == e.path && files[0].Untracked) {
			files = files[1:]
		}
		if !validPath(e.path) {
			continue // there is a note
		}
		x := delta{path: e.path, old: blob{e.mode, e.oid}}
		if e.flags&flagIntentToAdd != 0 {
			x.old = blob{}
		}
		switch {
		case e.stage != 0:
			x.unmerged, x.old = true, blob{}
		case len(files) == 0 || files[0].Path != e.path:
			// deleted
		case files[0].Mode == modeSpecial:
			x.new.mode, x.why = e.mode, satchel.WhySpecial
		case e.mode == ModeSubmodule:
			x.new, x.why = w.submodule(ctx, e)
		default:
			f := files[0]
			x.new = blob{f.Mode, e.oid}
			if !f.Clean {
				w.index[e.path] = e.oid
				w.read = append(w.read, unreadFile{x, f})
				continue
			}
			if f.Sparse {
				x.new = x.old
			}
		}
		if x.old != x.new || x.unmerged || x.why != "" {
			w.done = append(w.done, x)
		}
	}
}

// maxModules bounds the submodules that are looked into, one process each.
const maxModules = 100

// submodule returns the commit that is checked out in a submodule, or the recorded
// commit if nothing is checked out. If its tracked files have uncommitted changes, no
// commit has its contents, and why says so.
func (w *workReader) submodule(ctx context.Context, e *indexEntry) (b blob, why string) {
	same := blob{e.mode, e.oid}
	if _, err := w.d.folder.root.Lstat(e.path); errors.Is(err, fs.ErrNotExist) {
		return blob{}, ""
	}
	if _, err := w.d.folder.root.Lstat(e.path + "/.git"); err != nil {
		return same, "" // not checked out
	}
	if w.modules++; w.modules > maxModules {
		if w.modules == maxModules+1 {
			w.d.diagnose(e.path, fmt.Sprintf("not compared: limit is %d submodules", maxModules))
		}
		return same, ""
	}

	dir := filepath.Join(w.d.top, filepath.FromSlash(e.path))
	r, err := w.d.opts.Open(ctx, dir)
	if err != nil {
		return same, ""
	}
	defer r.Close()
	s, err := r.newScratch()
	if err != nil {
		return same, ""
	}
	defer s.remove()
	in := differ{Repo: r, s: s}
	if r.top != dir || r.format != w.d.format || in.sinceRevision(ctx, "HEAD") != nil || in.set.From == "" {
		return same, "" // without a commit, or not a repository of its own
	}
	if len(in.deltas) > 0 {
		why = "submodule with uncommitted changes"
		if in.set.From != e.oid {
			why = "submodule at another commit, with uncommitted changes"
		}
		return blob{mode: ModeSubmodule}, why
	}
	return blob{ModeSubmodule, in.set.From}, ""
}

// maxWritten bounds the bytes of the work tree that one comparison copies.
const maxWritten = 1 << 30

// contents reads the pending files, and stores what differs from the index.
func (w *workReader) contents(ctx context.Context) error {
	if len(w.read) == 0 {
		return nil
	}
	conv, err := w.d.conversions(ctx, w.read)
	if err != nil {
		return err
	}
	objects := w.d.Objects(ctx)
	defer objects.Close()
	for _, p := range w.read {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		x := p.delta
		data, why := w.bytes(ctx, p, conv, objects)
		switch {
		case why == gone:
			continue // deleted between listing and reading: next time
		case why != "":
			x.new.oid, x.why = "", why
		default:
			if x.new.oid = BlobID(w.d.format, data); x.new.oid == w.index[x.path] {
				break
			}
			if _, err := w.d.s.write(packBlob, data); err != nil {
				return err
			}
		}
		w.done = append(w.done, x)
	}
	conv.diagnose(w.d)
	return nil
}

// gone is the reason of a file that is not there any more.
const gone = "gone"

// bytes reads a file as git would store it, or says why it cannot.
func (w *workReader) bytes(ctx context.Context, p unreadFile, conv *conversions, objects *Objects) (data []byte, why string) {
	f := p.file
	if f.Mode == modeSpecial {
		return nil, satchel.WhySpecial
	}
	if f.Mode == ModeSymlink {
		target, err := w.d.folder.readLink(f.Path)
		if err == nil || !w.d.written.noLinks {
			return whyUnread([]byte(target), err)
		}
	}
	if conv.isLFS(f.Path) {
		return conv.pointer(ctx, w.d, f)
	}
	if f.Size > maxCompared {
		return nil, tooLarge(f.Size)
	}
	if w.d.s.written > maxWritten {
		return nil, fmt.Sprintf("%s: more than %d bytes of changed files in all", satchel.WhyLarge, int64(maxWritten))
	}
	data, why = whyUnread(w.d.folder.ReadFile(f.Path, maxCompared))
	if why != "" || p.new.mode == ModeSymlink { // a link where the file system has none
		return data, why
	}
	return conv.toGit(p.path, data, func() ([]byte, error) {
		if id := w.index[f.Path]; id != "" {
			return objects.Read(id, maxCompared)
		}
		return nil, nil
	}), ""
}

func whyUnread(data []byte, err error) ([]byte, string) {
	var large *TooLargeError
	switch {
	case err == nil:
		return data, ""
	case errors.Is(err, fs.ErrNotExist):
		return nil, gone
	case errors.As(err, &large):
		return nil, satchel.WhyLarge + ": " + err.Error()
	}
	return nil, satchel.WhyUnread + ": " + err.Error()
}

// readLink returns the target of a symbolic link in folders that are not links.
func (f *Folder) readLink(path string) (string, error) {
	if !validPath(path) {
		return "", fmt.Errorf("%s: %w below the root", clean(path), ErrNotRegular)
	}
	w := f.walk(nil)
	defer w.close()
	target, err := w.readlink(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", clean(path), err)
	}
	return target, nil
}
