package program

import (
	"errors"
	"syscall"
)

// brokenPipe reports whether a write failed because the reader has closed the pipe,
// as in satchel pack | head. That is not an error.
func brokenPipe(err error, goos string) bool {
	if goos == "windows" {
		const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // ERROR_BROKEN_PIPE, ERROR_NO_DATA: the same, said later and sooner
		return errors.Is(err, brokenPipe) || errors.Is(err, noData)
	}
	return errors.Is(err, syscall.EPIPE)
}
