//go:build !unix

package readonly

import "io/fs"

// errNotDir says that something on the way to a file is not a directory.
var errNotDir error = fs.ErrNotExist

// links is how many names a file has, if that can be told.
func links(fs.FileInfo) uint64 { return 1 }
