//go:build unix

package index

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file of the given size. The bytes must only be read, and not
// after unmap. They stay if the file is unlinked.
func mapFile(f *os.File, size int) (b []byte, unmap func() error, err error) {
	b, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return b, func() error { return unix.Munmap(b) }, nil
}

// lockFile takes an exclusive lock that ends when the file is closed or the
// process ends, however it ends.
func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		default:
			return err
		}
	}
}

// syncDir makes renames in a directory last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	// Some file systems cannot; then there is nothing to wait for.
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}

// errNotDir says that something on the way to a file is not a directory.
var errNotDir error = unix.ENOTDIR
