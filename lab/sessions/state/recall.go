package state

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/transcript"
)

// A Recall is how much of the state a trimmed session shows.
type Recall struct {
	// Shares are of the facts of each kind that the session has.
	Shares map[Kind]float64

	// Stale is the share of the files edited last of which an earlier version is
	// shown as the current one, Reopened that of the mended failures that are
	// shown as open.
	Stale, Reopened float64
}

// Mean is the mean of the shares: SR. The other result is whether the session
// has any fact.
func (r *Recall) Mean() (float64, bool) {
	if len(r.Shares) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, s := range r.Shares {
		sum += s
	}
	return sum / float64(len(r.Shares)), true
}

// True is the mean less what is shown wrong, at least 0: each of the two shares
// of wrong claims is taken off like the share of a kind of facts, so that an old
// version of a file costs as much as a file's last edit gives.
func (r *Recall) True() (float64, bool) {
	m, ok := r.Mean()
	if !ok {
		return 0, false
	}
	return max(0, m-(r.Stale+r.Reopened)/float64(len(r.Shares))), true
}

// enough is the share of the lines of a change or a plan that has to be shown.
const enough = 0.6

// atLeast returns how many of n lines have to be shown, most at the most.
func atLeast(n, most int) int { return min(most, int(enough*float64(n)+0.999)) }

// Recall looks for the facts in a trimmed session.
func (f *Facts) Recall(out []transcript.Message) *Recall {
	v := viewOf(out)
	r := &Recall{Shares: map[Kind]float64{}}
	share := func(k Kind, n int, shown func(i int) bool) {
		if n == 0 {
			return
		}
		sum := 0.0
		for i := range n {
			if shown(i) {
				sum++
			}
		}
		r.Shares[k] = sum / float64(n)
	}
	share(Edit, len(f.edits), func(i int) bool { return v.showsChange(&f.edits[i]) })
	share(File, len(f.files), func(i int) bool { return v.names(f.files[i]) })
	share(Check, len(f.checks), func(i int) bool { return v.showsOutcome(&f.checks[i]) })
	if len(f.open) > 0 {
		share(Error, 1, func(int) bool { return len(v.together(f.open)) > 0 })
	}
	var plans []bool
	if len(f.steps) > 0 {
		plans = append(plans, v.showsSteps(f.steps))
	}
	if len(f.agreed) > 0 {
		plans = append(plans, v.showsText(f.agreed))
	}
	share(Plan, len(plans), func(i int) bool { return plans[i] })
	share(Rule, len(f.rules), func(i int) bool { return strings.Contains(v.flat, collapsed(f.rules[i])) })
	r.Stale, r.Reopened = f.wrong(v)
	return r
}

// showsChange reports whether most of the lines that an edit brought stand in
// one run, with nothing between them but lines of the same text.
func (v *view) showsChange(c *change) bool {
	return len(v.runs(c.added, c.context, max(1, atLeast(len(c.added), c.most)))) > 0
}

// names reports whether a file is named, at least by its last element.
func (v *view) names(file string) bool {
	if strings.Contains(v.text, file) {
		return true
	}
	name := file[strings.LastIndexByte(file, '/')+1:]
	if name == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(v.text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(v.text[:i])
		after, _ := utf8.DecodeRuneInString(v.text[i+len(name):])
		if !(i > 0 && (inWord(before) || before == '.' || before == '-')) && !inWord(after) {
			return true
		}
		from = i + 1
	}
}

func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// How far behind a command the line may stand that says how it ended, and how
// long such a line must be to be known again within another one.
const (
	nearOutcome = 60
	longOutcome = 40
)

// showsOutcome reports whether a check stands there and, behind it, how it ended.
func (v *view) showsOutcome(o *outcome) bool {
	var ends []int
	for i := range v.lines {
		l := &v.lines[i]
		if l.reads(o.line) || strings.HasSuffix(l.text, o.line) || len([]rune(o.line)) >= longOutcome && strings.Contains(l.text, o.line) {
			ends = append(ends, i)
		}
	}
	if len(ends) == 0 {
		return false
	}
	for i := range v.lines {
		if !strings.Contains(v.lines[i].text, o.command) {
			continue
		}
		for _, j := range ends {
			if j >= i && j-i <= max(nearOutcome, o.lines+10) {
				return true
			}
		}
	}
	return false
}

// mostOfPlan is how many lines of a plan have to be shown at most.
const mostOfPlan = 36

// showsText reports whether most of a text stands together.
func (v *view) showsText(text []string) bool {
	in := map[string]bool{}
	for _, l := range text {
		in[l] = true
	}
	n, need := 0, atLeast(len(text), mostOfPlan)
	for i := range v.lines {
		if n++; !v.lines[i].readsOne(in) {
			n = 0
		}
		if n >= need {
			return true
		}
	}
	return false
}

// enoughSteps is the share of the items of a plan that have to be shown with
// their states.
const enoughSteps = 0.8

func (v *view) showsSteps(steps []step) bool {
	n := 0
	for i := range steps {
		if v.showsStep(&steps[i]) {
			n++
		}
	}
	return float64(n) >= enoughSteps*float64(len(steps))
}

// boxes are what stands for a state before an item of a list.
var boxes = map[string]string{"completed": "[x]", "in_progress": "[>]", "pending": "[ ]"}

// How far from an item its state may stand, within a list that has one heading
// for all of a state, and beside the id of a task.
const (
	nearState   = 2
	nearHeading = 40
	nearTask    = 3
)

// showsStep reports whether an item is shown with its state: within two lines,
// under a heading, or with a change of its task.
func (v *view) showsStep(s *step) bool {
	if s.text == "" {
		return false
	}
	var hits []int
	for i := range v.lines {
		if strings.Contains(v.lines[i].text, s.text) {
			hits = append(hits, i)
		}
	}
	for _, i := range hits {
		for j := max(0, i-nearState); j < min(len(v.lines), i+nearState+1); j++ {
			if strings.Contains(v.lines[j].text, s.status) {
				return true
			}
		}
		if box := boxes[s.status]; box != "" && strings.Contains(v.lines[i].text, box) {
			return true
		}
	}
	const heading = "status: "
	for _, i := range hits {
		for j := i - 1; j >= max(0, i-nearHeading+1); j-- {
			if strings.HasPrefix(v.lines[j].text, heading) {
				if v.lines[j].text == heading+s.status {
					return true
				}
				break
			}
		}
	}
	if len(hits) == 0 || s.id == "" {
		return false
	}
	if s.status == "pending" {
		return true
	}
	for _, i := range v.at["taskId: "+s.id] {
		for j := max(0, i-nearTask); j < min(len(v.lines), i+nearTask+1); j++ {
			if v.lines[j].text == heading+s.status {
				return true
			}
		}
	}
	return false
}
