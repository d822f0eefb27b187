//go:build unix

package readonly

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// errNotDir says that something on the way to a file is not a directory.
var errNotDir error = unix.ENOTDIR

// links is how many names a file has.
func links(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}
