package sessions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/satchel-dev/satchel/internal/world/sqlite"
	"github.com/satchel-dev/satchel/transcript"
)

// openCodeHome lists the sessions of opencode, which are rows of opencode.db (seen
// in version 1.18). A row is opened as opencode.db/<id>.
func openCodeHome(l *lister) {
	data := l.env.Getenv("XDG_DATA_HOME")
	if data == "" {
		data = l.env.Home(".local", "share")
	}
	h := l.home(filepath.Join(data, "opencode"))
	if h == nil {
		return
	}
	hasDatabase := false
	for _, f := range h.files(".") {
		base := path.Base(f.name)
		if strings.HasPrefix(base, "opencode") && strings.HasSuffix(base, ".db") {
			l.openCodeRows(h, f)
			hasDatabase = true
		}
	}
	if !hasDatabase && len(h.folders("storage/session"))+len(h.folders("project")) > 0 {
		l.diagnose(h.dir, "not read: the sessions of an opencode without a database; start a newer opencode once, which takes them over")
	}
}

// openCodeRows adds the sessions of a database.
func (l *lister) openCodeRows(h *home, f file) {
	file := filepath.Join(h.dir, filepath.FromSlash(f.name))
	err := withDatabase(h.open, f.name, func(db *sqlite.DB) error {
		t, err := db.Table("session")
		if t == nil || err != nil {
			return err
		}
		var found []candidate
		err = t.Scan(func(r sqlite.Row) bool {
			id := r.Text("id")
			if !oneName(id) { // the path would lead out of the database
				l.odd[file+"\x00sessions whose id is no name"]++
				return true
			}
			found = append(found, candidate{Session: Session{
				Path: filepath.Join(file, id), Format: transcript.OpenCode, ID: id,
				Title: r.Text("title"), Dir: r.Text("directory"), Side: r.Text("parent_id") != "",
				Time: time.UnixMilli(r.Int("time_updated")).UTC(),
			}, home: h, name: f.name, head: headRow})
			return true
		})
		if err == nil {
			l.found = append(l.found, found...)
		}
		return err
	})
	if err != nil {
		l.diagnose(file, "not read: "+reason(err))
	}
}

// oneName reports whether an id may stand at the end of a path.
func oneName(id string) bool {
	return filepath.IsLocal(id) && id != "." && filepath.Base(id) == id
}

// headRow finds out how large a session of a database is.
func headRow(_ *lister, c *candidate) bool {
	return nil == withDatabase(c.home.open, c.name, func(db *sqlite.DB) error {
		t, err := table(db, "part")
		if err != nil {
			return err
		}
		c.Bytes, err = t.Bytes("session_id", c.ID)
		return err
	})
}

// withDatabase opens a database and its log, and calls fn again if they were
// changed while it read.
func withDatabase(open func(name string) (*os.File, fs.FileInfo, error), name string, fn func(*sqlite.DB) error) error {
	const tries = 4
	for try := 1; ; try++ {
		same, err := onceDatabase(open, name, fn)
		if same || try == tries {
			return err
		}
	}
}

func onceDatabase(open func(name string) (*os.File, fs.FileInfo, error), name string, fn func(*sqlite.DB) error) (same bool, err error) {
	f, st, err := open(name)
	if err != nil {
		return true, err
	}
	defer f.Close()
	var log io.ReaderAt
	var size int64
	w, wst, err := open(name + "-wal")
	if err == nil {
		defer w.Close()
		log, size = w, wst.Size()
	}
	// A log that begins anew has another header.
	generation := func() (head [32]byte) {
		if log != nil {
			_, _ = log.ReadAt(head[:], 0) // a shorter log holds nothing
		}
		return head
	}
	began := generation()
	db, err := sqlite.Open(f, st.Size(), log, size)
	if err == nil {
		err = fn(db)
	}
	after, serr := f.Stat()
	return serr != nil || after.ModTime().Equal(st.ModTime()) && after.Size() == st.Size() && generation() == began, err
}

// row assembles a session of a database into the document that "opencode
// export" prints.
func row(dir *os.Root, name, id string) ([]byte, time.Time, error) {
	var doc []byte
	var at time.Time
	open := func(name string) (*os.File, fs.FileInfo, error) {
		return regular(dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0))
	}
	err := withDatabase(open, name, func(db *sqlite.DB) (err error) {
		doc, at, err = assembleRow(db, id)
		return err
	})
	return doc, at, err
}

