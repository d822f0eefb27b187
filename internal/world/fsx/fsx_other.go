//go:build !unix && !windows

package fsx

import (
	"errors"
	"os"
	"path/filepath"
)

// NotDir reports whether an error says that something on the way to a file is not a
// directory; here none does.
func NotDir(error) bool { return false }

func openShared(name string) (*os.File, error) { return os.Open(name) }

func inUse(error) bool { return false }

func rename(dir, from, to string) error {
	return os.Rename(filepath.Join(dir, from), filepath.Join(dir, to))
}

func drop(dir *os.Root, _, name string) error { return dir.Remove(name) }

// Lock takes no lock: there are none.
func Lock(*os.File) error { return errors.ErrUnsupported }

// Unlock closes the file.
func Unlock(f *os.File) { _ = f.Close() }

func syncDir(*os.File) error { return nil }
