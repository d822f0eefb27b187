package recordings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/cutting"
)

// Turns are those of a session that would be sent next; it is the JSON form of
// satchel session show.
type Turns struct {
	Version     int                  `json:"version"`
	Path        string               `json:"path"`
	Turns       []Turn               `json:"turns"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

// A Turn is one of them, with what it takes and what it is about.
type Turn struct {
	Turn int           `json:"turn"`
	Type trim.TurnType `json:"type"`
	tokens.Count
	Title string   `json:"title"`
	Paths []string `json:"paths,omitempty"`
	Text  string   `json:"text,omitempty"` // if the whole of it was asked for
}

// A TurnsRequest says which turns of a session are wanted.
type TurnsRequest struct {
	Model tokens.Model
	Turn  int  // with the text of this one alone; below 0, all without texts
	Raw   bool // secrets stay in the text
}

// A NoTurnError reports a turn that a session does not have.
type NoTurnError struct{ Turn, Turns int }

func (e *NoTurnError) Error() string {
	return fmt.Sprintf("turn %d: the session has %s", e.Turn, render.Plural(e.Turns, "turn"))
}

// TurnsOf returns the turns of a session that lies at a path, secrets redacted. The
// error is a *[NoTurnError].
func TurnsOf(path string, s *transcript.Session, req TurnsRequest) (*Turns, error) {
	out := &Turns{Version: 3, Path: path, Turns: []Turn{}, Diagnostics: append([]satchel.Diagnostic{}, s.Diagnostics...)}
	// Titles and paths are cut out of redacted text, so they hold no part of a secret.
	masked := cutting.Masked(s.Messages, session.WithoutSecrets)
	turns := trim.Turns(masked)
	if req.Turn >= len(turns) {
		return nil, &NoTurnError{req.Turn, len(turns)}
	}

	sizes := transcript.Measure(s, req.Model)
	for i := range turns {
		t := &turns[i]
		if req.Turn >= 0 && i != req.Turn {
			continue
		}
		v := turnOf(t, sizes)
		if req.Turn >= 0 {
			v.Text = turnText(masked[t.From:t.To])
			if req.Raw {
				v.Text = turnText(s.Messages[t.From:t.To])
			}
		}
		out.Turns = append(out.Turns, v)
	}
	return out, nil
}

func turnOf(t *trim.Turn, sizes *transcript.Sizes) Turn {
	v := Turn{Turn: t.Index, Type: t.Type, Title: t.Title, Paths: t.Paths}

	for i := t.From; i < t.To; i++ {
		c := sizes.Messages[i]
		v.Tokens += c.Tokens
		v.Error += c.Error * float64(c.Tokens)
		if v.Method == "" || c.Error > 0 {
			v.Method = c.Method
		}
	}
	v.Error /= float64(max(v.Tokens, 1))
	return v
}

// turnText writes messages for people to read.
func turnText(messages []transcript.Message) string {
	var b strings.Builder
	for i := range messages {
		m := &messages[i]
		for j := range m.Blocks {
			x := &m.Blocks[j]
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			switch x.Type {
			case transcript.Text:
				fmt.Fprintf(&b, "── %s\n%s\n", m.Kind, strings.TrimRight(x.Text, "\n"))
			case transcript.Thinking:
				fmt.Fprintf(&b, "── thinking\n%s\n", cmp.Or(strings.TrimRight(x.Text, "\n"), fmt.Sprintf("(%d bytes that only the provider can read)", x.Opaque)))
			case transcript.Call:
				fmt.Fprintf(&b, "── call of %s\n%s\n", x.Name, inputText(x.Input))
			case transcript.Result:
				failed := ""
				if x.Failed {
					failed = ", failed"
				}
				fmt.Fprintf(&b, "── result of %s%s\n%s\n", cmp.Or(x.Name, "a tool"), failed, strings.TrimRight(x.Text, "\n"))
			default:
				fmt.Fprintf(&b, "── %s\n", x.Type)
			}
		}
	}
	return b.String()
}

// inputText writes the input of a call, one field a line, long texts as they
// are.
func inputText(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return string(input)
	}
	var lines []string
	for name, v := range inOrder(input, fields) {
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = string(v)
		}
		lines = append(lines, name+": "+text)
	}
	return strings.Join(lines, "\n")
}

// inOrder gives the fields of an object in the order in which they are written.
func inOrder(object json.RawMessage, fields map[string]json.RawMessage) func(func(string, json.RawMessage) bool) {
	return func(yield func(string, json.RawMessage) bool) {
		dec := json.NewDecoder(strings.NewReader(string(object)))
		if _, err := dec.Token(); err != nil {
			return
		}
		for dec.More() {
			t, err := dec.Token()
			name, ok := t.(string)
			var skip json.RawMessage
			if err != nil || !ok || dec.Decode(&skip) != nil || !yield(name, fields[name]) {
				return
			}
		}
	}
}
