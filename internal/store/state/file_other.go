//go:build !unix

package state

import "io/fs"

// errNotDir says that something on the way to a file is not a directory.
var errNotDir error = fs.ErrNotExist
