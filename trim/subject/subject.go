// Package subject says what a conversation is about, thing by thing: the files
// that were read and changed and what the changes come to, the commands that were
// run and how each ended, the plan, and what went wrong and was not mended.
//
// It reads what agents record: names of tools, their inputs, their results. It
// guesses nothing that is not written there, and computes; it reads no file and
// no clock. Groups and parts are those of a [reuse.Conversation].
package subject

import (
	"slices"

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
	fields []reuse.Field
	use    reuse.Use
	edits  []Edit
	status int  // of the program, as its result says; 0 if it does not
	said   bool // the result says how the program ended
	failed bool
	text   string // of the result
}

// Open goes through a conversation.
func Open(c *reuse.Conversation) *Subjects { return open(c).s }

func open(c *reuse.Conversation) *opener {
	o := &opener{c: c, s: &Subjects{}, files: make(map[string]*File), commands: make(map[string]*Command), sessions: make(map[string]*Command)}
	results := make([]int, len(c.Parts))
	calls := 0
	o.work = looksFreely
	for p := len(c.Parts) - 1; p >= 0; p-- { // the first of several stays
		part := &c.Parts[p]
		o.work += looksAt * len(part.Text)
		switch {
		case part.Source == reuse.Call:
			calls++
		case part.Source.Result() && part.Call >= 0:
			results[part.Call] = p
		}
	}
	deeds := make([]deed, 0, calls)
	for p := range c.Parts {
		if c.Parts[p].Source == reuse.Call {
			deeds = append(deeds, deedOf(c, p, results[p]))
		}
	}
	o.findRoots(deeds)
	for p := range c.Parts {
		switch c.Parts[p].Source {
		case reuse.Answer:
			o.checklist(p)
		case reuse.Call:
			o.add(&deeds[0])
			deeds = deeds[1:]
		}
	}
	o.listTasks()
	o.s.Broken = o.broken()
	return o
}

// deedOf returns the deed of a call, with the part of its result, or 0.
func deedOf(c *reuse.Conversation, p, result int) deed {
	part := &c.Parts[p]
	d := deed{call: p, result: -1, group: part.Group, block: &c.Messages[part.Message].Blocks[part.Block]}
	d.fields = reuse.Fields(d.block)
	d.use = reuse.UseAs(d.block.Name, d.fields)
	d.edits = editsOf(d.block.Name, d.fields, d.use)
	if result > 0 {
		d.result, d.text = result, c.Parts[result].Text
		d.failed = c.Parts[result].Failed
		if d.use.Line != "" || d.use.Source != reuse.Read { // a file may say anything
			d.status, d.said = exitStatus(d.text)
			d.failed = d.failed || d.status != 0
		}
	}
	return d
}

// An opener is one run of Open.
type opener struct {
	c        *reuse.Conversation
	s        *Subjects
	files    map[string]*File    // by path
	commands map[string]*Command // by key
	sessions map[string]*Command // that go on, by id
	runs     []*Run              // all, in order
	tasks    tasks
	work     int // bytes that may still be looked at
	looks    int // words that were looked for as folders

	absolute map[string]bool // paths that are written from the root
	roots    []string        // folders that paths may be written from
	home     string          // the one of them in which most commands ran, or ""
}

// add sorts a deed to its subjects.
func (o *opener) add(d *deed) {
	if o.plan(d) {
		return
	}
	if line := d.use.Line; line != "" && d.result >= 0 {
		o.changes(d, line)
	}
	switch {
	case d.edits != nil && d.came():
		o.edit(d)
	case d.edits != nil:
		o.command(d, o.editKey(d))
	case d.use.Source == reuse.Read && d.use.Path != "" && !d.failed && d.result >= 0 && len(d.use.Path) <= maxPath && showsOne(d.use.Line):
		o.read(d)
	default:
		o.command(d, "")
	}
}

// silent are commands that print nothing.
var silent = map[string]bool{"cd": true, "export": true, "set": true, "mkdir": true, "true": true, ":": true, "chmod": true, "touch": true, "sleep": true}

// showsOne reports whether a command line prints what one command of it does: what
// several print is no text of one file. An empty line does, too.
func showsOne(line string) bool {
	n := 0
	for _, st := range steps(line) {
		words := bare(st.words)
		if len(words) > 0 && !st.piped && len(st.to) == 0 && !silent[words[0]] && effectOf(words) == nothing {
			n++
		}
	}
	return n <= 1
}

// broken returns the newest run that failed, unless the same succeeded since, or a
// check of the same name that asks for no less or looks at more.
func (o *opener) broken() *Run {
	mended := make(map[string]bool)
	var passed []scope
	least := make(map[string]int) // family → words of the shortest check that succeeded
	for i := len(o.runs) - 1; i >= 0; i-- {
		r := o.runs[i]
		family, words := r.family()
		switch n, ok := least[family]; {
		case !r.Failed:
			mended[r.mends] = true
			if family != "" && (!ok || words < n) {
				least[family] = words
			}
			if s, ok := r.scope(); ok && r.Result >= 0 {
				passed = append(passed, s)
			}
		case r.Serious && r.Result >= 0 && !mended[r.mends] && !(ok && n <= words):
			if part, ok := r.scope(); !ok || !slices.ContainsFunc(passed, func(s scope) bool { return s.covers(&part) }) {
				return r
			}
		}
	}
	return nil
}

// Of goes through messages. See [Open].
func Of(messages []transcript.Message) *Subjects { return Open(reuse.Split(messages)) }

// Touched returns the files that were read, and those that edits changed, each once,
// in order of first appearance. A file that was changed is not among those that
// were read.
func (s *Subjects) Touched() (read, modified []string) {
	for _, f := range s.Files {
		switch {
		case f.Edits > 0:
			modified = append(modified, f.Path)
		case len(f.Reads) > 0:
			read = append(read, f.Path)
		}
	}
	return read, modified
}
