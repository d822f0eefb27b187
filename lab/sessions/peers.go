package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// Peers: what others do to a session that has become too long, so that trims can
// be compared with it at the same number of tokens. Both are as good as they can
// be without becoming something else: pairs of calls and results stay whole, tokens
// are counted as ours are, and the budget holds.

// cleared is what stands for a result whose text went.
const cleared = "[Old tool result content cleared]"

// keptResults is how many of the newest results keep their text.
const keptResults = 3

// clearResults clears old results, the oldest first, until the rest fits; where
// that is not enough, the oldest messages go. So do the APIs and clients that clear
// the results of tools.
func clearResults(ms []transcript.Message, budget float64) []transcript.Message {
	out := slices.Clone(ms)
	var results []*transcript.Block
	for i := range out {
		out[i].Blocks = slices.Clone(out[i].Blocks)
		for k := range out[i].Blocks {
			if b := &out[i].Blocks[k]; b.Type == transcript.Result {
				results = append(results, b)
			}
		}
	}
	size := messagesSize(out)
	for _, b := range results[:max(0, len(results)-keptResults)] {
		if size <= budget {
			break
		}
		size -= blockSize(b)
		b.Text, b.Images, b.Raw = cleared, 0, nil
		size += blockSize(b)
	}
	if size <= budget {
		return out
	}
	return newest(out, budget)
}

// A group is an answer with its results, or a message of the user: indices from
// and to.
type group struct{ from, to int }

func groupsOf(ms []transcript.Message) []group {
	var out []group
	for i := 0; i < len(ms); {
		j := i + 1
		if ms[i].Role == transcript.Assistant {
			for j < len(ms) && ms[j].Kind == transcript.Results {
				j++
			}
		}
		out = append(out, group{i, j})
		i = j
	}
	return out
}

// note is what stands for the messages that went, with its overhead in tokens.
const (
	note     = "[Earlier conversation truncated]"
	noteSize = 14
)

func noted() transcript.Message {
	return transcript.Message{Role: transcript.User, Kind: transcript.Meta, Blocks: []transcript.Block{{Type: transcript.Text, Text: note}}}
}

// assemble returns the messages of the groups to keep, in order.
func assemble(ms []transcript.Message, gs []group, keep map[int]bool) []transcript.Message {
	var out []transcript.Message
	for k, g := range gs {
		if keep[k] {
			out = append(out, ms[g.from:g.to]...)
		}
	}
	if len(out) > 0 && out[0].Role != transcript.User {
		out = slices.Insert(out, 0, noted())
	}
	return out
}

// newest keeps the newest groups that fit.
func newest(ms []transcript.Message, budget float64) []transcript.Message {
	gs := groupsOf(ms)
	keep, used := map[int]bool{}, float64(noteSize)
	for k, g := range slices.Backward(gs) {
		n := messagesSize(ms[g.from:g.to])
		if used+n > budget {
			break
		}
		keep[k] = true
		used += n
	}
	if len(keep) == 0 {
		return squeeze(ms[gs[len(gs)-1].from:], budget)
	}
	return assemble(ms, gs, keep)
}

// squeeze cuts the middle out of the results of a group that does not fit, or of
// its texts where it has no results.
func squeeze(g []transcript.Message, budget float64) []transcript.Message {
	out := slices.Clone(g)
	left := budget - 30 - 8*float64(len(out))
	var results []*transcript.Block
	for i := range out {
		out[i].Blocks = slices.Clone(out[i].Blocks)
		for k := range out[i].Blocks {
			if b := &out[i].Blocks[k]; b.Type == transcript.Result {
				results = append(results, b)
			} else {
				left -= blockSize(b)
			}
		}
	}
	for n, b := range results {
		each := max(30, left/float64(max(1, len(results)-n)))
		b.Text, b.Raw = headAndTail(b.Text, each-perBlock), nil
		left -= blockSize(b)
	}
	for i := range out {
		for k := range out[i].Blocks {
			if b := &out[i].Blocks[k]; len(results) == 0 && b.Type == transcript.Text && reuse.Size(b.Text) > budget-40 {
				b.Text, b.Raw = headAndTail(b.Text, budget-60), nil
			}
		}
	}
	if out[0].Role != transcript.User {
		out = slices.Insert(out, 0, noted())
	}
	return out
}

