// Package archive keeps snapshots in a git repository, so that no collection
// of garbage takes them.
//
// Each snapshot is a commit on [Ref], a chain that shares no history with any
// branch and lies where no push or fetch looks by default. The commit's tree
// holds the record and, unless another [Retention] says so, every blob that the
// record names; its message says which record it is. Blobs that the repository
// has already are referred to and not copied.
//
// Many processes may write at the same time: a snapshot is acknowledged only
// when the reference has moved to a chain that holds it and all that was there
// before. Nothing is ever fetched or run, and nothing but the chain, the
// references below refs/satchel (or where [retentionBelow] is told to put those of
// blobs) and new objects is written.
//
// Start with [New], [Archive.Keep] and [Archive.Find].
package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/snapshot"
)

// Ref is the chain of snapshots, newest first.
const Ref = "refs/satchel/snapshots"

// A Retention says what keeps the blobs of a snapshot from being collected as
// garbage. The record itself is always kept by the chain.
type Retention string

const (
	chain Retention = "chain" // the commit's tree; the default
	none  Retention = "none"  // nothing: git may collect what no branch has
)

// ParseRetention reads the name of a retention; "" means chain, and so do the refs and
// pack of earlier versions, which kept the same bytes.
func ParseRetention(s string) (Retention, error) {
	switch {
	case s == "", s == string(chain), s == "refs", s == "pack", strings.HasPrefix(s, "refs:"):
		return chain, nil
	case s == string(none):
		return none, nil
	}
	return "", fmt.Errorf("retention %q: want chain or none", s)
}

// An Archive is the snapshots of one repository. It holds nothing open and is
// safe for concurrent use.
type Archive struct {
	repo *git.Repo
}

// New returns the archive of a repository.
func New(repo *git.Repo) *Archive { return &Archive{repo} }

// BlobID returns the id that bytes have in the repository.
func (a *Archive) BlobID(data []byte) string { return git.BlobID(a.repo.Format(), data) }

// An Entry is one snapshot of the archive, without its record.
type Entry struct {
	ID        string    `json:"id"`
	Taken     time.Time `json:"taken"`
	Summary   string    `json:"summary,omitempty"`
	Items     int       `json:"items"`
	Bytes     int64     `json:"bytes"` // of all blobs that it names, each once
	Retention Retention `json:"retention"`

	commit string
	record string // id of the blob that holds the record
}

// An UnknownError means that no snapshot has an id.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string { return fmt.Sprintf("no snapshot %q", e.ID) }

// An ambiguousError means that several snapshots' ids begin so.
type ambiguousError struct {
	ID  string
	All []string
}

func (e *ambiguousError) Error() string {
	return fmt.Sprintf("%q is the beginning of %d snapshots' ids, such as %.12s and %.12s", e.ID, len(e.All), e.All[0], e.All[1])
}

// A DamageError means that the chain, a record or a blob is not what it ought to
// be. Other snapshots are not affected.
type DamageError struct {
	ID  string // of the snapshot; may be ""
	Why string
}

func (e *DamageError) Error() string {
	if e.ID == "" {
		return e.Why
	}
	return fmt.Sprintf("snapshot %.12s: %s", e.ID, e.Why)
}

// message writes the entry as a commit's message.
func (e *Entry) message() string {
	return fmt.Sprintf("snapshot %s\n\n%s\n\nrecord %s\nitems %d\nbytes %d\nretention %s\n",
		e.ID, strings.Join(strings.Fields(e.Summary), " "), e.record, e.Items, e.Bytes, e.Retention)
}

// parse reads an entry from its commit.
func parse(c git.Commit) (Entry, error) {
	bad := func(why string) (Entry, error) {
		return Entry{}, &DamageError{Why: fmt.Sprintf("commit %.12s of %s: %s", c.ID, Ref, why)}
	}
	parts := strings.Split(strings.TrimSuffix(c.Message, "\n"), "\n\n")
	id, ok := strings.CutPrefix(parts[0], "snapshot ")
	if !ok || len(id) != 64 || !hexDigits(id) || len(parts) < 2 {
		return bad("its message is not a snapshot's")
	}
	e := Entry{ID: id, Taken: time.Unix(c.Time, 0).UTC(), commit: c.ID}
	if len(parts) > 2 {
		e.Summary = parts[1]
	}
	for line := range strings.Lines(parts[len(parts)-1]) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var err error
		switch key {
		case "record":
			e.record = value
		case "items":
			e.Items, err = strconv.Atoi(value)
		case "bytes":
			e.Bytes, err = strconv.ParseInt(value, 10, 64)
		case "retention":
			e.Retention, err = ParseRetention(value)
		}
		if err != nil {
			return bad(err.Error())
		}
	}
	if len(e.record) != len(c.ID) || !hexDigits(e.record) {
		return bad("its message names no record")
	}
	if e.Items < 0 || e.Bytes < 0 {
		return bad("its message has a negative size")
	}
	return e, nil
}

