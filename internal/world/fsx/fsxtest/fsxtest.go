// Package fsxtest makes things for tests that are no regular files. Where folders
// hold none of a kind, the test is skipped, and says so.
package fsxtest

import "testing"

// Fifo makes a named pipe.
func Fifo(tb testing.TB, path string) {
	tb.Helper()
	check(tb, Mkfifo(path))
}

// Mkfifo makes a named pipe; it may be errors.ErrUnsupported.
func Mkfifo(path string) error { return fifo(path) }

// Socket makes a socket that nobody listens at.
func Socket(tb testing.TB, path string) {
	tb.Helper()
	check(tb, socket(path))
}

// NullDevice makes a device like /dev/null and reports whether it may.
func NullDevice(path string) bool { return nullDevice(path) == nil }
