package sessions

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
)

// Cline and Roo Code keep a task in tasks/<id>/api_conversation_history.json.
// Since Cline stands on an SDK of its own it keeps sessions/<id>/<id>.messages.json,
// with <id>.json, which says what the session is, and, after a compaction,
// <id>.compaction.json beside it.
const (
	clineFile      = "api_conversation_history.json"
	clineMessages  = ".messages.json"
	clineCompacted = ".compaction.json"
)

func (l *lister) clineTasks(h *home, dir string) {
	for _, d := range h.folders(dir) {
		for _, f := range h.files(d.name) {
			if path.Base(f.name) == clineFile {
				l.add(h, f, transcript.Cline, headCline).ID = path.Base(d.name)
			}
		}
	}
}

func (l *lister) clineSessions(h *home, dir string) {
	for _, d := range h.folders(dir) {
		id := path.Base(d.name)
		for _, f := range h.files(d.name) {
			if path.Base(f.name) == id+clineMessages {
				l.add(h, f, transcript.Cline, headClineSession).ID = id
			}
		}
	}
}

// headClineSession reads the title and the working directory from the file beside the
// messages.
func headClineSession(_ *lister, c *candidate) bool {
	var about struct {
		CWD      string `json:"cwd"`
		Metadata struct {
			Title string `json:"title"`
		} `json:"metadata"`
	}
	name := strings.TrimSuffix(c.name, clineMessages) + ".json"
	if json.Unmarshal(c.home.small(name), &about) == nil {
		c.Dir, c.Title = about.CWD, about.Metadata.Title
	}
	return c.heads(func([]byte) bool { return true })
}

// clineDiagnostics says where Cline goes on with a session that it compacted.
func clineDiagnostics(name string) []satchel.Diagnostic {
	of, ok := strings.CutSuffix(name, clineMessages)
	if !ok {
		return nil
	}
	if st, err := os.Lstat(of + clineCompacted); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	return []satchel.Diagnostic{{Path: name, Text: "Cline compacted this session and goes on from " + filepath.Base(of) + clineCompacted + " next to it; this file has all messages"}}
}
