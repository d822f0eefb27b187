package state

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// None is the key of a kind of which a session has no fact.
const None = "none"

// Keys names the facts of each kind shortly, without the words of the session: an
// edit by the file and the message of the call, a changed file by the end of its
// path, a check by [Key] of the command and of the line that says how it ended, an
// error by the message of the call, a rule by that of the sentence, and a plan by how
// many of its items are done. A kind without facts has None.
func (f *Facts) Keys() map[Kind][]string {
	out := map[Kind][]string{File: f.files}
	add := func(k Kind, key string) { out[k] = append(out[k], key) }
	for _, c := range f.edits {
		add(Edit, fmt.Sprintf("%s@%d", tail(c.path), c.at))
	}
	for _, o := range f.checks {
		add(Check, Key(o.command)+":"+Key(o.line))
	}
	if len(f.open) > 0 {
		add(Error, fmt.Sprintf("@%d", f.openAt))
	}
	if len(f.steps) > 0 {
		done := 0
		for _, s := range f.steps {
			if s.status == "completed" {
				done++
			}
		}
		add(Plan, fmt.Sprintf("%d/%d", done, len(f.steps)))
	}
	if len(f.agreed) > 0 {
		add(Plan, "agreed")
	}
	for _, r := range f.rules {
		add(Rule, Key(r))
	}
	for _, k := range Kinds {
		if len(out[k]) == 0 {
			out[k] = []string{None}
		}
	}
	return out
}

// Key is a short hash of a line, as it is compared.
func Key(line string) string {
	sum := sha256.Sum256([]byte(normal(line)))
	return hex.EncodeToString(sum[:4])
}
