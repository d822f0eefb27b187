package git

import (
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/satchel-dev/satchel"
)

// minShare is how many files make a second goroutine worth while.
const minShare = 256

// statAll fills in what the disk says about the files, which are sorted by path,
// and returns those that exist, in place. With an index it also decides which
// are clean, and looks on its way for strays, if told to.
func (f *Folder) statAll(files []WorkFile, index *indexState, find *strays, diags *[]satchel.Diagnostic) []WorkFile {
	if len(files) == 0 {
		return files
	}
	shares := min(runtime.GOMAXPROCS(0), 4, len(files)/minShare+1)
	keep := make([]bool, len(files))
	said := make([][]satchel.Diagnostic, shares)
	root := int(f.base.Fd())
	var wg sync.WaitGroup
	for s := range shares {
		from, to := len(files)*s/shares, len(files)*(s+1)/shares
		wg.Go(func() {
			w := statWalk{root: root, find: find}
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
				keep[i], note = w.file(&files[i], e, index)
				if note != "" {
					said[s] = append(said[s], satchel.Diagnostic{Path: files[i].Path, Text: note})
				}
			}
		})
	}
	wg.Wait()
	runtime.KeepAlive(f)
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

// file fills in one file and reports whether to list it.
func (w *statWalk) file(f *WorkFile, e *indexEntry, index *indexState) (keep bool, note string) {
	if !validPath(f.Path) {
		return false, "path leaves the work tree or enters a repository's own folder"
	}
	if f.Mode == ModeSubmodule {
		if e != nil {
			f.OID, f.Clean = e.oid, !f.Conflict
		}
		return true, ""
	}
	var st unix.Stat_t
	err := w.lstat(f.Path, &st)
	if err != nil {
		gone := errors.Is(err, fs.ErrNotExist) || err == unix.ENOTDIR || err == unix.ELOOP
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
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return false, "" // its files are listed as untracked, if they are there
	}
	f.Mode = modeOf(uint32(st.Mode))
	f.Size = st.Size
	f.ModTime, f.ChangeTime, f.Inode = st.Mtim.Nano(), st.Ctim.Nano(), st.Ino
	switch {
	case e != nil && index.trusts(e, f):
		f.OID, f.Clean = e.oid, true
	case f.Mode == modeSpecial:
		return true, satchel.WhySpecial
	}
	return true, ""
}

// modeOf returns git's mode for a file type.
func modeOf(st uint32) Mode {
	switch st & unix.S_IFMT {
	case unix.S_IFREG:
		if st&0o100 != 0 {
			return modeExecutable
		}
		return ModeFile
	case unix.S_IFLNK:
		return ModeSymlink
	case unix.S_IFDIR:
		return ModeDir
	}
	return modeSpecial
}

// A statWalk asks for the metadata of files in path order. It holds the folders
// of the current path open, each opened below its parent and never through a
// symbolic link, so that no path can leave the root and each folder is looked up
// once.
type statWalk struct {
	root int
	dir  string // the folder that is open, "" for the root
	fds  []int  // of the folders on its path, outermost first

	gone    string // a folder that cannot be opened
	goneErr error

	find *strays // if set, the names in the folders are read
	at   int     // the entry that the walk is at, for find
	buf  []byte
}

// splitPath splits a path into its folder and name.
func splitPath(p string) (dir, name string) {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i], p[i+1:]
	}
	return "", p
}

func (w *statWalk) lstat(p string, st *unix.Stat_t) error {
	dir, name := splitPath(p)
	if dir != w.dir {
		if err := w.enter(dir); err != nil {
			return err
		}
	}
	fd := w.root
	if n := len(w.fds); n > 0 {
		fd = w.fds[n-1]
	}
	for {
		err := unix.Fstatat(fd, name, st, unix.AT_SYMLINK_NOFOLLOW)
		if err != unix.EINTR {
			return err
		}
	}
}

// enter makes dir the open folder.
func (w *statWalk) enter(dir string) error {
	if w.gone != "" && below(dir, w.gone) {
		return w.goneErr
	}
	for w.dir != "" && !below(dir, w.dir) {
		n := len(w.fds) - 1
		unix.Close(w.fds[n])
		w.fds = w.fds[:n]
		w.dir = w.dir[:max(0, strings.LastIndexByte(w.dir, '/'))]
	}
	for w.dir != dir {
		start := len(w.dir)
		if start > 0 {
			start++
		}
		end := len(dir)
		if i := strings.IndexByte(dir[start:], '/'); i >= 0 {
			end = start + i
		}
		parent := w.root
		if n := len(w.fds); n > 0 {
			parent = w.fds[n-1]
		}
		fd, err := w.open(parent, dir[start:end], dir[:end])
		if err != nil {
			w.gone, w.goneErr = dir[:end], err
			return err
		}
		w.fds = append(w.fds, fd)
		w.dir = dir[:end]
	}
	return nil
}

// visit goes to the folder of entry i, which may be one that lstat is not asked
// about, and so reads the names in all folders on the way that are new.
func (w *statWalk) visit(i int, path string) {
	w.at = i
	if i == 0 {
		if fd, err := w.open(w.root, ".", ""); err == nil {
			unix.Close(fd)
		}
	}
	if dir, _ := splitPath(path); dir != w.dir {
		_ = w.enter(dir) // lstat meets the same error
	}
}

// open opens the folder dir, which is a name in the open folder parent, and reads
// the names in it if somebody wants to know.
func (w *statWalk) open(parent int, name, dir string) (int, error) {
	if !w.find.wants(dir, w.at) {
		return openDir(parent, name, dirFlags)
	}
	fd, err := openDir(parent, name, nameFlags)
	switch {
	case err == nil:
		if w.buf == nil {
			w.buf = make([]byte, nameBuffer)
		}
		w.find.read(fd, dir, w.at, w.buf)
	case errors.Is(err, fs.ErrNotExist), err == unix.ENOTDIR, err == unix.ELOOP:
		// What is there now, if anything, is a name in the folder above.
	default:
		w.find.doubt()
		return openDir(parent, name, dirFlags)
	}
	return fd, err
}

// nameBuffer is how many bytes of names are asked for at once, as libc does.
const nameBuffer = 32 << 10

func (w *statWalk) close() {
	for _, fd := range w.fds {
		unix.Close(fd)
	}
}

// openDir opens a folder below parent, if it is one and not a symbolic link.
func openDir(parent int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(parent, name, flags, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// below reports whether path p is dir or inside it.
func below(p, dir string) bool {
	return strings.HasPrefix(p, dir) && (len(p) == len(dir) || p[len(dir)] == '/')
}
