package trim

import (
	"slices"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A Shape holds the numbers that divide a budget and weigh lines. Shares are of
// the budget.
type Shape struct {
	Tail    float64 // newest groups, verbatim
	TailMax float64 // the newest group alone may take this much before it is cut
	Middle  float64 // in place, without results, where little may stay
	Wide    float64 // the same where much may stay; see middleShare
	Prompts float64 // the user's words in the digest

	Ref, Gram, Edit, Line, User float64 // weight of names, phrases, quoted lines, any line, and lines of a prompt that is not shown whole
	Adjacent                    float64 // share of a line's value that its neighbours gain
	Region                      float64 // what is left of that when one neighbour is chosen
	Repeat                      float64 // what a further copy of a name is worth
	Asked                       float64 // what a name is worth that stands in the user's words
	RepeatGram                  float64
	Error                       float64 // of a line that tells of an error, or how a command ended
	Power                       float64 // of the probabilities of names
	Recent                      float64 // more for newer lines
	Head                        float64 // tokens that a new result in the digest seems to cost more than its first line: scattered lines are worth less
	Facts                       float64 // of saying what a result was of which no line is shown
}

// DefaultShape was chosen on recorded sessions; see lab/sessions.
var DefaultShape = Shape{
	Tail: 0.12, TailMax: 0.35, Middle: 0.05, Wide: 0.25, Prompts: 0.5,
	Ref: 0.60, Gram: 0.085, Edit: 0.16, Line: 0.08, User: 0.35, Adjacent: 0.42, Region: 0.4, Repeat: 0.05, RepeatGram: 0.07, Recent: 0.3, Error: 0.0015, Power: 1.1, Asked: 0.7, Head: 11, Facts: 0.0002,
}

// A zone is how a group is shown.
type zone uint8

const (
	digest zone = iota
	middle      // in place, results cut
	tail        // verbatim
)

// A cutter is one run of Trim.
type cutter struct {
	in    []transcript.Message
	o     Options
	shape Shape
	meter *cutting.Meter
	conv  *reuse.Conversation
	size  float64 // tokens of the input, estimated

	zones    []zone         // of groups
	first    int            // group from which on messages are in place
	free     []bool         // of parts: lines are chosen one by one; else the part is shown whole
	planned  []int          // lines of the plan that the agent keeps, which stay
	prompted []int          // parts of the digest that are shown whole and may be cut after all, the least wanted last
	inputs   int            // the longest string in an input of the newest group, in bytes; 0 means any
	lines    []pick         // by line of conv, and then by part: its first line, which tells what it is
	chosen   []int32        // lines in the order in which they were chosen
	shown    []bool         // of parts: some line is chosen
	ends     [][2]int32     // of parts: see findEnds
	ended    []bool         // of parts: the ends are shown
	handles  [][]string     // of messages and blocks
	replies  []int32        // of parts: see reply
	facts    []*facts       // of parts, as far as they were needed
	edits    map[string]int // short path of a file → the part that edited it last; nil until it is needed
	marks    []float64      // of parts: tokens of that line in place
	heads    []float64      // of parts: tokens of the first line of an elided result
}

// newestPrompt is the share of the budget that a message of the user, the
// newest of all, may take before it is cut.
const newestPrompt = 0.8

// The tokens of the digest's first lines, and of the heading of a prompt.
const (
	preambleSize = 60.0
	promptHeader = 4.0
)

// A prompt of more tokens than longPrompt comes after the short ones.
const longPrompt = 250.0

// divide sets the zones and what is shown whole. It returns the tokens that are
// left for single lines.
func (t *cutter) divide() float64 {
	c, budget := t.conv, float64(t.o.Budget)
	n := len(c.Groups)
	t.replies = reply(c)
	t.zones, t.first = make([]zone, n), n
	t.free = make([]bool, len(c.Parts))
	for p := range t.free {
		t.free[p] = true
	}
	used := preambleSize + t.pins()
	used += t.newest(used)
	used += t.older(used)
	used += t.plan(budget, used)
	return budget - used - t.prompts(budget, used)
}

// pins marks the parts of pinned messages as whole, and returns the tokens that
// they take at most.
func (t *cutter) pins() float64 {
	n := 0.0
	for p := range t.conv.Parts {
		if t.pinned(p) {
			t.free[p] = false
			n += promptHeader + t.partSize(p)
		}
	}
	return n
}

func (t *cutter) pinned(p int) bool { return slices.Contains(t.o.Pins, t.conv.Parts[p].Message) }

// newest puts the newest groups into the tail, or cuts the very newest if it is
// too big for that. It returns the tokens they take.
func (t *cutter) newest(used float64) float64 {
	c, s, budget := t.conv, &t.shape, float64(t.o.Budget)
	sum := 0.0
	for g := len(c.Groups) - 1; g >= 0; g-- {
		gr := c.Groups[g]
		limit := s.Tail
		switch {
		case g < len(c.Groups)-1:
		case c.Messages[gr.From].Role == transcript.User:
			limit = newestPrompt
		default:
			limit = s.TailMax
		}
		size := 0.0
		for i := gr.From; i < gr.To; i++ {
			size += cutting.MessageSize(&c.Messages[i])
		}
		if used+sum+size > budget*limit {
			break
		}
		t.zones[g] = tail
		t.first = g
		for p := gr.Parts[0]; p < gr.Parts[1]; p++ {
			t.free[p] = false
		}
		sum += size
	}
	if t.first < len(c.Groups) {
		return sum
	}
	// Cut results first, then text, then the strings of inputs.
	t.first--
	g := t.first
	t.zones[g] = middle
	t.settle(g, true)
	if n := t.skeleton(g); used+n <= budget*newestPrompt {
		return n
	}
	t.settle(g, false)
	n := t.skeleton(g)
	for _, t.inputs = range []int{0, 4000, 1000, 250, 60} {
		if n = t.skeleton(g); used+n <= budget*newestPrompt {
			break
		}
	}
	return n
}

// settle says which parts of a group of the middle are shown whole: those that
// are no results, if text is true, and what was marked before.
func (t *cutter) settle(g int, text bool) {
	gr := t.conv.Groups[g]
	for p := gr.Parts[0]; p < gr.Parts[1]; p++ {
		switch src := t.conv.Parts[p].Source; {
		case t.pinned(p):
		case src == reuse.Call:
			t.free[p] = false
		case !src.Result():
			t.free[p] = !text
		case t.partSize(p) <= t.markSize(p): // a mark would not be shorter
			t.free[p] = false
		}
	}
}

// older puts the groups before the tail into the middle, as long as their text
// and inputs take no more than their share. It returns the tokens they take.
func (t *cutter) older(used float64) float64 {
	budget := float64(t.o.Budget)
	room := budget*(t.shape.Tail+t.middleShare()) - used
	sum := 0.0
	for g := t.first - 1; g >= 0; g-- {
		before := slices.Clone(t.free[t.conv.Groups[g].Parts[0]:t.conv.Groups[g].Parts[1]])
		t.settle(g, true)
		n := t.skeleton(g)
		if sum+n > room {
			copy(t.free[t.conv.Groups[g].Parts[0]:], before)
			break
		}
		sum += n
		t.zones[g] = middle
		t.first = g
	}
	return sum
}

// middleShare returns the share of the budget that the middle may take without
// its results. A call in place takes some forty tokens more than in the digest,
// for what the provider puts around it: where a fifth of the session may stay,
// that is dear; where two fifths may, it costs nothing that is needed.
func (t *cutter) middleShare() float64 {
	const narrow, wide = 0.2, 0.4
	stays := float64(t.o.Budget) / max(t.size, 1)
	return t.shape.Middle + (t.shape.Wide-t.shape.Middle)*min(max((stays-narrow)/(wide-narrow), 0), 1)
}

// skeleton returns the tokens of a group in the middle, without any line of the
// parts that are not shown whole.
func (t *cutter) skeleton(g int) float64 {
	gr := t.conv.Groups[g]
	n := 0.0
	for i := gr.From; i < gr.To; i++ {
		n += cutting.PerMessage
		for b := range t.conv.Messages[i].Blocks {
			if blk := &t.conv.Messages[i].Blocks[b]; blk.Type != transcript.Thinking || t.isNewest(g) {
				n += float64(cutting.Overhead(blk))
				if blk.Type == transcript.Thinking || blk.Type == transcript.Other {
					n += reuse.Size(cutting.TextOf(blk))
				}
			}
		}
	}
	for p := gr.Parts[0]; p < gr.Parts[1]; p++ {
		part := &t.conv.Parts[p]
		switch {
		case t.free[p]:
			n += min(t.partSize(p), t.markSize(p))
		case part.Source == reuse.Call && t.inputs > 0:
			blk := shorten(t.conv.Messages[part.Message].Blocks[part.Block], t.inputs)
			n += reuse.Size(cutting.TextOf(&blk))
		case part.Source == reuse.Call:
			n += t.partSize(p) + reuse.Size(part.Tool)
		default:
			n += t.partSize(p)
		}
	}
	return n
}

func (t *cutter) isNewest(g int) bool { return g == len(t.conv.Groups)-1 }

// prompts marks the words of the user in the digest that are shown whole, and
// returns the tokens that they take: the first and then the newest, short ones
// before long ones, up to their share.
func (t *cutter) prompts(budget, used float64) float64 {
	c := t.conv
	room := min(budget*t.shape.Prompts, budget-used)
	var order []int // parts
	for p := range c.Parts {
		if part := &c.Parts[p]; t.free[p] && t.zones[part.Group] == digest && part.Source == reuse.User {
			order = append(order, p)
		}
	}
	if len(order) == 0 {
		return 0
	}
	slices.Reverse(order[1:])
	total := 0.0
	for _, long := range []bool{false, true} {
		for _, p := range order {
			n := promptHeader + t.partSize(p)
			if n > longPrompt != long || n > room {
				continue
			}
			t.free[p] = false
			t.prompted = append(t.prompted, p)
			room -= n
			total += n
		}
	}
	return total
}

// partSize returns the tokens of a part's text.
func (t *cutter) partSize(p int) float64 {
	n := 0.0
	for i := t.conv.Parts[p].From; i < t.conv.Parts[p].To; i++ {
		n += t.conv.Lines[i].Tokens
	}
	return n
}
