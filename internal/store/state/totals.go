package state

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// # What a disk changed
//
// SQLite notices a page whose structure is damaged, but not a bit that flipped in a
// text, nor a row that a damaged page no longer counts. So each table has a total:
// how many rows there are, and the sum of their hashes, which does not depend on
// their order. It is compared before anything is believed, and written in the
// transaction that changes the rows. It protects against accidents alone: who can
// write the rows can write the total.

const totalsSchema = `
CREATE TABLE totals (
	name TEXT    NOT NULL PRIMARY KEY,
	rows INTEGER NOT NULL,
	sum  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

// totalsSince is the version of the tables that brought totals.
const totalsSince = 4

// The tables that have totals, with their columns: of texts so many bytes count, more
// than this package ever stores. Two things have none, since they decide nothing but
// what is given again or makes room first: what a session holds, and when a context
// file was used.
var totaled = map[string][]column{
	"notes": {number("id"), text("text", MaxText+1), text("category", MaxText+1), number("tokens"), number("created"), number("touched"),
		real("base"), real("spaced"), number("touches"), number("pinned")},
	"uses":          {text("path", maxPath+1), number("edited"), number("touched"), real("base"), real("spaced"), number("touches")},
	"context_limit": {number("one"), number("tokens")},
	"context_rules": {text("pattern", 5000), number("glob"), number("read_only"), number("auto_refresh"), number("pinned")},
	"context_files": {text("path", 5000), text("text", MaxContextText+1), text("blob", 65), number("tokens"), number("redacted"), number("added"),
		number("refreshed"), number("read_only"), number("auto_refresh"), number("pinned"), number("evicted")},
	"sessions": {text("id", maxSessionID+1), number("touched"), number("bytes"), number("pending"), text("keep", maxKeep+1)},
}

var contextTables = []string{"context_limit", "context_rules", "context_files"}

// A column is one that counts in a total.
type column struct {
	name string
	kind byte // i, r or t
	most int  // bytes of a text
}

func number(name string) column         { return column{name, 'i', 0} }
func real(name string) column           { return column{name, 'r', 0} }
func text(name string, most int) column { return column{name, 't', most} }

// sql is the column as it is read: bytes, since a text may hold a NUL, at which
// substr would end.
func (c column) sql() string {
	if c.kind == 't' {
		return fmt.Sprintf("coalesce(substr(CAST(%s AS BLOB), 1, %d), x'')", c.name, c.most)
	}
	return c.name
}

// A total is what is known of the rows of a table.
type total struct{ rows, sum int64 }

// add counts a row.
func (t *total) add(r *rowHash) {
	sum := sha256.Sum256(r.bytes)
	t.rows++
	t.sum += int64(binary.LittleEndian.Uint64(sum[:8])) // wraps around
	r.bytes = r.bytes[:0]
}

// A rowHash gathers the columns of a row.
type rowHash struct{ bytes []byte }

func (r *rowHash) number(n int64) { r.bytes = binary.LittleEndian.AppendUint64(r.bytes, uint64(n)) }
func (r *rowHash) real(f float64) { r.number(int64(math.Float64bits(f))) }
func (r *rowHash) text(s string, most int) {
	s = s[:min(len(s), most)]
	r.number(int64(len(s)))
	r.bytes = append(r.bytes, s...)
}

// count reads a table.
func count(ctx context.Context, q querier, table string) (t total, err error) {
	columns := totaled[table]
	names := make([]string, len(columns))
	dest := make([]any, len(columns))
	var row rowHash
	for i, c := range columns {
		names[i] = c.sql()
		switch c.kind {
		case 'i':
			dest[i] = new(int64)
		case 'r':
			dest[i] = new(float64)
		case 't':
			dest[i] = new(sql.RawBytes)
		}
	}
	err = each(ctx, q, "SELECT "+strings.Join(names, ", ")+" FROM "+table, func(r scanner) error {
		if err := r.Scan(dest...); err != nil {
			return err
		}
		for i, c := range columns {
			switch d := dest[i].(type) {
			case *int64:
				row.number(*d)
			case *float64:
				row.real(*d)
			case *sql.RawBytes:
				row.text(string(*d), c.most)
			}
		}
		t.add(&row)
		return nil
	})
	return t, err
}

// verify compares tables with their totals. The error is a [*DamagedError] if they
// differ.
func (s *Store) verify(ctx context.Context, q querier, tables ...string) error {
	for _, table := range tables {
		t, err := count(ctx, q, table)
		if err == nil {
			err = s.compare(ctx, q, table, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compare compares what was counted with the total.
func (s *Store) compare(ctx context.Context, q querier, table string, have total) error {
	want, err := totalOf(ctx, q, table)
	if err == nil && want != have {
		err = &DamagedError{s.path, fmt.Errorf("the table %s does not hold what was written", table)}
	}
	return err
}

// totalOf reads the total of a table. The zero total is that of a table which was never written.
func totalOf(ctx context.Context, q querier, table string) (t total, err error) {
	err = q.QueryRowContext(ctx, "SELECT rows, sum FROM totals WHERE name = ?", table).Scan(&t.rows, &t.sum)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return t, err
}

// hasTotals reports whether the database that is read has totals.
func (s *Store) hasTotals(ctx context.Context, q querier) (bool, error) {
	v, err := s.version(ctx, q)
	return v >= totalsSince, err
}

// verifyRead is verify of a database that may be an older one.
func (s *Store) verifyRead(ctx context.Context, q querier, tables ...string) error {
	if ok, err := s.hasTotals(ctx, q); !ok || err != nil {
		return err
	}
	return s.verify(ctx, q, tables...)
}

// seal writes the totals of tables.
func seal(ctx context.Context, tx *sql.Tx, tables ...string) error {
	for _, table := range tables {
		t, err := count(ctx, tx, table)
		if err == nil {
			err = t.store(ctx, tx, table)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t total) store(ctx context.Context, tx *sql.Tx, table string) error {
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO totals (name, rows, sum) VALUES (?, ?, ?)", table, t.rows, t.sum)
	return err
}

// sealAll writes all totals.
func sealAll(ctx context.Context, tx *sql.Tx) error {
	var names []string
	for name := range totaled {
		names = append(names, name)
	}
	slices.Sort(names)
	return seal(ctx, tx, names...)
}

// changeOf is change of tables that are compared with their totals before, and have
// new ones after it.
func (s *Store) changeOf(ctx context.Context, tables []string, fn func(tx *sql.Tx) error) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if err := s.verify(ctx, tx, tables...); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		return seal(ctx, tx, tables...)
	})
}
