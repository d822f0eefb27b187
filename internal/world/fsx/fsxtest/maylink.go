package fsxtest

import (
	"runtime"
	"testing"
)

// MayLink makes a symbolic link for a test that has other things to say, and reports
// whether it may, which is always so but on Windows.
func MayLink(tb testing.TB, target, name string) bool {
	tb.Helper()
	err := Symlink(target, name)
	if err != nil && runtime.GOOS != "windows" {
		tb.Fatal(err)
	}
	return err == nil
}
