package trim

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// The numbers of the default profile. They are judgement on GITCLAW's scale,
// on which 70 is worth keeping whole: a person's words are, of any age; plain
// tool use is while it is recent or the agent is likely to come back to it.
const (
	baseInstruction = 72
	baseDigest      = 85 // stands for everything before it
	baseAnswer      = 38
	baseTools       = 32
	baseSilentTools = 27 // without a word from the model
	baseReminder    = 20 // the client will say it again
	baseOrphan      = 10 // results without a call

	addRecent     = 25 // to the newest turn; halves every recentHalf turns
	recentHalf    = 10
	addCorrection = 12
	addDecision   = 12
	addEdit       = 10
	addFailed     = 8  // an error that was mended since; its fix gets as much
	addOpenError  = 15 // an error that nothing mended
	addTask       = 12 // times the share of the task's words that occur
	addReuse      = 16 // to the turn whose names are likeliest to be used next

	lessStale     = -25 // all of its results were read or written again, or repeated
	lessSomeStale = -10
	lessInterrupt = -15

	leastFirst   = 92 // the first prompt says what it is all about
	leastCurrent = 97 // the newest prompt
	leastRunning = 90 // turns after the newest prompt, the last of them
	runningTurns = 5
)

// Words by which a person corrects and by which a model decides. Both are
// looked for in the first part of a text only, where they stand in speech;
// in quoted code and logs they mean nothing.
var (
	corrects = regexp.MustCompile(`(?i)^\W*(?:no\b|nope|wrong|not (?:that|what|quite|like)|actually|wait|stop|don'?t|do not|instead|undo|revert|that'?s not|it'?s not|i (?:said|meant|didn'?t|told)|you (?:forgot|missed|broke|should(?:n'?t| not)|were|did ?n'?t)|still (?:fail|broken|not|the same|doesn)|why did)|\b(?:instead of|rather than|should (?:not|be)|must not|doesn'?t work|does not work|still fails|not what i)\b`)
	decides  = regexp.MustCompile(`(?i)\b(?:decided|root cause|the (?:problem|bug|issue|cause|fix|reason) (?:is|was)|i(?:'ll| will) (?:use|keep|go with|implement)|we(?:'ll| will| should) (?:use|keep|go with)|let'?s (?:use|keep|go with)|because|turns out|confirmed|conclusion|in summary|summary of|all tests pass)\b`)
	failedIn = regexp.MustCompile(`(?i)(?:exit (?:code|status):? [1-9]|^exit [1-9]|traceback \(most recent|^panic: |^fatal: |^error(?:\[\w+\])?: |: error: |^FAIL\b|\d+ failed\b)`)
)

const speech = 600 // bytes in which a person corrects, or a model decides

// Prioritize returns the turns of a session with how much each matters: by what it
// holds and what became of it, such as a person's words, decisions, edits, errors
// and their fixes, files that were read or written again since, names that the
// agent is likely to use next.
func Prioritize(messages []transcript.Message) []Turn {
	if len(messages) == 0 {
		return nil
	}
	c := reuse.Open(messages)
	c.Predict(nil)
	v := &view{conv: c, stale: superseded(messages), turns: make([]Turn, len(c.Groups))}
	for g := range c.Groups {
		v.open(g)
	}
	v.links()
	v.task()
	v.likely()
	v.places()
	for g := range v.turns {
		v.turns[g].Bound()
	}
	return v.turns
}

// A view is a conversation on its way to turns.
type view struct {
	conv  *reuse.Conversation
	stale map[[2]int]string
	turns []Turn
}

func (v *view) parts(g int) []reuse.Part {
	gr := v.conv.Groups[g]
	return v.conv.Parts[gr.Parts[0]:gr.Parts[1]]
}

