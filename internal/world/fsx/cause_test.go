package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCause: an error of a file is told in the same words on all systems, without
// the path, and is still known by what it is.
func TestCause(t *testing.T) {
	dir := t.TempDir()
	_, err := os.Open(filepath.Join(dir, "none"))
	for _, err := range []error{err, fmt.Errorf("first: %w", err), os.Rename(filepath.Join(dir, "none"), filepath.Join(dir, "other"))} {
		if got := Cause(err); got.Error() != "no such file or directory" || !errors.Is(got, fs.ErrNotExist) {
			t.Errorf("Cause(%v) = %v, which is fs.ErrNotExist: %v", err, got, errors.Is(got, fs.ErrNotExist))
		}
	}
	if got := Cause(os.Mkdir(dir, 0o755)); got.Error() != "file exists" {
		t.Errorf("Cause = %v, want file exists", got)
	}
	if got := Cause(nil); got != nil {
		t.Errorf("Cause(nil) = %v", got)
	}
	own := errors.New("The end.")
	if got := Cause(own); got.Error() != "The end." {
		t.Errorf("Cause(%v) = %v", own, got)
	}
	want := "read none: open " + filepath.Join(dir, "none") + ": no such file or directory"
	if got := Message(fmt.Errorf("read none: %w", err)); got != want {
		t.Errorf("Message = %q, want %q", got, want)
	}
}

// TestCauseInUse: that another program has the file open is said, however the error
// was wrapped, and once.
func TestCauseInUse(t *testing.T) {
	rename := &os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EACCES}
	remove := &fs.PathError{Op: "remove", Path: "a", Err: syscall.EACCES}
	refused := fmt.Errorf("%w: %w", ErrInUse, rename) // as insist writes it
	for _, err := range []error{
		refused,
		fmt.Errorf("first: %w", refused),
		fmt.Errorf("%w: %w", ErrInUse, remove),
		&fs.PathError{Op: "remove", Path: "a", Err: fmt.Errorf("%w: %w", ErrInUse, syscall.EACCES)},
		Cause(refused),
	} {
		got := Cause(err)
		if want := "another program has the file open: permission denied"; got.Error() != want || !errors.Is(got, ErrInUse) || !errors.Is(got, fs.ErrPermission) {
			t.Errorf("Cause(%v) = %v, want %s", err, got, want)
		}
	}
	if got := Cause(rename); errors.Is(got, ErrInUse) {
		t.Errorf("Cause(%v) = %v, and nobody has it open", rename, got)
	}
}

// TestUnixWords: what has no words of Unix is what Windows says, as a part of a
// sentence.
func TestUnixWords(t *testing.T) {
	for _, tt := range []struct {
		code       uint
		said, want string
	}{
		{2, "The system cannot find the file specified.", "no such file or directory"},
		{5, "Zugriff verweigert", "permission denied"},
		{32, "The process cannot access the file because it is being used by another process.", "another program has it open"},
		{1117, "The request could not be performed because of an I/O device error.", "the request could not be performed because of an I/O device error"},
		{9999, "DLL is gone.", "DLL is gone"},
		{9999, "A device is gone.", "a device is gone"},
		{9999, "", ""},
	} {
		if got := unixWords(tt.code, tt.said); got != tt.want {
			t.Errorf("unixWords(%d, %q) = %q, want %q", tt.code, tt.said, got, tt.want)
		}
	}
}
