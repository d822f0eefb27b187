// Package reuse predicts what of a conversation the agent will need again.
//
// An agent repeats itself: it names the same files and functions, quotes the
// lines it read in its next edit, runs the same commands. [Open] takes a
// conversation apart into lines, and measures the names and the phrases in
// them; three logistic models, trained on recorded sessions (lab/sessions, with
// the weights in weights.go), say how likely each name, phrase and line is used
// in the next ten steps.
//
// The package computes; it reads no file and no clock. Its time is counted in
// steps: groups of an answer with the results of its calls. Nothing in it is
// safe for concurrent use.
package reuse

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// A Conversation is a list of messages taken apart.
type Conversation struct {
	Messages []transcript.Message
	Groups   []Group
	Parts    []Part
	Lines    []Line
	Entities []Entity // the names
	Grams    []Gram   // the phrases: runs of four words

	refs    []int32 // of lines: indices of Entities
	phrases []int32 // of lines: indices of Grams

	names map[string]int32 // indices of Entities
	grams map[uint64]int32 // indices of Grams, by key
	files map[string]*file
	first int               // group of the first prompt, or -1
	last  int               // group of the newest prompt, or -1
	terms map[uint64]*int32 // words of the first and the newest prompt, with the lines that hold them
	asked map[string]bool   // last elements of the paths in prompts
	task  string            // given besides; may be empty
}

// A Group is a range of messages that stands or falls together: an answer with
// the results of its calls, or one message of the user.
type Group struct {
	From, To int // messages
	Parts    [2]int
}

// A Part is a block of a message that holds text.
type Part struct {
	Message, Block int
	Group          int
	Source         Source
	Tool           string // name, of a call and of its result
	Path           string // of the file that the call is about
	Edits          bool   // a call that changes Path
	Whole          bool   // a result that shows the whole of Path
	Clip           string // which part of the file a call reads, as given
	Call           int    // of a result: the Part of its call, or -1
	Failed         bool
	does           Source // of a call: the source of its result
	Asked          bool   // a prompt names its file
	Text           string
	From, To       int // lines
}

// A Line is the smallest piece that is kept or left out: a line of text, or a
// segment of a very long one.
type Line struct {
	Part      int
	Text      string
	Continues bool   // the line before, without a newline between
	Key       uint64 // of the text without white space at its ends and without a line number
	Tokens    float64
	Edit      float64 // probability that an edit quotes it; set by Predict
	Failing   bool    // seems to tell of an error
	Pattern   uint64  // of what a program printed: as Key, with any number for each number; else 0

	body    int32   // length of the text that Key is of
	def     bool    // seems to define something
	topic   float32 // how much of the prompts' words it and its neighbours hold
	refs    [2]int32
	phrases [2]int32
}

// Refs returns the entities of a line, each once.
func (c *Conversation) Refs(l *Line) []int32 { return c.refs[l.refs[0]:l.refs[1]] }

// Phrases returns the grams of a line, each once.
func (c *Conversation) Phrases(l *Line) []int32 { return c.phrases[l.phrases[0]:l.phrases[1]] }

// LineOf returns a line that is not of the conversation, as if it were: with the
// names and phrases that the conversation has, and the probability that an edit
// quotes a line that says the same. Part is what it is taken for.
func (c *Conversation) LineOf(part int, text string) Line {
	body := Body(text)
	l := Line{Part: part, Text: text, Key: hash(body), Tokens: Size(text) + perNewline, body: int32(len(body)), Failing: failure(body)} //nolint:gosec // lines are counted in 32 bits
	l.refs[0] = int32(len(c.refs))                                                                                                      //nolint:gosec // the same
	Names(text, func(name string) {
		if id, ok := c.names[name]; ok && !slices.Contains(c.refs[l.refs[0]:], id) {
			c.refs = append(c.refs, id)
		}
	})
	l.refs[1] = int32(len(c.refs))       //nolint:gosec // the same
	l.phrases[0] = int32(len(c.phrases)) //nolint:gosec // the same
	EachPhrase(text, func(k uint64) {
		if id, ok := c.grams[k]; ok {
			c.phrases = append(c.phrases, id)
		}
	})
	l.phrases[1] = int32(len(c.phrases)) //nolint:gosec // the same
	return l
}

// Key is what two lines have in common that differ in their line numbers and in the
// white space at their ends only.
func Key(line string) uint64 { return hash(Body(line)) }

// A file is what is known about a path of the conversation.
type file struct {
	read, edited int // last groups, or -1
	reads, edits int
}

// Lines longer than maxLine bytes are cut into segments of about segmentLen.
const (
	maxLine    = 400
	segmentLen = 200
)

// Groups returns the groups of messages: an answer with the results that follow
// it, or a single message of the user.
func Groups(ms []transcript.Message) []Group {
	var gs []Group
	for i := 0; i < len(ms); {
		j := i + 1
		if ms[i].Role == transcript.Assistant {
			for j < len(ms) && holdsResult(&ms[j]) {
				j++
			}
		}
		gs = append(gs, Group{From: i, To: j})
		i = j
	}
	return gs
}

