// Package fsx opens, replaces, removes and locks files in the ways that the
// systems differ in, so that no program that reads one is in the way of another
// that writes it.
//
// Windows keeps a file as it is while somebody has it open, unless everybody who
// does said that it may go. [Open] and [OpenLock] say so, and [Write], [Rename],
// [Remove] and [RemoveAll] wait a moment for those that do not, such as scanners
// for viruses. Elsewhere they are what package os has.
//
// It decides nothing: which file may be written, and what a link at its place
// means, is up to the caller.
package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

var (
	// ErrLocked says that another process has the lock.
	ErrLocked = errors.New("another process is writing")

	// ErrInUse says that another program held a file for longer than it was waited for.
	ErrInUse = errors.New("another program has the file open")
)

// Open opens a file for reading. It does not wait for who would write into a pipe,
// and others may replace or remove the file meanwhile: what is open stays the old
// one.
func Open(name string) (*os.File, error) { return openShared(name) }

// OpenLock opens the file of a lock, and makes it if need be. It can be removed
// while it is locked. The folder must be one that may be listed, as those that are
// locked are.
func OpenLock(name string) (*os.File, error) {
	dir, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.OpenFile(filepath.Base(name), os.O_RDWR|os.O_CREATE, 0o600)
}

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
	if err := insist(held(dir, name), func() error { return dir.Rename(temp, name) }); err != nil {
		return err
	}
	return Sync(dir, filepath.Dir(name))
}

// Rename gives a file or folder of dir another name there, in place of the file that
// has it. The folder need not be one that may be listed.
func Rename(dir, from, to string) error { return rename(dir, from, to) }

// Remove removes a file. Its name is free at once, even if the file lives on until
// those that read it have done so; it is called temp then, in the same folder.
func Remove(dir *os.Root, temp, name string) error {
	return insist(held(dir, name), func() error { return Drop(dir, temp, name) })
}

// Drop is Remove for a file that may as well stay until the next time: it does not
// wait.
func Drop(dir *os.Root, temp, name string) error { return drop(dir, temp, name) }

// RemoveAll removes a folder with all that is in it.
func RemoveAll(name string) error {
	return insist(inUse, func() error { return os.RemoveAll(name) })
}

// RemoveAllIn is RemoveAll of a name below a folder.
func RemoveAllIn(dir *os.Root, name string) error {
	return insist(inUse, func() error { return dir.RemoveAll(name) })
}

// patience is how long a file that another program holds is waited for: scanners
// and indexers take milliseconds.
const patience = 2 * time.Second

// insist calls do until it returns an error that is not one of a file in use, or
// for as long as patience says.
func insist(used func(error) bool, do func() error) error {
	pause := time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		err := do()
		if err == nil || !used(err) {
			return err
		}
		if waited >= patience {
			return fmt.Errorf("%w: %w", ErrInUse, err)
		}
		pause = min(2*pause, patience/20)
		time.Sleep(pause)
	}
}

// held reports of errors whether they may mean that another program holds a file.
// Who may not write a file gets the same ones as who must wait for it.
func held(dir *os.Root, name string) func(error) bool {
	return func(err error) bool {
		if !inUse(err) {
			return false
		}
		fi, err := dir.Lstat(name)
		return err != nil || !fi.IsDir() && fi.Mode().Perm()&0o200 != 0
	}
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
