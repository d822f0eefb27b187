package hook

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/satchel-dev/satchel/internal/session"
)

// echoed reports whether a transcript of Claude Code shows that the model saw the
// hook's text before its last compaction: /compact repeats the output of hooks as the
// output of a command.
func echoed(transcript string) bool {
	found := false
	for line := range bytes.Lines(tail(transcript)) {
		boundary := bytes.Contains(line, []byte(`"compact_boundary"`))
		if !boundary && !bytes.Contains(line, []byte(session.KeepMark)) {
			continue
		}
		var r struct {
			Type, Subtype loose
			Message       struct{ Content loose }
		}
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		switch {
		case r.Type == "system" && r.Subtype == "compact_boundary":
			found = false
		case r.Type == "user" && strings.HasPrefix(string(r.Message.Content), "<local-command-stdout>"):
			found = true
		}
	}
	return found
}
