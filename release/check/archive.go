package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// unpack returns the files of an archive, by name. What would leave the folder that it
// is unpacked into, and what is no file, is an error.
func unpack(name string, b []byte) (map[string][]byte, error) {
	files := make(map[string][]byte)
	keep := func(file string, r io.Reader) error {
		if clean := path.Clean(file); clean != file || path.IsAbs(file) || strings.HasPrefix(file, "..") {
			return fmt.Errorf("%s: holds %q", name, file)
		}
		text, err := io.ReadAll(r)
		files[file] = text
		return err
	}
	if strings.HasSuffix(name, ".zip") {
		return files, unzip(b, keep)
	}
	return files, untar(name, b, keep)
}

func untar(name string, b []byte, keep func(string, io.Reader) error) error {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s: %s is not a regular file", name, h.Name)
		}
		if h.Uname != "root" || h.Uid != 0 {
			return fmt.Errorf("%s: %s belongs to %s, want root", name, h.Name, h.Uname)
		}
		if err := keep(h.Name, t); err != nil {
			return err
		}
	}
}

func unzip(b []byte, keep func(string, io.Reader) error) error {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		if err := keep(f.Name, r); err != nil {
			return err
		}
	}
	return nil
}
