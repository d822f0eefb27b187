package trim

import "github.com/satchel-dev/satchel/trim/reuse"

// An end of a command's output is the outermost line that takes no more than
// endTokens, among the endReach lines at that end.
const (
	endTokens = 30.0
	endReach  = 3
)

// findEnds finds the lines with which the output of each command begins and
// ends. They are shown wherever any line of it is.
func (t *cutter) findEnds() {
	c := t.conv
	t.ends, t.ended = make([][2]int32, len(c.Parts)), make([]bool, len(c.Parts))
	for p := range c.Parts {
		part := &c.Parts[p]
		t.ends[p] = [2]int32{-1, -1}
		if part.Source != reuse.Command || !t.free[p] {
			continue
		}
		fits := func(i int) bool { return t.lines[i].state == open && c.Lines[i].Tokens <= endTokens }
		for i := part.From; i < min(part.From+endReach, part.To); i++ {
			if fits(i) {
				t.ends[p][0] = int32(i)
				break
			}
		}
		for i := part.To - 1; i >= max(part.To-endReach, part.From); i-- {
			if fits(i) && t.ends[p][0] != int32(i) {
				t.ends[p][1] = int32(i)
				break
			}
		}
	}
}

// takeEnds takes the ends of a command's output, if they fit together, and
// returns what they cost. The last line tells most, and is given back last.
func (k *knapsack) takeEnds(p int, left float64) float64 {
	t := k.t
	total := 0.0
	for _, i := range t.ends[p] {
		if i >= 0 && t.lines[i].state == open {
			total += t.conv.Lines[i].Tokens + gapSize
		}
	}
	if total > left {
		return 0
	}
	t.ended[p] = true
	for e := len(t.ends[p]) - 1; e >= 0; e-- {
		if i := t.ends[p][e]; i >= 0 && t.lines[i].state == open {
			k.take(int(i))
		}
	}
	return total
}

// isEnd reports whether a line is an end of a command's output.
func (t *cutter) isEnd(i int) bool {
	if i >= len(t.conv.Lines) {
		return false
	}
	e := t.ends[t.conv.Lines[i].Part]
	return int(e[0]) == i || int(e[1]) == i
}
