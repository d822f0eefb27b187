package state

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A DamagedError is a database that is damaged, or is none of ours.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("%s: damaged: %v", e.Path, e.Err) }
func (e *DamagedError) Unwrap() error { return e.Err }

// A LockedError is a database that others have kept locked for too long.
type LockedError struct {
	Path string
	Err  error
}

func (e *LockedError) Error() string {
	return e.Path + ": locked: another process has been writing for too long"
}
func (e *LockedError) Unwrap() error { return e.Err }

// A NewerError is a database that a newer version of satchel has written.
type NewerError struct {
	Path         string
	Version, Max int // of the tables; the newest that this program knows
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s: a newer satchel wrote it: its tables have version %d, and this one knows versions up to %d", e.Path, e.Version, e.Max)
}

// An UnknownError is a note that is not there.
type UnknownError struct{ ID int64 }

func (e *UnknownError) Error() string { return fmt.Sprintf("note %d: no such note", e.ID) }

// A TextError is a note or a category that cannot be stored.
type TextError struct {
	What string // note or category
	Why  string
}

func (e *TextError) Error() string { return e.What + ": " + e.Why }

// What is wrong with a damaged database.
var (
	errNotDatabase = errors.New("file is not a database")
	errPages       = errors.New("some of its pages cannot be read")
	errRow         = errors.New("its tables or rows are not valid")
)

var errCantOpen = errors.New("permission denied, or a folder is in its place")

// error says what went wrong with the database, once. It returns errors of this
// package as they are.
func (s *Store) error(doing string, err error) error {
	var damaged *DamagedError
	var newer *NewerError
	var unknown *UnknownError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &damaged), errors.As(err, &newer), errors.As(err, &unknown):
		return err
	}
	var own *sqlite.Error
	switch codeOf(err) {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
		return &DamagedError{s.path, errNotDatabase}
	case sqlite3.SQLITE_CORRUPT:
		return &DamagedError{s.path, errPages}
	case sqlite3.SQLITE_IOERR:
		if errors.As(err, &own) && own.Code() == sqlite3.SQLITE_IOERR_SHORT_READ {
			return &DamagedError{s.path, errPages}
		}
		return fmt.Errorf("%s %s: the disk reports an error (code %d)", doing, s.path, own.Code())
	case sqlite3.SQLITE_NOMEM:
		return fmt.Errorf("%s %s: out of memory", doing, s.path)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL: // the last is a race for the locks of the log
		return &LockedError{s.path, err}
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s %s: the disk is full", doing, s.path)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%s %s: it is read-only", doing, s.path)
	case sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%s %s: cannot open it or a file next to it: %w", doing, s.path, errCantOpen)
	}
	// Our statements are right, so whatever else they meet is not what they wrote:
	// what SQLite and the library above it say of that is of no use to anybody.
	if errors.As(err, &own) || strings.HasPrefix(err.Error(), "sql: ") {
		return &DamagedError{s.path, errRow}
	}
	return fmt.Errorf("%s %s: %w", doing, s.path, err)
}

func writeError(path string, err error) error { return fmt.Errorf("write %s: %w", path, err) }
