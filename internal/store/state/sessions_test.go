package state

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sessionOf(t testing.TB, s *Store, id string) Session {
	t.Helper()
	got, err := s.Session(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestSessions(t *testing.T) {
	s := newStore(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	whole := Piece{Path: "a.go", Digest: "1"}
	part := Piece{Path: "b.go", Digest: "2", From: 3, To: 9}
	must(s.Hold(ctx, "claude:x", start, whole, part, Piece{Path: ""}, Piece{Path: "c", From: 9, To: 3}))
	must(s.Hold(ctx, "claude:y", start, whole))
	if diff := cmp.Diff([]Piece{whole, part}, sessionOf(t, s, "claude:x").Held); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}

	// Other bytes of the same lines take their place, and leave the others.
	other := Piece{Path: "b.go", Digest: "3", From: 9, To: 12}
	apart := Piece{Path: "b.go", Digest: "4", From: 20, To: 22}
	must(s.Hold(ctx, "claude:x", start, apart, other))
	if diff := cmp.Diff([]Piece{whole, other, apart}, sessionOf(t, s, "claude:x").Held); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}

	// A compaction forgets what is held, and what must survive is pending until it
	// was given; it survives the next one as well.
	must(s.Keep(ctx, "claude:x", start, "words of the user"))
	must(s.Release(ctx, "claude:x", start, true))
	got := sessionOf(t, s, "claude:x")
	if len(got.Held) != 0 || !got.Pending || got.Keep != "words of the user" {
		t.Errorf("after a compaction: %+v", got)
	}
	must(s.Given(ctx, "claude:x", start))
	if got := sessionOf(t, s, "claude:x"); got.Pending || got.Keep == "" {
		t.Errorf("given back: %+v", got)
	}
	if got := sessionOf(t, s, "claude:y"); len(got.Held) != 1 || got.Pending {
		t.Errorf("another session: %+v", got)
	}
	must(s.Compressed(ctx, "claude:x", start, 7))
	if got := sessionOf(t, s, "claude:x"); got.Compressed != 7 {
		t.Errorf("snapped: %+v", got)
	}
	must(s.endSession(ctx, "claude:x"))
	if got := sessionOf(t, s, "claude:x"); got.ID != "" {
		t.Errorf("ended: %+v", got)
	}

	// What cannot be an id is nobody.
	must(s.Hold(ctx, "", start, whole))
	must(s.Hold(ctx, strings.Repeat("x", 1000), start, whole))
	if got := sessionOf(t, s, ""); got.ID != "" {
		t.Errorf("nobody: %+v", got)
	}
}

// TestSessionsAreBounded keeps the newest sessions and so many pieces of each.
func TestSessionsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("writes thousands of rows, one after another")
	}
	s := newStore(t)
	var many []Piece
	for i := range maxHeld + 50 {
		many = append(many, Piece{Path: fmt.Sprint(i), Digest: "d"})
	}
	for range 2 {
		if err := s.Hold(ctx, "x", start, many...); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(sessionOf(t, s, "x").Held); n != maxHeld {
		t.Errorf("%d pieces, want %d", n, maxHeld)
	}
	if err := s.Keep(ctx, "y", start.Add(sessionLasts+time.Hour), strings.Repeat("é", maxKeep)); err != nil {
		t.Fatal(err)
	}
	if got := sessionOf(t, s, "x"); got.ID != "" {
		t.Error("a session of more than a week ago is remembered")
	}
	if n := len(sessionOf(t, s, "y").Keep); n > maxKeep || n < maxKeep-1 {
		t.Errorf("%d bytes are kept", n)
	}
	for i := range maxSessions + 3 {
		if err := s.Compressed(ctx, fmt.Sprint("s", i), start.Add(sessionLasts+time.Hour+time.Duration(i)*time.Second), 1); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	if err := s.db.QueryRow("SELECT count(*) FROM sessions").Scan(&n); err != nil || n != maxSessions {
		t.Errorf("%d sessions, %v", n, err)
	}
}

// TestSessionsOfBefore reads a database that has no such table yet.
func TestSessionsOfBefore(t *testing.T) {
	all := migrations
	t.Cleanup(func() { migrations = all })
	migrations = all[:sessionsSince-1]
	path := filepath.Join(t.TempDir(), "satchel", Name)
	old := openStore(t, path)
	if _, err := old.db.Exec(`INSERT INTO notes (text, category, tokens, created, touched, base, spaced, touches, pinned) VALUES ('a note', '', 2, 1, 1, 1, 0, 0, 0)`); err != nil {
		t.Fatal(err)
	}
	old.Close()
	migrations = all
	s, err := openExisting(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := sessionOf(t, s, "x"); got.ID != "" {
		t.Errorf("%+v", got)
	}
	if list := notesOf(t, s); len(list) != 1 {
		t.Errorf("%d notes of an older database", len(list))
	}
	if list := notesOf(t, openStore(t, path)); len(list) != 1 {
		t.Errorf("%d notes", len(list))
	}
}

// endSession forgets a session.
func (s *Store) endSession(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *sql.Tx) error { return dropSession(ctx, tx, id) })
}
