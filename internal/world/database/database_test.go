package database

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	for _, c := range []struct {
		path    string
		windows bool
		want    string
	}{
		{"/home/a b/x", false, "file:/home/a%20b/x?"},
		{"C:/a#b/x", true, "file:/C:/a%23b/x?"},
		{"//server/share/x", true, "file:////server/share/x?"},
		{"//?/C:/x", true, "file:////%3F/C:/x?"},
	} {
		if got := urlOn(c.path, nil, c.windows); got != c.want {
			t.Errorf("urlOn(%q, %v) = %q, want %q", c.path, c.windows, got, c.want)
		}
	}
}

// write runs statements on a database, and returns what closes it.
func write(t *testing.T, path string, statements ...string) func() {
	t.Helper()
	db, err := sql.Open("sqlite", URL(path, nil))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%.80s: %v", s, err)
		}
	}
	closed := false
	end := func() {
		if !closed {
			_ = db.Close()
		}
		closed = true
	}
	t.Cleanup(end)
	return end
}

// texts returns the column x of table t.
func texts(ctx context.Context, path string) (list []string, err error) {
	r, err := OpenReader(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	err = r.Each(ctx, "*", "t", "", "", func(r Row) { list = append(list, r.Text("x")) })
	return list, err
}

// files returns the files of a folder by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// TestReader reads a database with its log in each state that an owner leaves behind, and
// changes nothing beside it.
func TestReader(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	owner := filepath.Join(t.TempDir(), "own.db")
	end := write(t, owner, "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0",
		"CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)", "INSERT INTO t (x) VALUES ('a'), ('b')")

	torn := filepath.Join(t.TempDir(), "own.db") // as a killed owner leaves it
	for name, text := range files(t, filepath.Dir(owner)) {
		if err := os.WriteFile(filepath.Join(filepath.Dir(torn), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, state := range []struct {
		name, path string
		before     func()
	}{
		{"owner writes", owner, func() {}},
		{"owner was killed", torn, func() {}},
		{"log without index", torn, func() { _ = os.Remove(torn + "-shm") }},
		{"owner has ended", owner, end},
	} {
		state.before()
		before := files(t, filepath.Dir(state.path))
		list, err := texts(t.Context(), state.path)
		if err != nil || strings.Join(list, "") != "ab" {
			t.Errorf("%s: %q, %v; want a and b", state.name, list, err)
		}
		after := files(t, filepath.Dir(state.path))
		if state.path == owner { // in one process SQLite shares the index
			delete(before, "own.db-shm")
			delete(after, "own.db-shm")
		}
		if !maps.Equal(before, after) {
			t.Errorf("%s: the reader changed the owner's files", state.name)
		}
	}
	if left := files(t, temp); len(left) > 0 {
		t.Errorf("temporary files stay: %v", left)
	}
}

// TestOneTime reads a table twice while its owner adds to it.
func TestOneTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.db")
	write(t, path, "PRAGMA journal_mode = WAL", "CREATE TABLE t (x TEXT)", "INSERT INTO t VALUES ('a')")
	r, err := OpenReader(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 2 {
		rows := 0
		if err := r.Each(t.Context(), "*", "t", "", "", func(Row) { rows++ }); err != nil || rows != 1 {
			t.Errorf("%d rows, %v; want 1", rows, err)
		}
		write(t, path, "INSERT INTO t VALUES ('b')")
	}
}

// TestHostile reads tables that would run a program, or that have no end.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct{ name, statement, want string }{
		{"view", "CREATE VIEW t AS WITH RECURSIVE n(x) AS (SELECT 'a' UNION ALL SELECT x FROM n) SELECT x FROM n", "no table t"},
		{"virtual table", "CREATE VIRTUAL TABLE t USING fts5(x)", "no table t"},
		{"generated column", "CREATE TABLE t (y, x AS (CAST(zeroblob(800000000) AS TEXT))); INSERT INTO t (y) VALUES (1)", "no table t"},
		{"large value", "CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(70000000))", "too big"},
		{"default of many rows", fmt.Sprintf("CREATE TABLE t (y); INSERT INTO t VALUES (1), (2), (3), (4); ALTER TABLE t ADD COLUMN x DEFAULT '%s'", long), errCycle.Error()},
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		write(t, path, c.statement)()
		if _, err := texts(t.Context(), path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestDamage reads a database that is damaged in one place after the other.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	write(t, path, "PRAGMA page_size = 512", "CREATE TABLE t (x TEXT)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 200) INSERT INTO t SELECT 'row ' || i || hex(zeroblob(40)) FROM n")()
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(sound); at += 97 {
		torn := []byte(string(sound))
		copy(torn[at:], "\xff\x05\x00\x01\x7f")
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := texts(t.Context(), path); err == nil && len(list) > 300 {
			t.Errorf("damaged at %d: %d rows of 200", at, len(list))
		}
	}
	if err := os.WriteFile(path, []byte("not a database, but long enough to have a header of one hundred bytes or more, so that it is read as one at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := texts(t.Context(), path); err == nil {
		t.Error("a text was read as a database")
	}
}
