package transcript

import (
	"bytes"
	"fmt"
)

// Rename returns a session file of Codex or Gemini CLI under another id, so that
// a copy can lie beside the session that it was made from. What names the session
// in the agent's own records is replaced; the rest stays to the byte, what the
// messages say included.
//
// The error is [ErrFormat], or [ErrNoWriter] for other agents and for a file that
// does not tell its id.
func Rename(session []byte, id string) ([]byte, error) {
	r := bytes.NewReader(session)
	l, err := find(r, r.Size())
	if err != nil {
		return nil, err
	}
	old, err := Read(r, r.Size())
	if err != nil {
		return nil, err
	}
	if old.ID == "" || l.format != Codex && l.format != Gemini {
		return nil, fmt.Errorf("%w: nothing in it names its id", ErrNoWriter)
	}
	name := quote(id)
	own := func(v []byte) []byte {
		if str(v) == old.ID {
			return name
		}
		return nil
	}
	// wrapped are the members that hold a record, named those that hold the id.
	wrapped, named := "payload", []string{"id", "session_id", "thread_id"}
	if l.format == Gemini {
		wrapped, named = "$set", []string{"sessionId"}
	}
	members := func(raw []byte) []byte {
		return change(raw, func(key string, v []byte) []byte {
			for _, n := range named {
				if key == n {
					return own(v)
				}
			}
			return nil
		})
	}
	if l.records != "" {
		return renamed(members(session), id)
	}
	out := make([]byte, 0, len(session)+len(id))
	for line := range bytes.Lines(session) {
		if !bytes.Contains(line, []byte(old.ID)) {
			out = append(out, line...)
			continue
		}
		line = bytes.Clone(line)
		if v := field(line, wrapped); v != nil {
			line = change(line, func(key string, v []byte) []byte {
				if key == wrapped {
					return members(bytes.Clone(v))
				}
				return nil
			})
		} else {
			line = members(line)
		}
		out = append(out, line...)
	}
	return renamed(out, id)
}

// renamed returns a session if it tells that it is id.
func renamed(session []byte, id string) ([]byte, error) {
	s, err := Read(bytes.NewReader(session), int64(len(session)))
	if err == nil && s.ID != id {
		err = fmt.Errorf("%w: it does not tell its id where it belongs", ErrNoWriter)
	}
	return session, err
}