func holdsResult(m *transcript.Message) bool {
	return m.Role == transcript.User && slices.ContainsFunc(m.Blocks, func(b transcript.Block) bool { return b.Type == transcript.Result })
}

// Open takes a conversation apart. It keeps the messages and their text, which
// must not change.
func Open(ms []transcript.Message) *Conversation { return OpenFor(ms, "") }

// OpenFor is [Open] for a task that is known besides what the user said: its
// words and files count as those of the newest prompt do.
func OpenFor(ms []transcript.Message, task string) *Conversation {
	c := Split(ms)
	c.task = task
	c.findNames()
	return c
}

// Split takes a conversation apart into groups, parts and lines, and measures
// nothing: nothing can be predicted of it.
func Split(ms []transcript.Message) *Conversation {
	c := &Conversation{Messages: ms, Groups: Groups(ms), files: make(map[string]*file), first: -1, last: -1}
	lines, blocks := 0, 0
	for i := range ms {
		blocks += len(ms[i].Blocks)
		for b := range ms[i].Blocks {
			lines += 1 + strings.Count(ms[i].Blocks[b].Text, "\n")
		}
	}
	c.Lines, c.Parts = make([]Line, 0, lines+lines/8), make([]Part, 0, blocks)
	calls := make(map[string]int) // id → part
	for g := range c.Groups {
		gr := &c.Groups[g]
		gr.Parts[0] = len(c.Parts)
		for i := gr.From; i < gr.To; i++ {
			m := &ms[i]
			if m.Kind == transcript.Prompt {
				if c.first < 0 {
					c.first = g
				}
				c.last = g
			}
			for b := range m.Blocks {
				c.addPart(g, i, b, calls)
			}
		}
		gr.Parts[1] = len(c.Parts)
	}
	return c
}

// addPart adds the part of a block, if it has text.
func (c *Conversation) addPart(g, i, b int, calls map[string]int) {
	m := &c.Messages[i]
	blk := &m.Blocks[b]
	p := Part{Message: i, Block: b, Group: g, Call: -1, Failed: blk.Failed}
	switch blk.Type {
	case transcript.Text:
		p.Text = blk.Text
		switch {
		case m.Role == transcript.Assistant:
			p.Source = Answer
		case m.Kind == transcript.Meta || m.Kind == transcript.Results:
			p.Source = Meta
		default:
			p.Source = User
		}
	case transcript.Call:
		fs := leaves(blk.Input)
		t := toolOf(blk.Name, fs)
		p.Source, p.Tool, p.Path, p.Edits, p.Whole, p.Clip = Call, blk.Name, t.path, t.edits, t.whole, t.clip
		p.Text, p.does = callText(fs), t.source
		calls[blk.ID] = len(c.Parts)
		c.touch(g, &p, t)
	case transcript.Result:
		p.Source = other
		if at, ok := calls[blk.ID]; ok {
			call := &c.Parts[at]
			p.Call, p.Tool, p.Path, p.Whole, p.Clip = at, call.Tool, call.Path, call.Whole, call.Clip
			p.Source = call.does
		}
		p.Text = blk.Text
	default:
		return
	}
	p.From = len(c.Lines)
	c.addLines(len(c.Parts), p.Text)
	p.To = len(c.Lines)
	c.Parts = append(c.Parts, p)
}

// touch notes that a call reads or changes its file.
func (c *Conversation) touch(g int, p *Part, t tool) {
	if t.path == "" {
		return
	}
	f := c.files[base(t.path)]
	if f == nil {
		f = &file{read: -1, edited: -1}
		c.files[base(t.path)] = f
	}
	if t.edits {
		f.edited = g
		f.edits++
	} else if t.source == Read {
		f.read = g
		f.reads++
	}
}

// base shortens a path to its last two elements, since agents name a file now
// from the root and now from where they stand.
func base(path string) string {
	n := 0
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			if n++; n == 2 {
				return path[i+1:]
			}
		}
	}
	return path
}

// addLines adds the lines of a text.
func (c *Conversation) addLines(part int, text string) {
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		if len(line) <= maxLine {
			c.Lines = append(c.Lines, Line{Part: part, Text: line})
			continue
		}
		for first := true; line != ""; first = false {
			n := segment200(line)
			c.Lines = append(c.Lines, Line{Part: part, Text: line[:n], Continues: !first})
			line = line[n:]
		}
	}
}

// segment200 returns where to cut a long line: after a space or a mark of
// punctuation, between characters.
func segment200(s string) int {
	if len(s) <= segmentLen+segmentLen/2 {
		return len(s)
	}
	for _, cuts := range []string{" ", ",;}])>", ""} {
		for i := segmentLen; i < segmentLen+segmentLen/2; i++ {
			if cuts == "" {
				if s[i]&0xc0 != 0x80 {
					return i
				}
			} else if strings.IndexByte(cuts, s[i]) >= 0 {
				return i + 1
			}
		}
	}
	return segmentLen // no UTF-8
}
