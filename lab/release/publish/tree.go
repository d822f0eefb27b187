package main

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// A file is its text, or a copy of the program at a path.
type file struct {
	text    []byte
	program string
}

// A tree is files by their slash-separated names.
type tree map[string]file

// add puts the files of another tree below a folder.
func (t tree) add(dir string, files tree) {
	for name, f := range files {
		t[path.Join(dir, name)] = f
	}
}

// write makes a folder of a tree. One that exists must be empty, so that nothing
// old is published.
func (t tree) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err != nil {
		return err
	} else if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name a new folder", dir)
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := t[name].write(to); err != nil {
			return err
		}
	}
	return nil
}

func (f file) write(to string) error {
	if f.program == "" {
		return writeMode(to, 0o644, func(w io.Writer) error { _, err := w.Write(f.text); return err })
	}
	from, err := os.Open(f.program)
	if err != nil {
		return err
	}
	defer from.Close()
	return writeMode(to, 0o755, func(w io.Writer) error { _, err := io.Copy(w, from); return err })
}

// writeMode writes a file with exactly these permissions, whatever the umask is:
// they stand in what npm packs.
func writeMode(to string, mode fs.FileMode, write func(io.Writer) error) error {
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = write(w)
	if err == nil {
		err = w.Chmod(mode)
	}
	if closed := w.Close(); err == nil {
		err = closed
	}
	return err
}
