package index

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// mapFile is not used: a mapped file could not be replaced. Files are read.
func mapFile(*os.File, int) ([]byte, func() error, error) {
	return nil, nil, errors.ErrUnsupported
}

// lockFile takes an exclusive lock that ends when the file is closed or the
// process ends, however it ends.
func lockFile(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errLocked
	}
	return err
}

func syncDir(string) error { return nil }

// errNotDir says that something on the way to a file is not a directory.
var errNotDir error = windows.ERROR_DIRECTORY
