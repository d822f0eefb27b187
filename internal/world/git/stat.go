package git

import (
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"github.com/satchel-dev/satchel"
)

// minShare is how many files make a second goroutine worth while.
const minShare = 256

// statAll fills in the metadata of the files on disk, which are sorted by path, and
// returns the existing ones, in place. With an index, it also decides which are
// clean, and with find it looks for strays on its way.
func (f *Folder) statAll(files []WorkFile, index *indexState, find *strays, diags *[]satchel.Diagnostic) []WorkFile {
	if len(files) == 0 {
		return files
	}
	shares := min(runtime.GOMAXPROCS(0), 4, len(files)/minShare+1)
	keep := make([]bool, len(files))
	said := make([][]satchel.Diagnostic, shares)
	var wg sync.WaitGroup
	for s := range shares {
		from, to := len(files)*s/shares, len(files)*(s+1)/shares
		wg.Go(func() {
			w := f.walk(find)
			defer w.close()
			for i := from; i < to; i++ {
				if find != nil {
					w.visit(i, files[i].Path)
				}
				var e *indexEntry
				if index != nil {
					e = &index.entries[i]
				}
				var note string
				keep[i], note = statFile(w, &files[i], e, index)
				if note != "" {
					said[s] = append(said[s], satchel.Diagnostic{Path: files[i].Path, Text: note})
				}
			}
		})
	}
	wg.Wait()
	*diags = append(*diags, slices.Concat(said...)...)
	n := 0
	for i := range files {
		if keep[i] {
			if n != i {
				files[n] = files[i]
			}
			n++
		}
	}
	return files[:n]
}

// statFile fills in one file and reports whether to list it.
func statFile(w walker, f *WorkFile, e *indexEntry, index *indexState) (keep bool, note string) {
	if !validPath(f.Path) {
		return false, whyNotPath(f.Path)
	}
	if f.Mode == ModeSubmodule {
		if e != nil {
			f.OID, f.Clean = e.oid, !f.Conflict
		}
		return true, ""
	}
	st, err := w.lstat(f.Path)
	if err != nil {
		gone := noSuchFile(err)
		switch {
		case gone && e != nil && e.flags&flagSkipWorktree != 0 && !f.Conflict:
			f.OID, f.Clean, f.Sparse = e.oid, true, true
			return true, ""
		case gone && f.Conflict:
			return false, "conflict: the file is not on disk"
		case gone:
			return false, ""
		}
		return false, satchel.WhyUnread + ": " + err.Error()
	}
	if st.mode == ModeDir {
		return false, "" // its files are listed as untracked, if they are there
	}
	f.Mode, f.Size = st.mode, st.size
	if e != nil {
		f.Mode = index.how.mode(st.mode, e.mode)
	}
	f.ModTime, f.ChangeTime, f.Inode = st.modTime, st.changeTime, st.inode
	switch {
	case e != nil && index.trusts(e, f):
		f.OID, f.Clean = e.oid, true
	case f.Mode == modeSpecial:
		return true, satchel.WhySpecial
	}
	return true, ""
}

// noSuchFile reports whether an error of a walker means that the file does not exist,
// or that part of its path is not a folder.
func noSuchFile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || err == syscall.ENOTDIR || err == syscall.ELOOP
}
