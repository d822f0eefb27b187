package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
)

// Sweep removes what installs that were killed left behind, and returns the
// files: half-written settings, and copies of settings that were never changed.
// They may hold keys. It does nothing while an install is under way.
func Sweep(o Options) []string {
	l := ledger{o.stateDir()}
	if !exists(l.dir) {
		return nil // each install makes it first
	}
	unlock, err := l.lock(0)
	if err != nil {
		return nil
	}
	defer unlock()
	return l.sweep(o)
}

// sweep is Sweep under the lock.
func (l ledger) sweep(o Options) (gone []string) {
	for _, r := range l.records() {
		gone = append(gone, l.sweepBeside(r.Path, "")...)
		if r.moot() && l.drop(r.Path) == nil {
			_, backup := l.names(r.Path)
			if r.Existed {
				gone = append(gone, filepath.Join(l.dir, backup))
			}
			removeFolders(r.Folders)
		}
	}
	for _, scope := range []agents.Scope{User, Project} {
		o.Scope = scope
		if scope == Project && o.Project == "" {
			continue
		}
		inside := map[agents.Scope]string{Project: o.Project}[scope]
		for _, c := range Clients {
			for _, f := range o.files(c) {
				gone = append(gone, l.sweepBeside(f.Path, inside)...)
			}
		}
	}
	entries, _ := os.ReadDir(l.dir)
	for _, e := range entries {
		_, temp := isTemp(e.Name())
		key, _, copied := strings.Cut(e.Name(), "-")
		copied = copied && strings.HasSuffix(e.Name(), backupSuffix) && !exists(filepath.Join(l.dir, key+recordSuffix))
		if name := filepath.Join(l.dir, e.Name()); (temp || copied) && e.Type().IsRegular() && os.Remove(name) == nil {
			gone = append(gone, name)
		}
	}
	return gone
}

// sweepBeside removes what was to take the place of a settings file.
func (l ledger) sweepBeside(path, inside string) (gone []string) {
	p, err := locate(path, inside)
	if err != nil {
		return nil
	}
	defer p.close()
	entries, _ := fs.ReadDir(p.dir.FS(), filepath.ToSlash(filepath.Dir(p.name)))
	for _, e := range entries {
		if base, ok := isTemp(e.Name()); !ok || base != filepath.Base(p.name) {
			continue
		}
		name := filepath.Join(filepath.Dir(p.name), e.Name())
		if fi, err := p.dir.Lstat(name); err == nil && fi.Mode().IsRegular() && !foreign(fi) && p.dir.Remove(name) == nil {
			gone = append(gone, filepath.Join(filepath.Dir(p.real), e.Name()))
		}
	}
	return gone
}

// records returns all records that can be understood.
func (l ledger) records() (list []*record) {
	entries, _ := os.ReadDir(l.dir)
	for _, e := range entries {
		r := l.read(e.Name())
		if r == nil {
			continue
		}
		if name, _ := l.names(r.Path); name == e.Name() {
			if r = l.find(r.Path); r != nil {
				list = append(list, r)
			}
		}
	}
	return list
}

// moot reports whether the settings file is what it was before the install that
// the record is of.
func (r *record) moot() bool {
	now, err := glance(r.Path)
	if !r.Existed {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && bytes.Equal(now, r.before)
}

// Projects returns the roots of the projects into whose settings satchel was installed,
// as far as the records say, sorted.
func Projects(o Options) (roots []string) {
	o.Scope = Project
	for _, r := range (ledger{o.stateDir()}).records() {
		if r.Scope != Project || !r.Client.Known() {
			continue
		}
		for o.Project = filepath.Dir(r.Path); ; o.Project = filepath.Dir(o.Project) {
			if slices.ContainsFunc(o.files(r.Client), func(f file) bool { return f.Path == r.Path }) {
				if !slices.Contains(roots, o.Project) {
					roots = append(roots, o.Project)
				}
				break
			}
			if o.Project == filepath.Dir(o.Project) {
				break // a file that this version does not write
			}
		}
	}
	slices.Sort(roots)
	return roots
}

// Mentioned reports whether any settings file of an agent names satchel, or cannot be
// read, so that it may.
func Mentioned(o Options, c Client) bool {
	return slices.ContainsFunc(o.files(c), func(f file) bool {
		text, err := glance(f.Path)
		return err == nil && bytes.Contains(text, []byte("satchel")) || err != nil && exists(f.Path)
	})
}

// Records returns the folder with copies and records of changed settings, or "".
func Records(o Options) string {
	if dir := o.stateDir(); exists(dir) {
		return dir
	}
	return ""
}
