package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
)

const contextSchema = `
CREATE TABLE context_limit (
	one    INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
	tokens INTEGER NOT NULL
) STRICT;
CREATE TABLE context_rules (
	pattern      TEXT    NOT NULL PRIMARY KEY,
	glob         INTEGER NOT NULL,
	read_only    INTEGER NOT NULL,
	auto_refresh INTEGER NOT NULL,
	pinned       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE context_files (
	path         TEXT    NOT NULL PRIMARY KEY,
	text         TEXT    NOT NULL,
	blob         TEXT    NOT NULL,
	tokens       INTEGER NOT NULL,
	redacted     INTEGER NOT NULL,
	added        INTEGER NOT NULL,
	refreshed    INTEGER NOT NULL,
	used         INTEGER NOT NULL,
	read_only    INTEGER NOT NULL,
	auto_refresh INTEGER NOT NULL,
	pinned       INTEGER NOT NULL,
	evicted      INTEGER NOT NULL
) STRICT;
`

// contextVersion is the first version of the tables that has context files.
const contextVersion = 2

// A ContextSet is what the user keeps at hand for every pack: files, the rules
// that brought them in, and how many tokens they may have together.
type ContextSet struct {
	Budget int           // 0 if nobody has set it
	Rules  []ContextRule // by pattern
	Files  []ContextFile // by path
}

// A ContextRule brings files in: one by its path, or those that a pattern matches.
type ContextRule struct {
	Pattern     string `json:"pattern"`      // a slash-separated path from the root, or a pattern as in a .gitignore
	Glob        bool   `json:"glob"`         // it is a pattern
	ReadOnly    bool   `json:"read_only"`    // its files may not be changed
	AutoRefresh bool   `json:"auto_refresh"` // packs look at the disk, instead of showing what was kept
	Pinned      bool   `json:"pinned"`       // its files stand in every pack, and are never evicted
}

// A ContextFile is the text of a file as it was when it was last read.
type ContextFile struct {
	Path   string `json:"path"` // slash-separated, from the root
	Text   string `json:"-"`    // with secrets redacted; "" if Evicted
	Tokens int    `json:"tokens"`

	// What any of its rules says.
	ReadOnly    bool `json:"read_only"`
	AutoRefresh bool `json:"auto_refresh"`
	Pinned      bool `json:"pinned"`

	// Evicted means that its text had to make room. It stays protected.
	Evicted bool `json:"evicted"`

	// Stale means that the disk has another text, or none. It is never stored: who
	// lists the files looks.
	Stale bool `json:"stale"`

	Redacted  int       `json:"redacted,omitempty"` // secrets
	Blob      string    `json:"blob,omitempty"`     // object id of the file's bytes
	Added     time.Time `json:"added"`
	Refreshed time.Time `json:"refreshed"`
	Used      time.Time `json:"used"`
}

// Limits of what is kept, which a database of a stranger may exceed.
const (
	MaxContextFiles = 2000
	MaxContextRules = 500
	MaxContextText  = 4 << 20  // bytes of a file
	MaxContextBytes = 64 << 20 // of all texts
)

// Context returns the context files, and a Diagnostic for each that is left out because
// this package cannot have stored it.
func (s *Store) Context(ctx context.Context) (ContextSet, []satchel.Diagnostic, error) {
	if s == nil {
		return ContextSet{}, nil, nil
	}
	var set ContextSet
	var diags []satchel.Diagnostic
	err := s.read(ctx, func(q querier) (err error) {
		set, diags, err = s.contextSet(ctx, q)
		return err
	})
	return set, diags, err
}

// ChangeContext lets fn change the context files, in one transaction: if it fails,
// nothing is changed, and its error is returned as it is.
func (s *Store) ChangeContext(ctx context.Context, fn func(*ContextSet) error) error {
	var failed error
	err := s.change(ctx, func(tx *sql.Tx) error {
		old, _, err := s.contextSet(ctx, tx)
		if err != nil {
			return err
		}
		next := ContextSet{old.Budget, slices.Clone(old.Rules), slices.Clone(old.Files)}
		if failed = fn(&next); failed != nil {
			return failed
		}
		return storeContext(ctx, tx, &old, &next)
	})
	if failed != nil {
		return failed
	}
	return err
}

