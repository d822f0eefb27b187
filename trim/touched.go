package trim

import (
	"github.com/satchel-dev/satchel/internal/reuse"
	"github.com/satchel-dev/satchel/transcript"
)

// Touched returns the files that calls read, and those that they changed, each
// once, in order of first appearance. A file that was changed is not among
// those that were read.
func Touched(messages []transcript.Message) (read, modified []string) {
	edits := make(map[string]bool)
	var order []string
	for _, p := range reuse.Open(messages).Parts {
		if p.Source != reuse.Call || p.Path == "" {
			continue
		}
		if _, ok := edits[p.Path]; !ok {
			order = append(order, p.Path)
		}
		edits[p.Path] = edits[p.Path] || p.Edits
	}
	for _, path := range order {
		if edits[path] {
			modified = append(modified, path)
		} else {
			read = append(read, path)
		}
	}
	return read, modified
}
