package trim

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim/cutting"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// header begins the first line of every digest, so that a later trim knows its
// own work.
const header = "[Earlier conversation, condensed by satchel:"

const preamble = header + ` the user verbatim, else selected lines. "…": lines left out, "satchel session fetch @name" shows them. "<": a result.]`

// stub takes the place of a digest that has no room for a line.
const stub = "[Earlier conversation left out by satchel]"

// gap stands for lines that were left out.
const gap = "…"

// run divides, chooses and writes, and takes lines back until the result fits.
func (t *cutter) run(res *Result) error {
	k := t.choose(t.divide())
	for try := 0; ; try++ {
		res.Messages = t.render()
		exact, size := t.meter.Both(res.Messages)
		res.After = exact
		room := float64(t.o.Budget) - max(float64(exact), size)
		if room >= 0 {
			if try >= maxFills || room < float64(t.o.Budget)/200 {
				break
			}
			n := len(t.chosen)
			if k.fill(room); len(t.chosen) == n && !k.repeat() {
				break
			}
			continue
		}
		if !t.giveBack(-room * 1.05) {
			return &satchel.OverflowError{What: cutting.Newest, Need: t.o.Budget + int(1-room), Limit: t.o.Budget}
		}
	}
	res.Changed = true
	t.account(res)
	res.Diagnostics = t.diagnostics()
	return nil
}

// maxFills is how often room that is left is filled before the result counts as
// full: what a line costs is known for certain only when it is written.
const maxFills = 3

// giveBack takes back the lines that were chosen last, and then whole prompts,
// for some tokens; in the end the middle. It reports whether anything was left
// to take back.
func (t *cutter) giveBack(tokens float64) bool {
	if len(t.chosen) > 0 {
		for ended := false; len(t.chosen) > 0; {
			i := t.chosen[len(t.chosen)-1]
			end := t.isEnd(int(i))
			if tokens <= 0 && !(end && ended) {
				break
			}
			if ended = end; end { // both go, and may come back with another line
				t.ended[t.conv.Lines[i].Part] = false
			}
			t.chosen = t.chosen[:len(t.chosen)-1]
			t.lines[i].state = open
			if p := int(i) - len(t.conv.Lines); p >= 0 {
				tokens -= t.headSize(p) - t.shape.Head
			} else {
				tokens -= t.conv.Lines[i].Tokens
			}
		}
		return true
	}
	if n := len(t.prompted); n > 0 {
		t.hide(t.prompted[n-1])
		t.prompted = t.prompted[:n-1]
		return true
	}
	g := t.first
	gr := t.conv.Groups[g]
	if !t.isNewest(g) { // out of the middle or the tail
		t.zones[g] = digest
		t.first++
		for p := gr.Parts[0]; p < gr.Parts[1]; p++ {
			t.hide(p)
		}
		return true
	}
	gave := false
	for p := gr.Parts[0]; p < gr.Parts[1]; p++ {
		if t.conv.Parts[p].Source != reuse.Call && !t.free[p] && !t.pinned(p) {
			t.hide(p)
			gave = true
		}
	}
	if t.zones[g] = middle; gave {
		return true
	}
	for _, n := range []int{4000, 1000, 250, 60} {
		if t.inputs == 0 || t.inputs > n {
			t.inputs = n
			return true
		}
	}
	return false
}

// hide leaves out all lines of a part, unless it is pinned.
func (t *cutter) hide(p int) {
	if t.pinned(p) {
		return
	}
	part := &t.conv.Parts[p]
	t.free[p] = true
	for i := part.From; i < part.To; i++ {
		t.lines[i].state = open
	}
}

// render writes the result.
func (t *cutter) render() []transcript.Message {
	c := t.conv
	var out []transcript.Message
	for g := t.first; g < len(c.Groups); g++ {
		gr := c.Groups[g]
		if t.zones[g] == tail {
			out = append(out, c.Messages[gr.From:gr.To]...)
			continue
		}
		for i := gr.From; i < gr.To; i++ {
			if m := t.shrink(i, g); len(m.Blocks) > 0 {
				out = append(out, m)
			}
		}
	}
	out = repair(out)
	text := t.digest()
	if text == "" && (len(out) == 0 || out[0].Role != transcript.User) {
		text = stub
	}
	if text == "" {
		return out
	}
	return append([]transcript.Message{{Role: transcript.User, Kind: transcript.Summary,
		Blocks: []transcript.Block{{Type: transcript.Text, Text: text}}}}, out...)
}

