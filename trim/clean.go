package trim

import (
	"fmt"
	"slices"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
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

// marks begin the markers.
var marks = []string{"[identical to ", "[the same error, ", "[superseded: "}

// superseded returns the markers of the results that may go, by message and block.
func superseded(ms []transcript.Message) map[[2]int]string {
	c := cleaning{ms: ms, numbers: make(map[[2]int]int), calls: make(map[string]*transcript.Block), edits: make(map[string][]int32)}
	c.read()

	errors := make(map[string]int) // that come again: how often before the last, by text
	for _, at := range c.places {
		if c.seen.why(c.numbers[at]) == SameError {
			errors[c.block(at).Text]++
		}
	}
	marks := make(map[[2]int]string)
	told := make(map[string]int)
	for _, at := range c.places {
		b := c.block(at)
		switch c.seen.why(c.numbers[at]) {
		case Repeated:
			marks[at] = "[identical to a later result]"
		case SameError:
			told[b.Text]++
			marks[at] = fmt.Sprintf("[the same error, %d of %d; the last is whole]", told[b.Text], errors[b.Text]+1)
		case Reread:
			marks[at] = c.reread(at)
		case Rewritten:
			path, _, _ := reuse.Reads(c.calls[b.ID])
			marks[at] = fmt.Sprintf("[superseded: %s is written whole later]", path)
		}
	}
	return marks
}

// A cleaning is messages whose results are looked through.
type cleaning struct {
	ms      []transcript.Message
	seen    seen
	places  [][2]int       // of blocks, in order
	numbers map[[2]int]int // of results, as seen has them
	calls   map[string]*transcript.Block
	edits   map[string][]int32 // short paths → the blocks that edit them, from 1
}

func (c *cleaning) block(at [2]int) *transcript.Block { return &c.ms[at[0]].Blocks[at[1]] }

// read goes through the blocks.
func (c *cleaning) read() {
	failed := make(map[string]bool)
	for i := range c.ms {
		for b := range c.ms[i].Blocks {
			at := [2]int{i, b}
			blk := c.block(at)
			c.places = append(c.places, at)
			if n := c.seen.add(blk); n > 0 {
				c.numbers[at] = n
			}
			switch {
			case blk.Type == transcript.Call:
				c.calls[blk.ID] = blk
			case blk.Type == transcript.Result && blk.Failed:
				failed[blk.ID] = true
			}
		}
	}
	c.seen.finish()

	for k, at := range c.places {
		blk := c.block(at)
		if blk.Type != transcript.Call || failed[blk.ID] {
			continue
		}
		if use := reuse.UseOf(blk); use.Edits {
			short := reuse.ShortPath(use.Path)
			c.edits[short] = append(c.edits[short], int32(k+1)) //nolint:gosec // blocks are counted in 32 bits
		}
	}
}

// reread is the marker of a read whose file is read again: what both have nearly
// alike is told as a diff.
func (c *cleaning) reread(at [2]int) string {
	r := &c.seen.results[c.numbers[at]-1]
	path, _, _ := reuse.Reads(c.calls[c.block(at).ID])
	again := path + " is read again later"
	if between(c.edits[reuse.ShortPath(path)], r.at, c.seen.reread(r)) {
		again = path + " was edited since and is read again later"
	}
	if k := c.seen.newest[r.part]; k > r.at {
		stays := c.places[k-1]
		if d, ok := diff(c.block(stays).Text, c.block(at).Text); ok && c.seen.why(c.numbers[stays]) == Needed {
			return fmt.Sprintf("[superseded: %s; that text becomes this one by]%s", again, d)
		}
	}
	return "[superseded: " + again + "]"
}

// between reports whether one of some blocks, in order, comes between two others.
func between(blocks []int32, from, to int32) bool {
	i, _ := slices.BinarySearch(blocks, from)
	return i < len(blocks) && blocks[i] < to
}
