package program

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// TestBrokenPipeOf: each system has numbers of its own for a reader that has seen
// enough, and only these are no failure.
func TestBrokenPipeOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		goos string
		want bool
	}{
		{syscall.EPIPE, "linux", true},
		{syscall.Errno(232), "windows", true},
		{syscall.Errno(109), "windows", true},
		{syscall.Errno(5), "windows", false},
		{syscall.Errno(232), "linux", false},
		{fs.ErrNotExist, "windows", false},
	} {
		err := fmt.Errorf("write standard output: %w", &os.PathError{Op: "write", Path: "|1", Err: tt.err})
		if got := brokenPipe(err, tt.goos); got != tt.want {
			t.Errorf("brokenPipe(%v, %s) = %v, want %v", err, tt.goos, got, tt.want)
		}
	}
}
