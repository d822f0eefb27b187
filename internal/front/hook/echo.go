package hook

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/satchel-dev/satchel/internal/session"
)

// echoed reports whether a transcript of Claude Code shows that, after its last
// compaction, the model was shown what was told before it: /compact repeats what
// hooks printed, as the output of a command that the user ran.
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
