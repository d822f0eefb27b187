//go:build unix

package fsx

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestUnlock checks that a lock ends although a child process has inherited the file,
// which a second descriptor replaces here.
func TestUnlock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	f, err := OpenLock(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := Lock(f); err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	Unlock(f)

	next, err := OpenLock(name)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if err := Lock(next); err != nil {
		t.Errorf("Lock after Unlock = %v", err)
	}
}
