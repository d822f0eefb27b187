package fsx

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// ErrNotDir says that something on the way to a file is not a directory.
var ErrNotDir error = windows.ERROR_DIRECTORY

// Lock takes an exclusive lock that ends when the file is closed or the process
// ends, however it ends. It does not wait.
func Lock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

func syncDir(*os.File) error { return nil }
