package state

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/rank"
)

// remembered is all that is read of a database.
type remembered struct {
	Notes   []rank.Note
	Uses    []rank.Use
	Context ContextSet
	Keep    string
}

func remember(path string) (r remembered, err error) {
	s, err := openExisting(ctx, path, Options{Wait: time.Second})
	if err != nil || s == nil {
		return r, err
	}
	defer s.Close()
	for _, read := range []func() error{
		func() (err error) { r.Notes, _, err = s.Notes(ctx); return err },
		func() (err error) { r.Uses, err = s.Uses(ctx); return err },
		func() (err error) { r.Context, _, err = s.Context(ctx); return err },
		func() error { t, err := s.Session(ctx, "x"); r.Keep = t.Keep; return err },
	} {
		if err := read(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// A flipped bit or a cut anywhere in the file never crashes a read. An error is
// damage in plain words.
func TestFlippedBits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	s := newStore(t)
	for i := range 60 {
		add(t, s, fmt.Sprint("note ", i, strings.Repeat(" word", i%40)), start.Add(time.Duration(i)*time.Hour))
	}
	if _, err := s.remove(ctx, 7); err != nil {
		t.Fatal(err)
	}
	if _, err := s.pin(ctx, start, 9); err != nil {
		t.Fatal(err)
	}
	if err := s.Use(ctx, start, true, "a.go", "b/c.go"); err != nil {
		t.Fatal(err)
	}
	setContext(t, s, someContext())
	if err := s.Keep(ctx, "x", start, "what must survive"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	sound, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := remember(s.path)
	if err != nil || len(want.Notes) != 59 || len(want.Context.Files) == 0 || want.Keep == "" {
		t.Fatalf("%d notes, %v", len(want.Notes), err)
	}
	step := 149 // a prime, so that all bits and places have their turn
	switch {
	case os.Getenv(soakEnv) != "":
		step = 37
	case testing.Short():
		step = 397
	}
	path := filepath.Join(t.TempDir(), "satchel", Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	same, changed, damaged := 0, 0, 0
	try := func(what string, b []byte) {
		t.Helper()
		for _, end := range []string{"-wal", "-shm", "-journal"} {
			os.Remove(path + end)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		have, err := remember(path)
		var d *DamagedError
		var newer *NewerError
		switch {
		case err == nil && cmp.Equal(want, have):
			same++
		case err == nil:
			changed++ // SQLite has no checksum of what a page holds
		case !errors.As(err, &d) && !errors.As(err, &newer):
			t.Errorf("%s: error %v", what, err)
		case strings.Contains(err.Error(), "SQL") || strings.Contains(err.Error(), "sql") || strings.Contains(err.Error(), "column"):
			t.Errorf("%s: error %v", what, err)
		default:
			damaged++
		}
	}
	for at := 0; at < len(sound); at += step {
		b := bytes.Clone(sound)
		b[at] ^= 1 << (at / step % 8)
		try(fmt.Sprintf("bit %d of byte %d", at/step%8, at), b)
	}
	for at := 1; at < len(sound); at += 40 * step {
		try(fmt.Sprintf("an end at byte %d", at), sound[:at])
	}
	t.Logf("%d changed nothing, %d changed a value, %d were noticed", same, changed, damaged)
	if damaged == 0 {
		t.Error("no damage was noticed")
	}
}

// A reader sees no damage while another process writes.
func TestReadWhileWriting(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	s := newStore(t)
	add(t, s, "one", start)
	other, err := Open(ctx, s.path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	done := make(chan error, 1)
	go func() {
		for i := range 150 {
			now := start.Add(time.Duration(i) * time.Second)
			if _, _, err := other.add(ctx, fmt.Sprint("note ", i), "", false, now); err != nil {
				done <- err
				return
			}
			if err := other.Use(ctx, now, true, fmt.Sprint("f", i)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		if _, _, err := s.Notes(ctx); err != nil {
			t.Error(err)
		}
		if _, err := s.Uses(ctx); err != nil {
			t.Error(err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
}