func hexDigits(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}

// List returns all snapshots, newest first, and what was wrong with those that
// could not be read.
func (a *Archive) List(ctx context.Context) ([]Entry, []error, error) {
	tip, err := a.repo.Ref(ctx, Ref)
	if err != nil {
		return nil, nil, err
	}
	return a.list(ctx, tip)
}

func (a *Archive) list(ctx context.Context, tip string) (entries []Entry, damage []error, err error) {
	if tip == "" {
		return nil, nil, nil
	}
	err = a.repo.Messages(ctx, tip, func(c git.Commit) error {
		if e, err := parse(c); err != nil {
			damage = append(damage, err)
		} else {
			entries = append(entries, e)
		}
		return nil
	})
	var unknown *git.UnknownRevisionError
	if errors.As(err, &unknown) {
		return nil, nil, &DamageError{Why: fmt.Sprintf("%s points to %s, which is missing or not a commit", Ref, tip)}
	}
	return entries, damage, err
}

// Find returns the snapshot whose id begins so; at least four digits are wanted.
// "latest" is the newest and "previous" the one before it. The errors are
// *[UnknownError] and *ambiguousError.
func (a *Archive) Find(ctx context.Context, id string) (Entry, error) {
	entries, _, err := a.List(ctx)
	if err != nil {
		return Entry{}, err
	}
	if at, named := map[string]int{"latest": 0, "previous": 1}[id]; named && at < len(entries) {
		return entries[at], nil
	}
	var found []Entry
	if len(id) >= 4 {
		for _, e := range entries {
			if strings.HasPrefix(e.ID, strings.ToLower(id)) {
				found = append(found, e)
			}
		}
	}
	switch len(found) {
	case 0:
		return Entry{}, &UnknownError{id}
	case 1:
		return found[0], nil
	}
	var all []string
	for _, e := range found {
		all = append(all, e.ID)
	}
	return Entry{}, &ambiguousError{id, all}
}

// maxRecord is the longest record that is read; a pack of a hundred thousand
// omissions takes about 10 MB.
const maxRecord = 256 << 20

// Record reads the record of an entry and checks that it has the entry's id. A
// record that is missing or damaged is a *[DamageError].
func (a *Archive) Record(ctx context.Context, e Entry) (*snapshot.Record, error) {
	objects := a.repo.Objects(ctx)
	defer objects.Close()
	text, err := objects.Read(e.record, maxRecord)
	if err != nil {
		return nil, damage(ctx, e.ID, "its record", err)
	}
	return decode(e.ID, text)
}

func decode(id string, text []byte) (*snapshot.Record, error) {
	if got := snapshot.IDOf(text); got != id {
		return nil, &DamageError{id, fmt.Sprintf("its record has the hash %.12s", got)}
	}
	r, err := snapshot.Decode(text)
	if err != nil {
		return nil, &DamageError{id, err.Error()}
	}
	return r, nil
}

// Blob returns the bytes of a blob that a snapshot names.
func (a *Archive) Blob(ctx context.Context, e Entry, id string) ([]byte, error) {
	objects := a.repo.Objects(ctx)
	defer objects.Close()
	data, err := objects.Read(id, maxBlob)
	if err != nil {
		return nil, damage(ctx, e.ID, "blob "+id, err)
	}
	if got := a.BlobID(data); got != id {
		return nil, &DamageError{e.ID, fmt.Sprintf("blob %s has the hash %s", id, got)}
	}
	return data, nil
}

// maxBlob is the largest blob that is read.
const maxBlob = 1 << 30

// damage makes a DamageError of an error about an object, unless the work was
// interrupted.
func damage(ctx context.Context, id, what string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var failed *git.CommandError
	if errors.Is(err, git.ErrMissing) {
		return &DamageError{id, what + " is missing"}
	}
	if errors.As(err, &failed) {
		return &DamageError{id, fmt.Sprintf("%s cannot be read: %s", what, cmp.Or(failed.Stderr, failed.Err.Error()))}
	}
	return &DamageError{id, fmt.Sprintf("%s cannot be read: %v", what, err)}
}
