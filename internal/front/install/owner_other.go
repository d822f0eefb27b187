//go:build !unix

package install

import (
	"io/fs"
)

func foreign(fs.FileInfo) bool { return false }
