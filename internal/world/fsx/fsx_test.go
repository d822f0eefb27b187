package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, text := range []string{"first", "second", ""} {
		if err := Write(root, "x.tmp", "x", 0o640, []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "x"))
		fi, statErr := os.Stat(filepath.Join(dir, "x"))
		if err != nil || statErr != nil || string(got) != text || fi.Mode().Perm() != perm(0o640) {
			t.Errorf("%q with mode %v, %v, %v; want %q with %v", got, fi.Mode(), err, statErr, text, perm(0o640))
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	err = Write(root, "x.tmp", "folder", 0o600, []byte("x"))
	if _, there := os.Lstat(filepath.Join(dir, "x.tmp")); err == nil || !errors.Is(there, fs.ErrNotExist) {
		t.Errorf("Write over a folder = %v, and the temporary file: %v", err, there)
	}
	// A file or a link that has the temporary name already is neither used nor removed.
	fsxtest.Link(t, filepath.Join(dir, "elsewhere"), filepath.Join(dir, "x.tmp"))
	if err := Write(root, "x.tmp", "x", 0o600, []byte("y")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Write over a link = %v, want that it is there", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "x.tmp")); err != nil {
		t.Error(err)
	}
}

// perm is what of a mode the system tells: Windows whether a file is read-only.
func perm(mode fs.FileMode) fs.FileMode {
	if runtime.GOOS == "windows" {
		return 0o666
	}
	return mode
}

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := OpenLock(name)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a, b := open(), open()
	err := Lock(a)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Lock(b); !errors.Is(err, ErrLocked) {
		t.Errorf("Lock = %v, want %v", err, ErrLocked)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Lock(b); err != nil {
		t.Errorf("Lock after the other file was closed = %v", err)
	}
	if err := os.Remove(name); err != nil {
		t.Errorf("the file cannot be removed while it is locked: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file was removed, and is there: %v", err)
	}
}