func assembleRow(db *sqlite.DB, id string) ([]byte, time.Time, error) {
	session, err := table(db, "session")
	if err != nil {
		return nil, time.Time{}, err
	}
	info, at := map[string]any{}, time.Time{}
	if err := session.Where("id", id, func(r sqlite.Row) bool {
		at = time.UnixMilli(r.Int("time_updated")).UTC()
		info = map[string]any{
			"id": id, "projectID": r.Text("project_id"), "directory": r.Text("directory"), "title": r.Text("title"), "version": r.Text("version"),
			"time": map[string]int64{"created": r.Int("time_created"), "updated": r.Int("time_updated")},
		}
		if p := r.Text("parent_id"); p != "" {
			info["parentID"] = p
		}
		if rv := r.Bytes("revert"); json.Valid(rv) {
			info["revert"] = json.RawMessage(slices.Clone(rv))
		}
		return false
	}); err != nil {
		return nil, at, err
	}
	if len(info) == 0 {
		return nil, at, fmt.Errorf("session %s: %w", id, fs.ErrNotExist)
	}
	parts, err := table(db, "part")
	if err != nil {
		return nil, at, err
	}
	of := map[string][]openCodeRow{}
	if err := parts.Where("session_id", id, func(r sqlite.Row) bool {
		m := r.Text("message_id")
		of[m] = append(of[m], openCodeRow{id: r.Text("id"), data: slices.Clone(r.Bytes("data"))})
		return true
	}); err != nil {
		return nil, at, err
	}
	messages, err := table(db, "message")
	if err != nil {
		return nil, at, err
	}
	var all []openCodeRow
	if err := messages.Where("session_id", id, func(r sqlite.Row) bool {
		all = append(all, openCodeRow{id: r.Text("id"), at: r.Int("time_created"), data: slices.Clone(r.Bytes("data"))})
		return true
	}); err != nil {
		return nil, at, err
	}
	head, err := json.Marshal(info)
	if err != nil {
		return nil, at, err
	}
	return document(head, all, of), at, nil
}

func table(db *sqlite.DB, name string) (*sqlite.Table, error) {
	t, err := db.Table(name)
	if err == nil && t == nil {
		err = fmt.Errorf("%w: no table %s", transcript.ErrFormat, name)
	}
	return t, err
}

// An openCodeRow is one message or part; its data lacks the id.
type openCodeRow struct {
	id   string
	at   int64
	data []byte
}

func byTime(a, b openCodeRow) int {
	if a.at != b.at {
		if a.at < b.at {
			return -1
		}
		return 1
	}
	return strings.Compare(a.id, b.id)
}

// document puts a session's parts together.
func document(info []byte, messages []openCodeRow, parts map[string][]openCodeRow) []byte {
	slices.SortFunc(messages, byTime)
	var b bytes.Buffer
	b.WriteString(`{"info":`)
	b.Write(info)
	b.WriteString(`,"messages":[`)
	for i, m := range messages {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + `{"info":`)
		withID(&b, m)
		b.WriteString(`,"parts":[`)
		own := parts[m.id]
		slices.SortFunc(own, byTime)
		for k, p := range own {
			if k > 0 {
				b.WriteByte(',')
			}
			withID(&b, p)
		}
		b.WriteString("]}")
	}
	b.WriteString("\n]}\n")
	return b.Bytes()
}

// withID writes an object with its id. What is no object is written as an
// empty one.
func withID(b *bytes.Buffer, r openCodeRow) {
	data := bytes.TrimSpace(r.data)
	if len(data) < 2 || data[0] != '{' || !json.Valid(data) {
		data = []byte("{}")
	}
	id, err := json.Marshal(r.id)
	if err != nil { // a string has no error
		id = []byte(`""`)
	}
	b.WriteString(`{"id":`)
	b.Write(id)
	if rest := bytes.TrimSpace(data[1:]); len(rest) > 0 && rest[0] != '}' {
		b.WriteByte(',')
	}
	b.Write(data[1:])
}

// folder reads the JSON files of a folder; one that is being written is read
// again.
func folder(root *os.Root, dir string) (rows []openCodeRow, notes []string) {
	f, err := root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil, nil // a message without parts has no folder
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		notes = append(notes, dir+": "+reason(err))
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		b, err := readSmall(root, path.Join(dir, e.Name()))
		if err != nil || !json.Valid(b) {
			notes = append(notes, fmt.Sprintf("%s: %v", path.Join(dir, e.Name()), cmpErr(err)))
			continue
		}
		rows = append(rows, openCodeRow{id: id, data: b})
	}
	return rows, notes
}

func cmpErr(err error) string {
	if err == nil {
		return "malformed"
	}
	return reason(err)
}

// readSmall reads a regular file of a storage folder. One that is no whole JSON
// value is being written: it is read again for a moment.
func readSmall(root *os.Root, name string) ([]byte, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		f, _, err := regular(root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0))
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(f)
		_ = f.Close()
		if err != nil || json.Valid(b) || wait > patience {
			return b, err
		}
		time.Sleep(wait)
	}
}
