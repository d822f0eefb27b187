package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/lab/sessions/state"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A session is one recorded conversation.
type session struct {
	File     string
	Repo     string
	Dangling map[string]bool
	Messages []transcript.Message
	Before   [][]transcript.Message // what was there before each compaction
}

// conversations returns what the model was sent at a time: what it is sent now, and
// before each compaction.
func (s *session) conversations() []*session {
	var out []*session
	for _, ms := range s.Before {
		out = append(out, &session{File: s.File, Repo: s.Repo, Messages: ms, Dangling: dangling(ms)})
	}
	return append(out, s)
}

// A sample is a moment of a session, before an answer: what was there, and what
// the agent then did.
type sample struct {
	s      *session
	to     int // messages of the context
	future []transcript.Message
}

// horizon is how many answers after the moment count as its future.
const horizon = 10

// samples returns moments of the session, every so many answers, or those that
// are scored if every is 0.
func (s *session) samples(every int) []sample {
	var out []sample
	var answers []int
	for i := range s.Messages {
		if s.Messages[i].Role == transcript.Assistant {
			answers = append(answers, i)
		}
	}
	if len(answers) < 14 {
		return nil
	}
	for _, j := range picks(len(answers), every) {
		t := answers[j]
		if trim.Estimate(s.Messages[:t]) < 6000 {
			continue
		}
		end := len(s.Messages)
		if j+horizon < len(answers) {
			end = answers[j+horizon]
		}
		out = append(out, sample{s: s, to: t, future: s.Messages[t:end]})
	}
	return out
}

// picks chooses among n answers: three moments, five in a long session, or one
// in every so many.
func picks(n, every int) []int {
	first, last := 8, n-4
	var out []int
	if every > 0 {
		for j := first; j < last; j += every {
			out = append(out, j)
		}
		return out
	}
	cuts := 3
	if n >= 120 {
		cuts = 5
	}
	ok := last - first
	for z := range cuts {
		out = append(out, first+min(ok-1, int((float64(z)+0.7)/(float64(cuts)+0.4)*float64(ok))))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *sample) past() []transcript.Message { return s.s.Messages[:s.to] }

// readSessions reads the sessions of the splits that index.jsonl in dir lists.
func readSessions(dir, split string) ([]*session, error) {
	list, err := readIndex(dir)
	if err != nil {
		return nil, err
	}
	var out []*session
	for _, e := range list {
		if !slices.Contains(strings.Split(split, ","), e.Split) {
			continue
		}
		text, read, err := e.read(dir)
		if err != nil {
			return nil, err
		}
		s := &session{File: e.File, Repo: e.Repo, Messages: read.Messages, Dangling: dangling(read.Messages)}
		if read.Compactions > 0 {
			if s.Before, err = beforeCompactions(text); err != nil {
				return nil, fmt.Errorf("%s: %w", e.File, err)
			}
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no session of split %q", dir, split)
	}
	return out, nil
}

// beforeCompactions returns what a session held before each of its compactions. Each
// begins with the summary that the one before it left.
func beforeCompactions(text []byte) ([][]transcript.Message, error) {
	var out [][]transcript.Message
	var at []transcript.Message
	end := func() {
		if len(at) > 0 && transcript.Valid(at) == nil {
			out = append(out, at)
		}
		at = nil
	}
	_, err := transcript.Scan(bytes.NewReader(text), int64(len(text)), func(m *transcript.Message) error {
		if m.Sent || m.Side {
			return nil
		}
		if m.Kind == transcript.Summary {
			end()
		}
		at = append(at, *m)
		return nil
	})
	end()
	return out, err
}

// dangling returns the calls without a result.
func dangling(ms []transcript.Message) map[string]bool {
	ids := make(map[string]bool)
	for i := range ms {
		for b := range ms[i].Blocks {
			if blk := &ms[i].Blocks[b]; blk.Type == transcript.Call {
				ids[recorded(blk)] = true
			}
		}
	}
	for i := range ms {
		for b := range ms[i].Blocks {
			if blk := &ms[i].Blocks[b]; blk.Type == transcript.Result {
				delete(ids, recorded(blk))
			}
		}
	}
	return ids
}

// text returns what is scored of a message: everything but thinking.
func text(m *transcript.Message) string {
	var parts []string
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Type != transcript.Thinking {
			parts = append(parts, blockText(b))
		}
	}
	return strings.Join(parts, "\n")
}

func blockText(b *transcript.Block) string {
	if b.Type == transcript.Call {
		return b.Name + "\n" + reuse.CallText(b)
	}
	return b.Text
}

func texts(ms []transcript.Message) []string {
	out := make([]string, len(ms))
	for i := range ms {
		out[i] = text(&ms[i])
	}
	return out
}

// names is the grammar of the scores, written apart from the one that reuse
// uses.
var namesOf = regexp.MustCompile(`https?://[^\s"'<>)\]}` + "`" + `]+|(?:[\w.@~-]+)?(?:/[\w.@+-]+){1,}|\b[\w-]+\.(?:go|py|ts|tsx|js|jsx|mjs|rs|java|c|h|cpp|cs|rb|php|ex|exs|md|json|jsonl|toml|ya?ml|sh|sql|css|html|txt|lock|mod|proto|vue|svelte)\b|--[a-z][a-z0-9-]{2,}|\b[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+\b|\b[A-Za-z_$][\w$]{3,}\b|\b[0-9a-f]{7,40}\b|\b\d{3,}\b`)

var humps = regexp.MustCompile(`[a-z][A-Z]|[A-Z]{2,}[a-z]`)

func names(s string) map[string]bool {
	out := make(map[string]bool)
	for _, t := range namesOf.FindAllString(s, -1) {
		t = strings.TrimRight(t, ".,:;")
		if len(t) > 0 && len(t) <= 120 && distinctive(t) {
			out[t] = true
		}
	}
	return out
}

func distinctive(t string) bool {
	switch {
	case strings.Contains(t, "/"):
		return len(t) >= 5 && strings.ContainsAny(strings.ToLower(t), "abcdefghijklmnopqrstuvwxyz")
	case strings.HasPrefix(t, "--"), strings.Contains(t, "."):
		return len(t) >= 4
	case t[0] >= '0' && t[0] <= '9':
		return len(t) >= 3
	case strings.Contains(strings.Trim(t, "_"), "_"), strings.ContainsAny(t, "$0123456789"):
		return true
	}
	return humps.MatchString(t)
}

// The fields of calls that quote what is there.
var quoting = map[string]bool{"old_string": true, "oldString": true, "oldText": true, "old_str": true, "search": true}

// quotes returns the lines that a call has to quote exactly.
func quotes(b *transcript.Block) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); len(s) >= 12 {
			out = append(out, s)
		}
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				s, ok := v[k].(string)
				switch {
				case ok && quoting[k]:
					for l := range strings.SplitSeq(s, "\n") {
						add(l)
					}
				case ok && strings.Contains(s, "*** Begin Patch"):
					for l := range strings.SplitSeq(s, "\n") {
						if l != "" && (l[0] == ' ' || l[0] == '-') && !strings.HasPrefix(l, "---") {
							add(l[1:])
						}
					}
				case !ok:
					walk(v[k])
				}
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	var v any
	if json.Unmarshal(b.Input, &v) == nil {
		walk(v)
	}
	return out
}

