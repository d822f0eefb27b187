//go:build !unix

package readonly

import "io/fs"

// links is how many names a file has, if that can be told.
func links(fs.FileInfo) uint64 { return 1 }
