package git

import "strings"

// A walker asks for the metadata of files below a folder, best in the order of
// their paths. It never looks through a symbolic link, so that no path can leave
// the folder: what is behind one does not exist, which is syscall.ENOTDIR or ELOOP.
//
// Unix has [descriptorWalk]; [rootWalk] is for every system.
type walker interface {
	lstat(path string) (fileStat, error)
	readlink(path string) (string, error)

	// visit goes to the folder of entry i, which may be one that lstat is not asked
	// about, so that the names in all folders on the way that are new are read.
	visit(i int, path string)

	close()
}

// A fileStat is what the disk says about a file. A change time or inode of zero is
// one that the system does not tell.
type fileStat struct {
	mode                      Mode // ModeDir for a folder
	size, modTime, changeTime int64
	inode                     uint64
}

// A descent holds the folders of the current path open, each opened below its
// parent, so that each is looked up once.
type descent struct {
	dir string // the folder that is open, "" for the root

	gone    string // a folder that cannot be opened
	goneErr error
}

// folders are the open ones of a descent, outermost first.
type folders interface {
	push(name, dir string) error // opens the folder dir, a name in the innermost one
	pop()                        // closes the innermost one
}

// enter makes dir the open folder.
func (w *descent) enter(dir string, open folders) error {
	if w.gone != "" && below(dir, w.gone) {
		return w.goneErr
	}
	for w.dir != "" && !below(dir, w.dir) {
		open.pop()
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
		if err := open.push(dir[start:end], dir[:end]); err != nil {
			w.gone, w.goneErr = dir[:end], err
			return err
		}
		w.dir = dir[:end]
	}
	return nil
}

// splitPath splits a path into its folder and name.
func splitPath(p string) (dir, name string) {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i], p[i+1:]
	}
	return "", p
}

// below reports whether path p is dir or inside it.
func below(p, dir string) bool {
	return strings.HasPrefix(p, dir) && (len(p) == len(dir) || p[len(dir)] == '/')
}