// A question is a sample with what the scores ask for.
type question struct {
	sample
	full   string
	refs   map[string]float64 // name → rarity
	far    map[string]bool
	edits  []string
	grams  []string
	tokens float64
	order  []string // of refs

	vocabulary map[string]bool // of the tools
	facts      *state.Facts
	origin     *state.Origin

	windows map[string]map[string]bool
	pairs   map[string]map[[2]string]bool
}

// ask finds out what the future of a sample uses of its past.
func ask(s sample) (*question, bool) {
	past := s.past()
	ts := texts(past)
	q := &question{sample: s, full: strings.Join(ts, "\n"), refs: map[string]float64{}, far: map[string]bool{}, tokens: messagesSize(past)}
	f := newFuture(q, ts)
	for i := range s.future {
		m := &s.future[i]
		if m.Role != transcript.Assistant {
			f.hear(text(m))
			continue
		}
		for b := range m.Blocks {
			if blk := &m.Blocks[b]; blk.Type == transcript.Text || blk.Type == transcript.Call {
				f.use(blk)
			}
		}
	}

	q.order = slices.Sorted(maps.Keys(q.refs))
	q.grams = slices.Sorted(maps.Keys(f.wanted))
	q.windows, q.pairs = map[string]map[string]bool{}, map[string]map[[2]string]bool{}
	for _, r := range q.order {
		q.windows[r] = windows(q.full, r, 4000)
		q.pairs[r] = pairs(q.full, r, 2000)
	}
	q.vocabulary = vocabulary(past, s.future)
	q.facts, q.origin = state.Of(past), state.NewOrigin(past, reuse.Size)
	return q, len(q.refs) >= 3
}

// A future is what comes after a question's past, read message by message.
type future struct {
	q        *question
	messages map[string]int  // of the past that hold a name
	last     map[string]int  // the newest of them
	past     map[string]bool // phrases of the past
	fresh    string          // what the agent was told since
	told     map[string]bool // phrases of that
	seen     map[string]bool // names that the agent used
	quoted   map[string]bool // lines that it quoted
	wanted   map[string]bool // phrases that it took from the past
}

func newFuture(q *question, past []string) *future {
	f := &future{
		q: q, messages: map[string]int{}, last: map[string]int{}, past: map[string]bool{}, told: map[string]bool{},
		seen: map[string]bool{}, quoted: map[string]bool{}, wanted: map[string]bool{},
	}
	for i, t := range past {
		for r := range names(t) {
			f.messages[r]++
			f.last[r] = i
		}
		for l := range strings.SplitSeq(t, "\n") {
			grams(l, f.past)
		}
	}
	return f
}

// hear reads what the agent is told. What it uses of that is not of the past.
func (f *future) hear(t string) {
	f.fresh += "\n" + t
	grams(t, f.told)
}

// use reads what the agent says or does, and adds to the question what of it stood
// in the past.
func (f *future) use(b *transcript.Block) {
	q, t, past := f.q, blockText(b), len(f.q.past())
	for r := range names(t) {
		if f.seen[r] {
			continue
		}
		f.seen[r] = true
		if n := f.messages[r]; n > 0 && !strings.Contains(f.fresh, r) {
			q.refs[r] = math.Log(1 + float64(past)/float64(n))
			if f.last[r] < past-12 {
				q.far[r] = true
			}
		}
	}

	used := map[string]bool{}
	grams(t, used)
	for g := range used {
		if f.past[g] && !f.told[g] && len([]rune(g)) >= 12 {
			f.wanted[g] = true
		}
	}
	if b.Type != transcript.Call {
		return
	}
	for _, l := range quotes(b) {
		if !f.quoted[l] && !strings.Contains(f.fresh, l) && strings.Contains(q.full, l) {
			f.quoted[l] = true
			q.edits = append(q.edits, l)
		}
	}
}

func grams(t string, into map[string]bool) {
	w := strings.Fields(t)
	for i := 0; i+4 <= len(w); i++ {
		into[strings.Join(w[i:i+4], " ")] = true
	}
}
