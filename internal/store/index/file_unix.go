//go:build unix

package index

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file of the given size. The bytes must only be read, and not
// after unmap. They stay if the file is unlinked.
func mapFile(f *os.File, size int) (b []byte, unmap func() error, err error) {
	b, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return b, func() error { return unix.Munmap(b) }, nil
}

// forget gives the memory of a mapped file back; who reads it again reads the file.
func forget(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }
