package transcript

import "strings"

// metaPrefixes begin user text that no person wrote: what clients slip into the
// user's turn. Each was seen in recorded sessions of Claude Code or Codex.
var metaPrefixes = []string{
	"<command-name", "<command-message", "<command-args", "<local-command", "<bash-stdout", "<bash-stderr", "<bash-input",
	"<system-reminder", "<environment_context", "<user_instructions", "<turn_aborted", "<permissions", "<collaboration_mode",
	"<skill", "<task-notification", "<subagent_notification", "<user-prompt-submit-hook", "<apps_instructions", "<plugins_instructions",
	"<app-context", "<INSTRUCTIONS>", "Caveat: The messages below", "# AGENTS.md instructions", "[Request interrupted",
}

// isMeta reports whether user text was put in by the client.
func isMeta(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, p := range metaPrefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// said returns the kind of user text.
func said(text string, meta bool) Kind {
	if meta || isMeta(text) {
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
