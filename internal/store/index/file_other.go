//go:build !unix

package index

import (
	"errors"
	"os"
)

// mapFile maps nothing: a mapped file could not be replaced on Windows. Files are
// read.
func mapFile(*os.File, int) ([]byte, func() error, error) {
	return nil, nil, errors.ErrUnsupported
}

func forget([]byte) {}
