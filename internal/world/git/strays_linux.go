package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// readsNames means that this system reports the type of each name.
const readsNames = true

// nameFlags open a folder to list it.
const nameFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

// Offsets in a struct linux_dirent64, see getdents64(2).
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// read reads the names in an open folder, whose first entry is at, and notes the
// strays. buf is for its use.
func (s *strays) read(fd int, dir string, at int, buf []byte) {
	from, to := s.below(dir, at)
	prefix := ""
	if dir != "" {
		prefix = dir + "/"
	}
	names := namesOf{s.entries[from:to], len(prefix)}
	var found []string
	for !s.doubtful.Load() {
		n, err := unix.ReadDirent(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			s.doubt()
			return
		}
		if n == 0 {
			s.add(found)
			return
		}
		for rest := buf[:n]; len(rest) > direntName; {
			size := int(binary.NativeEndian.Uint16(rest[direntLength:]))
			if size <= direntName || size > len(rest) {
				s.doubt()
				return
			}
			kind, name := rest[direntType], rest[direntName:size]
			rest = rest[size:]
			end := bytes.IndexByte(name, 0)
			if end < 0 {
				s.doubt()
				return
			}
			stray, sure := names.stray(name[:end+1], kind)
			if !sure || string(name[:end]) == ignoreFile && !ignores(fd) {
				s.doubt()
				return
			}
			if stray {
				if len(found) == mostStrays {
					s.doubt() // a folder may hold millions
					return
				}
				found = append(found, prefix+string(name[:end]))
			}
		}
	}
}

// ignores reports whether git can read the ignore file of a folder. If not, it
// complains, which must not get lost.
func ignores(dir int) bool {
	var st unix.Stat_t
	err := unix.Fstatat(dir, ignoreFile, &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size <= maxShort && unix.Faccessat(dir, ignoreFile, unix.R_OK, 0) == nil
}

// plainRules reports whether git can read the ignore rules that hold everywhere.
func (r *Repo) plainRules() bool {
	for _, name := range []string{r.excludes, filepath.Join(r.common, "info", "exclude")} {
		switch {
		case name == devNull:
			continue
		case !filepath.IsAbs(name):
			return false
		}
		fi, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxShort || unix.Access(name, unix.R_OK) != nil {
			return false
		}
	}
	return true
}
