package state

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func contextOf(t testing.TB, s *Store) ContextSet {
	t.Helper()
	set, diags, err := s.Context(ctx)
	if err != nil || len(diags) > 0 {
		t.Fatalf("Context: %v, %v", diags, err)
	}
	return set
}

// someContext is a set with everything in it.
func someContext() ContextSet {
	return ContextSet{
		Budget: 500,
		Rules:  []ContextRule{{Pattern: "*.md", Glob: true, ReadOnly: true}, {Pattern: "a.go", AutoRefresh: true, Pinned: true}},
		Files: []ContextFile{
			{Path: "a.go", Text: "package a\x00b\n", Blob: "1234", Tokens: 3, Redacted: 1, Added: start, Refreshed: start.Add(time.Second), Used: start.Add(time.Minute), AutoRefresh: true, Pinned: true},
			{Path: "b.md", Blob: "5678", Added: start, Refreshed: start, Used: start, ReadOnly: true, Evicted: true},
		},
	}
}

func setContext(t testing.TB, s *Store, want ContextSet) {
	t.Helper()
	if err := s.ChangeContext(ctx, func(set *ContextSet) error { *set = want; return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestContext(t *testing.T) {
	s := newStore(t)
	if got := contextOf(t, s); got.Budget != 0 || got.Rules != nil || got.Files != nil {
		t.Errorf("a new database holds %+v", got)
	}
	want := someContext()
	setContext(t, s, want)
	if diff := cmp.Diff(want, contextOf(t, s)); diff != "" {
		t.Error(diff)
	}
	// A change that fails changes nothing, and its error comes back as it is.
	failed := errors.New("no")
	err := s.ChangeContext(ctx, func(set *ContextSet) error {
		set.Budget, set.Rules[0].Pinned, set.Files = 1, true, nil
		return failed
	})
	if err != failed {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(want, contextOf(t, s)); diff != "" {
		t.Error(diff)
	}
	// What is there no longer goes, and what is another changes.
	want.Rules, want.Files = want.Rules[:1], want.Files[1:]
	want.Rules[0].Pinned, want.Files[0].Evicted, want.Files[0].Text = true, false, "back"
	setContext(t, s, want)
	s.Close()
	s = openStore(t, s.path)
	if diff := cmp.Diff(want, contextOf(t, s)); diff != "" {
		t.Error(diff)
	}
	// A use is noted, and never an older one.
	for _, now := range []time.Time{start.Add(time.Hour), start} {
		if err := s.Use(ctx, now, false, "b.md", "not/a/context/file"); err != nil {
			t.Fatal(err)
		}
	}
	if got := contextOf(t, s).Files[0].Used; !got.Equal(start.Add(time.Hour)) {
		t.Errorf("used %v", got)
	}
	var none *Store
	if set, diags, err := none.Context(ctx); err != nil || len(set.Files)+len(diags) > 0 {
		t.Errorf("no database: %v, %v, %v", set, diags, err)
	}
}

// TestHostileContext reads rows that this package would never have stored.
func TestHostileContext(t *testing.T) {
	const row = "INSERT INTO context_files VALUES (%s, %s, 'x', %s, %s, %s, 0, 0, 1, 0, 0, 0)"
	file := func(path, text string) string { return fmt.Sprintf(row, path, text, "1", "0", "0") }
	for _, test := range []struct {
		name, change string
		rules, files int // that are left
		note         string
	}{
		{"above the root", file("'../x'", "''"), 2, 2, "not a path below the root"},
		{"absolute", file("'/etc/passwd'", "''"), 2, 2, "not a path below the root"},
		{"the root", file("'.'", "''"), 2, 2, "not a path below the root"},
		{"NUL", file("'c' || char(0) || 'd'", "''"), 2, 2, "not a path below the root"},
		{"long path", file("hex(zeroblob(4000))", "''"), 2, 2, "too long"},
		{"long text", file("'c'", "hex(zeroblob(3000000))"), 2, 2, "too large"},
		{"much text", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 20) " + strings.Replace(file("'f' || i", "hex(zeroblob(2000000))"), "VALUES (", "SELECT ", 1)[:len(file("'f' || i", "hex(zeroblob(2000000))"))-2] + " FROM n", 2, 18, "too large"},
		{"many", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000) " + strings.Replace(file("'f' || i", "'x'"), "VALUES (", "SELECT ", 1)[:len(file("'f' || i", "'x'"))-2] + " FROM n", 2, MaxContextFiles, "there are too many"},
		{"rule above the root", "INSERT INTO context_rules VALUES ('../x', 0, 1, 0, 0)", 2, 2, "not a path below the root"},
		{"not a pattern", "INSERT INTO context_rules VALUES ('', 1, 1, 0, 0)", 2, 2, "not a pattern"},
		{"many rules", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000) INSERT INTO context_rules SELECT 'f' || i, 0, 1, 0, 0 FROM n", MaxContextRules, 2, "there are too many"},
		{"numbers", fmt.Sprintf(row, "'c'", "'x'", "9000000000000000000", "-5", "-9223372036854775808"), 2, 3, ""},
		{"budget", "UPDATE context_limit SET tokens = -7", 2, 2, ""},
		{"no UTF-8", file("CAST(x'63ff' AS TEXT)", "CAST(x'ff00fe' AS TEXT)"), 2, 3, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if large := strings.HasPrefix(test.name, "many") || strings.HasSuffix(test.name, " text"); large && testing.Short() {
				t.Skip("writes megabytes, which the race detector watches byte by byte")
			}
			s := newStore(t)
			setContext(t, s, someContext())
			if _, err := s.db.Exec(test.change); err != nil {
				t.Fatal(err)
			}
			set, diags, err := s.Context(ctx)
			if err != nil || len(set.Rules) != test.rules || len(set.Files) != test.files {
				t.Fatalf("%d rules and %d files, want %d and %d, %v", len(set.Rules), len(set.Files), test.rules, test.files, err)
			}
			if (test.note == "") != (len(diags) == 0) || test.note != "" && !strings.Contains(diags[0].Text, test.note) {
				t.Errorf("diagnostics %v, want %q", diags, test.note)
			}
			for _, n := range diags {
				if len(n.Text) > 300 || strings.IndexByte(n.Text, 0) >= 0 {
					t.Errorf("note %q", n.Text)
				}
			}
			for _, f := range set.Files {
				if f.Tokens < 0 || f.Tokens > len(f.Text) || f.Redacted < 0 {
					t.Errorf("%+v", f)
				}
			}
			if set.Budget < 0 {
				t.Errorf("budget %d", set.Budget)
			}
			// What is sound can still be changed.
			set.Files = slices.DeleteFunc(set.Files, func(f ContextFile) bool { return f.Path == "a.go" })
			setContext(t, s, set)
		})
	}
}

func TestContextLocked(t *testing.T) {
	s := newStore(t)
	setContext(t, s, someContext())
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(ctx, s.path, Options{Wait: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got := contextOf(t, other); len(got.Files) != 2 {
		t.Errorf("a reader beside a writer sees %v", got)
	}
	called := false
	var locked *LockedError
	if err := other.ChangeContext(ctx, func(*ContextSet) error { called = true; return nil }); !errors.As(err, &locked) || called {
		t.Errorf("ChangeContext beside a writer: %v, called %v", err, called)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	setContext(t, other, ContextSet{})
}

// TestContextTogether: no process loses what another one adds.
func TestContextTogether(t *testing.T) {
	path := newStore(t).path
	const writers, each = 4, 5
	done := make(chan error)
	for w := range writers {
		go func() {
			s, err := Open(ctx, path, Options{Wait: time.Minute})
			if err == nil {
				defer s.Close()
			}
			for i := 0; i < each && err == nil; i++ {
				err = s.ChangeContext(ctx, func(set *ContextSet) error {
					set.Rules = append(set.Rules, ContextRule{Pattern: fmt.Sprintf("%d/%d", w, i)})
					return nil
				})
			}
			done <- err
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := len(contextOf(t, openStore(t, path)).Rules); n != writers*each {
		t.Errorf("%d rules, want %d", n, writers*each)
	}
}

// TestContextOfBefore opens a database as it was before there were context files,
// made by the statements of its time.
func TestContextOfBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(migrations[0] + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1;", applicationID) +
		"INSERT INTO notes (text, category, tokens, created, touched, base, spaced, touches, pinned) VALUES ('the API uses sqlite', 'decision', 5, 1000, 2000, 0.5, 0, 3, 1)")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	old, err := openExisting(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := contextOf(t, old); got.Rules != nil || got.Files != nil {
		t.Errorf("an old database that is only read holds %+v", got)
	}
	old.Close()
	s := openStore(t, path)
	setContext(t, s, someContext())
	if diff := cmp.Diff(someContext(), contextOf(t, s)); diff != "" {
		t.Error(diff)
	}
	list := notesOf(t, s)
	if len(list) != 1 || list[0].Text != "the API uses sqlite" || !list[0].Pinned || list[0].Base != 0.5 {
		t.Errorf("notes after the migration: %+v", list)
	}
}

// TestContextDamaged: a database whose pages are other bytes is an error that says
// so, and never half a set.
func TestContextDamaged(t *testing.T) {
	s := newStore(t)
	set := someContext()
	for i := range 200 {
		set.Files = append(set.Files, ContextFile{Path: fmt.Sprintf("f%03d", i), Text: strings.Repeat("some words ", 100), Added: start, Refreshed: start, Used: start})
	}
	setContext(t, s, set)
	s.Close()
	sound, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for from := 4096; from < len(sound); from += 16 * 4096 {
		bad := slices.Clone(sound)
		for i := from; i < min(len(bad), from+4096); i++ {
			bad[i] ^= 0xa5
		}
		path := filepath.Join(t.TempDir(), Name)
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := openExisting(ctx, path, Options{})
		if err == nil {
			_, _, err = o.Context(ctx)
			o.Close()
		}
		var want *DamagedError
		if err != nil && !errors.As(err, &want) {
			t.Errorf("page at %d: %v", from, err)
		}
		if err != nil {
			damaged++
		}
	}
	if damaged == 0 {
		t.Error("no page was missed")
	}
}
