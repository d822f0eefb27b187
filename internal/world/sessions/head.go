package sessions

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// small returns the content of a small file, or nothing.
func (h *home) small(name string) []byte {
	if _, err := h.root.Lstat(name); err != nil {
		return nil
	}
	return h.start(name, 4<<10)
}

// heads reads the beginning of a candidate's file, further if the first bytes
// did not tell enough.
func (c *candidate) heads(told func(b []byte) bool) {
	b := c.home.start(c.name, headBytes)
	if told(b) || len(b) < headBytes {
		return
	}
	told(c.home.start(c.name, headMost))
}

// A line is what the heads of the formats of lines have in common, and apart.
type line struct {
	Type      string          `json:"type"`
	CWD       string          `json:"cwd"`
	ID        string          `json:"id"`
	SessionID string          `json:"sessionId"`
	Summary   string          `json:"summary"`
	IsMeta    bool            `json:"isMeta"`
	Side      bool            `json:"isSidechain"`
	Message   json.RawMessage `json:"message"`
	Payload   json.RawMessage `json:"payload"`
	Data      json.RawMessage `json:"data"`
	Name      string          `json:"name"`
}

// headLines reads the head of a file of lines: Claude Code, Codex, pi, Copilot.
func headLines(_ *lister, c *candidate) {
	c.heads(func(b []byte) bool {
		for raw := range bytes.Lines(b) {
			if c.Dir != "" && c.Title != "" {
				return true
			}
			var x line
			if json.Unmarshal(raw, &x) != nil {
				// The line goes on behind the head: what stands in it of the
				// directory is told all the same.
				if c.Dir == "" {
					c.Dir = member(raw, "cwd")
				}
				continue
			}
			c.tell(&x)
		}
		return c.Dir != "" && c.Title != ""
	})
}

func (c *candidate) tell(x *line) {
	if x.CWD != "" && c.Dir == "" {
		c.Dir = x.CWD
	}
	switch c.Format {
	case transcript.ClaudeCode:
		switch {
		case x.Type == "summary" && x.Summary != "":
			c.Title = x.Summary
		case x.Type == "user" && !x.IsMeta && c.Title == "":
			c.Title = prompt(x.Message)
		}
	case transcript.Pi:
		switch {
		case x.Type == "session" && x.ID != "":
			c.ID = x.ID
		case x.Type == "session_info" && x.Name != "":
			c.Title = x.Name
		case x.Type == "message" && c.Title == "":
			c.Title = prompt(x.Message)
		}
	case transcript.Codex:
		var p struct {
			ID, CWD, Type, Role string
			Content             json.RawMessage
			Source              json.RawMessage
		}
		if json.Unmarshal(x.Payload, &p) != nil {
			return
		}
		switch {
		case x.Type == "session_meta":
			c.Dir, c.ID = p.CWD, p.ID
			c.Side = bytes.Contains(p.Source, []byte("subagent"))
		case x.Type == "response_item" && p.Role == "user" && c.Title == "":
			c.Title = said(texts(p.Content))
		}
	case transcript.Copilot:
		var p struct {
			Content, Title, Source string
			Context                struct{ CWD string }
		}
		if json.Unmarshal(x.Data, &p) != nil {
			return
		}
		switch x.Type {
		case "session.start":
			c.Dir = p.Context.CWD
		case "session.title_changed":
			c.Title = p.Title
		case "user.message":
			if c.Title == "" && (p.Source == "" || p.Source == "user") {
				c.Title = p.Content
			}
		}
	}
}

// prompt returns what a person wrote in a message, or "".
func prompt(message []byte) string {
	var m struct {
		Role    string
		Content json.RawMessage
	}
	if json.Unmarshal(message, &m) != nil || m.Role != "user" {
		return ""
	}
	return said(texts(m.Content))
}

// said returns the first of the texts that no client put in.
func said(all []string) string {
	for _, t := range all {
		if t = strings.TrimSpace(t); t != "" && t[0] != '<' && !strings.HasPrefix(t, "Caveat: ") &&
			!strings.HasPrefix(t, "# AGENTS.md") && !strings.HasPrefix(t, "[Request interrupted") {
			return t
		}
	}
	return ""
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

// member finds the text of a member in JSON that may be cut off. The quotes of
// a key within a string would be escaped, so the first match is a member.
func member(b []byte, key string) string {
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

// headGemini reads the head of a file of Gemini CLI, one document or lines.
func headGemini(_ *lister, c *candidate) {
	c.heads(func(b []byte) bool {
		if id := member(b, "sessionId"); id != "" {
			c.ID = id
		}
		for rest := b; ; {
			_, after, ok := bytes.Cut(rest, []byte(`"type":`))
			if !ok {
				break
			}
			rest = after
			if !bytes.HasPrefix(bytes.TrimLeft(after, " "), []byte(`"user"`)) {
				continue
			}
			_, after, ok = bytes.Cut(after, []byte(`"content":`))
			if !ok {
				break
			}
			var raw json.RawMessage
			if json.NewDecoder(bytes.NewReader(after)).Decode(&raw) != nil {
				break
			}
			if t := said(texts(raw)); t != "" {
				c.Title = t
				return true
			}
		}
		return false
	})
}

// headCline reads the task and the working directory out of the first message.
func headCline(_ *lister, c *candidate) {
	c.heads(func(b []byte) bool {
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

// headOpenHands reads the first events, each a file of its own.
func headOpenHands(_ *lister, c *candidate) {
	for n := range 8 {
		b := c.home.small(path.Join(c.name, "events", string(rune('0'+n))+".json"))
		var e struct {
			Source, Action string
			Args           struct{ Content, Command string }
		}
		if json.Unmarshal(b, &e) == nil && e.Action == "message" && e.Source == "user" {
			c.Title = e.Args.Content
			return
		}
	}
}
