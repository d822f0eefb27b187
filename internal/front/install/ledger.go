package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// A record says what one settings file was before satchel was installed, so
// that uninstalling can bring it back byte for byte.
type record struct {
	Version int          `json:"version"`
	Satchel string       `json:"satchel"` // the version that wrote it
	Client  Client       `json:"client"`
	Scope   agents.Scope `json:"scope"`
	Path    string       `json:"path"`
	Existed bool         `json:"existed"`
	After   string       `json:"after"`             // SHA-256 of what was written
	Made    []string     `json:"made,omitempty"`    // objects and arrays that were made, names separated by U+0000
	Folders []string     `json:"folders,omitempty"` // folders that were made, outermost first

	before []byte // in a file of its own: it is the user's backup
}

const recordVersion = 1

// A ledger is the folder of the records. It is the user's, and never in a
// repository.
type ledger struct {
	dir string
}

// stateDir returns the folder for records.
func (o *Options) stateDir() string {
	if d := o.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "satchel", "install")
	}
	return filepath.Join(o.Home(), ".local", "state", "satchel", "install")
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// The ends of the names of records and of backups.
const (
	recordSuffix = ".json"
	backupSuffix = ".before"
)

func (l ledger) names(path string) (rec, backup string) {
	k := hash([]byte(path))[:16]
	return k + recordSuffix, k + "-" + filepath.Base(path) + backupSuffix
}

// read returns a record by its file name, or nil if it cannot be understood.
func (l ledger) read(name string) *record {
	text, err := glance(filepath.Join(l.dir, name))
	r := &record{}
	if err != nil || json.Unmarshal(text, r) != nil {
		return nil
	}
	return r
}

// newer refuses a settings file whose record is from a newer version, because the
// original would be lost with the record.
func (l ledger) newer(path string) error {
	name, _ := l.names(path)
	r := l.read(name)
	if r == nil || r.Version <= recordVersion {
		return nil
	}
	return &RefusedError{path, fmt.Sprintf("its backup is from a newer version, satchel %s", r.Satchel), "nothing was changed; run this command with that version"}
}

// find returns the record of a settings file, or nil. Without a record that can be
// understood, only our own entries are taken out.
func (l ledger) find(path string) *record {
	name, backup := l.names(path)
	r := l.read(name)
	if r == nil || r.Version != recordVersion || r.Path != path {
		return nil
	}
	if r.Existed {
		var err error
		if r.before, err = glance(filepath.Join(l.dir, backup)); err != nil {
			return nil
		}
	}
	return r
}

// keep writes a record, and the backup before it.
func (l ledger) keep(r *record) error {
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name, backup := l.names(r.Path)
	if r.Existed {
		if err := replace(root, backup, r.before, 0o600); err != nil {
			return err
		}
	}
	return replace(root, name, []byte(pretty(r)), 0o600)
}

// drop removes a record and its backup.
func (l ledger) drop(path string) error {
	name, backup := l.names(path)
	for _, n := range []string{name, backup} {
		if err := os.Remove(filepath.Join(l.dir, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// lockPatience is how long an install waits for another one, which takes
// milliseconds.
const lockPatience = 10 * time.Second

// lockName is the file that is locked.
const lockName = "lock"

// lock makes the folder and keeps other installs out until unlock, which removes the
// new folder. Nothing is changed without a record.
func (l ledger) lock(patience time.Duration) (unlock func(), err error) {
	name := filepath.Join(l.dir, lockName)
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		var f *os.File
		err := os.MkdirAll(l.dir, 0o700)
		if err == nil {
			f, err = fsx.OpenLock(name)
		}
		late := time.Since(start) > patience
		if !late && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist)) {
			continue // another one has just removed the folder
		}
		if err != nil {
			return nil, &RefusedError{l.dir, "cannot keep the record of changes: " + reason(err), "nothing was changed; make the folder writable, or set XDG_STATE_HOME to another one"}
		}
		if err = fsx.Lock(f); errors.Is(err, errors.ErrUnsupported) {
			err = nil // two installs at once see each other's files as changed, and one of them gives up
		}
		if err == nil && sameName(f, name) { // else another one removed it before it let go
			return func() {
				_ = os.Remove(name) // while it is locked: who waits for it sees that it is gone
				fsx.Unlock(f)
				_ = os.Remove(l.dir)
				_ = os.Remove(filepath.Dir(l.dir)) // they stay if anything is in them
			}, nil
		}
		f.Close()
		if err != nil && !errors.Is(err, fsx.ErrLocked) {
			return nil, fmt.Errorf("lock %s: %w", l.dir, err)
		}
		if late {
			return nil, fmt.Errorf("lock %s: another install is running", l.dir)
		}
	}
}

// sameName reports whether the open file still has its name.
func sameName(f *os.File, name string) bool {
	a, errA := f.Stat()
	b, errB := os.Lstat(name)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
