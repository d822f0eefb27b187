package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A rootWalk is a walker through [os.Root], which every system has.
type rootWalk struct {
	descent
	top   *os.Root
	roots []*os.Root // of the folders on the path, outermost first
}

func (w *rootWalk) lstat(p string) (fileStat, error) {
	dir, name := splitPath(p)
	if err := w.enter(dir, w); err != nil {
		return fileStat{}, err
	}
	fi, err := w.parent().Lstat(name)
	if err != nil {
		return fileStat{}, plainError(err)
	}
	st := fileStat{mode: modeOfFile(fi.Mode()), size: fi.Size(), modTime: fi.ModTime().UnixNano()}
	st.changeTime = changeTime(fi)
	return st, nil
}

func (w *rootWalk) readlink(p string) (string, error) {
	dir, name := splitPath(p)
	if err := w.enter(dir, w); err != nil {
		return "", err
	}
	target, err := w.parent().Readlink(name)
	return filepath.ToSlash(target), plainError(err) // as git records it
}

// modeOfFile returns git's mode for a file.
func modeOfFile(m fs.FileMode) Mode {
	switch {
	case m.IsRegular() && m&0o100 != 0:
		return modeExecutable
	case m.IsRegular():
		return ModeFile
	case m&fs.ModeSymlink != 0:
		return ModeSymlink
	case m.IsDir():
		return ModeDir
	}
	return modeSpecial // on Windows a junction, too
}

// parent returns the innermost open folder.
func (w *rootWalk) parent() *os.Root {
	if n := len(w.roots); n > 0 {
		return w.roots[n-1]
	}
	return w.top
}

// push opens a folder that is one and not a symbolic link: os.Root follows links
// that stay inside it, so it has to be the one that was there.
func (w *rootWalk) push(name, _ string) error {
	parent := w.parent()
	before, err := parent.Lstat(name)
	if err != nil {
		return plainError(err)
	}
	if !before.IsDir() {
		return syscall.ENOTDIR
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		return plainError(err)
	}
	if fi, err := root.Lstat("."); err != nil || !os.SameFile(before, fi) {
		root.Close()
		return syscall.ENOTDIR // it became a link meanwhile
	}
	w.roots = append(w.roots, root)
	return nil
}

func (w *rootWalk) pop() {
	n := len(w.roots) - 1
	w.roots[n].Close()
	w.roots = w.roots[:n]
}

// visit reads no names: git lists what is untracked.
func (w *rootWalk) visit(int, string) {}

func (w *rootWalk) close() {
	for _, r := range w.roots {
		r.Close()
	}
}

// plainError returns what went wrong without the name, as system calls do.
func plainError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
