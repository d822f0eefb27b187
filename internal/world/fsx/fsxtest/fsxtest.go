// Package fsxtest makes things for tests that are no regular files. Where folders
// hold none of a kind, the test is skipped, and says so.
package fsxtest

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"testing"
)

// Fifo makes a named pipe.
func Fifo(tb testing.TB, path string) {
	tb.Helper()
	check(tb, Mkfifo(path))
}

// Mkfifo makes a named pipe; it may be errors.ErrUnsupported.
func Mkfifo(path string) error { return fifo(path) }

// Link makes a symbolic link, which Windows does not allow to everybody.
func Link(tb testing.TB, target, name string) {
	tb.Helper()
	err := Symlink(target, name)
	switch {
	case err != nil && runtime.GOOS == "windows":
		tb.Skipf("no symbolic link %s: %v", name, err)
	case err != nil:
		tb.Fatal(err)
	}
}

// Symlink makes a symbolic link, and is an error if none is there afterwards.
func Symlink(target, name string) error {
	if err := os.Symlink(target, name); err != nil {
		return err
	}
	fi, err := os.Lstat(name)
	if err == nil && fi.Mode()&fs.ModeSymlink == 0 {
		err = errors.New("it was not made")
	}
	return err
}

// Socket makes a socket that nobody listens at.
func Socket(tb testing.TB, path string) {
	tb.Helper()
	check(tb, socket(path))
}

// NullDevice makes a device like /dev/null and reports whether it may.
func NullDevice(path string) bool { return nullDevice(path) == nil }
