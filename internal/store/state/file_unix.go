//go:build unix

package state

import "golang.org/x/sys/unix"

// errNotDir says that something on the way to a file is not a directory.
var errNotDir error = unix.ENOTDIR
