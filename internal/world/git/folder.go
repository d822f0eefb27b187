package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// A Folder reads the files below one folder, whether or not git knows them. It
// never follows a symbolic link and never opens anything but regular files. It
// is safe for concurrent use.
type Folder struct {
	dir  string
	root *os.Root
	base *os.File // the folder itself, to resolve paths against

	portable bool // do without what only some systems have; for tests
}

// OpenFolder opens a folder without git. No ignore rules apply: what to leave
// out is the caller's choice.
func OpenFolder(dir string) (*Folder, error) {
	dir, err := realDir(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	base, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Folder{dir: dir, root: root, base: base}, nil
}

// Dir returns the folder's absolute path.
func (f *Folder) Dir() string { return f.dir }

// Close releases the folder.
func (f *Folder) Close() error {
	return errors.Join(f.base.Close(), f.root.Close())
}

// ReadFile returns the bytes of a regular file. It returns a *[TooLargeError] if
// the file is larger than limit, without reading it, and [ErrNotRegular] for
// everything that is not a regular file below the folder, reached without a
// symbolic link.
func (f *Folder) ReadFile(path string, limit int64) ([]byte, error) {
	if !validPath(path) {
		return nil, fmt.Errorf("%s: %w below the root", clean(path), ErrNotRegular)
	}
	file, size, err := f.open(path, limit)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readLimited(file, path, size, limit)
}

// ReadTracked is ReadFile: a folder without git is not sparse.
func (f *Folder) ReadTracked(path string, limit int64) (data []byte, sparse bool, err error) {
	data, err = f.ReadFile(path, limit)
	return data, false, err
}

// openRoot opens a regular file through os.Root.
func (f *Folder) openRoot(path string, limit int64) (io.ReadCloser, int64, error) {
	if !validPath(path) {
		return nil, 0, fmt.Errorf("%s: %w below the root", clean(path), ErrNotRegular)
	}
	// Each folder on the way must be a real one. os.Root would follow links
	// that stay inside; git treats what is behind them as absent.
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		fi, err := f.root.Lstat(path[:i])
		if err != nil {
			return nil, 0, readError(path, err)
		}
		if !fi.IsDir() {
			return nil, 0, fmt.Errorf("%s: %w: %s is not a folder", clean(path), ErrNotRegular, clean(path[:i]))
		}
	}
	before, err := f.root.Lstat(path)
	if err != nil {
		return nil, 0, readError(path, err)
	}
	if !before.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: %w", clean(path), ErrNotRegular)
	}
	if before.Size() > limit {
		return nil, 0, &TooLargeError{What: path, Size: before.Size(), Limit: limit}
	}
	// Without waiting, for the case that the file has become a FIFO by now.
	file, err := f.root.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, 0, readError(path, err)
	}
	fi, err := file.Stat()
	if err == nil && !os.SameFile(before, fi) {
		err = errChanged
	}
	if err != nil {
		file.Close()
		return nil, 0, readError(path, err)
	}
	return file, fi.Size(), nil
}

var errChanged = fmt.Errorf("%w: changed while it was opened", ErrNotRegular)

// readLimited reads an open file of about size bytes.
func readLimited(file io.Reader, path string, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, &TooLargeError{What: path, Size: size, Limit: limit}
	}
	// One byte more than expected lets the first read see the end of the file.
	buf := make([]byte, 0, size+1)
	for {
		n, err := file.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return nil, &TooLargeError{What: path, Limit: limit} // it grew
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, readError(path, err)
		}
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, 4096)
		}
	}
}

// readError makes the message of a failed read, without an absolute path.
func readError(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", clean(path), err)
}

// Files lists all files below the folder, sorted by path. Symbolic links and
// special files are listed, not followed or opened; folders named .git are left
// out, and so is what cannot be read, with a Diagnostic.
func (f *Folder) Files() ([]WorkFile, []satchel.Diagnostic, error) {
	files, diags, _, err := f.FilesIn(func(string) bool { return true }, math.MaxInt)
	return files, diags, err
}

// FilesIn is Files limited to the folders that enter accepts, and to the first most
// files of a walk by name: more reports whether there are others.
func (f *Folder) FilesIn(enter func(dir string) bool, most int) (files []WorkFile, diags []satchel.Diagnostic, more bool, err error) {
	var walk func(dir string, depth int) error
	walk = func(dir string, depth int) error {
		name := dir
		if dir == "" {
			name = "."
		}
		if more {
			return nil
		}
		if depth > maxDepth {
			diags = append(diags, satchel.Diagnostic{Path: dir, Text: fmt.Sprintf("folder more than %d levels deep, not entered", maxDepth)})
			return nil
		}
		d, err := f.root.OpenFile(name, os.O_RDONLY|noWait|onlyDir, 0)
		if err != nil {
			if dir == "" {
				return err
			}
			diags = append(diags, satchel.Diagnostic{Path: dir, Text: satchel.WhyUnread + ": " + readError(dir, err).Error()})
			return nil
		}
		list, err := d.ReadDir(-1)
		d.Close()
		if err != nil {
			diags = append(diags, satchel.Diagnostic{Path: dir, Text: satchel.WhyUnread + ": " + readError(dir, err).Error()})
		}
		slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range list {
			path := e.Name()
			if dir != "" {
				path = dir + "/" + path
			}
			if len(e.Name()) == 4 && strings.EqualFold(e.Name(), ".git") {
				continue
			}
			if e.IsDir() {
				if !enter(path) {
					continue
				}
				if err := walk(path, depth+1); err != nil {
					return err
				}
				continue
			}
			if more = more || len(files) >= most; more {
				return nil
			}
			files = append(files, WorkFile{Path: path, Untracked: true})
		}
		return nil
	}
	if err := walk("", 0); err != nil {
		return nil, nil, false, err
	}
	sortFiles(files)
	files = f.statAll(files, nil, nil, &diags)
	return files, diags, more, nil
}

// maxDepth bounds how deep a folder is walked: deeper than any project, less
// than a path can be long.
const maxDepth = 500

func sortFiles(files []WorkFile) {
	byPath := func(a, b WorkFile) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(files, byPath) {
		slices.SortFunc(files, byPath)
	}
}
