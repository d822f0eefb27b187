package trim

import (
	"slices"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
	"github.com/satchel-dev/satchel/trim/subject"
)

// A cutter is one run of Trim.
type cutter struct {
	in      []transcript.Message // as they were
	placed  []transcript.Message // as they stand in place: masked, and without what comes again
	o       Options
	shape   Shape
	meter   *cutting.Meter
	conv    *reuse.Conversation // masked
	handles [][]string          // of messages and blocks

	first  int    // group from which on messages stay in place
	cut    []bool // of parts of the newest group: their lines are chosen, for it is too big
	inputs int    // the longest string in an input of the newest group, in bytes; 0 means any

	subjects *subject.Subjects
	workdir  string             // the line of calls that says where most of them run
	quotes   map[uint64]float64 // probability that an edit quotes a line, by key
	topics   []*topic
	units    []*unit // of the digest, by topic
	inPlace  []*unit // of the newest group, by cut
	words    []*unit // of the user, in order
	prompted []*unit // those that are shown, the least wanted last
	plan     string
	chooser  *chooser // of what the digest shows
}

// newestPrompt is the share of the budget that a message of the user, the
// newest of all, may take before it is cut.
const newestPrompt = 0.8

// preambleSize are the tokens of the digest's first lines.
const preambleSize = 45.0

// divide decides which messages stay in place: the newest, and no more than most
// groups. It returns the tokens they take.
func (t *cutter) divide(most int) float64 {
	c, s, budget := t.conv, &t.shape, float64(t.o.Budget)
	t.first, t.cut = len(c.Groups), make([]bool, len(c.Parts))
	sum := 0.0
	for g := len(c.Groups) - 1; g >= len(c.Groups)-most; g-- {
		limit := s.Tail
		switch {
		case g < len(c.Groups)-1:
		case c.Messages[c.Groups[g].From].Role == transcript.User:
			limit = newestPrompt
		default:
			limit = s.TailMax
		}
		size := 0.0
		for i := c.Groups[g].From; i < c.Groups[g].To; i++ {
			size += cutting.MessageSize(&t.placed[i])
		}
		if preambleSize+sum+size > budget*limit {
			break
		}
		t.first = g
		sum += size
	}
	if t.first < len(c.Groups) {
		return sum
	}
	return t.squeeze()
}

// squeeze puts the newest group in place although it is too big: its results are cut
// first, then its text, then the strings of its inputs. It returns the tokens that it
// takes without any line of what is cut.
func (t *cutter) squeeze() float64 {
	t.first--
	most := float64(t.o.Budget)*newestPrompt - preambleSize
	for _, step := range []struct {
		longer float64
		text   bool
	}{{shortResult, false}, {cutHead, false}, {cutHead, true}} {
		t.cutParts(step.longer, step.text)
		if n := t.skeleton(); n <= most && t.inputs == 0 {
			return n
		}
	}
	n := t.skeleton()
	for t.inputs != 0 || n > most {
		if n = t.skeleton(); n <= most || !t.shortenInputs() {
			break
		}
	}
	return n
}

// shortenInputs lowers the longest string that inputs may have, and reports whether
// it could.
func (t *cutter) shortenInputs() bool {
	for _, n := range []int{4000, 1000, 250, 60} {
		if t.inputs == 0 || t.inputs > n {
			t.inputs = n
			return true
		}
	}
	return false
}

// cutParts says which parts of the newest group are cut: its results that take more
// than some tokens, and its text if that is asked for.
func (t *cutter) cutParts(longer float64, text bool) {
	gr := t.conv.Groups[t.first]
	for p := gr.Parts[0]; p < gr.Parts[1]; p++ {
		part := &t.conv.Parts[p]
		switch {
		case t.isPinned(p), part.Source == reuse.Call:
		case part.Source.Result():
			t.cut[p] = t.partSize(p) > longer
		default:
			t.cut[p] = text
		}
	}
}

// cutHead are the tokens of the first line of a part that is cut in place, and
// shortResult those of a result that is not cut if there is any other way.
const (
	cutHead     = 12.0
	shortResult = 120.0
)

// skeleton returns the tokens of the newest group without the lines of what is cut.
func (t *cutter) skeleton() float64 {
	gr := t.conv.Groups[t.first]
	n := 0.0
	for i := gr.From; i < gr.To; i++ {
		n += cutting.PerMessage
		for b := range t.placed[i].Blocks {
			blk := &t.placed[i].Blocks[b]
			n += float64(cutting.Overhead(blk))
			if blk.Type == transcript.Thinking || blk.Type == transcript.Other {
				n += reuse.Size(cutting.TextOf(blk))
			}
		}
	}
	for p := gr.Parts[0]; p < gr.Parts[1]; p++ {
		part := &t.conv.Parts[p]
		switch {
		case t.cut[p]:
			n += cutHead
		case part.Source == reuse.Call && t.inputs > 0 && !t.isPinned(p):
			blk := shorten(t.placed[part.Message].Blocks[part.Block], t.inputs)
			n += reuse.Size(cutting.TextOf(&blk))
		case part.Source == reuse.Call:
			n += t.partSize(p) + reuse.Size(part.Tool)
		default:
			n += t.partSize(p)
		}
	}
	return n
}

// isPinned reports whether a part is of a message that stays verbatim.
func (t *cutter) isPinned(p int) bool { return slices.Contains(t.o.Pins, t.conv.Parts[p].Message) }

// pins returns the tokens of what is pinned before the part that stays in place.
func (t *cutter) pins() (n float64) {
	for p := range t.conv.Parts {
		if t.conv.Parts[p].Group < t.first && t.isPinned(p) {
			n += promptHeader + t.partSize(p)
		}
	}
	return n
}

// partSize returns the tokens of a part's text.
func (t *cutter) partSize(p int) (n float64) {
	for i := t.conv.Parts[p].From; i < t.conv.Parts[p].To; i++ {
		n += t.conv.Lines[i].Tokens
	}
	return n
}