// headAndTail keeps lines from both ends of a text, or characters where its lines
// are few or long.
func headAndTail(text string, budget float64) string {
	if reuse.Size(text) <= budget {
		return text
	}
	ls := strings.Split(text, "\n")
	longest := 0
	for _, l := range ls {
		longest = max(longest, len([]rune(l)))
	}
	if len(ls) < 4 || longest > 4000 {
		r := []rune(text)
		n := int(float64(len(r)) * max(0.02, budget/max(1, reuse.Size(text))) * 0.9 / 2)
		if n <= 0 {
			return "[truncated]"
		}
		return string(r[:n]) + "\n[... truncated ...]\n" + string(r[len(r)-n:])
	}

	from, to, used := 0, len(ls), 10.0
	fits := func(l string) bool {
		n := reuse.Size(l) + 1
		if used+n > budget {
			return false
		}
		used += n
		return true
	}
	for from < to && fits(ls[from]) {
		if from++; from >= to {
			break
		}
		if !fits(ls[to-1]) {
			break
		}
		to--
	}
	if from >= to {
		return text
	}
	return strings.Join(slices.Concat(ls[:from], []string{fmt.Sprintf("[... %d lines omitted ...]", to-from)}, ls[to:]), "\n")
}

// Words that hawk does not look for, and those that tell of an error.
var (
	commonWords = strings.Fields("the a an is in to for of and or it on at by with this that from as be")
	errorWords  = []string{"error", "failed", "panic", "exception", "traceback", "fatal"}
)

// hawk keeps whole groups by the score of hawk's packer (recency, words of the
// task, role, errors, length) for each token. The newest two and the first prompt
// come first.
func hawk(ms []transcript.Message, budget float64) []transcript.Message {
	var words []string
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Kind == transcript.Prompt {
			words = hawkWords(text(&ms[i]))
			break
		}
	}
	gs := groupsOf(ms)
	n := len(gs)
	size, score := make([]float64, n), make([]float64, n)
	first := -1
	for k, g := range gs {
		size[k] = messagesSize(ms[g.from:g.to])
		score[k] = hawkScore(ms[g.from:g.to], size[k], words, k, n)
		if first < 0 && ms[g.from].Kind == transcript.Prompt {
			first = k
		}
	}

	keep, used := map[int]bool{}, float64(noteSize)
	add := func(k int) bool {
		if k < 0 || keep[k] {
			return true
		}
		if used+size[k] > budget {
			return false
		}
		keep[k] = true
		used += size[k]
		return true
	}
	if !add(n - 1) {
		return squeeze(ms[gs[n-1].from:], budget)
	}
	add(first)
	add(n - 2)
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	worth := func(k int) float64 { return score[k] / max(1, size[k]) }
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case worth(a) > worth(b):
			return -1
		case worth(a) < worth(b):
			return 1
		}
		return 0
	})
	for _, k := range order {
		add(k)
	}
	return assemble(ms, gs, keep)
}

func hawkWords(task string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(task)) {
		if len([]rune(w)) >= 3 && !slices.Contains(commonWords, w) {
			out = append(out, w)
		}
	}
	return out
}

// hawkScore is the score of the group k of n.
func hawkScore(g []transcript.Message, size float64, words []string, k, n int) float64 {
	var parts []string
	for i := range g {
		for b := range g[i].Blocks {
			parts = append(parts, blockText(&g[i].Blocks[b]))
		}
	}
	said := strings.ToLower(strings.Join(parts, "\n"))
	relevance := 0.0
	for _, w := range words {
		if strings.Contains(said, w) {
			relevance++
		}
	}
	relevance = min(1, share(relevance, float64(len(words))))
	role, errors := 0.55, 0.4
	if slices.ContainsFunc(errorWords, func(w string) bool { return strings.Contains(said, w) }) {
		errors = 1
	}
	if g[0].Role == transcript.User {
		role, errors = 0.7, 0.5
	}
	length := 0.4
	switch {
	case size <= 100:
		length = 1
	case size <= 500:
		length = 0.8
	case size <= 2000:
		length = 0.6
	}
	recency := math.Exp(-3 * (1 - float64(k)/float64(max(1, n-1))))
	return 0.4*recency + 0.3*relevance + 0.1*role + 0.1*errors + 0.1*length
}
