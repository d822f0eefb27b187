package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// migrations make the tables. Each brings a database one version further, in a
// transaction; a database says in user_version how many it has had. What is here
// has been released: it is never changed, only appended to.
var migrations = []string{
	notesSchema + usesSchema,
	contextSchema,
	sessionsSchema,
	totalsSchema,
	"DROP TABLE totals;",
}

// totalsSchema is a table of checksums that version 4 had.
const totalsSchema = `
CREATE TABLE totals (
	name TEXT    NOT NULL PRIMARY KEY,
	rows INTEGER NOT NULL,
	sum  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

// applicationID marks a database as one of satchel's: "stch".
const applicationID = 0x73746368

// migrate brings the tables to the newest version.
func (s *Store) migrate(ctx context.Context) error {
	// Looking does not write, and nearly always finds nothing to do.
	if v, err := s.version(ctx, s.db); err != nil || v == len(migrations) {
		if err != nil {
			return err
		}
		return s.checkTables(ctx, s.db, v)
	}
	return s.change(ctx, func(tx *sql.Tx) error {
		v, err := s.version(ctx, tx) // another process may have been faster
		if err != nil {
			return err
		}
		if err := s.checkTables(ctx, tx, v); err != nil {
			return err
		}
		for ; v < len(migrations); v++ {
			if _, err := tx.ExecContext(ctx, migrations[v]); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", v, applicationID))
		return err
	})
}

// check checks a database that is only read: its tables have some version of
// ours. An older one lacks tables, which are then empty.
func (s *Store) check(ctx context.Context) error {
	v, err := s.version(ctx, s.db)
	if err != nil {
		return err
	}
	return s.checkTables(ctx, s.db, v)
}

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns how many migrations the database has had.
func (s *Store) version(ctx context.Context, q querier) (int, error) {
	var v, id int
	err := q.QueryRowContext(ctx, "SELECT u.user_version, a.application_id FROM pragma_user_version() u, pragma_application_id() a").Scan(&v, &id)
	switch {
	case err != nil:
		return 0, err
	case id != applicationID && (id != 0 || v != 0):
		return 0, &DamagedError{s.path, errors.New("it is not a satchel database")}
	case v < 0:
		return 0, &DamagedError{s.path, fmt.Errorf("version %d", v)}
	case v > len(migrations):
		return 0, &NewerError{s.path, v, len(migrations)}
	}
	return v, nil
}

// checkTables checks that the database holds the tables of its version and
// nothing else: no view or trigger of a stranger that would run with our
// statements, and no table without the limits that ours have.
func (s *Store) checkTables(ctx context.Context, q querier, version int) error {
	rows, err := q.QueryContext(ctx, "SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR type NOT IN ('table', 'index') ORDER BY sql")
	if err != nil {
		return err
	}
	defer rows.Close()
	var have []string
	for rows.Next() {
		var text sql.NullString
		if err := rows.Scan(&text); err != nil {
			return err
		}
		have = append(have, strings.TrimSpace(text.String))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if want := statements(migrations[:version]); !slices.Equal(have, want) {
		return &DamagedError{s.path, errors.New("its tables are not from satchel")}
	}
	return nil
}

// statements returns the CREATE statements of migrations without dropped tables,
// as SQLite keeps them, sorted.
func statements(migrations []string) []string {
	var out []string
	for _, m := range migrations {
		for text := range strings.SplitSeq(m, ";") {
			text = strings.TrimSpace(text)
			if table, ok := strings.CutPrefix(text, "DROP TABLE "); ok {
				out = slices.DeleteFunc(out, func(s string) bool { return strings.HasPrefix(s, "CREATE TABLE "+table+" ") })
			} else if strings.HasPrefix(text, "CREATE") {
				out = append(out, text)
			}
		}
	}
	slices.Sort(out)
	return out
}
