package state

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/tokens"
)

// Times are microseconds since 1970, in UTC.
const notesSchema = `
CREATE TABLE notes (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	text     TEXT    NOT NULL,
	category TEXT    NOT NULL,
	tokens   INTEGER NOT NULL,
	created  INTEGER NOT NULL,
	touched  INTEGER NOT NULL,
	base     REAL    NOT NULL,
	spaced   REAL    NOT NULL,
	touches  INTEGER NOT NULL,
	pinned   INTEGER NOT NULL
) STRICT;
`

// Limits of a note, in bytes. A note is a fact in a few sentences; what is longer
// is a document, and belongs into a file of the repository.
const (
	MaxText     = 16 << 10
	maxCategory = 64
)

// add stores a note and returns it with its id, and how many secrets were
// redacted first. A text that is empty or longer than MaxText, and a category of
// more than one line or MaxCategory bytes, are a [*TextError]. Invalid UTF-8 is
// replaced.
func (s *Store) add(ctx context.Context, text, category string, pin bool, now time.Time) (m rank.Note, redacted int, err error) {
	// Before the work of looking for secrets.
	if err := checkText(text, category); err != nil {
		return m, 0, err
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	category = strings.TrimSpace(strings.ToValidUTF8(category, "\uFFFD"))
	clean, found := secrets.Redact("", []byte(text))
	word, inWord := secrets.Redact("", []byte(category))
	text, category = string(clean), string(word)
	if err := checkText(text, category); err != nil {
		return m, 0, err // replaced characters and marks are longer
	}
	now = stored(now)
	m = rank.Note{Text: text, Category: category, Tokens: tokens.O200k().Count(text), Created: now, Trace: rank.Fresh(now)}
	m.Pinned = pin
	err = s.change(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `INSERT INTO notes (text, category, tokens, created, touched, base, spaced, touches, pinned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			m.Text, m.Category, m.Tokens, now.UnixMicro(), now.UnixMicro(), m.Base, m.Spaced, m.Touches, m.Pinned)
		if err != nil {
			return err
		}
		m.ID, err = r.LastInsertId()
		return err
	})
	return m, len(found) + len(inWord), err
}

func checkText(text, category string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return &TextError{"note", "it is empty"}
	case len(text) > MaxText:
		return &TextError{"note", fmt.Sprintf("it has %d bytes, want at most %d: keep longer text in a file", len(text), MaxText)}
	case len(category) > maxCategory:
		return &TextError{"category", fmt.Sprintf("it has %d bytes, want at most %d", len(category), maxCategory)}
	case strings.ContainsFunc(category, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return &TextError{"category", "it holds a control character"}
	}
	return nil
}

const noteColumns = "id, text, category, tokens, created, touched, base, spaced, touches, pinned"

// Notes returns all notes, by id, and a Diagnostic for each that is left out because
// nobody can have stored it with Add.
func (s *Store) Notes(ctx context.Context) ([]rank.Note, []satchel.Diagnostic, error) {
	if s == nil {
		return nil, nil, nil
	}
	var list []rank.Note
	var diags []satchel.Diagnostic
	err := s.read(ctx, func(q querier) (err error) {
		list, diags, err = s.notes(ctx, q)
		return err
	})
	return list, diags, err
}

func (s *Store) notes(ctx context.Context, q querier) ([]rank.Note, []satchel.Diagnostic, error) {
	// What is too long is not read into memory. As text, substr ends at a NUL.
	rows, err := q.QueryContext(ctx, `SELECT id, coalesce(CAST(substr(CAST(text AS BLOB), 1, ?) AS TEXT), ''), category, tokens, created, touched, base, spaced, touches, pinned FROM notes ORDER BY id`, MaxText+1)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var out []rank.Note
	var diags []satchel.Diagnostic
	for rows.Next() {
		m, err := scanNote(rows)
		if err != nil {
			return nil, nil, err
		}
		if err := checkText(m.Text, m.Category); err != nil || m.ID < 1 {
			diags = append(diags, satchel.Diagnostic{Path: s.path, Text: fmt.Sprintf("note %d is left out: %v", m.ID, cmp.Or(err, fmt.Errorf("no such number")))})
			continue
		}
		out = append(out, m)
	}
	return out, diags, rows.Err()
}

// A scanner is a row.
type scanner interface{ Scan(dest ...any) error }

func scanNote(row scanner) (m rank.Note, err error) {
	var created, touched int64
	err = row.Scan(&m.ID, &m.Text, &m.Category, &m.Tokens, &created, &touched, &m.Base, &m.Spaced, &m.Touches, &m.Pinned)
	m.Created, m.Touched = time.UnixMicro(created).UTC(), time.UnixMicro(touched).UTC()
	m.Tokens = max(0, min(m.Tokens, MaxText))
	return m, err
}

// stored is a time as the database keeps it.
func stored(t time.Time) time.Time {
	const most = math.MaxInt64 / 1_000_000 / 2 // seconds
	if sec := t.Unix(); sec > most || sec < -most {
		t = time.Unix(max(-most, min(sec, most)), 0)
	}
	return time.UnixMicro(t.UnixMicro()).UTC()
}

// touch records that notes were of use. Like the methods after it, it takes all
// of the notes or, if one is not there ([*UnknownError]), none.
func (s *Store) touch(ctx context.Context, now time.Time, ids ...int64) ([]rank.Note, error) {
	return s.update(ctx, ids, func(t rank.Trace) rank.Trace { return rank.NoteDecay().Touch(t, stored(now)) })
}

// pin keeps notes from fading.
func (s *Store) pin(ctx context.Context, now time.Time, ids ...int64) ([]rank.Note, error) {
	return s.update(ctx, ids, func(t rank.Trace) rank.Trace { return t.Pin(stored(now)) })
}

// unpin lets notes fade from now on.
func (s *Store) unpin(ctx context.Context, now time.Time, ids ...int64) ([]rank.Note, error) {
	return s.update(ctx, ids, func(t rank.Trace) rank.Trace { return t.Unpin(stored(now)) })
}

// update changes the traces of notes.
func (s *Store) update(ctx context.Context, ids []int64, fn func(rank.Trace) rank.Trace) ([]rank.Note, error) {
	return s.changeEach(ctx, ids, func(tx *sql.Tx, m *rank.Note) error {
		m.Trace = fn(m.Trace)
		_, err := tx.ExecContext(ctx, `UPDATE notes SET touched = ?, base = ?, spaced = ?, touches = ?, pinned = ? WHERE id = ?`,
			m.Touched.UnixMicro(), m.Base, m.Spaced, m.Touches, m.Pinned, m.ID)
		return err
	})
}

// remove deletes notes and returns them.
func (s *Store) remove(ctx context.Context, ids ...int64) ([]rank.Note, error) {
	return s.changeEach(ctx, ids, func(tx *sql.Tx, m *rank.Note) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM notes WHERE id = ?`, m.ID)
		return err
	})
}

// changeEach changes notes by fn and returns them as they are then, in the order of the
// ids, each once.
func (s *Store) changeEach(ctx context.Context, ids []int64, fn func(*sql.Tx, *rank.Note) error) (out []rank.Note, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		for _, id := range distinct(ids) {
			m, err := s.find(ctx, tx, id)
			if err != nil {
				return err
			}
			if err := fn(tx, &m); err != nil {
				return err
			}
			out = append(out, m)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Store) find(ctx context.Context, tx *sql.Tx, id int64) (rank.Note, error) {
	m, err := scanNote(tx.QueryRowContext(ctx, `SELECT `+noteColumns+` FROM notes WHERE id = ?`, id))
	if err == sql.ErrNoRows {
		return m, &UnknownError{id}
	}
	return m, err
}

// distinct returns the ids without repetitions, in their order.
func distinct(ids []int64) []int64 {
	var out []int64
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
