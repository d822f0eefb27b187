package trim

import (
	"github.com/satchel-dev/satchel/internal/reuse"
	"github.com/satchel-dev/satchel/transcript"
)

// A Shape holds the numbers that divide a budget and weigh lines. Shares are of
// the budget.
type Shape struct {
	Tail    float64 // newest groups, verbatim
	TailMax float64 // the newest group alone may take this much before it is cut
	Middle  float64 // in place, without results
	Prompts float64 // the user's words in the digest

	Ref, Gram, Edit, Line, User float64 // weight of names, phrases, quoted lines, any line, and lines of a prompt that is not shown whole
	Adjacent                    float64 // share of a line's value that its neighbours gain
	Repeat                      float64 // what a further copy of a name is worth
	RepeatGram                  float64
	Recent                      float64 // more for newer lines
}

// DefaultShape was chosen on recorded sessions; see eval/sessions.
var DefaultShape = Shape{
	Tail: 0.25, TailMax: 0.5, Middle: 0.1, Prompts: 0.4,
	Ref: 0.60, Gram: 0.25, Edit: 0.12, Line: 0.02, User: 0.2, Adjacent: 0.5, Repeat: 0.05, RepeatGram: 0.05, Recent: 0.25,
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
	meter *meter
	conv  *reuse.Conversation

	zones   []zone // of groups
	zone0   int    // first group that is not in the digest
	whole   []bool // of parts: shown verbatim, in the digest too
	pinned  map[int]bool
	lines   []pick   // by line of conv
	chosen  []int32  // lines in the order in which they were chosen
	shown   []bool   // of parts: some line is chosen, or whole
	handles []string // of parts
}

// divide sets the zones and marks what is shown whole. It returns the tokens
// that are left for single lines.
func (t *cutter) divide() float64 {
	c, s, budget := t.conv, &t.shape, float64(t.o.Budget)
	n := len(c.Groups)
	t.zones = make([]zone, n)
	t.whole = make([]bool, len(c.Parts))
	size := make([]float64, n)
	for g, gr := range c.Groups {
		for i := gr.From; i < gr.To; i++ {
			size[g] += messageSize(&c.Messages[i])
		}
	}
	used := preambleSize
	first := n
	for g := n - 1; g >= 0; g-- {
		limit := s.Tail
		if g == n-1 {
			limit = s.TailMax
		}
		if used+size[g] > budget*limit {
			break
		}
		t.zones[g] = tail
		used += size[g]
		first = g
	}
	if first == n && n > 0 { // the newest group is too big: cut its results
		first = n - 1
		t.zones[first] = middle
		used += t.skeleton(first)
	}
	// The middle: as long as its text and inputs take no more than their share.
	room := budget*(s.Tail+s.Middle) - used
	for g := first - 1; g >= 0; g-- {
		k := t.skeleton(g)
		if k > room {
			break
		}
		room -= k
		used += k
		t.zones[g] = middle
		first = g
	}
	t.zone0 = first
	return budget - used - t.prompts(budget, used)
}

// skeleton returns the tokens of a group in the middle, without any line of its
// results.
func (t *cutter) skeleton(g int) float64 {
	gr := t.conv.Groups[g]
	n := 0.0
	for i := gr.From; i < gr.To; i++ {
		n += perMessage
		for b := range t.conv.Messages[i].Blocks {
			blk := &t.conv.Messages[i].Blocks[b]
			switch blk.Type {
			case transcript.Thinking:
			case transcript.Result:
				n += perBlock + min(reuse.Size(blk.Text), markerSize)
			default:
				n += blockSize(blk)
			}
		}
	}
	return n
}

// The tokens of the digest's first lines, and of the marker of a cut result.
const (
	preambleSize = 75.0
	markerSize   = 12.0
)

// prompts marks the words of the user in the digest that are shown whole, and
// returns the tokens that they take: the first and then the newest, short ones
// before long ones, up to their share.
func (t *cutter) prompts(budget, used float64) float64 {
	c := t.conv
	room := min(budget*t.shape.Prompts, budget-used)
	var order []int // parts
	for p := range c.Parts {
		if part := &c.Parts[p]; t.zones[part.Group] == digest && part.Source == reuse.User {
			order = append(order, p)
		}
	}
	if len(order) == 0 {
		return 0
	}
	for i, j := 1, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	total := 0.0
	for _, long := range []bool{false, true} {
		for _, p := range order {
			n := promptHeader + t.partSize(p)
			if n > longPrompt != long || n > room {
				continue
			}
			t.whole[p] = true
			room -= n
			total += n
		}
	}
	return total
}

// A prompt of more tokens than longPrompt comes after the short ones.
const (
	longPrompt   = 250.0
	promptHeader = 4.0
)

func (t *cutter) partSize(p int) float64 {
	n := 0.0
	for i := t.conv.Parts[p].From; i < t.conv.Parts[p].To; i++ {
		n += t.conv.Lines[i].Tokens
	}
	return n
}