// open gives a turn what can be said without looking at others.
func (v *view) open(g int) {
	gr := v.conv.Groups[g]
	m := &v.conv.Messages[gr.From]
	t := &v.turns[g]
	*t = Turn{Index: g, From: gr.From, To: gr.To}
	said := cutting.Said(m)
	t.Title = cutting.Headline(said)
	switch {
	case m.Kind == transcript.Summary:
		t.Type = Digest
		t.Add(baseDigest, "what a compaction left of everything before")
	case m.Kind == transcript.Meta:
		t.Type = Reminder
		t.Add(baseReminder, "put in by the client")
	case m.Role == transcript.Assistant:
		v.answer(g, t, said)
	case m.Kind == transcript.Results && said == "":
		t.Type = ToolUse
		t.Add(baseOrphan, "results without their call")
	default:
		t.Type = Instruction
		t.Add(baseInstruction, "a person's words")
		if strings.HasPrefix(said, "[Request interrupted") {
			t.Type = Reminder
			t.Add(lessInterrupt, "says only that the agent was interrupted")
		} else if corrects.MatchString(said[:min(len(said), speech)]) && g > 0 {
			t.Type = Clarification
			t.Add(addCorrection, "corrects what was done")
		}
	}
}

// answer gives an answer its points and finds out what its calls are about.
func (v *view) answer(g int, t *Turn, said string) {
	var names []string
	results, stale := 0, 0
	edits, unchanged := false, ""
	for _, p := range v.parts(g) {
		switch {
		case p.Source == reuse.Call:
			names = append(names, callTitle(&p))
			if !strings.HasPrefix(p.Path, "-") && p.Path != "" && !slices.Contains(t.Paths, p.Path) {
				t.Paths = append(t.Paths, p.Path)
			}
			edits = edits || p.Edits
		case p.Source.Result():
			results++
			if why, ok := v.stale[[2]int{p.Message, p.Block}]; ok {
				stale++
				unchanged = why
			}
		}
	}
	switch {
	case len(names) == 0 && decides.MatchString(said[:min(len(said), speech)]):
		t.Type = Analysis
		t.Add(baseAnswer, "the model's answer")
	case len(names) == 0:
		t.Type = Response
		t.Add(baseAnswer, "the model's answer")
	case said == "":
		t.Type = ToolUse
		t.Add(baseSilentTools, "tools, without a word")
	default:
		t.Type = ToolUse
		t.Add(baseTools, "tools")
	}
	if decides.MatchString(said[:min(len(said), speech)]) {
		t.Add(addDecision, "concludes or decides")
	}
	if edits {
		t.Add(addEdit, "changes a file")
	}
	switch {
	case stale > 0 && stale == results && !edits:
		t.Add(lessStale, strings.Trim(unchanged, "[]"))
	case stale > 0:
		t.Add(lessSomeStale, fmt.Sprintf("%d of %d results are read or repeated later", stale, results))
	}
	if t.Title == "" {
		t.Title = strings.Join(names, ", ")
	} else if len(names) > 0 {
		t.Title += " → " + strings.Join(names, ", ")
	}
	t.Title = cutting.Headline(t.Title)
}

// callTitle names a call by what it is about: a command by itself, any other
// by its file.
func callTitle(p *reuse.Part) string {
	if p.Path != "" && !strings.HasPrefix(p.Text, "command: ") {
		return p.Tool + " " + p.Path
	}
	for line := range strings.Lines(p.Text) {
		_, value, ok := strings.Cut(line, ": ")
		if !ok {
			value = line
		}
		if value = cutting.Headline(value); value != "" {
			return p.Tool + " " + value
		}
	}
	return p.Tool
}

// links connects errors with what mended them: a command that failed and that
// later went through, and the last edit between the two.
func (v *view) links() {
	type failure struct{ turn int }
	open := make(map[string][]failure) // by what was called
	lastEdit := -1
	mended := make(map[int]bool)
	for g := range v.turns {
		for _, p := range v.parts(g) {
			if p.Source == reuse.Call && p.Edits {
				lastEdit = g
			}
			if !p.Source.Result() || p.Call < 0 {
				continue
			}
			call := &v.conv.Parts[p.Call]
			key := call.Tool + "\x00" + call.Text
			if call.Path != "" {
				key = call.Tool + "\x00" + call.Path
			}
			if fails(&p) {
				open[key] = append(open[key], failure{g})
				continue
			}
			for _, f := range open[key] {
				if f.turn == g || mended[f.turn] {
					continue
				}
				mended[f.turn] = true
				fix := g
				if lastEdit > f.turn {
					fix = lastEdit
				}
				v.turns[f.turn].Add(addFailed, fmt.Sprintf("an error that turn %d mended", fix))
				if why := fmt.Sprintf("mends the error of turn %d", f.turn); !v.turns[fix].mends() {
					v.turns[fix].Add(addFailed, why)
				}
			}
			delete(open, key)
		}
	}
	var left []int
	for _, fs := range open {
		for _, f := range fs {
			if !mended[f.turn] {
				left = append(left, f.turn)
			}
		}
	}
	slices.Sort(left)
	for _, g := range slices.Compact(left) {
		v.turns[g].Add(addOpenError, "an error that nothing mended yet")
	}
}

