//go:build !unix && !windows

package index

import (
	"errors"
	"os"
)

// Without locks the index is not written: it lives in memory.

func mapFile(*os.File, int) ([]byte, func() error, error) {
	return nil, nil, errors.ErrUnsupported
}

func lockFile(*os.File) error { return errors.ErrUnsupported }

func syncDir(string) error { return nil }

var errNotDir = errors.New("not a directory")
