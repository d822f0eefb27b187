package trim

import (
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// planTool are the tools by which agents keep their list of what is to be done:
// TodoWrite, todowrite, write_todos, update_todo_list, update_plan, ExitPlanMode,
// task_tracker and the like.
var (
	planTool  = regexp.MustCompile(`(?i)todo|(?:^|[_-])plan|plan_?mode|task_?tracker`)
	checkLine = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])\s+\[[ xX~>/-]\]\s`)
	doneLine  = regexp.MustCompile(`(?i)^(?:status|state): (?:completed|complete|done|cancell?ed)$`)
)

// A list of checks has at least leastChecks lines. Of a plan that takes more
// than planShare of the budget, what is done may be left out, and then its end.
const (
	leastChecks = 2
	planShare   = 0.06
)

// plan pins what the agent last wrote down to do, if it stands in the digest:
// the newest call that keeps a plan, or the newest list of checks in an answer,
// whichever is newer. It returns the tokens that it takes.
func (t *cutter) plan(budget, used float64) float64 {
	c := t.conv
	room := min(budget*planShare, budget-used)
	for p := len(c.Parts) - 1; p >= 0; p-- {
		part := &c.Parts[p]
		var lines []int
		switch {
		case part.Source == reuse.Call && planTool.MatchString(part.Tool) && part.To-part.From > 1:
			for i := part.From; i < part.To; i++ {
				lines = append(lines, i)
			}
		case part.Source == reuse.Answer:
			for i := part.From; i < part.To; i++ {
				if checkLine.MatchString(c.Lines[i].Text) {
					lines = append(lines, i)
				}
			}
			if len(lines) < leastChecks {
				continue
			}
		default:
			continue
		}
		if t.zones[part.Group] != digest || !t.free[p] {
			return 0 // it stands there whole
		}
		if part.Source == reuse.Call && t.linesSize(lines) > room {
			lines = t.undone(lines)
		}
		total := headerSize
		for k, i := range lines {
			if total += c.Lines[i].Tokens; total > room {
				total -= c.Lines[i].Tokens
				lines = lines[:k]
				break
			}
		}
		if len(lines) == 0 {
			return 0
		}
		t.planned = lines
		t.prompted = append(t.prompted, p)
		return total
	}
	return 0
}

// undone returns the lines of the items of a plan that are not done. An item
// begins where the key of the first one comes again.
func (t *cutter) undone(lines []int) []int {
	var out, item []int
	first := ""
	done := false
	flush := func() {
		if !done {
			out = append(out, item...)
		}
		item, done = nil, false
	}
	for _, i := range lines {
		text := t.conv.Lines[i].Text
		if key, _, ok := strings.Cut(text, ": "); ok && (first == "" || key == first) {
			first = key
			flush()
		}
		done = done || doneLine.MatchString(text)
		item = append(item, i)
	}
	flush()
	return out
}

func (t *cutter) linesSize(lines []int) float64 {
	n := 0.0
	for _, i := range lines {
		n += t.conv.Lines[i].Tokens
	}
	return n
}

// isPlanned reports whether a line is of the plan that is pinned.
func (t *cutter) isPlanned(i int) bool {
	_, ok := slices.BinarySearch(t.planned, i)
	return ok
}
