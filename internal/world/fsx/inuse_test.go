package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// What somebody reads is replaced and removed all the same. The reader sees the old
// bytes to their end, and the name is free for a new file at once.
func TestHeldOpen(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := filepath.Join(dir, "x")
	type reader struct {
		f    *os.File
		want string
	}
	var readers []reader
	write := func(text string) {
		t.Helper()
		if err := Write(root, "new.tmp", "x", 0o600, []byte(text)); err != nil {
			t.Fatal(err)
		}
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		half := make([]byte, len(text)/2)
		if _, err := io.ReadFull(f, half); err != nil || string(half) != text[:len(half)] {
			t.Fatalf("%q, %v; want the first half of %q", half, err, text)
		}
		readers = append(readers, reader{f, text[len(half):]})
	}
	for i, text := range []string{"first text", "second", strings.Repeat("third", 1000)} {
		write(text)
		if err := Remove(root, fmt.Sprintf("old%d.tmp", i), "x"); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open of what was removed: %v", err)
		}
	}
	write("fourth")
	err = Write(root, "new.tmp", "x", 0o600, []byte("fifth"))
	now, readErr := os.ReadFile(name)
	_, temp := root.Lstat("new.tmp")
	switch {
	case readErr != nil || !errors.Is(temp, fs.ErrNotExist):
		t.Errorf("after Write, %v; the temporary file: %v", readErr, temp)
	case err == nil && string(now) != "fifth":
		t.Errorf("%q after Write, want the new text", now)
	case err != nil && runtime.GOOS != "windows":
		t.Error(err)
	case err != nil && (string(now) != "fourth" || !errors.Is(err, ErrInUse)):
		// Not every file system of Windows can do it; then nothing has happened.
		t.Errorf("%q after Write = %v; want the old text, and why", now, err)
	}
	for _, r := range readers {
		rest, err := io.ReadAll(r.f)
		if err != nil || string(rest) != r.want {
			t.Errorf("the rest is %q, %v; want %q", rest, err, r.want)
		}
		if err := r.f.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := Write(root, "new.tmp", "x", 0o600, []byte("last")); err != nil {
		t.Errorf("Write when nobody reads any more: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v; want x alone", entries, err)
	}
}

func TestRename(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Rename(dir, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(b) != "a" {
		t.Errorf("%q, %v", b, err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "from"), 0o700), Rename(dir, "from", "to")); err != nil {
		t.Error(err)
	}
	if err := Rename(dir, "none", "b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Rename of nothing = %v", err)
	}
	if err := RemoveAll(filepath.Join(dir, "to")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "to")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat of what was removed: %v", err)
	}
}

// What is no file to be replaced or removed is refused at once.
func TestNotReplaced(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"full", "full/x"} {
		if err := root.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for what, err := range map[string]error{
		"Write":  Write(root, "tmp", "full", 0o600, []byte("x")),
		"Remove": Remove(root, "tmp", "full"),
	} {
		if err == nil || errors.Is(err, ErrInUse) {
			t.Errorf("%s of a folder = %v, want an error about that", what, err)
		}
	}
	if _, err := root.Lstat("full/x"); err != nil {
		t.Error(err)
	}
	if err := Remove(root, "tmp", "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Remove of nothing = %v", err)
	}
}

// What lies below a file is not there, and no failure.
func TestBelowFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, below := range []string{filepath.Join(name, "x"), filepath.Join(name, "x", "y")} {
		if _, err := Open(below); !NotDir(err) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%s) = %v", below, err)
		}
		if _, err := OpenLock(below); err == nil {
			t.Errorf("OpenLock(%s) makes one", below)
		}
	}
	if !NotDir(&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOTDIR}) || NotDir(fs.ErrNotExist) || NotDir(nil) {
		t.Error("NotDir does not say what is no directory")
	}
}

// A file in use is waited for, but not for ever; any other error ends it at once.
func TestInsist(t *testing.T) {
	inUse, other := errors.New("in use"), errors.New("other")
	used := func(err error) bool { return errors.Is(err, inUse) }
	for _, c := range []struct {
		refused int // how often the file is in use
		then    error
		tries   int // 0 for any number
		want    error
		least   time.Duration
	}{
		{0, nil, 1, nil, 0},
		{3, nil, 4, nil, 0},
		{0, other, 1, other, 0},
		{2, other, 3, other, 0},
		{1 << 30, nil, 0, inUse, patience},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries, start := 0, time.Now()
			err := insist(used, func() error {
				if tries++; tries <= c.refused {
					return inUse
				}
				return c.then
			})
			took := time.Since(start)
			if !errors.Is(err, c.want) || errors.Is(err, ErrInUse) != (c.least > 0) || c.tries > 0 && tries != c.tries || took < c.least || took > patience+patience/10 {
				t.Errorf("refused %d times, then %v: %v after %d tries and %v; want %v after %d", c.refused, c.then, err, tries, took, c.want, c.tries)
			}
		})
	}
}
