//go:build unix

package fsxtest

import (
	"testing"

	"golang.org/x/sys/unix"
)

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func fifo(path string) error { return unix.Mkfifo(path, 0o644) }

func socket(path string) error { return unix.Mknod(path, unix.S_IFSOCK|0o644, 0) }
