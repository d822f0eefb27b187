//go:build unix

package git

import (
	"io/fs"
	"syscall"
)

// executableBits means that files have them: otherwise, their modes come from the
// index.
const executableBits = true

// programName is the file that git is.
const programName = "git"

// Flags for opening what may have become something else.
const (
	noWait  = syscall.O_NONBLOCK
	onlyDir = syscall.O_DIRECTORY
)

// changeTime is not asked of a [rootWalk]: unix has its own.
func changeTime(fs.FileInfo) int64 { return 0 }
