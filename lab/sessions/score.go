package main

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/lab/sessions/state"
	"github.com/satchel-dev/satchel/transcript"
)

// occurrences calls fn with the places of a name in a text, at most so many.
func occurrences(text, name string, most int, fn func(from, to int)) {
	n := 0
	for i := strings.Index(text, name); i >= 0 && n < most; {
		to := i + len(name)
		if !endsInWord(text[:i]) && !beginsWithWord(text[to:]) {
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

func endsInWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && inWord(r)
}

func beginsWithWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && inWord(r)
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// around is how much of a line beside a name counts, in characters.
const around = 40

// windows returns what stands around a name: so many characters on either side,
// within its line.
func windows(text, name string, most int) map[string]bool {
	out := map[string]bool{}
	occurrences(text, name, most, func(a, b int) {
		from, to := a, b
		for n := 0; n < around && from > 0 && text[from-1] != '\n'; n++ {
			_, size := utf8.DecodeLastRuneInString(text[:from])
			from -= size
		}
		for n := 0; n < around && to < len(text) && text[to] != '\n'; n++ {
			_, size := utf8.DecodeRuneInString(text[to:])
			to += size
		}
		out[strings.Join(strings.Fields(text[from:to]), " ")] = true
	})
	return out
}

// longestLine is how much of a line is compared, in characters.
const longestLine = 200

// pairs returns the lines around a name with each of their neighbours; a text of
// one line has none, and is its own.
func pairs(text, name string, most int) map[[2]string]bool {
	out := map[[2]string]bool{}
	clipped := func(s string) string { return clip(strings.TrimSpace(s), longestLine) }
	occurrences(text, name, most, func(a, b int) {
		from := strings.LastIndexByte(text[:a], '\n') + 1
		to := len(text)
		if k := strings.IndexByte(text[b:], '\n'); k >= 0 {
			to = b + k
		}
		line := clipped(text[from:to])
		if from == 0 && to == len(text) {
			out[[2]string{line, ""}] = true
		}
		if to < len(text) {
			next, _, _ := strings.Cut(text[to+1:], "\n")
			if next = clipped(next); next != "" {
				out[[2]string{line, next}] = true
			}
		}
		if from > 0 {
			if prev := clipped(text[strings.LastIndexByte(text[:from-1], '\n')+1 : from-1]); prev != "" {
				out[[2]string{prev, line}] = true
			}
		}
	})
	return out
}

// clip returns the first n characters of a text.
func clip(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// A row is what one packed context is worth: shares, NaN where the question does
// not ask for any.
type row struct {
	S, Star, Ctx, R2, Far, Edit, U, Grams float64
	recall                                *state.Recall
	reading                               *state.Reading
	invalid                               string
	over                                  bool
	fill                                  float64
}

// works reports whether the context can be sent.
func (r *row) works() bool { return r.invalid == "" && !r.over }

func share(have, all float64) float64 {
	if all == 0 {
		return 0
	}
	return have / all
}

// shareOf is the share, NaN of nothing.
func shareOf(have, all float64) float64 {
	if all == 0 {
		return math.NaN()
	}
	return have / all
}

// grade compares a packed context with what the agent then used.
func (q *question) grade(out []transcript.Message, budget float64) row {
	pt := strings.Join(texts(out), "\n")
	var r row
	edits := 0.0
	for _, l := range q.edits {
		if strings.Contains(pt, l) {
			edits++
		}
	}
	r.Edit = shareOf(edits, float64(len(q.edits)))
	r.U = q.gradePrompts(pt)

	n := messagesSize(out)
	r.fill, r.over = n/budget, n > budget*1.02+20
	r.invalid = valid(q.past(), out, q.s.Dangling)
	ns := q.gradeNames(pt, nil)
	r.Ctx, r.R2, r.Far = ns.ctx, ns.r2, ns.far
	r.S, r.Star = r.composite(ns.ctx, ns.r2), math.NaN()
	if ns := q.gradeNames(pt, q.vocabulary); ns.names > 0 {
		r.Star = r.composite(ns.ctx, ns.r2)
	}
	r.Grams = q.gradeGrams(pt)
	if !r.works() && !math.IsNaN(r.Grams) {
		r.Grams = 0
	}
	r.recall, r.reading = q.facts.Recall(out), q.origin.Read(out)
	return r
}

// composite is S, from what was kept of the names.
func (r *row) composite(ctx, r2 float64) float64 {
	if !r.works() {
		return 0
	}
	edit, user := r.Edit, r.U
	if math.IsNaN(edit) {
		edit = r2
	}
	if math.IsNaN(user) {
		user = 1
	}
	return 0.35*ctx + 0.25*r2 + 0.2*edit + 0.2*user
}

// recalled is the state recall: as it is, and less what is shown wrong.
func (r *row) recalled(f func(*state.Recall) (float64, bool)) float64 {
	v, ok := f(r.recall)
	if !ok {
		return math.NaN()
	}
	if !r.works() {
		return 0
	}
	return v
}

// nameShares say how much of the names that are used again was kept.
type nameShares struct {
	names        int
	ctx, r2, far float64
}

// gradeNames grades the names that are used again: whether they stand within their
// line, and beside one of its neighbours. Names of without do not count.
func (q *question) gradeNames(pt string, without map[string]bool) nameShares {
	var out nameShares
	var all, ctx, far, farAll, r2, r2All float64
	for _, name := range q.order {
		if without[name] {
			continue
		}
		out.names++
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

	out.ctx, out.r2, out.far = share(ctx, all), share(r2, r2All), shareOf(far, farAll)
	if r2All == 0 {
		out.r2 = out.ctx
	}
	return out
}

// gradePrompts grades the user's words: whole prompts, or the share of their lines.
func (q *question) gradePrompts(pt string) float64 {
	prompts, kept := 0.0, 0.0
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
				kept++
			} else {
				kept += lineShare(pt, b.Text)
			}
		}
	}
	return shareOf(kept, prompts)
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
func (q *question) gradeGrams(pt string) float64 {
	if len(q.grams) < 5 {
		return math.NaN()
	}
	have := map[string]bool{}
	grams(pt, have)
	kept := 0.0
	for _, g := range q.grams {
		if have[g] {
			kept++
		}
	}
	return kept / float64(len(q.grams))
}

func meets[K comparable](a, b map[K]bool) bool {
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}
