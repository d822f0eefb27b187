package render

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// A Prompt is what an agent is started with.
type Prompt struct {
	Task    satchel.Text
	Edit    []string // files that the agent may edit; none means any
	New     []string // those of them that do not exist yet
	Build   string   // the command that builds, as the user configured it; may be empty
	Test    string   // the command that tests; may be empty
	Context string   // a Pack, as Pack wrote it; may be empty

	Round  int // 1 is the first
	Rounds int // how often the agent is asked at most

	// Of later rounds.
	Answers []Answer
	Said    satchel.Text // the end of what the agent said, if it does not remember it
	Resumed bool         // the agent remembers the rounds before: answers are enough
}

// workflow says how to work. The requests stand indented, so that an agent that
// repeats its prompt does not ask for them.
const workflow = `1. Read the task and the context. Open what else you need with your own tools, if you have any.
2. Change the code, and the tests and documents that no longer fit it.
`

const needs = `If you lack something that you cannot open yourself, end your answer with lines like these, each at the start of a line and outside of code blocks:

    NEED_CODE: path/to/file.go:10-80   (lines are optional)
    NEED_DOC: docs/page.md#heading     (or [[page]])
    NEED_SYMBOL: Store.Flush           (where it is defined)
    NEED_DIFF: path/to/file.go         (or a range such as HEAD~2..HEAD)

`

// String writes the prompt. What changes least comes first, so that the cache of
// a provider helps in later rounds.
func (p *Prompt) String() string {
	var b strings.Builder
	if p.Resumed {
		b.WriteString(Answers(p.Answers))
		b.WriteString("\nGo on with the task.")
		b.WriteString(p.roundsLeft())
		return b.String()
	}
	if !p.Task.IsZero() {
		b.WriteString("# Task\n\n" + p.Task.Trim().String() + "\n\n")
	}
	if len(p.Edit) > 0 {
		b.WriteString("# Files to edit\n\n")
		for _, name := range p.Edit {
			b.WriteString("- " + quotePath(name))
			if slices.Contains(p.New, name) {
				b.WriteString(" (to be created)")
			}
			b.WriteString("\n")
		}
		b.WriteString("\nEdit no other file. If the task needs another file, say which one and why.\n\n")
	}
	b.WriteString("# How to work\n\n" + workflow)
	n := 3
	for _, c := range []struct{ what, command string }{{"Build", p.Build}, {"Test", p.Test}} {
		if c.command != "" {
			fmt.Fprintf(&b, "%d. %s it with: %s\n", n, c.what, clean.Inline(c.command))
			n++
		}
	}
	fmt.Fprintf(&b, "%d. Say in a few sentences what you did and what is left to do.\n\n", n)
	if p.Rounds > 1 {
		b.WriteString(needs)
	}
	if p.Context != "" {
		b.WriteString("# Context\n\n" + strings.TrimRight(p.Context, "\n") + "\n")
	}
	if said := p.Said.String(); said != "" {
		b.WriteString("\n# What you said before\n\n" + Fenced("text", strings.TrimRight(said, "\n")+"\n"))
	}
	if len(p.Answers) > 0 {
		b.WriteString("\n# Answers\n\n" + Answers(p.Answers))
	}
	if p.Round > 1 {
		b.WriteString("\nGo on with the task.")
	}
	b.WriteString(p.roundsLeft())
	return b.String()
}

// roundsLeft says how often the agent may still ask.
func (p *Prompt) roundsLeft() string {
	switch left := p.Rounds - p.Round; {
	case p.Rounds <= 1:
		return "\n"
	case left <= 0:
		return "\nThis is the last round: requests are not answered any more.\n"
	case left == 1:
		return "\nYou may ask one more time.\n"
	default:
		return fmt.Sprintf("\nYou may ask %d more times.\n", left)
	}
}

// Brief returns p as it is put beside a prompt that nobody asked to have
// answered by satchel: the Markdown of [Pack] with the most relevant files
// first, since a client may cut the text, and without a receipt but for what the
// agent has seen.
func Brief(p *satchel.Pack) string {
	v := arrange(p)
	v.ranked = false // the list names what is not shown
	v.receipt = receipt{}
	var b strings.Builder
	b.WriteString(briefIntro)
	for _, part := range markdown(v) {
		b.WriteString(part.text)
	}
	if seen := seenLines(p); seen != "" {
		b.WriteString(seen + "\n")
	}
	b.WriteString(briefEnd)
	return b.String()
}

// What stands around a brief: who gives it, and where more is.
const (
	briefIntro = "Context that satchel chose for this prompt; the user did not write it. "
	briefEnd   = "satchel show PATH:FROM-TO prints more of a file.\n"
)

// Characters returns the length of a text as clients that run on JavaScript
// count it, in UTF-16 units: never less than the number of its runes.
func Characters(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
