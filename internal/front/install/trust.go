package install

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/internal/agents"
)

// inspectTrust says for how many of our hooks Codex has recorded trust. It skips the
// others silently.
func inspectTrust(o Options) Finding {
	recorded, all := recordedTrust(o), len(agents.ByName("codex").Hooks.Events)
	if recorded >= all {
		return Finding{About: "codex", Level: OK, Text: fmt.Sprintf("hooks: trust is recorded for all %d; check it with /hooks in Codex", all)}
	}
	return Finding{About: "codex", Level: Problem, Fix: "start codex and trust the hooks in /hooks",
		Text: fmt.Sprintf("hooks: trust is recorded for %d of %d; Codex silently skips the others", recorded, all)}
}

// recordedTrust counts the hooks of satchel's file for which Codex keeps a
// record of trust. It does not know whether the hashes still hold.
func recordedTrust(o Options) (n int) {
	o.Scope = User
	files := o.files("codex")
	text, _ := glance(files[1].Path) // unreadable settings record no trust
	doc, _ := parseTOML(text)
	hooks, _ := doc["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	for key, v := range state {
		file, _, _ := strings.Cut(filepath.ToSlash(key), "hooks.json:")
		record, _ := v.(map[string]any)
		if hash, ok := record["trusted_hash"].(string); ok && hash != "" && strings.HasSuffix(file, "/") {
			n++
		}
	}
	return n
}
