package sessions

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A home is a folder in which an agent keeps sessions. Nothing outside it is
// reached through it, whatever links it holds.
type home struct {
	dir  string
	root *os.Root
	l    *lister
	seen map[listing][]file // what was listed: patterns share folders
}

// A listing is a folder of a home, and whether its folders or its files are listed.
type listing struct {
	dir     string
	folders bool
}

// home opens a folder; nil if there is none.
func (l *lister) home(dir string) *home {
	if dir == "" || !filepath.IsAbs(dir) {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.diagnose(dir, "not read: "+reason(err))
		}
		return nil
	}
	h := &home{dir: dir, root: root, l: l, seen: map[listing][]file{}}
	l.homes = append(l.homes, h)
	return h
}

func (h *home) close() { _ = h.root.Close() }

// A file is a regular file or a folder of a home.
type file struct {
	name string // slash-separated, below the home
	info fs.FileInfo
}

// list returns the files or folders directly in a folder. Links and special
// files are passed over and counted.
func (h *home) list(dir string, folders bool) []file {
	f, err := h.root.Open(filepath.FromSlash(dir))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			h.l.diagnose(filepath.Join(h.dir, filepath.FromSlash(dir)), "not read: "+reason(err))
		}
		return nil
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		h.l.diagnose(filepath.Join(h.dir, filepath.FromSlash(dir)), "not read to its end: "+reason(err))
	}
	var out []file
	for _, e := range entries {
		switch t := e.Type(); {
		case t.IsDir() != folders && (t.IsDir() || t.IsRegular()):
			continue
		case t&fs.ModeSymlink != 0:
			h.l.odd[h.dir+"\x00symbolic links"]++
			continue
		case !t.IsDir() && !t.IsRegular():
			h.l.odd[h.dir+"\x00special files"]++
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // gone meanwhile
		}
		out = append(out, file{path.Join(dir, e.Name()), info})
	}
	return out
}

func (h *home) files(dir string) []file   { return h.once(dir, false) }
func (h *home) folders(dir string) []file { return h.once(dir, true) }

// once lists a folder, which is read and counted once.
func (h *home) once(dir string, folders bool) []file {
	key := listing{dir, folders}
	list, ok := h.seen[key]
	if !ok {
		list = h.list(dir, folders)
		h.seen[key] = list
	}
	return list
}

// open opens a regular file.
func (h *home) open(name string) (*os.File, fs.FileInfo, error) {
	return regular(h.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0))
}

var errSpecial = errors.New("not a regular file")

// regular closes what is no regular file. It was opened without blocking, so
// that a FIFO in a file's place hangs nobody.
func regular(f *os.File, err error) (*os.File, fs.FileInfo, error) {
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errSpecial
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, st, nil
}

// Heads of files: most tell everything in the first bytes; where they do not,
// because a prompt or a system prompt is long, a second read goes further.
const (
	headBytes = 16 << 10
	headMost  = 512 << 10
)

// start returns the first n bytes of a file.
func (h *home) start(name string, n int) []byte {
	f, st, err := h.open(name)
	if err != nil {
		h.l.diagnose(filepath.Join(h.dir, filepath.FromSlash(name)), "not read: "+reason(err))
		return nil
	}
	defer f.Close()
	b := make([]byte, min(int64(n), st.Size()))
	got, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		h.l.diagnose(filepath.Join(h.dir, filepath.FromSlash(name)), "not read: "+reason(err))
	}
	return b[:got]
}

// reason is what went wrong, without the path that a Diagnostic holds already.
func reason(err error) string {
	return fsx.Cause(err).Error()
}
