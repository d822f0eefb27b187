//go:build !linux

package git

import "io"

func (f *Folder) open(path string, limit int64) (io.ReadCloser, int64, error) {
	return f.openRoot(path, limit)
}
