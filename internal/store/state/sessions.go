package state

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/text/clean"
)

// sessionsSchema remembers sessions of agents from one hook to the next: what each
// was given, and what is to survive its next compaction.
const sessionsSchema = `
CREATE TABLE sessions (
	id      TEXT    NOT NULL PRIMARY KEY,
	touched INTEGER NOT NULL,
	bytes   INTEGER NOT NULL,
	pending INTEGER NOT NULL,
	keep    TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE held (
	session   TEXT    NOT NULL,
	path   TEXT    NOT NULL,
	digest TEXT    NOT NULL,
	first  INTEGER NOT NULL,
	last   INTEGER NOT NULL,
	PRIMARY KEY (session, path, digest, first, last)
) STRICT, WITHOUT ROWID;
`

// Bounds of what is remembered of sessions. A session that nobody spoke in for
// days was compacted or is over; what a session was given beyond the newest
// pieces is given again, which costs room and no truth.
const (
	maxSessions  = 200
	maxHeld      = 2000 // pieces of one session
	sessionLasts = 7 * 24 * time.Hour
	maxSessionID = 200
	maxKeep      = 16 << 10
	maxDigest    = 64
	maxHeldRow   = 1 << 31

	sessionsSince = 3 // the version of the tables that brought them
)

// A Piece is a part of a file, or a note, that a session holds.
type Piece struct {
	Path   string // slash-separated, from the root of the repository
	Digest string // of the bytes that it is part of
	From   int    // lines, both included; 0 means the whole
	To     int
}

// A Session is what is remembered of a session.
type Session struct {
	ID      string
	Touched time.Time
	Keep    string // what must survive its next compaction; "" if nothing is known
	Pending bool   // it was compacted, and Keep has not been given back
	Held    []Piece

	// Compressed is where its transcript records the last compression that was
	// seen to, in bytes; 0 if there was none. The column is called bytes.
	Compressed int64
}

// sessionID reports whether a session's id can be remembered.
func sessionID(id string) bool {
	return id != "" && len(id) <= maxSessionID && strings.IndexByte(id, 0) < 0
}

// Session returns what is remembered of a session; the zero Session if nothing is.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	if s == nil || !sessionID(id) {
		return Session{}, nil
	}
	var t Session
	err := s.read(ctx, func(q querier) error {
		// An older database that is only read has no such table.
		v, err := s.version(ctx, q)
		if err != nil || v < sessionsSince {
			return err
		}
		t, err = session(ctx, q, id)
		return err
	})
	return t, err
}

func session(ctx context.Context, q querier, id string) (Session, error) {
	t := Session{ID: id}
	var touched int64
	err := q.QueryRowContext(ctx, `SELECT touched, bytes, pending, keep FROM sessions WHERE id = ? AND length(keep) <= ?`, id, maxKeep).Scan(&touched, &t.Compressed, &t.Pending, &t.Keep)
	if err == sql.ErrNoRows {
		return Session{}, nil
	}
	if err != nil {
		return Session{}, err
	}
	t.Touched = time.UnixMicro(touched).UTC()
	rows, err := q.QueryContext(ctx, `SELECT path, digest, first, last FROM held WHERE session = ? AND length(path) <= ? AND length(digest) <= ? ORDER BY path, digest, first, last LIMIT ?`,
		id, maxPath, maxDigest, maxHeld)
	if err != nil {
		return Session{}, err
	}
	defer rows.Close()
	for rows.Next() {
		var p Piece
		if err := rows.Scan(&p.Path, &p.Digest, &p.From, &p.To); err != nil {
			return Session{}, err
		}
		if p.From < 0 || p.To < p.From || p.To > maxHeldRow {
			continue
		}
		t.Held = append(t.Held, p)
	}
	return t, rows.Err()
}

