package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// # What satchel keeps beside a repository
//
// The index, the notes and other records lie in folders called satchel: in the git
// folder, or in the user's cache folder. A git folder may have come with a copied
// repository, links and all, and a link in the place of such a folder would show
// and change what belongs to another project. So everything that is kept there is
// opened behind these two functions.

// ErrOwnLink says that a folder of satchel's own is a symbolic link.
var ErrOwnLink = errors.New("is a symbolic link")

// ownName is what such a folder is called.
const ownName = "satchel"

// ownFolders returns dir and the folders above it as far as they are satchel's own,
// from the top. Records lie at most two folders below the one that is called
// satchel; a folder that the user named is itself alone.
func ownFolders(dir string) []string {
	list := []string{dir}
	for at := dir; len(list) < 3 && filepath.Base(at) != ownName; {
		at = filepath.Dir(at)
		list = append([]string{at}, list...)
	}
	if filepath.Base(list[0]) != ownName {
		return []string{dir}
	}
	return list
}

// CheckOwn reports whether a folder of satchel exists. It returns an error if the
// path has a symbolic link or is not a folder.
func CheckOwn(dir string) (there bool, err error) {
	for _, d := range ownFolders(dir) {
		switch there, err := ownFolder(d); {
		case err != nil, !there:
			return false, err
		}
	}
	return true, nil
}

// MakeOwn makes a folder of satchel's own, unless a link or a file is in its way:
// then nothing is made, and least of all what the link leads to.
func MakeOwn(dir string) error {
	list := ownFolders(dir)
	if err := os.MkdirAll(filepath.Dir(list[0]), 0o700); err != nil {
		return err
	}
	for _, d := range list {
		there, err := ownFolder(d)
		if err == nil && !there {
			if err = os.Mkdir(d, 0o700); errors.Is(err, fs.ErrExist) {
				_, err = ownFolder(d) // another process was faster
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func ownFolder(dir string) (there bool, err error) {
	fi, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case fi.Mode()&fs.ModeSymlink != 0:
		return false, fmt.Errorf("%s %w", clean(dir), ErrOwnLink)
	case !fi.IsDir():
		return false, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	return true, nil
}
