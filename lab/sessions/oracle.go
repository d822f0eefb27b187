package main

import (
	"strings"

	"github.com/satchel-dev/satchel/trim/reuse"
)

// How likely an oracle takes to be what came to pass, and what did not.
const (
	sure   = 0.99
	hardly = 0.002
)

// oracle returns a model that knows what of the past the future of a question
// uses: of names, phrases or lines, whichever words are among the given ones.
func oracle(q *question, m *reuse.Model, knows string) *reuse.Model {
	if knows == "" {
		return m
	}
	o := reuse.Committed()
	if m != nil {
		o = *m
	}
	l := label(q.sample)
	p := func(yes bool) float64 {
		if yes {
			return sure
		}
		return hardly
	}
	o.Revise = func(c *reuse.Conversation) {
		if strings.Contains(knows, "names") {
			for i := range c.Entities {
				c.Entities[i].P = p(l.names[c.Entities[i].Name])
			}
		}
		if strings.Contains(knows, "phrases") {
			for i := range c.Grams {
				c.Grams[i].P = p(l.grams[c.Grams[i].Key])
			}
		}
		if strings.Contains(knows, "lines") {
			for i := range c.Lines {
				if c.Lines[i].Edit > 0 {
					c.Lines[i].Edit = p(l.lines[reuse.Body(c.Lines[i].Text)])
				}
			}
		}
	}
	return &o
}
