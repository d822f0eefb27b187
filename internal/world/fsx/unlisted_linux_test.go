package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUnlisted: a file is replaced in a folder that may be written but not listed, as
// one is into which many users put theirs.
func TestUnlisted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dropped")
	for _, err := range []error{
		os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755),
		os.Chmod(filepath.Dir(dir), 0o755),
		os.Mkdir(dir, 0o700),
		os.Chmod(dir, 0o333),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	err := unprivileged(func() error {
		if _, err := os.ReadDir(dir); !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("ReadDir = %v: the folder can be listed", err)
		}
		for _, name := range []string{"a", "b"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
				return err
			}
		}
		return Rename(dir, "a", "b")
	})
	if err != nil {
		t.Error(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "b" {
		t.Errorf("left are %v, %v; want b", entries, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(text) != "a" {
		t.Errorf("b is %q, %v; want what a was", text, err)
	}
}

// unprivileged calls do as a user who may not read everything.
func unprivileged(do func() error) error {
	if os.Geteuid() != 0 {
		return do()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with its user
		const nobody = 65534
		if err := unix.Setfsuid(nobody); err != nil {
			done <- err
			return
		}
		done <- do()
	}()
	return <-done
}
