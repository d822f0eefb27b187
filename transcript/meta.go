package transcript

import "github.com/satchel-dev/satchel/internal/agents"

// said returns the kind of user text.
func said(text string, meta bool) Kind {
	if meta || agents.Slipped(text) {
		return Meta
	}
	return Prompt
}

// A splitter turns one recorded user turn, whose parts may be of different
// kinds, into messages: runs of parts of the same kind stay together. The first
// message that is no result gets the turn's own id.
type splitter struct {
	b    *builder
	like Message // Time, ID, Parent
	cur  Message
}

func (s *splitter) part(k Kind, x Block) {
	if len(s.cur.Blocks) > 0 && s.cur.Kind != k {
		s.flush()
	}
	if len(s.cur.Blocks) == 0 {
		blocks := s.cur.Blocks
		s.cur = s.like
		s.cur.Kind, s.cur.Blocks = k, blocks
	}
	s.cur.Blocks = append(s.cur.Blocks, x)
}

func (s *splitter) flush() {
	if len(s.cur.Blocks) > 0 {
		s.b.add(s.cur)
		s.cur = Message{}
	}
}
