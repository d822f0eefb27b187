package transcript

import (
	"bytes"
	"fmt"
	"slices"
)

// Rename returns a session file of Claude Code, Codex, Gemini CLI or pi under
// another id, so that a copy can lie beside the session that it was made from.
// What names the session in the agent's own records is replaced; the rest stays to
// the byte, what the messages say included. A file of Claude Code gets the id in
// all of its records, as Claude Code itself forks a session, also in those that
// came from an earlier one.
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
	n := l.naming
	if old.ID == "" || n == nil {
		return nil, fmt.Errorf("%w: nothing in it names its id", ErrNoWriter)
	}
	mark := old.ID // stands in each line that is changed
	if n.always {
		mark = n.members[0]
	}
	name := quote(id)
	members := func(raw []byte) []byte {
		if n.kind != "" && !is(field(raw, "type"), n.kind) {
			return raw
		}
		return change(raw, func(key string, v []byte) []byte {
			if slices.Contains(n.members, key) && (str(v) == old.ID || n.always && isString(v)) {
				return name
			}
			return nil
		})
	}
	if l.records != "" {
		return renamed(members(session), id)
	}
	out := make([]byte, 0, len(session)+len(id))
	for line := range bytes.Lines(session) {
		if !bytes.Contains(line, []byte(mark)) {
			out = append(out, line...)
			continue
		}
		line = bytes.Clone(line)
		if v := field(line, n.wrapped); n.wrapped != "" && v != nil {
			line = change(line, func(key string, v []byte) []byte {
				if key == n.wrapped {
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
		err = fmt.Errorf("%w: its id is not where it belongs", ErrNoWriter)
	}
	return session, err
}
