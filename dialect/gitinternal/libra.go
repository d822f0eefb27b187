package gitinternal

import (
	"time"

	"github.com/satchel-dev/satchel/internal/store/archive"
)

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
