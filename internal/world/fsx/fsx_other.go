//go:build !unix && !windows

package fsx

import (
	"errors"
	"os"
)

// ErrNotDir says that something on the way to a file is not a directory.
var ErrNotDir = errors.New("not a directory")

func openShared(name string) (*os.File, error) { return os.Open(name) }

func inUse(error) bool { return false }

func drop(dir *os.Root, _, name string) error { return dir.Remove(name) }

// Lock takes no lock: there are none.
func Lock(*os.File) error { return errors.ErrUnsupported }

func syncDir(*os.File) error { return nil }
