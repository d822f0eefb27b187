// Package subject says what a conversation is about, thing by thing: the files
// that were read and changed and what the changes come to, the commands that were
// run and how each ended, the plan, and what went wrong and was not mended.
//
// It reads what agents record: names of tools, their inputs, their results. It
// guesses nothing that is not written there, and computes; it reads no file and
// no clock. Groups and parts are those of a [reuse.Conversation].
package subject

import (
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// Subjects is what a conversation is about.
type Subjects struct {
	Files    []*File    // in the order in which they were first touched
	Commands []*Command // in the order in which they were first run
	Plan     *Plan      // the newest; nil if there is none
	Broken   *Run       // the newest run or edit that failed and that nothing mended since, or nil
}

// A deed is a call with what came of it.
type deed struct {
	call   int // part
	result int // part, or -1 if none was recorded
	group  int
	block  *transcript.Block // the call
	use    reuse.Use
	status int // of the program, as its result says; 0 if it does not
	failed bool
	text   string // of the result
}

// Open goes through a conversation.
func Open(c *reuse.Conversation) *Subjects {
	o := opener{s: &Subjects{}, files: make(map[string]*File), commands: make(map[string]*Command), sessions: make(map[string]string)}
	results := make([]int, len(c.Parts))
	for p := len(c.Parts) - 1; p >= 0; p-- { // the first of several stays
		if part := &c.Parts[p]; part.Source.Result() && part.Call >= 0 {
			results[part.Call] = p
		}
	}
	for p := range c.Parts {
		part := &c.Parts[p]
		if part.Source == reuse.Answer {
			o.checklist(c, p)
		}
		if part.Source != reuse.Call {
			continue
		}
		d := deed{call: p, result: -1, group: part.Group, block: &c.Messages[part.Message].Blocks[part.Block]}
		d.use = reuse.UseOf(d.block)
		if r := results[p]; r > 0 {
			d.result, d.text = r, c.Parts[r].Text
			d.status = exitStatus(d.text)
			d.failed = c.Parts[r].Failed || d.status != 0
		}
		o.add(&d)
	}
	o.s.Broken = o.broken()
	return o.s
}

// An opener is one run of Open.
type opener struct {
	s        *Subjects
	files    map[string]*File // by path, and by each shorter way to write it
	commands map[string]*Command
	sessions map[string]string // id of a running command → its text
	runs     []*Run            // all, in order
	tasks    tasks
}

// add sorts a deed to its subjects.
func (o *opener) add(d *deed) {
	if o.plan(d) {
		return
	}
	edits, ok := editsOf(d.block)
	switch {
	case ok && d.result < 0: // nobody knows whether it happened
		o.command(d, editKey(edits))
	case ok && d.failed:
		o.command(d, editKey(edits))
	case ok:
		o.edit(d, edits)
	case d.use.Source == reuse.Read && d.use.Path != "" && !d.failed && d.result >= 0:
		o.read(d)
	default:
		o.command(d, "")
	}
}

// broken returns the newest run that failed, unless the same succeeded since, or a
// check of the same name.
func (o *opener) broken() *Run {
	mended := make(map[string]bool)
	for i := len(o.runs) - 1; i >= 0; i-- {
		r := o.runs[i]
		switch {
		case !r.Failed:
			mended[r.mends], mended[r.family()] = true, true
		case r.Serious && r.Result >= 0 && !mended[r.mends] && !mended[r.family()]:
			return r
		}
	}
	return nil
}