// mends reports whether the turn has its points for mending an error.
func (t *Turn) mends() bool {
	return slices.ContainsFunc(t.Reasons, func(r Reason) bool { return strings.HasPrefix(r.Why, "mends ") })
}

// fails reports whether a result tells of an error. What a file or a search
// shows may tell of errors without being one.
func fails(p *reuse.Part) bool {
	if p.Failed {
		return true
	}
	if p.Source != reuse.Command {
		return false
	}
	lines := strings.Split(p.Text, "\n")
	for i, line := range lines {
		if (i < 5 || i >= len(lines)-12) && failedIn.MatchString(line[:min(len(line), 300)]) {
			return true
		}
	}
	return false
}

// task compares the turns with the newest prompt.
func (v *view) task() {
	newest := v.newestPrompt()
	if newest < 0 {
		return
	}
	var a terms.Analyzer
	want := make(map[uint64]bool)
	task := cutting.Said(&v.conv.Messages[v.conv.Groups[newest].From])
	a.Each([]byte(task[:min(len(task), 4000)]), func(term uint64) { want[term] = true })
	if len(want) == 0 {
		return
	}
	for g := range v.turns {
		if g == newest {
			continue
		}
		found := make(map[uint64]bool)
		for _, p := range v.parts(g) {
			if p.Source == reuse.Meta {
				continue
			}
			a.Each([]byte(p.Text[:min(len(p.Text), 16<<10)]), func(term uint64) {
				if want[term] {
					found[term] = true
				}
			})
		}
		if n := int(math.Round(addTask * float64(len(found)) / float64(len(want)))); n > 0 {
			v.turns[g].Add(n, "shares words with the current task")
		}
	}
}

func (v *view) newestPrompt() int {
	for g := len(v.turns) - 1; g >= 0; g-- {
		if t := v.turns[g].Type; t == Instruction || t == Clarification {
			return g
		}
	}
	return -1
}

// likely adds points for names that the agent is likely to use next. A name
// counts in the newest turn that holds it, in earlier ones less.
func (v *view) likely() {
	value := make([]float64, len(v.turns))
	seen := make(map[int32]int) // names → turns that hold them, from the end
	for g := len(v.turns) - 1; g >= 0; g-- {
		here := make(map[int32]bool)
		var refs []int32
		for _, p := range v.parts(g) {
			for i := p.From; i < p.To; i++ {
				for _, r := range v.conv.Refs(&v.conv.Lines[i]) {
					if !here[r] {
						here[r] = true
						refs = append(refs, r)
					}
				}
			}
		}
		for _, r := range refs {
			e := &v.conv.Entities[r]
			value[g] += e.P * e.Rarity / float64(1+seen[r])
			seen[r]++
		}
	}
	most := slices.Max(value)
	if most <= 0 {
		return
	}
	for g, x := range value {
		if n := int(math.Round(addReuse * math.Sqrt(x/most))); n > 0 {
			v.turns[g].Add(n, "holds names that are likely to be used next")
		}
	}
}

// places adds what the place of a turn says.
func (v *view) places() {
	n := len(v.turns)
	newest := v.newestPrompt()
	for g := range v.turns {
		t := &v.turns[g]
		t.Add(int(math.Round(addRecent*math.Exp2(-float64(n-1-g)/recentHalf))), "recent")
	}
	for g := range v.turns {
		if v.turns[g].Type == Instruction {
			v.turns[g].Lift(leastFirst, "the first prompt")
			break
		}
	}
	for g := max(0, n-runningTurns, newest); g < n; g++ {
		v.turns[g].Lift(leastRunning, "part of what is going on")
	}
	if newest >= 0 {
		v.turns[newest].Lift(leastCurrent, "the current task")
	}
}