// shrink returns a message of the middle: its results cut to the chosen lines,
// without thinking. The newest answer keeps its thinking, which the provider
// wants back while tools are running.
func (t *cutter) shrink(i, g int) transcript.Message {
	c := t.conv
	m := c.Messages[i]
	m.Blocks = slices.Clone(m.Blocks)
	for p := c.Groups[g].Parts[0]; p < c.Groups[g].Parts[1]; p++ {
		part := &c.Parts[p]
		if part.Message != i {
			continue
		}
		b := &m.Blocks[part.Block]
		switch {
		case part.Source == reuse.Call:
			if t.isNewest(g) && t.inputs > 0 && !t.pinned(p) {
				*b = shorten(*b, t.inputs)
			}
		case t.free[p]:
			text, shown, missing := t.cutPart(p)
			if missing == 0 {
				continue
			}
			if text != "" {
				text = "\n" + text
			}
			b.Text, b.Raw = t.middleHead(p, shown)+text, nil
		}
	}
	if !t.isNewest(g) {
		m.Blocks = slices.DeleteFunc(m.Blocks, func(b transcript.Block) bool { return b.Type == transcript.Thinking })
	}
	return m
}

// cutPart returns the lines of a part that are shown, how many these are, and how
// many are not shown. In the digest the first mark of a gap has the part's
// handle, unless it is a result: its handle stands in its first line. A gap at
// the beginning has no line of its own there: the handle stands in the header,
// after a blank.
func (t *cutter) cutPart(p int) (text string, shown, missing int) {
	c := t.conv
	part := &c.Parts[p]
	var b strings.Builder
	any, hole, empty, named := false, false, false, t.zones[part.Group] != digest || part.Source.Result()
	mark := func() {
		if b.WriteString(gap); !named {
			b.WriteString(" " + t.handle(p))
			named = true
		}
	}
	for i := part.From; i < part.To; i++ {
		l := &c.Lines[i]
		if s := t.lines[i].state; s != taken && s != fixed {
			if blank(l.Text) {
				empty = true
			} else {
				missing++
				hole = true
			}
			continue
		}
		switch {
		case !any && part.Source.Result():
		case hole && !any && !named:
			b.WriteString(" " + t.handle(p) + "\n")
			named = true
		case hole && l.Continues:
			mark()
			b.WriteByte(' ')
		case hole:
			if any {
				b.WriteByte('\n')
			}
			mark()
			b.WriteByte('\n')
		case !any && !named:
			b.WriteByte('\n')
		case any && empty:
			b.WriteString("\n\n")
		case any && !l.Continues:
			b.WriteByte('\n')
		}
		b.WriteString(l.Text)
		if !l.Continues || hole {
			shown++
		}
		any, hole, empty = true, false, false
	}
	if any && hole && !named {
		b.WriteByte('\n')
		mark()
	}
	return b.String(), shown, missing
}

// digest writes the oldest part of the conversation, or "" if nothing of it is
// shown.
func (t *cutter) digest() string {
	c := t.conv
	if t.first == 0 {
		return ""
	}
	var b strings.Builder
	for g := range t.first {
		gr := c.Groups[g]
		for p := gr.Parts[0]; p < gr.Parts[1]; p++ {
			part := &c.Parts[p]
			if part.Source.Result() && part.Call >= gr.Parts[0] {
				continue // it stands behind its call
			}
			t.section(&b, p)
			for r := t.replies[p]; r > 0; r = t.replies[r] {
				t.section(&b, int(r))
			}
		}
	}
	if b.Len() == 0 {
		return stub
	}
	return preamble + b.String()
}

// reply returns for each part the next one in a list of a call and its results
// in the same group, or 0.
func reply(c *reuse.Conversation) []int32 {
	next := make([]int32, len(c.Parts))
	last := make([]int32, len(c.Parts)) // of calls: the last of their results so far
	for p := range c.Parts {
		part := &c.Parts[p]
		call := part.Call
		if !part.Source.Result() || call < 0 || c.Parts[call].Group != part.Group {
			continue
		}
		at := int32(call) //nolint:gosec // parts are counted in 32 bits
		if last[call] > 0 {
			at = last[call]
		}
		next[at], last[call] = int32(p), int32(p) //nolint:gosec // the same
	}
	return next
}

// section writes what is shown of a part into the digest, if anything is.
func (t *cutter) section(b *strings.Builder, p int) {
	c := t.conv
	part := &c.Parts[p]
	var text string
	missing := 0
	head := t.lines[len(c.Lines)+p].state == taken
	if t.free[p] {
		text, _, missing = t.cutPart(p)
	} else {
		text = part.Text
		if !part.Source.Result() {
			text = "\n" + text
		}
	}
	if blank(text) && !head {
		return
	}
	b.WriteByte('\n')
	switch part.Source {
	case reuse.User:
		b.WriteString("## User")
	case reuse.Meta:
		b.WriteString("## Client")
	case reuse.Answer:
		b.WriteString("# Assistant")
	case reuse.Call:
		b.WriteString(part.Tool)
	default:
		b.WriteString("<")
		told := part.Call >= 0 && t.tells(part.Call)
		if missing > 0 {
			b.WriteString(t.digestHead(p, told))
		} else if !told {
			b.WriteString(" " + t.factsOf(p).about)
		}
		if text != "" {
			b.WriteByte('\n')
		}
	}
	b.WriteString(text)
}

