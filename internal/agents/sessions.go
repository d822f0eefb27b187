package agents

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Sessions says where an agent keeps its sessions, as plain files, and what their
// heads tell.
type Sessions struct {
	// Homes returns its folders; copies are put into the first. Those that are "" or
	// not absolute are not known.
	Homes func(e *Env) []string

	Files []Files

	// Line reads one of the first lines, while they are lines; Begin reads the first
	// bytes and reports whether they were enough.
	Line  func(x *Line, h *Head)
	Begin func(b []byte, h *Head) (told bool)

	// Copy says where a changed copy has to lie for the agent to resume it; nil if it
	// resumes no file.
	Copy *Copy
}

// Files are the files below a home whose names match a pattern.
type Files struct {
	// Pattern is matched element by element, as path.Match does.
	Pattern string

	// Folder returns the beginning of a project's folder name, for the first wildcard
	// of Pattern; nil if the name depends on nothing. Such names are ambiguous, so
	// the heads of files decide.
	Folder func(root string) string

	// Root is the file in that folder which holds the path of its project; the folder
	// of a project without one is named by the SHA-256 of the path.
	Root string

	// ID returns the session's id by its name below the home, until its head gives
	// one, and whether it is a subagent's.
	ID func(name string) (id string, side bool)

	// Sides says that only subagents keep sessions there.
	Sides bool
}

// A Copy is how the copy of a session is placed and resumed.
type Copy struct {
	// The copy lies Beside the session; or below the first home in a folder named by
	// the time at which the session began, as Dated lays it out; or in the folder
	// InProject of the project's.
	Beside    bool
	Dated     string
	InProject string

	// ByPath says that it is resumed by its path, not by its id.
	ByPath bool

	// Name is the name of the copy of the file from, which began at a time.
	Name func(from, id string, at time.Time) string
}

// A Line is what the lines at the head of sessions have in common, and apart.
type Line struct {
	Type     string          `json:"type"`
	CWD      string          `json:"cwd"`
	ID       string          `json:"id"`
	Summary  string          `json:"summary"`
	IsMeta   bool            `json:"isMeta"`
	Message  json.RawMessage `json:"message"`
	Payload  json.RawMessage `json:"payload"`
	Data     json.RawMessage `json:"data"`
	Name     string          `json:"name"`
	Original json.RawMessage `json:"-"` // all of it
}

// A Head is the data in the head of a session.
type Head struct {
	ID, Title, Dir string
	Side           bool

	headed  bool // the file's own header was read
	slipped func(text string) bool
}

// NewHead returns one that knows what agents slip into their users' words.
func NewHead() *Head { return &Head{slipped: Slipped} }

// Told reports whether the head is complete.
func (h *Head) Told() bool { return h.Dir != "" && h.Title != "" }

// own reports whether a header is the file's own: the first one. A session that was
// forked from another repeats the header of that one behind its own.
func (h *Head) own() bool {
	first := !h.headed
	h.headed = true
	return first
}

// prompt takes the first of the texts that no client put in for the title, unless
// there is one.
func (h *Head) prompt(texts []string) {
	for _, t := range texts {
		if t = strings.TrimSpace(t); h.Title == "" && t != "" && !h.slipped(t) {
			h.Title = t
		}
	}
}

// message takes what a person wrote in a message for the title.
func (h *Head) message(raw []byte) {
	var m struct {
		Role    string
		Content json.RawMessage
	}
	if json.Unmarshal(raw, &m) == nil && m.Role == "user" {
		h.prompt(texts(m.Content))
	}
}

// texts returns the texts of a content: a string or an array of parts.
func texts(content []byte) []string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return []string{s}
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return nil
	}
	var out []string
	for _, p := range parts {
		out = append(out, p.Text)
	}
	return out
}

// Slipped reports whether a text of a user's turn was put in by a client: it begins
// with what one of the agents slips in. Sessions change hands, so all are asked.
func Slipped(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, a := range All {
		for _, p := range a.Slipped {
			if strings.HasPrefix(text, p) {
				return true
			}
		}
	}
	return false
}

// Member finds the text of a member in JSON that may be cut off. The quotes of
// a key within a string would be escaped, so the first match is a member.
func Member(b []byte, key string) string {
	_, after, ok := bytes.Cut(b, []byte(`"`+key+`"`))
	if !ok {
		return ""
	}
	after, ok = bytes.CutPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":"))
	if !ok {
		return ""
	}
	var s string
	if json.NewDecoder(bytes.NewReader(after)).Decode(&s) != nil {
		return ""
	}
	return s
}

// dashed returns a path as the name of a folder: each UTF-16 unit except ASCII letters
// and digits becomes a dash, as JavaScript's replace(/[^a-zA-Z0-9]/g, "-") makes it.
func dashed(root string) string {
	var b strings.Builder
	for _, c := range root {
		if c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			b.WriteRune(c)
		} else {
			b.WriteString("--"[:utf16.RuneLen(c)])
		}
	}
	return b.String()
}

// stem is the id of a session whose file has its name.
func stem(name string) (id string, side bool) {
	base := path.Base(name)
	return strings.TrimSuffix(base, path.Ext(base)), false
}

// lastUUID is the id of a session whose file's name ends with it.
func lastUUID(name string) (id string, side bool) {
	const n = 36
	id, _ = stem(name)
	if len(id) > n && id[len(id)-n-1] == '-' || strings.LastIndexByte(id, '_') == len(id)-n-1 {
		return id[max(len(id)-n, 0):], false
	}
	return id, false
}
