package trim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// minClean is the shortest result, in bytes, that a marker is shorter than for
// certain. The marker of an error that comes again is shorter.
const (
	minClean = 200
	minError = 100
)

// Tools cut what they read: Claude Code and pi at 2,000 lines, pi at 50 kB too. A
// read of a whole file that comes near either may lack what an earlier read of a
// part shows.
const (
	cutLines = 1_990
	cutBytes = 48 << 10
)

// Clean replaces what a later message repeats: a result that comes again word
// for word, and a read of a file that a later one covers or that is written whole
// later, become one-line markers; an error that comes again becomes a count. No message, block or id goes; the newest copy stays. The input is not
// changed; messages that need no cleaning are shared with it.
func Clean(messages []transcript.Message) []transcript.Message { return clean(messages, nil) }

// clean is Clean, except for the messages of keep.
func clean(messages []transcript.Message, keep []int) []transcript.Message {
	out := slices.Clone(messages)
	marks := superseded(messages)
	for i := range out {
		for b := range out[i].Blocks {
			mark, ok := marks[[2]int{i, b}]
			if !ok || slices.Contains(keep, i) {
				continue
			}
			if &out[i].Blocks[0] == &messages[i].Blocks[0] {
				out[i].Blocks = slices.Clone(out[i].Blocks)
			}
			blk := &out[i].Blocks[b]
			blk.Text, blk.Raw = mark, nil
		}
	}
	return out
}

// superseded returns the markers of the results that a later one repeats, by
// message and block.
func superseded(ms []transcript.Message) map[[2]int]string {
	marks := make(map[[2]int]string)
	calls := make(map[string]*transcript.Block)
	for i := range ms {
		for b := range ms[i].Blocks {
			if ms[i].Blocks[b].Type == transcript.Call {
				calls[ms[i].Blocks[b].ID] = &ms[i].Blocks[b]
			}
		}
	}
	errors := repeatedErrors(ms)
	later := make(map[string]bool)   // texts and reads that come again
	kept := make(map[string]string)  // reads → what stays of them
	failed := make(map[string]bool)  // calls
	written := make(map[string]bool) // files that are written whole later
	edited := make(map[string]int)   // short paths → the message that edits them next
	reread := make(map[string]int)   // reads → the message that reads them again
	for i := len(ms) - 1; i >= 0; i-- {
		for b := len(ms[i].Blocks) - 1; b >= 0; b-- {
			blk := &ms[i].Blocks[b]
			if blk.Type == transcript.Call {
				if failed[blk.ID] {
					continue
				}
				if path, ok := reuse.Writes(blk); ok {
					written[path] = true
				}
				if use := reuse.UseOf(blk); use.Edits {
					edited[reuse.ShortPath(use.Path)] = i
				}
				continue
			}
			if blk.Type == transcript.Result && blk.Failed {
				failed[blk.ID] = true
			}
			if blk.Type != transcript.Result || blk.Images > 0 {
				continue
			}
			if of := errors[blk.Text]; of != nil && blk.Failed {
				if of.left < of.total {
					marks[[2]int{i, b}] = fmt.Sprintf("[the same error, %d of %d; the last is whole]", of.left, of.total)
				}
				of.left--
				continue
			}
			if len(blk.Text) < minClean {
				continue
			}
			if later[blk.Text] {
				marks[[2]int{i, b}] = "[identical to a later result]"
				continue
			}
			later[blk.Text] = true
			call := calls[blk.ID]
			if call == nil || blk.Failed {
				continue
			}
			path, clip, ok := reuse.Reads(call)
			if !ok {
				continue
			}
			key := "\x00" + path + "\x00" + clip
			if later[key] || later["\x00"+path+"\x00all"] {
				again := "is read again later"
				if at, ok := edited[reuse.ShortPath(path)]; ok && at < max(reread[key], reread["\x00"+path+"\x00all"]) {
					again = "was edited since and " + again
				}
				mark := fmt.Sprintf("[superseded: %s %s]", path, again)
				if text, ok := kept[key]; ok {
					if d, ok := diff(text, blk.Text); ok {
						mark = fmt.Sprintf("[superseded: %s %s; that text becomes this one by]%s", path, again, d)
					}
				}
				marks[[2]int{i, b}] = mark
				continue
			}
			if written[path] {
				marks[[2]int{i, b}] = fmt.Sprintf("[superseded: %s is written whole later]", path)
				continue
			}
			later[key], kept[key], reread[key] = true, blk.Text, i
			if clip == "" && len(blk.Text) < cutBytes && strings.Count(blk.Text, "\n") < cutLines {
				later["\x00"+path+"\x00all"], reread["\x00"+path+"\x00all"] = true, i
			}
		}
	}
	return marks
}

// A repeats says how often an error comes, and how many of them are still to be
// looked at.
type repeats struct{ total, left int }

// repeatedErrors counts the failed results that come more than once, by text.
func repeatedErrors(ms []transcript.Message) map[string]*repeats {
	count := make(map[string]*repeats)
	for i := range ms {
		for b := range ms[i].Blocks {
			blk := &ms[i].Blocks[b]
			if blk.Type != transcript.Result || !blk.Failed || blk.Images > 0 || len(blk.Text) < minError {
				continue
			}
			if count[blk.Text] == nil {
				count[blk.Text] = new(repeats)
			}
			count[blk.Text].total++
			count[blk.Text].left++
		}
	}
	maps.DeleteFunc(count, func(_ string, n *repeats) bool { return n.total < 2 })
	return count
}
