package install

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// maxFile is the size of the largest settings file that is touched. The largest
// that people have is the state of Claude Code, some megabytes.
const maxFile = 16 << 20

// A place is a settings file as it lies on the disk: its links are followed,
// and it is opened below the folder that holds it.
type place struct {
	dir    *os.Root
	name   string
	real   string   // the path with its links followed
	shown  string   // the path as the agent has it
	made   []string // folders that were made for it, outermost first
	exists bool
	mode   fs.FileMode
	text   []byte
}

func (p *place) close() { _ = p.dir.Close() }

// A RefusedError is a settings file that is not touched, and why.
type RefusedError struct {
	Path string
	Why  string
	Hint string // may be empty
}

func (e *RefusedError) Error() string { return e.Path + ": " + e.Why }

func refuse(path, format string, args ...any) error {
	return &RefusedError{Path: path, Why: fmt.Sprintf(format, args...)}
}

// open reads a settings file and finds out whether it may be replaced. A file
// that is not there is one without text. Inside is the project that the file
// must not lead out of, or "".
func open(path, inside string) (*place, error) {
	p, err := locate(path, inside)
	if err != nil {
		return nil, err
	}
	if err := p.read(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// locate opens the folder that a settings file lies in, without a look at the
// file.
func locate(path, inside string) (*place, error) {
	p := &place{shown: path, real: path, mode: 0o600}
	if inside != "" {
		p.mode = 0o644
	}
	switch fi, err := os.Lstat(path); {
	case err == nil && fi.Mode()&fs.ModeSymlink != 0:
		if p.real, err = filepath.EvalSymlinks(path); err != nil {
			return nil, refuse(path, "is a broken symbolic link")
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !fsx.NotDir(err):
		return nil, &RefusedError{Path: path, Why: reason(err)}
	}
	dir, err := deepest(filepath.Dir(p.real))
	if err != nil {
		return nil, &RefusedError{Path: path, Why: reason(err)}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, &RefusedError{Path: path, Why: reason(err)}
	}
	if inside != "" {
		top, err := filepath.EvalSymlinks(inside)
		if err != nil {
			return nil, &RefusedError{Path: path, Why: reason(err)}
		}
		if !within(top, real) {
			return nil, refuse(path, "is a link out of the project, to %s", p.real)
		}
	}
	rest, _ := filepath.Rel(dir, p.real) // it is below dir
	if p.dir, err = os.OpenRoot(real); err != nil {
		return nil, &RefusedError{Path: path, Why: reason(err)}
	}
	p.real, p.name = filepath.Join(real, rest), rest
	return p, nil
}

// within reports whether a path is a folder or below it. Both are without links.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// deepest returns the folder, or the nearest one above it that exists.
func deepest(dir string) (string, error) {
	for {
		fi, err := os.Stat(dir)
		switch {
		case err == nil && !fi.IsDir():
			return "", fmt.Errorf("%s is not a folder", dir)
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		if fi, err := os.Lstat(dir); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
			return "", fmt.Errorf("%s is a broken symbolic link", dir)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fs.ErrNotExist
		}
		dir = up
	}
}

// read takes in the file as it is now.
func (p *place) read() error {
	fi, err := p.dir.Lstat(p.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	switch {
	case err != nil:
		return &RefusedError{Path: p.shown, Why: reason(err)}
	case fi.IsDir():
		return refuse(p.shown, "is a folder")
	case !fi.Mode().IsRegular():
		return refuse(p.shown, "is not a regular file")
	case fi.Size() > maxFile:
		return refuse(p.shown, "%d MB, limit is %d", fi.Size()>>20, maxFile>>20)
	case foreign(fi):
		return &RefusedError{p.shown, "belongs to another user", "run satchel as that user"}
	}
	f, err := p.dir.OpenFile(p.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return &RefusedError{Path: p.shown, Why: reason(err)}
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(fi, now) {
		return refuse(p.shown, "changed while it was opened")
	}
	if p.text, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err != nil {
		return &RefusedError{Path: p.shown, Why: reason(err)}
	}
	p.exists, p.mode = true, fi.Mode().Perm()
	return nil
}

// glance reads a settings file for inspection. It returns an error, without waiting,
// for files that are not regular, such as pipes, and for files that are too large.
func glance(file string) ([]byte, error) {
	f, err := fsx.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil && (!fi.Mode().IsRegular() || fi.Size() > maxFile) {
		err = refuse(file, "is not a regular file, or too large")
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// write replaces the file: other programs see the old bytes or the new ones,
// even if the power fails. It fails if the file is not what was read. No bytes
// and gone means that the file goes.
func (p *place) write(text []byte, gone bool) error {
	now := &place{dir: p.dir, name: p.name, shown: p.shown}
	if err := now.read(); err != nil {
		return err
	}
	if now.exists != p.exists || !bytes.Equal(now.text, p.text) {
		return refuse(p.shown, "another program has changed it; run the command again")
	}
	if err := p.readOnly(); err != nil {
		return err
	}
	if gone {
		temp := filepath.Join(filepath.Dir(p.name), tempName(filepath.Base(p.name)))
		if err := fsx.Remove(p.dir, temp, p.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p.unwritten(err)
		}
		return fsx.Sync(p.dir, filepath.Dir(p.name))
	}
	err := p.mkdirs()
	if err == nil {
		err = replace(p.dir, p.name, text, p.mode)
	}
	if err != nil {
		return p.unwritten(err)
	}
	return nil
}

// readOnly refuses a file that may not be written, or that lies in such a folder: a
// file is replaced by another one beside it.
func (p *place) readOnly() error {
	if p.exists && p.mode&0o200 == 0 {
		return &RefusedError{p.shown, "is read-only", "make it writable with chmod u+w"}
	}
	fi, err := p.dir.Stat(filepath.Dir(p.name))
	if err == nil && fi.Mode()&0o200 == 0 && runtime.GOOS != "windows" { // where that says nothing of a folder
		return p.lockedFolder("is read-only")
	}
	return nil
}

// unwritten says why a file could not be written.
func (p *place) unwritten(err error) error {
	switch {
	case errors.Is(err, fsx.ErrInUse): // Windows calls that a want of permission, too
		return &RefusedError{p.shown, reason(err), "close the program that uses it, perhaps the agent, and run the command again"}
	case errors.Is(err, fs.ErrPermission):
		return p.lockedFolder("cannot be written: " + reason(err))
	}
	return &RefusedError{Path: p.shown, Why: reason(err)}
}

func (p *place) lockedFolder(why string) error {
	dir := filepath.Dir(p.real)
	return &RefusedError{p.shown, fmt.Sprintf("its folder %s %s", dir, why), "chmod u+w " + dir + " makes it writable, if it is yours"}
}

// mkdirs makes the folders that are missing above the file.
func (p *place) mkdirs() error {
	mode := fs.FileMode(0o700)
	if p.mode&0o044 != 0 {
		mode = 0o755
	}
	parts := strings.Split(filepath.ToSlash(filepath.Dir(p.name)), "/")
	for i := range parts {
		dir := filepath.Join(parts[:i+1]...)
		if dir == "." {
			continue
		}
		err := p.dir.Mkdir(dir, mode)
		if err == nil {
			p.made = append(p.made, filepath.Join(p.dir.Name(), dir))
		} else if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// replace writes a file beside the one that it then takes the place of.
func replace(dir *os.Root, name string, text []byte, mode fs.FileMode) error {
	return fsx.Write(dir, filepath.Join(filepath.Dir(name), tempName(filepath.Base(name))), name, mode, text)
}

// tempSuffix ends the names of files that are written before they take the place
// of another.
const tempSuffix = ".satchel"

// tempName returns the name of a file beside the one called base.
func tempName(base string) string {
	var r [8]byte
	_, _ = rand.Read(r[:]) // it never fails
	return "." + base + "." + hex.EncodeToString(r[:]) + tempSuffix
}

// isTemp returns the name that a file was to take the place of, if tempName made
// its own.
func isTemp(name string) (base string, ok bool) {
	name, ok = strings.CutSuffix(name, tempSuffix)
	i := strings.LastIndexByte(name, '.')
	if !ok || i < 2 || name[0] != '.' {
		return "", false
	}
	if r, err := hex.DecodeString(name[i+1:]); err != nil || len(r) != 8 {
		return "", false
	}
	return name[1:i], true
}

// reason is what went wrong, without the path that the message holds already.
func reason(err error) string {
	return fsx.Cause(err).Error()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
