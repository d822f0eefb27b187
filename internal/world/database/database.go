// Package database opens SQLite databases that other programs own or may have damaged.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"modernc.org/sqlite" // also registers the driver sqlite
	sqlite3 "modernc.org/sqlite/lib"
)

// URL returns the data source name of a file. SQLite takes no parameter from the path
// itself.
func URL(path string, q url.Values) string {
	return urlOn(filepath.ToSlash(path), q, runtime.GOOS == "windows")
}

// urlOn is URL for a path with slashes.
func urlOn(p string, q url.Values, windows bool) string {
	switch {
	case windows && strings.HasPrefix(p, "//"):
		p = "//" + p // a share: its server is not the host of the URL
	case windows && !strings.HasPrefix(p, "/"):
		p = "/" + p // a drive
	}
	return "file:" + (&url.URL{Path: p}).EscapedPath() + "?" + q.Encode()
}

const (
	maxValue = 64 << 20 // bytes of a value
	maxCopy  = 1 << 30  // bytes of a database whose write-ahead log has no index
)

// A Reader reads the tables of a database that its owner may be writing. It creates and
// changes no file beside the database.
type Reader struct {
	db   *sql.DB
	conn *sql.Conn
	size int64  // of the database and its log, in bytes
	temp string // a folder to remove, or ""
}

// OpenReader opens a database for reading. The path is not a symbolic link, whose target
// has the log beside it.
//
// The owner's log and its index are read as they are. A log without an index, as in a
// copied home, would need a new index beside it; the database is then read from a
// temporary copy.
func OpenReader(ctx context.Context, path string) (r *Reader, err error) {
	r = &Reader{}
	defer func() {
		if err != nil {
			r.Close()
			r = nil
		}
	}()
	size := func(end string) int64 {
		st, err := os.Lstat(path + end)
		if err != nil || !st.Mode().IsRegular() {
			return -1
		}
		return st.Size()
	}
	log := size("-wal")
	r.size = max(size(""), 0) + max(log, 0)
	q := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "trusted_schema(0)", "cell_size_check(1)", "busy_timeout(1000)"}}
	switch {
	case log >= 0 && size("-shm") > 0:
		q.Set("readonly_shm", "1")
	case log <= 0:
		q.Set("immutable", "1")
	case r.size > maxCopy:
		return r, fmt.Errorf("its log has no index, and %d bytes are too many for a copy", r.size)
	default:
		if r.temp, err = os.MkdirTemp("", "satchel-sqlite-"); err != nil {
			return r, err
		}
		if path, err = copyTo(r.temp, path); err != nil {
			return r, err
		}
		q.Set("mode", "rw")
	}
	if r.db, err = sql.Open("sqlite", URL(path, q)); err != nil {
		return r, err
	}
	if r.conn, err = r.db.Conn(ctx); err != nil {
		return r, err
	}
	if _, err = sqlite.Limit(r.conn, sqlite3.SQLITE_LIMIT_LENGTH, maxValue); err != nil {
		return r, err
	}
	_, err = r.conn.ExecContext(ctx, "BEGIN") // all tables are read as they are at one time
	return r, err
}

// copyTo copies a database and its log, and returns the path of the copy.
func copyTo(dir, path string) (string, error) {
	to := filepath.Join(dir, "copy.db")
	for _, end := range []string{"", "-wal"} {
		f, err := os.Open(path + end)
		if err != nil {
			return "", err
		}
		w, err := os.Create(to + end)
		if err == nil {
			_, err = io.Copy(w, io.LimitReader(f, maxCopy))
			err = errors.Join(err, w.Close())
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	return to, nil
}

// Close closes the database.
func (r *Reader) Close() {
	if r.conn != nil {
		_ = r.conn.Close()
	}
	if r.db != nil {
		_ = r.db.Close()
	}
	if r.temp != "" {
		_ = os.RemoveAll(r.temp)
	}
}

// ErrNoTable says that a database lacks a table.
var ErrNoTable = errors.New("no table")

// leastCell is the least that a row takes in a file, in bytes.
const leastCell = 4

// errCycle says that a table has more data than its file.
var errCycle = errors.New("the database is damaged: its pages form a cycle")

// A Row is one row of a table. Columns that the table lacks, and values of another type,
// read as "" and 0.
type Row map[string]any

// Text returns the column as text.
func (r Row) Text(column string) string {
	s, _ := r[column].(string)
	return s
}

// Bytes returns a column that holds text or a blob.
func (r Row) Bytes(column string) []byte {
	if b, ok := r[column].([]byte); ok {
		return b
	}
	return []byte(r.Text(column))
}

// Int returns the column as an integer.
func (r Row) Int(column string) int64 {
	n, _ := r[column].(int64)
	return n
}

// Each calls yield with the rows of a table whose column has the value, or with all rows
// if column is "". columns is what to select, such as "*". Views, virtual tables and
// tables with generated columns are refused, because reading them runs expressions that
// may have no end.
func (r *Reader) Each(ctx context.Context, columns, table, column, value string, yield func(Row)) error {
	var plain int
	const isTable = `SELECT count(*) FROM sqlite_schema WHERE name = ?1 AND type = 'table' AND sql LIKE 'CREATE TABLE%'
		AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden > 0)`
	if err := r.conn.QueryRowContext(ctx, isTable, table).Scan(&plain); err != nil {
		return err
	}
	if plain == 0 {
		return fmt.Errorf("%w %s", ErrNoTable, table)
	}
	query, args := "SELECT "+columns+" FROM "+table, []any(nil)
	if column != "" {
		query, args = query+" WHERE "+column+" = ?", []any{value}
	}
	rows, err := r.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	left := r.size
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		row := Row{}
		for i, v := range values {
			row[names[i]] = v
			left -= int64(len(row.Bytes(names[i])))
		}
		left -= leastCell
		if left < 0 {
			return errCycle
		}
		yield(row)
	}
	return rows.Err()
}