// contextSet reads all of it.
func (s *Store) contextSet(ctx context.Context, q querier) (set ContextSet, diags []satchel.Diagnostic, err error) {
	if v, err := s.version(ctx, q); err != nil || v < contextVersion {
		return set, nil, err
	}
	err = q.QueryRowContext(ctx, `SELECT tokens FROM context_limit`).Scan(&set.Budget)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return set, nil, err
	}
	set.Budget = max(set.Budget, 0)
	skip := func(what string, why string) {
		diags = append(diags, satchel.Diagnostic{Path: s.path, Text: fmt.Sprintf("context file %q is left out: %s", short(what), why)})
	}
	err = each(ctx, q, `SELECT substr(CAST(pattern AS BLOB), 1, 5000), glob, read_only, auto_refresh, pinned FROM context_rules ORDER BY pattern LIMIT 501`, func(row scanner) error {
		var r ContextRule
		var pattern []byte // as text, it would end at a NUL
		if err := row.Scan(&pattern, &r.Glob, &r.ReadOnly, &r.AutoRefresh, &r.Pinned); err != nil {
			return err
		}
		r.Pattern = string(pattern)
		switch {
		case badPattern(r) != "":
			skip(r.Pattern, badPattern(r))
		case len(set.Rules) == MaxContextRules:
			skip(r.Pattern, "there are too many")
		default:
			set.Rules = append(set.Rules, r)
		}
		return nil
	})
	if err != nil {
		return set, diags, err
	}
	bytes := 0
	// Bytes may hold a NUL, where substr of a text would end. None of them are NULL.
	err = each(ctx, q, `SELECT substr(CAST(path AS BLOB), 1, 5000), substr(CAST(text AS BLOB), 1, 4194305), substr(blob, 1, 65), tokens, redacted, added, refreshed, used, read_only, auto_refresh, pinned, evicted
		FROM context_files ORDER BY path LIMIT 2001`, func(row scanner) error {
		var f ContextFile
		var path, text []byte
		var added, refreshed, used int64
		if err := row.Scan(&path, &text, &f.Blob, &f.Tokens, &f.Redacted, &added, &refreshed, &used, &f.ReadOnly, &f.AutoRefresh, &f.Pinned, &f.Evicted); err != nil {
			return err
		}
		f.Path, f.Text = string(path), string(text)
		f.Added, f.Refreshed, f.Used = time.UnixMicro(added).UTC(), time.UnixMicro(refreshed).UTC(), time.UnixMicro(used).UTC()
		f.Tokens, f.Redacted = max(0, min(f.Tokens, len(f.Text))), max(0, f.Redacted)
		bytes += len(f.Text)
		switch {
		case badPath(f.Path) != "":
			skip(f.Path, badPath(f.Path))
		case len(f.Text) > MaxContextText || bytes > MaxContextBytes:
			skip(f.Path, "too large")
		case len(set.Files) == MaxContextFiles:
			skip(f.Path, "there are too many")
		default:
			set.Files = append(set.Files, f)
		}
		return nil
	})
	return set, diags, err
}

func short(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// badPath says why a path is none of a file below the root, or returns "".
func badPath(p string) string {
	switch {
	case len(p) > maxPath:
		return "too long"
	case p == "." || strings.IndexByte(p, 0) >= 0 || !filepath.IsLocal(filepath.FromSlash(p)):
		return "not a path below the root"
	}
	return ""
}

func badPattern(r ContextRule) string {
	if !r.Glob {
		return badPath(r.Pattern)
	}
	switch {
	case len(r.Pattern) > maxPath:
		return "too long"
	case r.Pattern == "" || strings.IndexByte(r.Pattern, 0) >= 0:
		return "not a pattern"
	}
	return ""
}

// each calls fn for each row of a query.
func each(ctx context.Context, q querier, query string, fn func(row scanner) error) error {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// storeContext writes what differs.
func storeContext(ctx context.Context, tx *sql.Tx, old, next *ContextSet) error {
	exec := func(query string, args ...any) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}
	if old.Budget != next.Budget {
		if err := exec(`INSERT OR REPLACE INTO context_limit (one, tokens) VALUES (1, ?)`, next.Budget); err != nil {
			return err
		}
	}
	rules := map[string]ContextRule{}
	for _, r := range old.Rules {
		rules[r.Pattern] = r
	}
	for _, r := range next.Rules {
		have, ok := rules[r.Pattern]
		delete(rules, r.Pattern)
		if ok && have == r {
			continue
		}
		if err := exec(`INSERT OR REPLACE INTO context_rules (pattern, glob, read_only, auto_refresh, pinned) VALUES (?, ?, ?, ?, ?)`,
			r.Pattern, r.Glob, r.ReadOnly, r.AutoRefresh, r.Pinned); err != nil {
			return err
		}
	}
	for p := range rules {
		if err := exec(`DELETE FROM context_rules WHERE pattern = ?`, p); err != nil {
			return err
		}
	}
	files := map[string]ContextFile{}
	for _, f := range old.Files {
		files[f.Path] = f
	}
	for _, f := range next.Files {
		f.Added, f.Refreshed, f.Used = stored(f.Added), stored(f.Refreshed), stored(f.Used)
		have, ok := files[f.Path]
		delete(files, f.Path)
		if ok && have == f {
			continue
		}
		if err := exec(`INSERT OR REPLACE INTO context_files (path, text, blob, tokens, redacted, added, refreshed, used, read_only, auto_refresh, pinned, evicted)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, f.Path, f.Text, f.Blob, f.Tokens, f.Redacted,
			f.Added.UnixMicro(), f.Refreshed.UnixMicro(), f.Used.UnixMicro(), f.ReadOnly, f.AutoRefresh, f.Pinned, f.Evicted); err != nil {
			return err
		}
	}
	for p := range files {
		if err := exec(`DELETE FROM context_files WHERE path = ?`, p); err != nil {
			return err
		}
	}
	return nil
}

// useContext records that context files were used: the least recently used one
// makes room first.
func useContext(ctx context.Context, tx *sql.Tx, now time.Time, path string) error {
	_, err := tx.ExecContext(ctx, `UPDATE context_files SET used = max(used, ?) WHERE path = ?`, now.UnixMicro(), path)
	return err
}
