package need

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A Scanner finds the needs in the output of an agent while it is printed. The
// output is plain text, or JSON lines as claude, codex, gemini, opencode and pi
// print them: of those only what the agent says counts, so that a file that a
// tool printed cannot ask for anything. It is used by one goroutine.
type Scanner struct {
	found  finder
	line   []byte // the line that is not whole yet
	skip   bool   // the line is longer than any that is read
	events bool   // it prints events
	open   []byte // a message of which gemini prints parts
	plain  finder // of plain lines, whose fences go on from line to line

	session string
	said    []byte
	spoke   bool // an event with what the agent says was seen
}

// A Result is what a Scanner found.
type Result struct {
	Needs   []Need `json:"needs,omitempty"`
	Bad     []Bad  `json:"bad,omitempty"`
	More    int    `json:"more,omitempty"`    // needs and bad lines beyond the first 100
	Session string `json:"session,omitempty"` // by which the agent can be resumed, as it said
	Said    string `json:"-"`                 // the end of what it said
	Events  bool   `json:"-"`                 // it printed JSON lines
}

// Limits of a Scanner.
const (
	maxEvent   = 8 << 20 // a longer line is passed over; claude prints whole files in one
	maxSaid    = 4 << 10
	maxMessage = 1 << 20 // of a message in parts
	maxSession = 200
)

// Write reads a part of the output. It never fails.
func (s *Scanner) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		part := p
		if i >= 0 {
			part = p[:i]
		}
		if most := s.most(part); !s.skip && len(s.line)+len(part) > most {
			s.skip = true
			s.line = append(s.line, part[:max(0, min(len(part), most+1-len(s.line)))]...)
		}
		if !s.skip {
			s.line = append(s.line, part...)
		}
		if i < 0 {
			break
		}
		s.endLine()
		p = p[i+1:]
	}
	return n, nil
}

// most is how long the line that begins may be to be read.
func (s *Scanner) most(part []byte) int {
	first := s.line
	if len(first) == 0 {
		first = part
	}
	if len(first) > 0 && first[0] == '{' {
		return maxEvent
	}
	return maxLine
}

func (s *Scanner) endLine() {
	line, skipped := s.line, s.skip
	s.line, s.skip = s.line[:0], false
	if len(line) > 0 && line[0] == '{' {
		if skipped {
			return
		}
		if e, ok := parseEvent(line); ok {
			s.event(e)
			return
		}
	}
	s.closeMessage()
	if skipped && bytes.HasPrefix(line, []byte("NEED_")) {
		s.plain.line(string(line)) // too long, and answered so
		return
	}
	s.plain.line(string(line))
	if !s.events {
		s.say(line)
		s.say([]byte("\n"))
	}
}

// Result returns what was found. What was not ended by a newline counts, too.
func (s *Scanner) Result() Result {
	if len(s.line) > 0 {
		s.endLine()
	}
	s.closeMessage()
	r := Result{Session: s.session, Events: s.events, More: s.found.more + s.plain.more}
	all := finder{}
	for _, f := range []*finder{&s.found, &s.plain} {
		for _, n := range f.needs {
			if !slices.Contains(all.needs, n) && !all.full() {
				all.needs = append(all.needs, n)
			}
		}
		for _, b := range f.bad {
			if !all.full() {
				all.bad = append(all.bad, b)
			}
		}
	}
	r.Needs, r.Bad, r.More = all.needs, all.bad, r.More+all.more
	r.Said = strings.TrimSpace(strings.ToValidUTF8(string(s.said), ""))
	return r
}

// say keeps the end of what was said.
func (s *Scanner) say(text []byte) {
	s.said = append(s.said, text[max(0, len(text)-maxSaid):]...)
	if len(s.said) > 4*maxSaid {
		s.said = append(s.said[:0], s.said[len(s.said)-maxSaid:]...)
	}
}

// An event is a line of JSON, as far as it matters. The names are those of
// claude (-p --output-format stream-json, or json), codex (exec --json), gemini
// (--output-format stream-json, or json), opencode (run --format json) and pi
// (--mode json).
type event struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"` // gemini: a text
	Delta     bool            `json:"delta"`
	Message   json.RawMessage `json:"message"` // claude, pi: an object
	Result    json.RawMessage `json:"result"`  // claude: a text
	Item      *part           `json:"item"`    // codex
	Part      *part           `json:"part"`    // opencode
	SessionID string          `json:"session_id"`
	ThreadID  string          `json:"thread_id"`
	OpenCode  string          `json:"sessionID"`
	ID        string          `json:"id"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// parseEvent reads a line of JSON that says of what type it is.
func parseEvent(line []byte) (e event, ok bool) {
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		return event{}, false
	}
	return e, true
}

// event reads one event.
func (s *Scanner) event(e event) {
	s.events = true
	id := e.SessionID
	switch {
	case id != "":
	case e.Type == "thread.started":
		id = e.ThreadID
	case e.OpenCode != "":
		id = e.OpenCode
	case e.Type == "session":
		id = e.ID
	}
	if id != "" && len(id) <= maxSession && safeID(id) {
		s.session = id
	}
	text := ""
	switch e.Type {
	case "message": // gemini
		if e.Role == "assistant" && json.Unmarshal(e.Content, &text) == nil {
			if e.Delta {
				if len(s.open)+len(text) <= maxMessage {
					s.open = append(s.open, text...)
				}
				return
			}
		}
	case "assistant", "message_end": // claude, pi
		var m message
		if json.Unmarshal(e.Message, &m) == nil && m.Role == "assistant" {
			text = textOf(m.Content)
		}
	case "item.completed": // codex
		if e.Item != nil && (e.Item.Type == "agent_message" || e.Item.Type == "assistant_message") {
			text = e.Item.Text
		}
	case "text": // opencode
		if e.Part != nil && e.Part.Type == "text" {
			text = e.Part.Text
		}
	case "result": // claude repeats the last text, unless it prints nothing else
		s.closeMessage()
		if !s.spoke {
			_ = json.Unmarshal(e.Result, &text) // of gemini it is none
		}
	}
	s.closeMessage()
	s.message(text)
}

// safeID reports whether an id can stand in a command line as it is.
func safeID(id string) bool {
	return id[0] != '-' && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") == ""
}

// textOf joins the texts of a message's content.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []part
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			b.WriteString(p.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// closeMessage reads the message whose parts have come.
func (s *Scanner) closeMessage() {
	if len(s.open) > 0 {
		text := string(s.open)
		s.open = s.open[:0]
		s.message(text)
	}
}

// message reads one message of the agent.
func (s *Scanner) message(text string) {
	if text == "" {
		return
	}
	s.spoke = true
	s.found.text(text)
	s.say([]byte(text + "\n"))
}
