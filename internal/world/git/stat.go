package git

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strings"
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

// Unchanged returns, of files of the work tree whose bytes are those of no object, the
// ids of those that are what the index has once git has converted their line ends, as
// Git for Windows does by default. Files of more than limit bytes are not looked at,
// and no filter is run.
func (r *Repo) Unchanged(ctx context.Context, paths []string, limit int64) (map[string]string, error) {
	if r.folder == nil || len(paths) == 0 {
		return nil, nil
	}
	entries, _, err := r.entries(ctx, func() {})
	if err != nil {
		return nil, err
	}
	index := make(map[string]string, len(paths)) // the path's id, or "" as long as it is not found
	for _, p := range paths {
		index[p] = ""
	}
	for i := range entries {
		e := &entries[i]
		if _, wanted := index[e.path]; wanted && e.stage == 0 && e.mode.IsRegular() {
			index[e.path] = e.oid
		}
	}
	attrs, err := r.attributes(ctx, paths, converting...)
	if err != nil && !errors.Is(err, ErrNotRegular) {
		return nil, err
	}
	conv := newConversions(attrs, r.written)
	objects := r.Objects(ctx)
	defer objects.Close()
	same := map[string]string{}
	for _, p := range paths {
		id := index[p]
		if id == "" || conv.filter(p) != "" {
			continue
		}
		data, err := r.ReadFile(p, limit)
		if err != nil {
			continue // it changes just now
		}
		stored := conv.toGit(p, data, func() ([]byte, error) { return objects.Read(id, limit) })
		if BlobID(r.format, stored) == id {
			same[p] = id
		}
	}
	return same, ctx.Err()
}

// windowsName reports whether Windows takes a name as an ordinary file in its folder,
// and not as a path, a pattern, a stream, a device or another name. git refuses those
// too (core.protectNTFS). git also refuses links with a short name of .gitmodules;
// this package does not read that file or follow links.
func windowsName(name string) bool {
	if strings.ContainsAny(name, `\:"<>|?*`) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return false
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return false
	}
	if strings.EqualFold(name, "git~1") { // the short name of .git
		return false
	}
	base, _, _ := strings.Cut(name, ".")
	return !windowsDevice(strings.ToUpper(strings.TrimRight(base, " ")))
}

// whyNotPath says what is wrong with a path that is not valid.
func whyNotPath(p string) string {
	if validPathOn(p, false) {
		return "on Windows, the path names another file, a stream or a device"
	}
	return "path leaves the work tree or enters a repository's own folder"
}

// windowsDevice reports whether a name in upper case, up to its first dot, is a
// device in every folder.
func windowsDevice(name string) bool {
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	if name == "LPT0" { // git counts it among them, unlike COM0
		return true
	}
	number, ok := strings.CutPrefix(name, "COM")
	if !ok {
		number, ok = strings.CutPrefix(name, "LPT")
	}
	switch number {
	case "1", "2", "3", "4", "5", "6", "7", "8", "9", "\u00b9", "\u00b2", "\u00b3":
		return ok
	}
	return false
}
