//go:build unix

package fsx

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// NotDir reports whether an error says that something on the way to a file is not a
// directory.
func NotDir(err error) bool { return errors.Is(err, unix.ENOTDIR) }

func openShared(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
}

func inUse(error) bool { return false } // whoever holds a file

func rename(dir, from, to string) error {
	return os.Rename(filepath.Join(dir, from), filepath.Join(dir, to))
}

func drop(dir *os.Root, _, name string) error { return dir.Remove(name) }

// Lock takes an exclusive lock that ends when the file is closed or the process
// ends, however it ends. It does not wait.
func Lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}

// Unlock ends a lock and closes the file. Closing alone is not enough: a child process
// that was just forked holds the lock, too, until it runs its program.
func Unlock(f *os.File) {
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	_ = f.Close()
}

func syncDir(d *os.File) error {
	// Some file systems cannot; then there is nothing to wait for.
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
