package git

import (
	"io/fs"
	"syscall"
)

const executableBits = false

const programName = "git.exe"

const noWait, onlyDir = 0, 0 // nothing below a folder waits to be opened

// changeTime returns when a file was made, which is what git records there as its
// change time.
func changeTime(fi fs.FileInfo) int64 {
	if d, ok := fi.Sys().(*syscall.Win32FileAttributeData); ok {
		return d.CreationTime.Nanoseconds()
	}
	return 0
}
