package index

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// Small files that satchel keeps beside its index are read and replaced here:
// never through links, never half, and by one process at a time.

// lockPatience is how long a writer waits for another one.
const lockPatience = 2 * time.Second

// ReadFile returns the bytes of a regular file of a folder. A missing file is
// empty; one of more than limit bytes is an error.
func ReadFile(dir, name string, limit int64) ([]byte, error) {
	if _, err := git.CheckOwn(dir); err != nil && !fsx.NotDir(err) {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
	}
	name = filepath.Join(dir, name)
	fi, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), fsx.NotDir(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: not a regular file", name)
	case fi.Size() > limit:
		return nil, fmt.Errorf("read %s: %d bytes, limit is %d", name, fi.Size(), limit)
	}
	f, err := fsx.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// ReplaceFile makes new bytes of the old ones of a file, in a folder of its own
// below one that is called satchel. Other processes see the old bytes or the new
// ones, even if the power fails. No bytes remove the file. An error of update
// ends it and is returned.
func ReplaceFile(dir, name string, limit int64, update func(old []byte) ([]byte, error)) error {
	return Locked(dir, func() error {
		s := &store{dir: dir}
		old, err := ReadFile(dir, name, limit)
		if err != nil {
			return err
		}
		b, err := update(old)
		if err != nil {
			return err
		}
		if len(b) > 0 {
			return s.write(name, b)
		}
		if err := s.remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// Locked makes a folder below one that is called satchel, and calls do while no
// other process holds its lock.
func Locked(dir string, do func() error) error {
	s := &store{dir: dir}
	unlock, err := s.lock()
	for start := time.Now(); errors.Is(err, fsx.ErrLocked) && time.Since(start) < lockPatience; unlock, err = s.lock() {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	defer unlock()
	s.sweepTemps()
	return do()
}

// Lock takes the lock of a folder of its own below one that is called satchel,
// and makes it if need be. It ends with unlock or with the process, however that
// ends. free is false if another process has it.
func Lock(dir string) (unlock func(), free bool, err error) {
	unlock, err = (&store{dir: dir}).lock()
	if errors.Is(err, fsx.ErrLocked) {
		return nil, false, nil
	}
	return unlock, err == nil, err
}