// tells reports whether what is shown of a call says what it was about: its
// path, or any line if it has none.
func (t *cutter) tells(call int) bool {
	part := &t.conv.Parts[call]
	for i := part.From; i < part.To; i++ {
		if s := t.lines[i].state; (s == taken || s == fixed) && strings.Contains(t.conv.Lines[i].Text, part.Path) {
			return true
		}
	}
	return false
}

// handle returns the name of a part.
func (t *cutter) handle(p int) string {
	part := &t.conv.Parts[p]
	return t.handles[part.Message][part.Block]
}

// nearby is how many messages ahead a message is looked for in the result: some
// of those between may have changed, and a digest or a repair may be new.
const nearby = 8

// account fills the accounts and omissions.
func (t *cutter) account(res *Result) {
	c := t.conv
	next := 0 // message of the result
	res.Accounts = make([]Account, len(t.in))
	for g, gr := range c.Groups {
		for i := gr.From; i < gr.To; i++ {
			a := &res.Accounts[i]
			a.Message, a.Before = i, int(cutting.MessageSize(&t.in[i])+0.5)
			if g < t.first {
				continue
			}
			m := c.Messages[i]
			if t.zones[g] == middle {
				m = t.shrink(i, g)
			}
			a.After = int(cutting.MessageSize(&m) + 0.5)
			a.Fate = Elided
			for k := next; k < min(next+nearby, len(res.Messages)); k++ {
				if same(&t.in[i], &res.Messages[k]) {
					a.Fate, next = Kept, k+1
					break
				}
			}
		}
	}
	for p := range c.Parts {
		part := &c.Parts[p]
		a := &res.Accounts[part.Message]
		missing, left := 0, 0.0
		for i := part.From; i < part.To; i++ {
			l := &c.Lines[i]
			a.Lines++
			if s := t.lines[i].state; s == taken || s == fixed {
				a.Left++
				left += l.Tokens
			} else if !blank(l.Text) {
				missing++
			}
		}
		if t.zones[part.Group] == digest {
			a.After += int(left + 0.5)
		}
		orig := &t.in[part.Message].Blocks[part.Block]
		short := part.Source == reuse.Call && t.inputs > 0 && t.isNewest(part.Group) && !t.pinned(p)
		if missing == 0 && !short && orig.Text == c.Messages[part.Message].Blocks[part.Block].Text {
			continue
		}
		res.Omitted = append(res.Omitted, omission(t.handle(p), t.in, part.Message, part.Block, missing, left))
	}
	told := make([]bool, len(t.in)) // the first line of a result stands in the digest
	for p := range c.Parts {
		told[c.Parts[p].Message] = told[c.Parts[p].Message] || t.lines[len(c.Lines)+p].state == taken
	}
	for i := range res.Accounts {
		if a := &res.Accounts[i]; a.Fate == "" {
			a.Fate = Dropped
			if a.Left > 0 || told[i] {
				a.Fate = Digested
			}
		}
	}
}

// omission says of which block lines were left out, and what tokens are left of it.
func omission(handle string, in []transcript.Message, message, block, lines int, left float64) Omission {
	text := cutting.TextOf(&in[message].Blocks[block])
	sum := sha256.Sum256([]byte(text))
	return Omission{Handle: handle, Message: message, Block: block, Hash: hex.EncodeToString(sum[:]),
		Lines: lines, Tokens: max(0, int(reuse.Size(text)-left)), Spans: in[message].Spans}
}

// rewritten lists the blocks of messages that stay in place whose text cleaning
// replaced.
func rewritten(before, after []transcript.Message, handles [][]string) []Omission {
	var out []Omission
	for i := range before {
		for b := range before[i].Blocks {
			if was, is := &before[i].Blocks[b], &after[i].Blocks[b]; was.Text != is.Text {
				out = append(out, omission(handles[i][b], before, i, b, strings.Count(was.Text, "\n")+1, reuse.Size(is.Text)))
			}
		}
	}
	return out
}

// accounts accounts for messages that stay in place.
func accounts(before, after []transcript.Message) []Account {
	as := make([]Account, len(before))
	for i := range before {
		n := int(cutting.MessageSize(&before[i]) + 0.5)
		as[i] = Account{Message: i, Fate: Kept, Before: n, After: n}
		if after != nil && !same(&before[i], &after[i]) {
			as[i].Fate, as[i].After = Elided, int(cutting.MessageSize(&after[i])+0.5)
		}
	}
	return as
}

// same reports whether a message shows what it did.
func same(a, b *transcript.Message) bool {
	return slices.EqualFunc(a.Blocks, b.Blocks, func(x, y transcript.Block) bool { return x.Type == y.Type && x.Text == y.Text })
}
