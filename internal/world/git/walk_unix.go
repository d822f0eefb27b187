//go:build unix

package git

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// walk returns what looks at the files below the folder, and reads names for find,
// if that is set.
func (f *Folder) walk(find *strays) walker {
	if f.portable {
		return &rootWalk{top: f.root}
	}
	return &descriptorWalk{folder: f, root: int(f.base.Fd()), find: find}
}

// A descriptorWalk is a walker with a descriptor for each folder.
type descriptorWalk struct {
	descent
	folder *Folder // keeps root open
	root   int
	fds    []int // of the folders on the path, outermost first

	find *strays // if set, the names in the folders are read
	at   int     // the entry that the walk is at, for find
	buf  []byte
}

func (w *descriptorWalk) lstat(p string) (fileStat, error) {
	dir, name := splitPath(p)
	if dir != w.dir {
		if err := w.enter(dir, w); err != nil {
			return fileStat{}, err
		}
	}
	var st unix.Stat_t
	for {
		err := unix.Fstatat(w.parent(), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		switch err {
		case nil:
			return fileStat{modeOf(uint32(st.Mode)), st.Size, st.Mtim.Nano(), st.Ctim.Nano(), st.Ino}, nil
		case unix.EINTR:
		default:
			return fileStat{}, err
		}
	}
}

func (w *descriptorWalk) readlink(p string) (string, error) {
	dir, name := splitPath(p)
	if err := w.enter(dir, w); err != nil {
		return "", err
	}
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(w.parent(), name, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
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

// parent returns the descriptor of the innermost open folder.
func (w *descriptorWalk) parent() int {
	if n := len(w.fds); n > 0 {
		return w.fds[n-1]
	}
	return w.root
}

func (w *descriptorWalk) push(name, dir string) error {
	fd, err := w.open(w.parent(), name, dir)
	if err == nil {
		w.fds = append(w.fds, fd)
	}
	return err
}

func (w *descriptorWalk) pop() {
	n := len(w.fds) - 1
	unix.Close(w.fds[n])
	w.fds = w.fds[:n]
}

func (w *descriptorWalk) visit(i int, path string) {
	w.at = i
	if i == 0 {
		if fd, err := w.open(w.root, ".", ""); err == nil {
			unix.Close(fd)
		}
	}
	if dir, _ := splitPath(path); dir != w.dir {
		_ = w.enter(dir, w) // lstat meets the same error
	}
}

// open opens the folder dir, which is a name in the open folder parent, and reads
// the names in it if somebody wants to know.
func (w *descriptorWalk) open(parent int, name, dir string) (int, error) {
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
	case noSuchFile(err):
		// What is there now, if anything, is a name in the folder above.
	default:
		w.find.doubt()
		return openDir(parent, name, dirFlags)
	}
	return fd, err
}

// nameBuffer is how many bytes of names are asked for at once, as libc does.
const nameBuffer = 32 << 10

func (w *descriptorWalk) close() {
	for _, fd := range w.fds {
		unix.Close(fd)
	}
	runtime.KeepAlive(w.folder)
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
