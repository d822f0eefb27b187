// Package fsx replaces files whole, and locks them against other processes, in
// the ways that the systems differ in.
//
// It decides nothing: which file may be written, and what a link at its place
// means, is up to the caller.
package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrLocked says that another process has the lock.
var ErrLocked = errors.New("another process is writing")

// Write puts a new file in the place of the one called name, with the bytes and
// exactly the mode. It is written under the name temp first, in the same folder,
// which must be free. Other programs see the old file or the new one, even if the
// power fails.
func Write(dir *os.Root, temp, name string, mode fs.FileMode, parts ...[]byte) (err error) {
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = dir.Remove(temp)
		}
	}()
	if err := f.Chmod(mode); err != nil { // whatever the umask says
		return err
	}
	for _, b := range parts {
		if _, err := f.Write(b); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := dir.Rename(temp, name); err != nil {
		return err
	}
	return Sync(dir, filepath.Dir(name))
}

// Sync makes what was named and removed in a folder last.
func Sync(dir *os.Root, name string) error {
	d, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil // removed meanwhile, or not to be read
	}
	if err != nil {
		return err
	}
	defer d.Close()
	return syncDir(d)
}
