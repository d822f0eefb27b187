package trim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// How often something has to be repeated to be collapsed.
const (
	leastErrors  = 2
	leastOutputs = 3
	prefixBytes  = 100
)

// Collapse shortens what an agent did over and over: a run of results that
// report the same error keeps one, with a count, and of three or more results
// in a row that begin alike the first and the last stay.
//
// Only the text of results is rewritten. No message, block or id is added or
// goes, so every call still has its result; a person's message is never taken
// for an error, whatever it begins with; and results that hold nothing are not
// alike. Results stand in a row if nothing but further calls is between them.
// What a Collapse wrote is passed over, so that another one, when more has come,
// finds the rest and changes nothing else. The input is not changed.
func Collapse(messages []transcript.Message) []transcript.Message {
	out := slices.Clone(messages)
	cloned := make(map[int]bool)
	rewrite := func(at place, text string) {
		if len(text) >= len(messages[at.message].Blocks[at.block].Text) {
			return
		}
		m := &out[at.message]
		if !cloned[at.message] {
			m.Blocks, cloned[at.message] = slices.Clone(m.Blocks), true
		}
		m.Blocks[at.block].Text, m.Blocks[at.block].Raw = text, nil
	}
	for _, run := range rows(messages) {
		for from := 0; from < len(run); {
			b := run[from].in(messages)
			alike := func(o *transcript.Block) bool { return !o.Failed && prefix(o.Text) == prefix(b.Text) }
			least := leastOutputs
			if b.Failed {
				alike = func(o *transcript.Block) bool { return o.Failed && o.Text == b.Text }
				least = leastErrors
			}
			to := from + 1
			for to < len(run) && prefix(b.Text) != "" && alike(run[to].in(messages)) {
				to++
			}
			if to-from >= least {
				collapse(run[from:to], messages, rewrite)
			}
			from = to
		}
	}
	return out
}

// collapse rewrites the results of a run that are alike.
func collapse(run []place, messages []transcript.Message, rewrite func(place, string)) {
	first := run[0].in(messages)
	if first.Failed {
		for i, at := range run[:len(run)-1] {
			rewrite(at, fmt.Sprintf(sameError+"%s, %d of %d times]", run[len(run)-1].in(messages).ID, i+1, len(run)))
		}
		return
	}
	for _, at := range run[1 : len(run)-1] {
		what := similarOutput
		if at.in(messages).Text == first.Text {
			what = sameOutput
		}
		rewrite(at, what+first.ID+"]")
	}
}

// How a result begins that Collapse wrote.
const (
	sameError     = "[same error as call "
	sameOutput    = "[same output as call "
	similarOutput = "[similar output to call "
)

func collapsed(text string) bool {
	return strings.HasPrefix(text, sameError) || strings.HasPrefix(text, sameOutput) || strings.HasPrefix(text, similarOutput)
}

// A place is where a result stands.
type place struct{ message, block int }

func (p place) in(ms []transcript.Message) *transcript.Block { return &ms[p.message].Blocks[p.block] }

// rows returns the results that stand in a row.
func rows(messages []transcript.Message) [][]place {
	var all [][]place
	var row []place
	for i := range messages {
		m := &messages[i]
		speaks := false
		for b := range m.Blocks {
			switch m.Blocks[b].Type {
			case transcript.Result:
				if m.Blocks[b].Images == 0 && !collapsed(m.Blocks[b].Text) {
					row = append(row, place{i, b})
				}
			case transcript.Text:
				speaks = speaks || strings.TrimSpace(m.Blocks[b].Text) != ""
			}
		}
		if speaks && len(row) > 0 {
			all, row = append(all, row), nil
		}
	}
	if len(row) > 0 {
		all = append(all, row)
	}
	return all
}

// prefix returns what makes outputs alike: the first line if it is short, else
// the first hundred bytes.
func prefix(text string) string {
	text = strings.TrimSpace(text)
	if line, _, ok := strings.Cut(text[:min(len(text), prefixBytes+1)], "\n"); ok {
		return line
	}
	return text[:min(len(text), prefixBytes)]
}
