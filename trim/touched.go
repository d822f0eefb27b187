package trim

import (
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// Touched returns the files that calls read, and those that they changed, each
// once, in order of first appearance. A file that was changed is not among
// those that were read.
func Touched(messages []transcript.Message) (read, modified []string) {
	edits := make(map[string]bool)
	var order []string
	for i := range messages {
		for b := range messages[i].Blocks {
			call := &messages[i].Blocks[b]
			if call.Type != transcript.Call {
				continue
			}
			use := reuse.UseOf(call)
			if use.Path == "" {
				continue
			}
			if _, ok := edits[use.Path]; !ok {
				order = append(order, use.Path)
			}
			edits[use.Path] = edits[use.Path] || use.Edits
		}
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
