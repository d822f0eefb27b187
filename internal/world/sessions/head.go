package sessions

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"path"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/transcript"
)

// small returns the content of a small file, or nil if there is no such file.
func (h *home) small(name string) []byte {
	if _, err := h.root.Lstat(name); err != nil {
		return nil
	}
	return h.start(name, headMost)
}

// heads reads the beginning of a candidate's file, and more of it if the first bytes
// do not say enough. It reports whether the file is a session.
func (c *candidate) heads(told func(b []byte) bool) bool {
	isSession := func(r io.ReaderAt, size int64) bool {
		_, err := transcript.Sniff(r, size)
		return err == nil
	}
	ok := false
	for _, n := range []int{headBytes, headMost} {
		b := c.home.start(c.name, n)
		enough := told(b)
		if ok = isSession(bytes.NewReader(b), int64(len(b))); ok && enough || len(b) < n {
			break
		}
	}
	if ok || c.Bytes <= headMost && time.Since(c.Time) > unripe {
		return ok
	}

	// The first record is longer than that, or the agent is writing the file.
	f, st, err := c.home.open(c.name)
	if err != nil {
		return false
	}
	s, err := openHeld(c.Path, f, st)
	if err != nil {
		return false
	}
	defer s.Close()
	return isSession(s, s.Size)
}

// readHead reads the head of a candidate as the row of its agent says.
func readHead(of *agents.Sessions) func(*lister, *candidate) bool {
	return func(_ *lister, c *candidate) bool {
		h := agents.NewHead()
		h.ID, h.Title, h.Dir, h.Side = c.ID, c.Title, c.Dir, c.Side
		ok := c.heads(func(b []byte) bool {
			if of.Begin != nil {
				return of.Begin(b, h)
			}
			return headLines(b, of.Line, h)
		})
		c.ID, c.Title, c.Dir, c.Side = h.ID, h.Title, h.Dir, h.Side
		return ok
	}
}

// headLines reads the lines at the head of a file until they told enough.
func headLines(b []byte, read func(*agents.Line, *agents.Head), h *agents.Head) (told bool) {
	for raw := range bytes.Lines(b) {
		if h.Told() {
			return true
		}
		whole := false
		for rec := range transcript.Records(raw) {
			var x agents.Line
			if json.Unmarshal(rec, &x) != nil {
				continue
			}
			whole = true
			h.Dir = cmp.Or(h.Dir, x.CWD)
			x.Original = rec
			read(&x, h)
		}
		if !whole { // the line goes on behind the head
			h.Dir = cmp.Or(h.Dir, agents.Member(raw, "cwd"))
		}
	}
	return h.Told()
}

// headCline reads the task and the working directory out of the first message.
func headCline(_ *lister, c *candidate) bool {
	return c.heads(func(b []byte) bool {
		if _, after, ok := bytes.Cut(b, []byte(`<task>`)); ok {
			c.Title = jsonText(after, "</task>")
		}
		for _, what := range []string{"# Current Working Directory (", "# Current Workspace Directory ("} {
			if _, after, ok := bytes.Cut(b, []byte(what)); ok {
				c.Dir = jsonText(after, ") Files")
			}
		}
		return c.Dir != "" && c.Title != ""
	})
}

// jsonText returns text of a JSON string up to an end that it holds; what is
// cut off before the end is not told.
func jsonText(b []byte, end string) string {
	part, _, ok := bytes.Cut(b, []byte(end))
	if !ok {
		return ""
	}
	var s string
	if json.Unmarshal([]byte(`"`+string(part)+`"`), &s) != nil {
		return ""
	}
	return strings.TrimSpace(s)
}

// headOpenHands reads the folder out of the state, and the title out of the first
// events.
func headOpenHands(_ *lister, c *candidate) (ok bool) {
	var state struct {
		Workspace struct {
			Dir string `json:"working_dir"`
		}
	}
	if json.Unmarshal(c.home.small(path.Join(c.name, openHandsState)), &state) == nil {
		c.Dir = state.Workspace.Dir
	}
	for _, f := range c.home.files(c.name + "/events") {
		if n := openHandsNumber(path.Base(f.name)); n < 0 || n >= 8 {
			continue
		}
		var e struct {
			Source, Kind string
			Message      struct {
				Content []struct{ Text string }
			} `json:"llm_message"`
		}
		if json.Unmarshal(c.home.small(f.name), &e) != nil || e.Source == "" || e.Kind == "" {
			continue
		}
		ok = true
		if e.Source == "user" && len(e.Message.Content) > 0 && c.Title == "" {
			c.Title = e.Message.Content[0].Text
		}
	}
	return ok
}
