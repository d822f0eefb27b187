package state

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/rank"
)

var (
	ctx   = context.Background()
	start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	day   = 24 * time.Hour
)

func openStore(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newStore(t testing.TB) *Store { return openStore(t, filepath.Join(t.TempDir(), "satchel", Name)) }

func add(t testing.TB, s *Store, text string, now time.Time) rank.Note {
	t.Helper()
	m, _, err := s.add(ctx, text, "", false, now)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func notesOf(t testing.TB, s *Store) []rank.Note {
	t.Helper()
	list, diags, err := s.Notes(ctx)
	if err != nil || len(diags) > 0 {
		t.Fatalf("Notes: %v, %v", diags, err)
	}
	return list
}

func texts(list []rank.Note) (out []string) {
	for _, m := range list {
		out = append(out, m.Text)
	}
	return out
}

func TestNotes(t *testing.T) {
	s := newStore(t)
	local := start.In(time.FixedZone("X", 3600)).Add(123) // times are kept to the microsecond, in UTC
	first, redacted, err := s.add(ctx, "  API uses sqlite\n", "decision", true, local)
	want := rank.Note{ID: 1, Text: "API uses sqlite", Category: "decision", Tokens: 4, Created: start, Trace: rank.Fresh(start)}
	want.Pinned = true
	want.Tokens = first.Tokens
	if err != nil || redacted != 0 || first.Tokens < 3 || first.Tokens > 6 {
		t.Fatalf("Add = %+v, %d, %v", first, redacted, err)
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("Add (-want +got):\n%s", diff)
	}
	second := add(t, s, "releases are on Fridays", start.Add(day))
	if diff := cmp.Diff([]rank.Note{first, second}, notesOf(t, s)); diff != "" {
		t.Errorf("Notes (-want +got):\n%s", diff)
	}

	touched, err := s.touch(ctx, start.Add(31*day), 2, 2)
	if err != nil || len(touched) != 1 || touched[0].Touches != 1 || touched[0].Base != 0.75 {
		t.Errorf("Touch = %+v, %v", touched, err)
	}
	if _, err := s.unpin(ctx, start.Add(32*day), 1); err != nil {
		t.Fatal(err)
	}
	if list := notesOf(t, s); list[0].Pinned || !list[0].Touched.Equal(start.Add(32*day)) || list[1] != touched[0] {
		t.Errorf("after a touch and an unpin: %+v", list)
	}
	if _, err := s.pin(ctx, start, 2); err != nil { // a clock that went backwards
		t.Fatal(err)
	}
	if m := notesOf(t, s)[1]; !m.Pinned || !m.Touched.Equal(start.Add(31*day)) {
		t.Errorf("a pin in the past went back in time: %+v", m)
	}

	// All or nothing.
	var unknown *UnknownError
	if _, err := s.remove(ctx, 1, 7); !errors.As(err, &unknown) || unknown.ID != 7 || len(notesOf(t, s)) != 2 {
		t.Errorf("Remove of a note that is not there: %v, %d notes left", err, len(notesOf(t, s)))
	}
	if removed, err := s.remove(ctx, 2, 1); err != nil || !slices.Equal(texts(removed), []string{"releases are on Fridays", "API uses sqlite"}) {
		t.Errorf("Remove = %v, %v", removed, err)
	}
	if m := add(t, s, "again", start); m.ID != 3 {
		t.Errorf("id %d was used again", m.ID)
	}
}

func TestHostileTexts(t *testing.T) {
	s := newStore(t)
	key := "gh" + "p_" + "x8Kd03LqPz7vTn5RbWm1YsJc9HfGa2Ee4UiO"
	for _, test := range []struct {
		name, text, category string
		want, wantError      string
	}{
		{"empty", "", "", "", "note: it is empty"},
		{"blank", " \n\t", "", "", "note: it is empty"},
		{"10 MB", strings.Repeat("x", 10<<20), "", "", "note: it has 10485760 bytes, want at most 16384: keep longer text in a file"},
		{"longest", strings.Repeat("é", MaxText/2), "", strings.Repeat("é", MaxText/2), ""},
		{"long when mended", strings.Repeat("\xff", MaxText), "", "\uFFFD", ""},
		{"long category", "x", strings.Repeat("c", maxCategory+1), "", "category: it has 65 bytes, want at most 64"},
		{"lines in category", "x", "a\nb", "", "category: it holds a control character"},
		{"secret", "the token is " + key, "", "the token is [REDACTED", ""},
		{"escapes", "\x1b[31mred\x00\u202e", "", "\x1b[31mred\x00\u202e", ""},
		{"NUL", "before\x00after", "", "before\x00after", ""},
		{"NUL first", "\x00after", "", "\x00after", ""},
		{"quotes", `'); DROP TABLE notes; --`, `"`, `'); DROP TABLE notes; --`, ""},
	} {
		m, _, err := s.add(ctx, test.text, test.category, false, start)
		if test.wantError != "" {
			var wrong *TextError
			if !errors.As(err, &wrong) || err.Error() != test.wantError {
				t.Errorf("%s: error %v, want %s", test.name, err, test.wantError)
			}
			continue
		}
		if test.name == "secret" {
			file, _ := os.ReadFile(s.path)
			log, _ := os.ReadFile(s.path + "-wal")
			if strings.Contains(m.Text, key) || bytes.Contains(append(file, log...), []byte(key)) {
				t.Errorf("the secret was stored: %q", m.Text)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(m.Text, test.want) {
			t.Errorf("%s: %.40q, %v", test.name, m.Text, err)
		}
		if list := notesOf(t, s); list[len(list)-1].Text != m.Text {
			t.Errorf("%s: %.40q is read back as %.40q", test.name, m.Text, list[len(list)-1].Text)
		}
	}
	if _, redacted, err := s.add(ctx, key, key, false, start); err == nil && redacted != 2 {
		t.Errorf("%d secrets redacted, want 2", redacted)
	}
	notesOf(t, s)
	for _, now := range []time.Time{{}, time.Unix(1<<62, 0), time.Unix(-1<<62, 0)} {
		m, _, err := s.add(ctx, "from another time", "", false, now)
		if list := notesOf(t, s); err != nil || !list[len(list)-1].Created.Equal(m.Created) {
			t.Errorf("at %v: %v, %v", now, m.Created, err)
		}
	}
}

func TestUses(t *testing.T) {
	s := newStore(t)
	use := func(now time.Time, edited bool, paths ...string) {
		t.Helper()
		if err := s.Use(ctx, now, edited, paths...); err != nil {
			t.Fatal(err)
		}
	}
	use(start, true, "a.go", "", "x\x00y", strings.Repeat("p", 5000))
	use(start.Add(time.Minute), false, "b.go", "a.go")
	list, err := s.Uses(ctx)
	if err != nil || len(list) != 2 || list[0].Path != "a.go" || !list[0].Edited || list[0].Touches != 1 || list[1].Edited {
		t.Errorf("Uses = %+v, %v", list, err)
	}
	// What was last used a day ago is gone.
	use(start.Add(day), false, "c.go")
	if list, err = s.Uses(ctx); err != nil || len(list) != 1 || list[0].Path != "c.go" {
		t.Errorf("a day later: %+v, %v", list, err)
	}
	var many []string
	for i := range 2 * maxUses {
		many = append(many, fmt.Sprintf("%04d.go", i))
	}
	use(start.Add(day), false, many...)
	if list, _ = s.Uses(ctx); len(list) != maxUses {
		t.Errorf("%d uses are kept, want %d", len(list), maxUses)
	}
	if err := s.forget(ctx); err != nil {
		t.Fatal(err)
	}
	if list, _ = s.Uses(ctx); list != nil {
		t.Errorf("after Forget: %v", list)
	}
}

func TestOpenExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel", Name)
	s, err := openExisting(ctx, path, Options{})
	if s != nil || err != nil {
		t.Fatalf("none there: %v, %v", s, err)
	}
	if list, _, err := s.Notes(ctx); list != nil || err != nil {
		t.Errorf("Notes of none = %v, %v", list, err)
	}
	if list, err := s.Uses(ctx); list != nil || err != nil {
		t.Errorf("Uses of none = %v, %v", list, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("looking made a folder")
	}
	w := openStore(t, path)
	add(t, w, "one", start)
	for range 2 { // beside a writer, and after it has gone
		r, err := openExisting(ctx, path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(notesOf(t, r)); !slices.Equal(got, []string{"one"}) {
			t.Errorf("notes %v", got)
		}
		if _, _, err := r.add(ctx, "two", "", false, start); err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("Add to what was opened for reading: %v", err)
		}
		r.Close()
		w.Close()
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	if len(entries) != 1 {
		t.Errorf("%d files are left when all have closed the database, want 1", len(entries))
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root may write anywhere, and folders of Windows have no modes")
	}
	dir := filepath.Join(t.TempDir(), "ro")
	w := openStore(t, filepath.Join(dir, Name))
	add(t, w, "one", start)
	w.Close()
	if err := os.Chmod(w.path, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	r, err := openExisting(ctx, w.path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := texts(notesOf(t, r)); !slices.Equal(got, []string{"one"}) {
		t.Errorf("notes %v", got)
	}
	if s, err := Open(ctx, w.path, Options{}); err == nil {
		_, _, err = s.add(ctx, "two", "", false, start)
		s.Close()
		if err == nil {
			t.Error("a note was added to a read-only file")
		}
	}
	if _, err := Open(ctx, filepath.Join(dir, "sub", Name), Options{}); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("Open below a read-only folder: %v", err)
	}
}

// TestDamaged opens what is no database of ours, or no longer.
func TestDamaged(t *testing.T) {
	good := newStore(t)
	for i := range 200 {
		add(t, good, fmt.Sprint("note ", i, strings.Repeat(" word", 50)), start)
	}
	good.Close()
	sound, err := os.ReadFile(good.path)
	if err != nil {
		t.Fatal(err)
	}
	change := func(text string) func(path string) error {
		return func(path string) error {
			if err := os.WriteFile(path, sound, 0o666); err != nil {
				return err
			}
			db, err := sql.Open("sqlite", path)
			if err != nil {
				return err
			}
			defer db.Close()
			_, err = db.Exec(text)
			return err
		}
	}
	write := func(b []byte) func(string) error {
		return func(path string) error { return os.WriteFile(path, b, 0o666) }
	}
	garbled := slices.Clone(sound)
	for i := 4096; i < len(garbled); i += 7 {
		garbled[i] ^= 0x5a
	}
	for _, test := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"text", write([]byte(strings.Repeat("no database at all\n", 500))), "damaged: file is not a database"},
		{"half", write(sound[:len(sound)/2]), "damaged: "},
		{"garbled", write(garbled), "damaged: "},
		{"folder", func(path string) error { return os.Mkdir(path, 0o777) }, "damaged: not a regular file"},
		{"link", func(path string) error { return os.Symlink(good.path, path) }, "damaged: not a regular file"},
		{"link beside", func(path string) error {
			if err := os.WriteFile(path, sound, 0o666); err != nil {
				return err
			}
			return os.Symlink(good.path, path+"-wal")
		}, "damaged: not a regular file"},
		{"huge", func(path string) error {
			if err := os.WriteFile(path, sound, 0o666); err != nil {
				return err
			}
			return os.Truncate(path, 20<<30)
		}, "damaged: 21474836480 bytes, want at most 1073741824"},
		{"trigger", change("CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM notes; END"), "damaged: its tables are not from satchel"},
		{"view", change("DROP TABLE notes; CREATE VIEW notes AS WITH RECURSIVE x(id) AS (SELECT 1 UNION ALL SELECT id+1 FROM x) SELECT * FROM x"), "damaged: its tables are not from satchel"},
		{"extra table", change("CREATE TABLE more (x)"), "damaged: its tables are not from satchel"},
		{"other program's", change("PRAGMA application_id = 7"), "damaged: it is not a satchel database"},
		{"newer", change("PRAGMA user_version = 99"), "a newer satchel wrote it: its tables have version 99, and this one knows versions up to "},
		{"negative", change("PRAGMA user_version = -1"), "damaged: version -1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), Name)
			if err := test.make(path); err != nil {
				t.Skip(err)
			}
			for name, open := range map[string]func(context.Context, string, Options) (*Store, error){"Open": Open, "OpenExisting": openExisting} {
				s, err := open(ctx, path, Options{})
				if err == nil {
					_, _, err = s.Notes(ctx)
					s.Close()
				}
				var damaged *DamagedError
				var newer *NewerError
				if err == nil || !strings.Contains(err.Error(), test.want) || !errors.As(err, &damaged) && !errors.As(err, &newer) {
					t.Errorf("%s: error %v, want %s", name, err, test.want)
				}
			}
		})
	}
	// Texts that Add would have refused are left out, and told.
	path := filepath.Join(t.TempDir(), Name)
	if err := change(fmt.Sprintf("UPDATE notes SET text = hex(randomblob(%d)) WHERE id = 1; UPDATE notes SET category = char(10) WHERE id = 2; UPDATE notes SET touched = -9223372036854775807, base = 9e999 WHERE id = 3; UPDATE notes SET text = '' WHERE id = 4", MaxText))(path); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, path)
	list, diags, err := s.Notes(ctx)
	if err != nil || len(list) != 197 || len(diags) != 3 || !strings.Contains(diags[0].Text, "note 1 is left out: note: it has") {
		t.Errorf("%d notes, %v, %v", len(list), diags, err)
	}
	for _, w := range rank.NoteDecay().Weights(list, start) {
		if !(w >= 0 && w <= 1) {
			t.Errorf("weight %v", w)
		}
	}
}

func TestLocked(t *testing.T) {
	s := newStore(t)
	add(t, s, "one", start)
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(ctx, s.path, Options{Wait: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got := texts(notesOf(t, other)); !slices.Equal(got, []string{"one"}) {
		t.Errorf("a reader beside a writer sees %v", got)
	}
	var locked *LockedError
	if _, _, err := other.add(ctx, "two", "", false, start); !errors.As(err, &locked) {
		t.Errorf("Add beside a writer: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	add(t, other, "two", start)
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, _, err := other.add(stopped, "three", "", false, start); !errors.Is(err, context.Canceled) {
		t.Errorf("Add when interrupted: %v", err)
	}
}

// TestTogether has many connections make the database and add to it at once.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel", Name)
	var wg sync.WaitGroup
	const writers, each = 8, 10
	for w := range writers {
		wg.Go(func() {
			s, err := Open(ctx, path, Options{Wait: time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for i := range each {
				if _, _, err := s.add(ctx, fmt.Sprintf("%d/%d", w, i), "", false, start); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	list := texts(notesOf(t, openStore(t, path)))
	slices.Sort(list)
	if n := len(slices.Compact(list)); n != writers*each {
		t.Errorf("%d notes, want %d", n, writers*each)
	}
}

// TestMigrate brings a database of an older version up to date.
func TestMigrate(t *testing.T) {
	released := migrations
	t.Cleanup(func() { migrations = released })
	path := filepath.Join(t.TempDir(), Name)
	s := openStore(t, path)
	add(t, s, "old", start)
	s.Close()
	migrations = append(slices.Clone(released), "CREATE TABLE later (\n\tid INTEGER PRIMARY KEY\n) STRICT;\nINSERT INTO later VALUES (42);")
	r, err := openExisting(ctx, path, Options{})
	if err != nil {
		t.Fatalf("an older database cannot be read: %v", err)
	}
	if got := texts(notesOf(t, r)); !slices.Equal(got, []string{"old"}) {
		t.Errorf("notes %v", got)
	}
	r.Close()
	s = openStore(t, path)
	var id int
	if err := s.db.QueryRow("SELECT id FROM later").Scan(&id); err != nil || id != 42 {
		t.Errorf("after the migration: %d, %v", id, err)
	}
	if got := texts(notesOf(t, s)); !slices.Equal(got, []string{"old"}) {
		t.Errorf("notes %v", got)
	}
	s.Close()
	migrations = released
	var newer *NewerError
	if _, err := Open(ctx, path, Options{}); !errors.As(err, &newer) {
		t.Errorf("opened by the older program: %v", err)
	}
}

func TestPathsWithMarks(t *testing.T) {
	for _, name := range []string{"with space", "100%", "a?mode=memory", "a#b", "ü", "x&_pragma=1"} {
		if runtime.GOOS == "windows" && strings.Contains(name, "?") {
			continue // nor can another program make one
		}
		s := openStore(t, filepath.Join(t.TempDir(), name, Name))
		add(t, s, "one", start)
		if _, err := os.Stat(s.path); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func BenchmarkNotes(b *testing.B) {
	s := newStore(b)
	err := s.change(ctx, func(tx *sql.Tx) error {
		for i := range 100_000 {
			if _, err := tx.Exec(`INSERT INTO notes (text, category, tokens, created, touched, base, spaced, touches, pinned) VALUES (?, '', 8, 1, 1, 1, 0, 0, 0)`, fmt.Sprint("this is the note with the number ", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if list := notesOf(b, s); len(list) != 100_000 {
			b.Fatal(len(list))
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	s := newStore(b)
	for b.Loop() {
		add(b, s, "API uses sqlite", start)
	}
}

// A text file may hold a NUL after its beginning. It is kept whole, and an empty
// one, as of an evicted file, is empty.
func TestContextKeepsNUL(t *testing.T) {
	s := newStore(t)
	text := "before\x00after\n"
	err := s.ChangeContext(ctx, func(set *ContextSet) error {
		set.Files = append(set.Files, ContextFile{Path: "a.txt", Text: text, Blob: strings.Repeat("0", 40), Tokens: 4},
			ContextFile{Path: "b.txt", Blob: strings.Repeat("0", 40), Evicted: true})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	set, diags, err := s.Context(ctx)
	if err != nil || len(diags) > 0 || len(set.Files) != 2 || set.Files[0].Text != text || set.Files[1].Text != "" {
		t.Errorf("Context = %+v, %v, %v, want the text %q", set.Files, diags, err, text)
	}
}
