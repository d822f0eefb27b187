package sessions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/transcript"
)

// patience is how long a write that was caught halfway is waited for. Agents
// write a line with one call; a tenth of a second is a hundred times what it
// takes.
const patience = 100 * time.Millisecond

// A File is an open session: bytes of a fixed size, in the form of a session
// file. What its agent appends later is not seen; if it rewrites what was there,
// reads are of the old text, or fail with [ErrRewritten].
type File struct {
	io.ReaderAt
	Path        string
	Size        int64
	Time        time.Time // of the last change
	Diagnostics []satchel.Diagnostic

	f *os.File // nil if the session was put together in memory
}

// UpTo is how many bytes of the session count: until, or all of them for 0.
func (f *File) UpTo(until int64) int64 {
	if until > 0 {
		return min(until, f.Size)
	}
	return f.Size
}

// Close closes the file.
func (f *File) Close() error {
	if f.f == nil {
		return nil
	}
	return f.f.Close()
}

// Open opens a session: a file, the folder of a session of Copilot, Cline or
// OpenHands, or a row of opencode's database, as [List] names it. The path itself
// may lead through links. Open waits a moment for a last line that is being written.
func Open(name string) (*File, error) {
	st, err := os.Stat(name)
	switch {
	case fsx.NotDir(err) || errors.Is(err, fs.ErrNotExist):
		if f, rerr := openRow(name); f != nil || rerr != nil {
			return f, rerr
		}
		return nil, fmt.Errorf("open session: %w", err)
	case err != nil:
		return nil, fmt.Errorf("open session: %w", err)
	case st.IsDir():
		return openFolder(name)
	}
	return openFile(name)
}

func openFile(name string) (*File, error) {
	f, st, err := regular(fsx.Open(name))
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", name, err)
	}
	return openHeld(name, f, st)
}

// settled waits until a file of lines ends with a newline, and until the next
// change of a document shows.
func settled(f *os.File, st fs.FileInfo, document bool) fs.FileInfo {
	for wait := time.Millisecond; wait <= patience/2; wait *= 2 {
		if ends(f, st.Size()) && (!document || ripe(st)) {
			return st
		}
		time.Sleep(wait)
		now, err := f.Stat()
		if err != nil {
			return st
		}
		st = now
	}
	return st
}

// ends reports whether a file ends as a whole record does: with a newline, a
// brace or a bracket.
func ends(f *os.File, size int64) bool {
	if size == 0 {
		return true
	}
	var b [1]byte
	if _, err := f.ReadAt(b[:], size-1); err != nil {
		return true
	}
	return b[0] == '\n' || b[0] == '}' || b[0] == ']'
}

// openFolder opens a session that is a folder.
func openFolder(dir string) (*File, error) {
	for _, name := range []string{"events.jsonl", clineFile, filepath.Base(dir) + clineMessages} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return openFile(filepath.Join(dir, name))
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	defer root.Close()
	rows, notes := folder(root, "events")
	rows = slices.DeleteFunc(rows, func(r openCodeRow) bool { return openHandsNumber(r.id) < 0 })
	if len(rows) == 0 {
		return nil, fmt.Errorf("open session %s: %w", dir, transcript.ErrFormat)
	}
	for i := range rows {
		rows[i].at = int64(openHandsNumber(rows[i].id))
	}
	slices.SortFunc(rows, byTime)
	state, err := readSmall(root, openHandsState)
	if err != nil || !json.Valid(state) {
		state = []byte("null")
	}

	var b bytes.Buffer
	b.WriteString(`{"state":`)
	b.Write(state)
	b.WriteString(`,"events":[`)
	for i, r := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(bytes.TrimSpace(r.data))
	}
	b.WriteString("\n]}\n")
	return inMemory(dir, b.Bytes(), newest(root, "events"), notes), nil
}

// openHandsState is the file of OpenHands that names the model and the folder of a
// conversation.
const openHandsState = "base_state.json"

// openHandsNumber returns the number of an event by its name, such as 7 for
// "event-00007-ab12"; -1 if the name is not one of an event.
func openHandsNumber(name string) int {
	number, _, _ := strings.Cut(strings.TrimPrefix(name, "event-"), "-")
	n, err := strconv.Atoi(number)
	if err != nil || !strings.HasPrefix(name, "event-") {
		return -1
	}
	return n
}

// newest returns the time of the newest file of a folder.
func newest(root *os.Root, dir string) (at time.Time) {
	f, err := root.Open(dir)
	if err != nil {
		return at
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at.UTC()
}

// InMemory returns the session that b holds. The name stands in its notes.
func InMemory(name string, b []byte) *File { return inMemory(name, b, time.Time{}, nil) }

func inMemory(name string, b []byte, at time.Time, notes []string) *File {
	f := &File{ReaderAt: bytes.NewReader(b), Path: name, Size: int64(len(b)), Time: at}
	for _, n := range notes {
		f.Diagnostics = append(f.Diagnostics, satchel.Diagnostic{Path: name, Text: n})
	}
	return f
}

// openRow opens <database>/<id>; nil if there is no such database.
func openRow(name string) (*File, error) {
	db, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return nil, nil //nolint:nilerr // no such database
	}
	if st, err := os.Lstat(db); err != nil || !st.Mode().IsRegular() {
		return nil, nil //nolint:nilerr // no such database
	}
	root, err := os.OpenRoot(filepath.Dir(db))
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	defer root.Close()
	doc, at, err := row(root, filepath.Base(db), filepath.Base(name))
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", name, err)
	}
	return inMemory(name, doc, at, nil), nil
}

// Read opens a session and reads it, again if its agent rewrites it meanwhile.
func Read(name string) (*transcript.Session, error) {
	const tries = 4
	for try := 1; ; try++ {
		s, err := readOnce(name)
		if errors.Is(err, ErrRewritten) && try < tries {
			continue
		}
		return s, err
	}
}

func readOnce(name string) (*transcript.Session, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	s, err := transcript.Read(f, f.Size)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read session %s: %w", name, err)
	}
	s.Diagnostics = append(s.Diagnostics, f.Diagnostics...)
	return s, nil
}
