// Package state keeps what satchel remembers about a project between runs: its
// notes, and which files an agent used lately. It is a SQLite database.
//
// It stores and finds; what a note weighs is for package rank, and the only time
// it knows is the one that it is given. Start with [Open] or openExisting.
//
// # Several processes
//
// Any number may read and write at the same time: the database is in WAL mode,
// writers wait for each other for [Options.Wait], and what a method has returned
// without an error is on the disk. A process may be killed at any time.
//
// # Hostile files
//
// The database lies in the repository's git directory, and may have come with
// it. So it must be a regular file, in folders that are no links, that holds the tables of this package and
// nothing else (no view, no trigger), and each text is as short as Store.add
// would have made it, or is left out with a Diagnostic. Secrets are redacted before
// they are stored.
package state

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"modernc.org/sqlite" // the driver named sqlite
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/satchel-dev/satchel/internal/world/database"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// Name is the name of the database in its folder.
const Name = "state.db"

// Options say how to open a Store. The zero value works.
type Options struct {
	// Wait is how long to wait for another process's write to end. Zero means
	// DefaultWait.
	Wait time.Duration
}

// defaultWait is how long a write waits for others: a write takes milliseconds,
// so that this is enough for hundreds.
const defaultWait = 10 * time.Second

// A Store is an open database. Its methods may be called at the same time.
type Store struct {
	path string
	db   *sql.DB
}

// Open opens the database at path for reading and writing, and makes it if there
// is none, with its folder. The errors are [*DamagedError], [*LockedError],
// [*NewerError] and why a file cannot be read or written.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	switch err := git.MakeOwn(filepath.Dir(path)); {
	case errors.Is(err, git.ErrOwnLink):
		return nil, &DamagedError{path, err}
	case err != nil:
		return nil, writeError(path, err)
	}
	if _, err := regular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s, err := open(ctx, path, o, "rwc")
	if err != nil {
		return nil, s.error("open", err)
	}
	if err := s.migrate(ctx); err != nil {
		s.Close()
		return nil, s.error("open", err)
	}
	return s, nil
}

// openExisting opens the database at path for reading if there is one, and
// returns nil if there is none. It changes nothing that is stored.
func openExisting(ctx context.Context, path string, o Options) (*Store, error) {
	if _, err := git.CheckOwn(filepath.Dir(path)); errors.Is(err, git.ErrOwnLink) {
		return nil, &DamagedError{path, err}
	}
	size, err := regular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), fsx.NotDir(err):
		return nil, nil
	case err != nil:
		return nil, err
	case size == 0:
		return nil, nil // another process is making it
	}
	s, err := open(ctx, path, o, "rw")
	if err == nil {
		err = s.check(ctx)
	}
	if code := codeOf(err); (code == sqlite3.SQLITE_CANTOPEN || code == sqlite3.SQLITE_READONLY) && noLog(path) {
		// On a read-only medium there is no place for the files beside it. They
		// are not needed: nobody writes, and all of it is in the one file.
		s.Close()
		if s, err = open(ctx, path, o, "immutable"); err == nil {
			err = s.check(ctx)
		}
	}
	if err != nil {
		s.Close()
		return nil, s.error("read", err)
	}
	return s, nil
}

// noLog reports whether all of the database is in its one file.
func noLog(path string) bool {
	st, err := os.Stat(path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && st.Size() == 0
}

// maxBytes bounds the database: a million notes take a fifth of it.
const maxBytes = 1 << 30

// regular checks that path may be opened, and returns its size.
func regular(path string) (int64, error) {
	st, err := os.Lstat(path)
	switch {
	case err != nil:
		return 0, err
	case !st.Mode().IsRegular():
		return 0, &DamagedError{path, errors.New("not a regular file")}
	case st.Size() > maxBytes:
		return 0, &DamagedError{path, fmt.Errorf("%d bytes, want at most %d", st.Size(), maxBytes)}
	}
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		if st, err := os.Lstat(path + end); err == nil && !st.Mode().IsRegular() {
			return 0, &DamagedError{path + end, errors.New("not a regular file")}
		}
	}
	return st.Size(), nil
}

// open opens the file in a mode: rwc, to write; rw, to read, as the others that
// have it open; immutable, to read a file that nobody changes.
func open(ctx context.Context, path string, o Options, mode string) (*Store, error) {
	s := &Store{path: path}
	wait := cmp.Or(max(o.Wait, 0), defaultWait)
	q := url.Values{"_txlock": {"immediate"}}
	q.Set("mode", mode)
	if mode == "immutable" {
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	if mode != "rwc" {
		q.Add("_pragma", "query_only(1)")
	}
	for _, p := range []string{
		"busy_timeout(" + strconv.FormatInt(wait.Milliseconds(), 10) + ")",
		"trusted_schema(0)", "cell_size_check(1)", "foreign_keys(1)",
		"synchronous(FULL)", // what is acknowledged survives a power cut, too
	} {
		q.Add("_pragma", p)
	}
	db, err := sql.Open("sqlite", database.URL(path, q))
	if err != nil {
		return s, err
	}
	db.SetMaxOpenConns(1) // statements are short, and one connection cannot lock itself out
	s.db = db
	if mode == "rwc" {
		return s, s.walMode(ctx, wait)
	}
	return s, db.PingContext(ctx)
}

// walMode lets readers and a writer work at the same time. It is a property of
// the file, and changing it needs the file for itself, which SQLite does not wait
// for.
func (s *Store) walMode(ctx context.Context, wait time.Duration) error {
	const pause = 5 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		var mode string
		err := s.db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		if err == nil || codeOf(err) != sqlite3.SQLITE_BUSY || waited >= wait {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Close releases the database. A nil or closed Store may be closed.
func (s *Store) Close() error {
	if s == nil || s.db == nil {
		return nil
	}
	return s.db.Close()
}

// change runs fn in a transaction that is on the disk when change returns nil.
func (s *Store) change(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err == nil {
		if err = fn(tx); err == nil {
			err = tx.Commit()
		} else {
			_ = tx.Rollback() // the error that led here says more
		}
	}
	return s.error("write", stopped(ctx, err))
}

// read runs fn in one transaction, so that all its queries see the same state while
// another process writes.
func (s *Store) read(ctx context.Context, fn func(q querier) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err == nil {
		err = fn(tx)
		_ = tx.Rollback() // there is nothing to keep
	}
	return s.error("read", stopped(ctx, err))
}

// stopped returns why a transaction is over whose context ended: the library and
// SQLite say that it is, as they do of one that was used the wrong way.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, sql.ErrTxDone) || codeOf(err) == sqlite3.SQLITE_INTERRUPT) {
		return ctx.Err()
	}
	return err
}

// codeOf returns the primary result code of an error of SQLite, or 0.
func codeOf(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}
