package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/reuse"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// A session is one recorded conversation.
type session struct {
	File     string
	Repo     string
	Dangling map[string]bool
	Messages []transcript.Message
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
		out = append(out, sample{s, t, s.Messages[t:end]})
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

// readSessions reads the sessions of the splits that index.jsonl in dir lists: one
// object a line with file (relative to dir), repo and split. The files are as
// their agents wrote them; what a compaction took away is not looked at.
func readSessions(dir, split string) ([]*session, error) {
	list, err := os.ReadFile(filepath.Join(dir, "index.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []*session
	for line := range strings.Lines(string(list)) {
		var e struct{ File, Repo, Split string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, fmt.Errorf("%s/index.jsonl: %w", dir, err)
		}
		if !slices.Contains(strings.Split(split, ","), e.Split) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.File))
		if err != nil {
			return nil, err
		}
		read, err := transcript.Read(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.File, err)
		}
		out = append(out, &session{File: e.File, Repo: e.Repo, Messages: read.Messages, Dangling: dangling(read.Messages)})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no session of split %q", dir, split)
	}
	return out, nil
}

// readCases reads moments that another program chose: one object a line with
// file, repo, and past and future as arrays of messages. The past is read as
// the trim command reads it.
func readCases(name string) ([]sample, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []sample
	for dec := json.NewDecoder(f); ; {
		var e struct {
			File, Repo   string
			Past, Future json.RawMessage
		}
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		past, err := transcript.Read(bytes.NewReader(e.Past), int64(len(e.Past)))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, e.File, err)
		}
		future, err := transcript.Read(bytes.NewReader(e.Future), int64(len(e.Future)))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, e.File, err)
		}
		s := &session{File: e.File, Repo: e.Repo, Messages: past.Messages, Dangling: dangling(past.Messages)}
		out = append(out, sample{s, len(past.Messages), future.Messages})
	}
}

// dangling returns the calls without a result.
func dangling(ms []transcript.Message) map[string]bool {
	ids := make(map[string]bool)
	for i := range ms {
		for b := range ms[i].Blocks {
			if blk := &ms[i].Blocks[b]; blk.Type == transcript.Call {
				ids[blk.ID] = true
			}
		}
	}
	for i := range ms {
		for b := range ms[i].Blocks {
			if blk := &ms[i].Blocks[b]; blk.Type == transcript.Result {
				delete(ids, blk.ID)
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

	windows map[string]map[string]bool
	pairs   map[string]map[[2]string]bool
}

// ask finds out what the future of a sample uses of its past.
func ask(s sample) (*question, bool) {
	past := s.past()
	ts := texts(past)
	q := &question{sample: s, full: strings.Join(ts, "\n"), refs: map[string]float64{}, far: map[string]bool{}, tokens: float64(trim.Estimate(past))}
	df, last := map[string]int{}, map[string]int{}
	for i, t := range ts {
		for r := range names(t) {
			df[r]++
			last[r] = i
		}
	}
	seen, lines := map[string]bool{}, map[string]bool{}
	fresh := ""
	pastGrams, want, newGrams := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, t := range ts {
		for l := range strings.SplitSeq(t, "\n") {
			grams(l, pastGrams)
		}
	}
	for i := range s.future {
		m := &s.future[i]
		if m.Role != transcript.Assistant {
			t := text(m)
			fresh += "\n" + t
			grams(t, newGrams)
			continue
		}
		for b := range m.Blocks {
			blk := &m.Blocks[b]
			if blk.Type != transcript.Text && blk.Type != transcript.Call {
				continue
			}
			t := blockText(blk)
			for r := range names(t) {
				if seen[r] {
					continue
				}
				seen[r] = true
				if df[r] > 0 && !strings.Contains(fresh, r) {
					q.refs[r] = math.Log(1 + float64(len(past))/float64(df[r]))
					if last[r] < len(past)-12 {
						q.far[r] = true
					}
				}
			}
			gs := map[string]bool{}
			grams(t, gs)
			for g := range gs {
				if pastGrams[g] && !newGrams[g] && len([]rune(g)) >= 12 {
					want[g] = true
				}
			}
			if blk.Type == transcript.Call {
				for _, l := range quotes(blk) {
					if !lines[l] && !strings.Contains(fresh, l) && strings.Contains(q.full, l) {
						lines[l] = true
						q.edits = append(q.edits, l)
					}
				}
			}
		}
	}
	for r := range q.refs {
		q.order = append(q.order, r)
	}
	slices.Sort(q.order)
	for g := range want {
		q.grams = append(q.grams, g)
	}
	slices.Sort(q.grams)
	q.windows, q.pairs = map[string]map[string]bool{}, map[string]map[[2]string]bool{}
	for _, r := range q.order {
		q.windows[r] = windows(q.full, r, 4000)
		q.pairs[r] = pairs(q.full, r, 2000)
	}
	return q, len(q.refs) >= 3
}

func grams(t string, into map[string]bool) {
	w := strings.Fields(t)
	for i := 0; i+4 <= len(w); i++ {
		into[strings.Join(w[i:i+4], " ")] = true
	}
}
