package sessions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
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

	"github.com/satchel-dev/satchel/internal/world/database"
	"github.com/satchel-dev/satchel/transcript"
)

// openCodeHome lists the sessions of opencode, which are rows of opencode.db (seen
// in version 1.18). A row is opened as opencode.db/<id>.
func openCodeHome(l *lister) {
	data := cmp.Or(l.env.Getenv("XDG_DATA_HOME"), l.env.Home(".local", "share"))
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
	ctx, cancel := context.WithTimeout(context.Background(), maxQuery)
	defer cancel()
	db, err := openDatabase(ctx, h.root, f.name)
	var found []candidate
	if err == nil {
		l.databases = append(l.databases, db) // the candidates read it
		err = db.Each(ctx, "*", "session", "", "", func(r database.Row) {
			id := r.Text("id")
			if !oneName(id) { // the path would lead out of the database
				l.odd[file+"\x00sessions with an invalid id"]++
				return
			}
			found = append(found, candidate{Session: Session{
				Path: filepath.Join(file, id), Format: transcript.OpenCode, ID: id,
				Title: r.Text("title"), Dir: r.Text("directory"), Side: r.Text("parent_id") != "",
				Time: time.UnixMilli(r.Int("time_updated")).UTC(),
			}, home: h, name: f.name, head: func(_ *lister, c *candidate) bool { return headRow(db, c) }})
		})
	}
	switch {
	case err == nil:
		l.found = append(l.found, found...)
	case !errors.Is(err, database.ErrNoTable):
		l.diagnose(file, "not read: "+reason(err))
	}
}

// oneName reports whether an id may stand at the end of a path.
func oneName(id string) bool {
	return filepath.IsLocal(id) && id != "." && filepath.Base(id) == id
}

// headRow finds the size of a session in a database.
func headRow(db *database.Reader, c *candidate) bool {
	ctx, cancel := context.WithTimeout(context.Background(), maxQuery)
	defer cancel()
	return nil == db.Each(ctx, "octet_length(data) AS bytes", "part", "session_id", c.ID, func(r database.Row) { c.Bytes += r.Int("bytes") })
}

// maxQuery is the longest that reading a database takes: a damaged one may have no end.
const maxQuery = time.Minute

// openDatabase opens a database of a folder. A link is refused.
func openDatabase(ctx context.Context, dir *os.Root, name string) (*database.Reader, error) {
	for _, end := range []string{"", "-wal", "-shm"} {
		st, err := dir.Lstat(name + end) // not opened: closing it would end the locks of other readers in the process
		if err == nil && !st.Mode().IsRegular() {
			err = errSpecial
		}
		if err != nil && (end == "" || !errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
	}
	return database.OpenReader(ctx, filepath.Join(dir.Name(), filepath.FromSlash(name)))
}

// row assembles a session of a database into the document that "opencode export" prints.
func row(dir *os.Root, name, id string) (doc []byte, at time.Time, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), maxQuery)
	defer cancel()
	db, err := openDatabase(ctx, dir, name)
	if err != nil {
		return nil, at, err
	}
	defer db.Close()
	return assembleRow(ctx, db, id)
}

func assembleRow(ctx context.Context, db *database.Reader, id string) (doc []byte, at time.Time, err error) {
	info := map[string]any{}
	if err := db.Each(ctx, "*", "session", "id", id, func(r database.Row) {
		at = time.UnixMilli(r.Int("time_updated")).UTC()
		info = map[string]any{
			"id": id, "projectID": r.Text("project_id"), "directory": r.Text("directory"), "title": r.Text("title"), "version": r.Text("version"),
			"time": map[string]int64{"created": r.Int("time_created"), "updated": r.Int("time_updated")},
		}
		if p := r.Text("parent_id"); p != "" {
			info["parentID"] = p
		}
		if rv := r.Bytes("revert"); json.Valid(rv) {
			info["revert"] = json.RawMessage(rv)
		}
	}); err != nil {
		return nil, at, err
	}
	if len(info) == 0 {
		return nil, at, fmt.Errorf("session %s: %w", id, fs.ErrNotExist)
	}
	parts := map[string][]openCodeRow{}
	if err := db.Each(ctx, "*", "part", "session_id", id, func(r database.Row) {
		m := r.Text("message_id")
		parts[m] = append(parts[m], openCodeRow{id: r.Text("id"), data: r.Bytes("data")})
	}); err != nil {
		return nil, at, err
	}
	var messages []openCodeRow
	if err := db.Each(ctx, "*", "message", "session_id", id, func(r database.Row) {
		messages = append(messages, openCodeRow{id: r.Text("id"), at: r.Int("time_created"), data: r.Bytes("data")})
	}); err != nil {
		return nil, at, err
	}
	head, err := json.Marshal(info)
	if err != nil {
		return nil, at, err
	}
	return document(head, messages, parts), at, nil
}

// An openCodeRow is one message or part; its data lacks the id.
type openCodeRow struct {
	id   string
	at   int64
	data []byte
}

func byTime(a, b openCodeRow) int {
	return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.id, b.id))
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
