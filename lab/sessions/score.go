package main

import (
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// occurrences calls fn with the places of a name in a text, until fn says no.
func occurrences(text, name string, most int, fn func(from, to int)) {
	n := 0
	for i := strings.Index(text, name); i >= 0 && n < most; {
		to := i + len(name)
		if !(i > 0 && wordByte(text[i-1])) && !(to < len(text) && wordByte(text[to])) {
			fn(i, to)
			n++
		}
		j := strings.Index(text[i+1:], name)
		if j < 0 {
			return
		}
		i += 1 + j
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// windows returns what stands around a name: 40 bytes on either side, within
// its line.
func windows(text, name string, most int) map[string]bool {
	out := map[string]bool{}
	occurrences(text, name, most, func(a, b int) {
		from := max(0, a-40)
		if k := strings.LastIndexByte(text[from:a], '\n'); k >= 0 {
			from += k + 1
		}
		to := min(len(text), b+40)
		if k := strings.IndexByte(text[b:to], '\n'); k >= 0 {
			to = b + k
		}
		out[strings.Join(strings.Fields(text[from:to]), " ")] = true
	})
	return out
}

// pairs returns the lines around a name with each of their neighbours.
func pairs(text, name string, most int) map[[2]string]bool {
	out := map[[2]string]bool{}
	clip := func(s string) string {
		s = strings.TrimSpace(s)
		return s[:min(200, len(s))]
	}
	occurrences(text, name, most, func(a, b int) {
		from := strings.LastIndexByte(text[:a], '\n') + 1
		to := len(text)
		if k := strings.IndexByte(text[b:], '\n'); k >= 0 {
			to = b + k
		}
		line := clip(text[from:to])
		if to < len(text) {
			next, _, _ := strings.Cut(text[to+1:], "\n")
			if next = clip(next); next != "" {
				out[[2]string{line, next}] = true
			}
		}
		if from > 0 {
			if prev := clip(text[strings.LastIndexByte(text[:from-1], '\n')+1 : from-1]); prev != "" {
				out[[2]string{prev, line}] = true
			}
		}
	})
	return out
}

// A row is what one packed context is worth: shares, of which some do not apply.
type row struct {
	S, Ctx, R2, Far, Edit, U, Grams float64
	hasFar, hasEdit, hasU, hasGrams bool
	invalid                         string
	over                            bool
	fill                            float64
}

func share(have, all float64) float64 {
	if all == 0 {
		return 0
	}
	return have / all
}

// grade compares a packed context with what the agent then used.
func (q *question) grade(out []transcript.Message, budget float64) row {
	pt := strings.Join(texts(out), "\n")
	var r row
	q.gradeNames(pt, &r)
	for _, l := range q.edits {
		if strings.Contains(pt, l) {
			r.Edit++
		}
	}
	r.hasEdit = len(q.edits) > 0
	r.Edit = share(r.Edit, float64(len(q.edits)))
	q.gradePrompts(pt, &r)
	q.gradeGrams(pt, &r)

	n := float64(trim.Estimate(out))
	r.fill, r.over = n/budget, n > budget*1.02+20
	r.invalid = valid(q.past(), out, q.s.Dangling)
	edit, user := r.R2, 1.0
	if r.hasEdit {
		edit = r.Edit
	}
	if r.hasU {
		user = r.U
	}
	if !r.over && r.invalid == "" {
		r.S = 0.35*r.Ctx + 0.25*r.R2 + 0.2*edit + 0.2*user
	}
	return r
}

// gradeNames grades the names that are used again: whether they stand within their
// line, and beside one of its neighbours.
func (q *question) gradeNames(pt string, r *row) {
	var all, ctx, far, farAll, r2, r2All float64
	for _, name := range q.order {
		w := q.refs[name]
		all += w
		if q.far[name] {
			farAll += w
		}
		got := windows(pt, name, 400)
		if len(q.pairs[name]) > 0 {
			r2All += w
			if len(got) > 0 && meets(pairs(pt, name, 200), q.pairs[name]) {
				r2 += w
			}
		}
		if meets(got, q.windows[name]) {
			ctx += w
			if q.far[name] {
				far += w
			}
		}
	}

	r.Ctx, r.R2, r.Far, r.hasFar = share(ctx, all), share(r2, r2All), share(far, farAll), farAll > 0
	if r2All == 0 {
		r.R2 = r.Ctx
	}
}

// gradePrompts grades the user's words: whole prompts, or the share of their lines.
func (q *question) gradePrompts(pt string, r *row) {
	prompts := 0.0
	for _, m := range q.past() {
		if m.Kind != transcript.Prompt {
			continue
		}
		for _, b := range m.Blocks {
			if b.Type != transcript.Text {
				continue
			}
			prompts++
			if strings.Contains(pt, b.Text) {
				r.U++
			} else {
				r.U += lineShare(pt, b.Text)
			}
		}
	}
	r.hasU = prompts > 0
	r.U = share(r.U, prompts)
}

// lineShare is the share of the lines of a prompt that a text holds.
func lineShare(pt, prompt string) float64 {
	n, kept := 0.0, 0.0
	for l := range strings.SplitSeq(prompt, "\n") {
		if len(strings.TrimSpace(l)) > 2 {
			n++
			if strings.Contains(pt, l) {
				kept++
			}
		}
	}
	if n == 0 {
		return 1
	}
	return kept / n
}

// gradeGrams grades the phrases that are used again, if they are enough to tell.
func (q *question) gradeGrams(pt string, r *row) {
	if len(q.grams) < 5 {
		return
	}
	have := map[string]bool{}
	grams(pt, have)
	for _, g := range q.grams {
		if have[g] {
			r.Grams++
		}
	}
	r.Grams, r.hasGrams = r.Grams/float64(len(q.grams)), true
}

func meets[K comparable](a, b map[K]bool) bool {
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}

// valid reports what a provider would refuse, or "".
func valid(past, out []transcript.Message, dangling map[string]bool) string {
	if len(out) == 0 || out[0].Role != transcript.User {
		return "does not begin with the user"
	}
	if out[len(out)-1].Role != past[len(past)-1].Role {
		return "ends with another role"
	}
	for i := range out {
		m := &out[i]
		if len(m.Blocks) == 0 {
			return "empty message"
		}
		for b := range m.Blocks {
			blk := &m.Blocks[b]
			switch blk.Type {
			case transcript.Text:
				if strings.TrimSpace(blk.Text) == "" {
					return "empty text"
				}
			case transcript.Call:
				if dangling[blk.ID] {
					continue
				}
				if i+1 == len(out) || !has(&out[i+1], transcript.Result, blk.ID) {
					return "call without result"
				}
			case transcript.Result:
				if i == 0 || !has(&out[i-1], transcript.Call, blk.ID) {
					return "result without call"
				}
			}
		}
	}
	return ""
}

func has(m *transcript.Message, t transcript.BlockType, id string) bool {
	for i := range m.Blocks {
		if m.Blocks[i].Type == t && m.Blocks[i].ID == id {
			return true
		}
	}
	return false
}
