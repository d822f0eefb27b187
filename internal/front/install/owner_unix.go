//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign reports whether a file belongs to another user: replacing it would
// make it ours.
func foreign(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) != os.Geteuid()
}
