package gitinternal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/snapshot"
)

// A Run is git-internal's record that an agent was started, with the snapshot of
// what it saw. Plan and environment, which git-internal makes optional, stay out:
// satchel has no plan, and the environment is not its to tell.
type Run struct {
	ObjectID  string // UUID version 7
	CreatedAt time.Time
	CreatedBy actor
	Task      string // UUID of the task
	Commit    string // hex, as git writes it
	Snapshot  string // ObjectID of the ContextSnapshot
}

// NewRun returns the run that began with a snapshot: s as [FromRecord] made
// it of r. record is what satchel wrote about the run; its hash is in the run's id,
// so the same record is the same run. The id of the task comes from its words, since
// there is no Task object: runs of one task have the same.
func NewRun(r *snapshot.Record, s *ContextSnapshot, record []byte) (*Run, error) {
	if r.Request == nil || r.Request.Task == "" {
		return nil, errors.New("the snapshot holds no task, so it is not the prompt of a run")
	}
	if r.Commit == "" {
		return nil, errors.New("the snapshot names no commit, which git-internal's Run wants: the repository had none")
	}
	hash := func(kind string, b []byte) string {
		sum := sha256.Sum256(append([]byte(kind+"\x00"), b...))
		return hex.EncodeToString(sum[:])
	}
	return &Run{
		ObjectID: uuid7(s.CreatedAt, hash("run", record)), CreatedAt: s.CreatedAt, CreatedBy: s.CreatedBy,
		Task: uuid7(time.Unix(0, 0), hash("task", []byte(r.Request.Task))), Commit: r.Commit, Snapshot: s.ObjectID,
	}, nil
}

// wireRun has the fields in the order in which git-internal 0.8 declares them.
type wireRun struct {
	ObjectID   string `json:"object_id"`
	ObjectType string `json:"object_type"`
	Version    int    `json:"version"`
	CreatedAt  string `json:"created_at"`
	CreatedBy  actor  `json:"created_by"`
	Task       string `json:"task"`
	Commit     string `json:"commit"`
	Snapshot   string `json:"snapshot"`
}

// integrityDigits are the digits of git-internal's IntegrityHash. Libra pads the id
// of a SHA-1 commit on the right with zeros.
const integrityDigits = 64

// Encode returns the JSON of the object.
func (r *Run) Encode() ([]byte, error) {
	if !snapshot.IsID(r.Commit) {
		return nil, fmt.Errorf("commit %q is not an object id", r.Commit)
	}
	return snapshot.JSON(wireRun{
		ObjectID: r.ObjectID, ObjectType: "run", Version: 1, CreatedAt: serdeTime(r.CreatedAt), CreatedBy: r.CreatedBy,
		Task: r.Task, Commit: r.Commit + strings.Repeat("0", integrityDigits-len(r.Commit)), Snapshot: r.Snapshot,
	})
}

// libraTries is how often Libra tries to move its reference before it gives up.
const libraTries = 32

// Folders of Libra's history, named after the type of object. Readers know
// context_snapshot too.
const (
	libraSnapshots = "snapshot"
	libraRuns      = "run"
)

// Libra returns the object as a file of Libra's history.
func (s *ContextSnapshot) Libra() (archive.HistoryFile, error) {
	text, err := s.Encode()
	return libraFile(libraSnapshots, s.ObjectID, text, s.CreatedAt), err
}

// Libra returns the run as a file of Libra's history, beside its snapshot.
func (r *Run) Libra() (archive.HistoryFile, error) {
	text, err := r.Encode()
	return libraFile(libraRuns, r.ObjectID, text, r.CreatedAt), err
}

func libraFile(folder, id string, text []byte, when time.Time) archive.HistoryFile {
	return archive.HistoryFile{
		Folder: folder, Name: id, Text: text, When: when, Tries: libraTries,
		Author: "Libra", Email: "history@libra", Message: "Update " + folder + "/" + id + "\n",
	}
}
