package engine

import (
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// StaleReads returns the results of reads, by their index in the list, that a
// later block made worthless: the same file was read again, as a whole or in the
// same part, or it was edited since. Blocks are calls and results in order; other
// blocks are passed over. Results at index keep or later are left alone: the agent
// has hardly looked at them.
func StaleReads(blocks []transcript.Block, keep int) (stale []int, why []string) {
	type read struct {
		at         int
		path, clip string
	}
	const again, edited = "read again later", "edited since"
	calls := make(map[string]*transcript.Block)
	var open []read
	reason := make(map[int]string)
	for i := range blocks {
		b := &blocks[i]
		call := calls[b.ID]
		switch {
		case b.Type == transcript.Call:
			calls[b.ID] = b
		case b.Type != transcript.Result || call == nil || b.Failed:
		default:
			// Paths are compared as they are written: two that only look alike
			// must not be taken for one file.
			if path, clip, ok := reuse.Reads(call); ok {
				for _, r := range open {
					if r.path == path && (clip == "" || clip == r.clip) {
						reason[r.at] = again
					}
				}
				open = append(open, read{i, path, clip})
			} else if u := reuse.UseOf(call); u.Edits && u.Path != "" {
				for _, r := range open {
					if r.path == u.Path {
						reason[r.at] = edited
					}
				}
			}
		}
	}
	for i := range blocks[:max(0, min(keep, len(blocks)))] {
		if w, ok := reason[i]; ok {
			stale, why = append(stale, i), append(why, w)
		}
	}
	return stale, why
}