// Hold records that a session holds pieces from now on. A piece takes the place of
// what was held of the same lines with other bytes.
func (s *Store) Hold(ctx context.Context, id string, now time.Time, pieces ...Piece) error {
	return s.changeSession(ctx, id, now, func(tx *sql.Tx, t *Session) error {
		left := maxHeld - len(t.Held)
		for _, p := range pieces {
			if p.Path == "" || len(p.Path) > maxPath || len(p.Digest) > maxDigest || p.From < 0 || p.To < p.From || p.To > maxHeldRow {
				continue
			}
			gone, err := tx.ExecContext(ctx, `DELETE FROM held WHERE session = ? AND path = ? AND digest <> ? AND (? = 0 OR first = 0 OR last >= ? AND first <= ?)`,
				id, p.Path, p.Digest, p.From, p.From, p.To)
			if err != nil {
				return err
			}
			if n, err := gone.RowsAffected(); err == nil {
				left += int(n)
			}
			if left <= 0 {
				return nil
			}
			left--
			if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO held (session, path, digest, first, last) VALUES (?, ?, ?, ?, ?)`, id, p.Path, p.Digest, p.From, p.To); err != nil {
				return err
			}
		}
		return nil
	})
}

// Release forgets what a session holds, as a compaction does; the pieces of one
// path, if paths are given. If it was compacted, Keep becomes pending.
func (s *Store) Release(ctx context.Context, id string, now time.Time, compacted bool, paths ...string) error {
	return s.changeSession(ctx, id, now, func(tx *sql.Tx, t *Session) error {
		if compacted && t.Keep != "" {
			t.Pending = true
		}
		if len(paths) == 0 {
			_, err := tx.ExecContext(ctx, `DELETE FROM held WHERE session = ?`, id)
			return err
		}
		for _, p := range paths {
			if _, err := tx.ExecContext(ctx, `DELETE FROM held WHERE session = ? AND path = ?`, id, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// Keep remembers what must survive the next compaction of a session, with
// secrets redacted, in place of what was remembered before.
func (s *Store) Keep(ctx context.Context, id string, now time.Time, text string) error {
	kept := clean.New("", text).Cut(maxKeep).String()
	return s.changeSession(ctx, id, now, func(_ *sql.Tx, t *Session) error {
		t.Keep, t.Pending = kept, false
		return nil
	})
}

// Given records that Keep was given back to a session. It stays, since what
// survived one compaction is to survive the next.
func (s *Store) Given(ctx context.Context, id string, now time.Time) error {
	return s.changeSession(ctx, id, now, func(_ *sql.Tx, t *Session) error {
		t.Pending = false
		return nil
	})
}

// Compressed records where a session's transcript records the last compression
// that was seen to.
func (s *Store) Compressed(ctx context.Context, id string, now time.Time, at int64) error {
	return s.changeSession(ctx, id, now, func(_ *sql.Tx, t *Session) error {
		t.Compressed = max(at, 0)
		return nil
	})
}

func dropSession(ctx context.Context, tx *sql.Tx, id string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM held WHERE session = ?`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE id = ?`, id)
	return err
}

// changeSession changes what is remembered of a session, and drops the oldest ones.
func (s *Store) changeSession(ctx context.Context, id string, now time.Time, fn func(tx *sql.Tx, t *Session) error) error {
	if !sessionID(id) {
		return nil
	}
	now = stored(now)
	return s.change(ctx, func(tx *sql.Tx) error {
		t, err := session(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := fn(tx, &t); err != nil {
			return err
		}
		if now.Before(t.Touched) {
			now = t.Touched
		}
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO sessions (id, touched, bytes, pending, keep) VALUES (?, ?, ?, ?, ?)`,
			id, now.UnixMicro(), t.Compressed, t.Pending, t.Keep); err != nil {
			return err
		}
		return s.dropOld(ctx, tx, now)
	})
}

// dropOld forgets sessions that are over.
func (s *Store) dropOld(ctx context.Context, tx *sql.Tx, now time.Time) error {
	rows, err := tx.QueryContext(ctx, `SELECT id, touched FROM sessions ORDER BY touched DESC, id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var old []string
	for n := 0; rows.Next(); n++ {
		var id string
		var touched int64
		if err := rows.Scan(&id, &touched); err != nil {
			return err
		}
		if n >= maxSessions || now.Sub(time.UnixMicro(touched)) > sessionLasts {
			old = append(old, id)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	rows.Close()
	for _, id := range old {
		if err := dropSession(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}
