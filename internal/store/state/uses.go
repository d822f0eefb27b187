package state

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/rank"
)

const usesSchema = `
CREATE TABLE uses (
	path    TEXT    NOT NULL PRIMARY KEY,
	edited  INTEGER NOT NULL,
	touched INTEGER NOT NULL,
	base    REAL    NOT NULL,
	spaced  REAL    NOT NULL,
	touches INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

// The working set is small: what is used falls out of it when it has faded, or
// when more has been used since.
const (
	maxUses = 500
	maxPath = 4096
	gone    = 0.01 // of a weight
)

// Use records that an agent read or edited files: slash-separated paths relative
// to the root of the repository. What cannot be such a path is left out.
func (s *Store) Use(ctx context.Context, now time.Time, edited bool, paths ...string) error {
	now = stored(now)
	d := rank.WorkingDecay()
	return s.change(ctx, func(tx *sql.Tx) error {
		for _, p := range paths {
			if p == "" || len(p) > maxPath || strings.IndexByte(p, 0) >= 0 {
				continue
			}
			u, err := scanUse(tx.QueryRowContext(ctx, `SELECT path, edited, touched, base, spaced, touches FROM uses WHERE path = ?`, p))
			switch err {
			case nil:
				u.Trace = d.Touch(u.Trace, now)
			case sql.ErrNoRows:
				u = rank.Use{Path: p, Trace: rank.Fresh(now)}
			default:
				return err
			}
			u.Edited = u.Edited || edited
			_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO uses (path, edited, touched, base, spaced, touches) VALUES (?, ?, ?, ?, ?, ?)`,
				u.Path, u.Edited, u.Touched.UnixMicro(), u.Base, u.Spaced, u.Touches)
			if err != nil {
				return err
			}
			if err := useContext(ctx, tx, now, p); err != nil {
				return err
			}
		}
		list, err := uses(ctx, tx, -1)
		if err != nil {
			return err
		}
		for i := range list { // most recent first
			if i < maxUses && d.Weight(list[i].Trace, now) >= gone {
				continue
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM uses WHERE path = ?`, list[i].Path); err != nil {
				return err
			}
		}
		return nil
	})
}

// Uses returns the working set, most recent first.
func (s *Store) Uses(ctx context.Context) ([]rank.Use, error) {
	if s == nil {
		return nil, nil
	}
	var list []rank.Use
	err := s.read(ctx, func(q querier) (err error) {
		list, err = uses(ctx, q, 2*maxUses)
		return err
	})
	return list, err
}

// forget empties the working set.
func (s *Store) forget(ctx context.Context) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM uses`)
		return err
	})
}

// uses returns at most so many uses; a negative number is no limit.
func uses(ctx context.Context, q querier, most int) ([]rank.Use, error) {
	rows, err := q.QueryContext(ctx, `SELECT path, edited, touched, base, spaced, touches FROM uses ORDER BY touched DESC, path LIMIT ?`, most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []rank.Use
	for rows.Next() {
		u, err := scanUse(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, rows.Err()
}

func scanUse(row scanner) (u rank.Use, err error) {
	var touched int64
	err = row.Scan(&u.Path, &u.Edited, &touched, &u.Base, &u.Spaced, &u.Touches)
	u.Touched = time.UnixMicro(touched).UTC()
	return u, err
}
