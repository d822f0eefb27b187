package state

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/rank"
)

// A Memory is what is remembered of a project: its notes, the working set and what
// else a Store holds. It opens the Store for each call, and makes it when there is
// something to remember. It is safe for concurrent use.
//
// The errors of its methods are those of opening and writing: *DamagedError,
// *LockedError, *NewerError.
type Memory struct {
	Path string        // of the database; "" if there is no place for it
	Lost error         // why it cannot be reached, whatever the path is; a *DamagedError
	Wait time.Duration // as Options.Wait
}

// Patient returns the same memory, which waits for others no longer than wait.
func (m Memory) Patient(wait time.Duration) Memory {
	m.Wait = wait
	return m
}

// Open opens what is remembered, if there is anything: the Store is nil if not.
func (m Memory) Open(ctx context.Context) (*Store, error) {
	if m.Lost != nil {
		return nil, m.Lost
	}
	if m.Path == "" {
		return nil, nil
	}
	return openExisting(ctx, m.Path, Options{Wait: m.Wait})
}

// Change opens what is remembered, for a change.
func (m Memory) Change(ctx context.Context, fn func(s *Store) error) error {
	if m.Lost != nil {
		return m.Lost
	}
	if m.Path == "" {
		return errors.New("no place for notes: not a git repository, and no cache directory")
	}
	s, err := Open(ctx, m.Path, Options{Wait: m.Wait})
	if err != nil {
		return err
	}
	defer s.Close()
	return fn(s)
}

// Unplaced is what is said of what is remembered, without where it lies: packs name
// no folder of this machine.
func (m Memory) Unplaced(s string) string {
	if lost, ok := errors.AsType[*DamagedError](m.Lost); ok {
		s = strings.ReplaceAll(s, lost.Path, ".git")
	}
	if m.Path == "" {
		return s
	}
	return strings.ReplaceAll(s, m.Path, Name)
}

// Add remembers a fact about the project, with secrets redacted, and says how
// many were. Packs show it as long as it is pinned, or when it has to do with the
// task and has not faded. A text that is refused is a *TextError.
func (m Memory) Add(ctx context.Context, text, category string, pin bool, now time.Time) (n rank.Note, redacted int, err error) {
	err = m.Change(ctx, func(s *Store) error {
		n, redacted, err = s.add(ctx, text, category, pin, now)
		return err
	})
	return n, redacted, err
}

// Notes returns the notes of the project, by number, and a Diagnostic about each that
// cannot be read.
func (m Memory) Notes(ctx context.Context) ([]rank.Note, []satchel.Diagnostic, error) {
	s, err := m.Open(ctx)
	if s == nil || err != nil {
		return nil, nil, err
	}
	defer s.Close()
	return s.Notes(ctx)
}

// Touch records that notes were of use. Like the methods after it, it takes
// all of them or none (*UnknownError), and returns them as they are then.
func (m Memory) Touch(ctx context.Context, now time.Time, ids ...int64) ([]rank.Note, error) {
	return m.changeNotes(ctx, func(s *Store) ([]rank.Note, error) { return s.touch(ctx, now, ids...) })
}

// Pin keeps notes from fading, and puts them into every pack.
func (m Memory) Pin(ctx context.Context, now time.Time, ids ...int64) ([]rank.Note, error) {
	return m.changeNotes(ctx, func(s *Store) ([]rank.Note, error) { return s.pin(ctx, now, ids...) })
}

// Unpin lets notes fade from now on.
func (m Memory) Unpin(ctx context.Context, now time.Time, ids ...int64) ([]rank.Note, error) {
	return m.changeNotes(ctx, func(s *Store) ([]rank.Note, error) { return s.unpin(ctx, now, ids...) })
}

// Remove forgets notes.
func (m Memory) Remove(ctx context.Context, ids ...int64) ([]rank.Note, error) {
	return m.changeNotes(ctx, func(s *Store) ([]rank.Note, error) { return s.remove(ctx, ids...) })
}

func (m Memory) changeNotes(ctx context.Context, fn func(s *Store) ([]rank.Note, error)) (list []rank.Note, err error) {
	err = m.Change(ctx, func(s *Store) error {
		list, err = fn(s)
		return err
	})
	return list, err
}

// Use records that an agent read or edited files of the repository: slash-separated
// paths from its root. They are the working set, whose files rank higher for the
// next hours.
func (m Memory) Use(ctx context.Context, now time.Time, edited bool, paths ...string) error {
	return m.Change(ctx, func(s *Store) error { return s.Use(ctx, now, edited, paths...) })
}

// Forget empties the working set.
func (m Memory) Forget(ctx context.Context) error {
	return m.Change(ctx, func(s *Store) error { return s.forget(ctx) })
}
