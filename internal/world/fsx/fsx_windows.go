package fsx

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// NotDir reports whether an error says that something on the way to a file is not a
// directory. Package os has an errno of its own for that, and passes on Windows'.
func NotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, windows.ERROR_DIRECTORY)
}

// openShared differs from os.Open in one flag, FILE_SHARE_DELETE, which package os
// sets only for what is opened below an [os.Root], where no link may lead out.
func openShared(name string) (*os.File, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	h, err := windows.CreateFile(path, windows.GENERIC_READ,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil,
		windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// inUse reports whether an error may mean that another program holds the file, or
// one in the folder.
func inUse(err error) bool {
	for _, e := range []error{
		windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_USER_MAPPED_FILE, windows.ERROR_DELETE_PENDING,
		windows.ERROR_ACCESS_DENIED, // a rename in the place of an open file, and a name whose file waits to be removed
		windows.ERROR_DIR_NOT_EMPTY, // the same, of the folder
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// rename goes by an [os.Root], which renames in the place of an open file, and os.Rename
// does not.
func rename(dir, from, to string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return insist(held(root, to), func() error { return root.Rename(from, to) })
}

// drop gives the file the name temp first. NTFS frees the name of a file that is
// removed while somebody reads it; other file systems keep it taken until then,
// and let the file be renamed all the same.
func drop(dir *os.Root, temp, name string) error {
	if fi, err := dir.Lstat(name); err == nil && fi.IsDir() {
		return &fs.PathError{Op: "remove", Path: name, Err: windows.ERROR_DIRECTORY_NOT_SUPPORTED}
	}
	if err := dir.Rename(name, temp); err != nil {
		return err
	}
	_ = dir.Remove(temp) // if it cannot be now, it goes with what else has such a name
	return nil
}

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

// Unlock ends a lock and closes the file.
func Unlock(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
	_ = f.Close()
}

func syncDir(*os.File) error { return nil }
