package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
)

// noResult is the text of the result that stands in for one that the file does
// not hold: the call was interrupted, or is running.
const noResult = "[no result recorded]"

// Messages wait in a queue for late results and for the rest of an answer.
// Results up to a dozen messages late were seen; past these bounds a call counts
// as unanswered.
const (
	maxWaiting      = 64
	maxWaitingBytes = 16 << 20
)

// A builder turns what a decoder reads into messages: it joins the records of
// one answer, puts every result right behind the answer that called, gives
// calls unique ids, and makes up for what is missing.
//
// A decoder calls add for each message, and may call usage, seen, side and
// note besides.
type builder struct {
	sess *Session // for a decoder to fill in what the file says about itself

	// join makes consecutive answers without an ID one message: for formats
	// that record the parts of an answer one by one.
	join bool

	emit  func(m *Message, first bool) error
	err   error
	lanes map[string]*lane
	order []*lane // lanes in order of appearance
	uses  int     // of lanes

	rec   record
	sent  bool   // the record is one that the model would be sent
	first bool   // and before all others
	kept  bool   // it stands before the last compaction
	chain string // the lane that side chose for this record

	orphans, dangling, renamed, cut, damaged int
}

// owns reports whether a header with this id is the file's own, and keeps the id of the
// first header. A session that was forked from another repeats the header of that one.
func (b *builder) owns(id []byte) bool {
	if b.sess.ID == "" {
		set(&b.sess.ID, id)
	}
	return id == nil || str(id) == b.sess.ID
}

// A lane is one conversation of the file: the one that would go on, what was
// left behind by a compaction or a branch, each sidechain.
type lane struct {
	name  string
	used  int // when, in uses of the builder
	queue []*openMessage
	bytes int            // in queue, about
	ids   map[uint64]int // how often a call's id was seen
	early []early        // results whose call was not seen yet, oldest first

	earlyBytes int // of their texts, about
}

// forget takes an early result out of the queue.
func (l *lane) forget(i int) {
	x := &l.early[i].result
	l.earlyBytes -= len(x.Text) + len(x.Raw)
	l.early = slices.Delete(l.early, i, i+1)
}

// An early result stands in the file before its call, as parallel writers of
// one process leave it.
type early struct {
	from   Message
	result Block
	span   Span
}

// An openMessage may still get another part of the same answer or results.
type openMessage struct {
	*Message
	first   bool     // its record is to be sent before all others
	open    []int    // indexes of calls that have no result yet
	results *Message // to its calls
}

func newBuilder(s *Session, emit func(*Message, bool) error) *builder {
	return &builder{sess: s, emit: emit, lanes: map[string]*lane{}}
}

// diagnose adds a Diagnostic to the session.
func (b *builder) diagnose(format string, args ...any) {
	b.sess.Diagnostics = append(b.sess.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf(format, args...)})
}

// seen widens the time that the session spans.
func (b *builder) seen(t time.Time) {
	if t.IsZero() {
		return
	}
	if b.sess.Started.IsZero() || t.Before(b.sess.Started) {
		b.sess.Started = t
	}
	if t.After(b.sess.Ended) {
		b.sess.Ended = t
	}
}

// side puts the messages of the current record into a sidechain of that name.
func (b *builder) side(name string) { b.chain = sidePrefix + name }

func (b *builder) lane() *lane {
	name := b.chain
	if name == "" && !b.sent {
		name = "left"
	}
	l := b.lanes[name]
	if l == nil {
		if len(b.order) >= maxLanes {
			b.close(nil)
		}
		l = &lane{name: name}
		b.lanes[name] = l
		b.order = append(b.order, l)
	}
	b.uses++
	l.used = b.uses
	return l
}

// maxLanes is how many conversations of a file may be open at once. Subagents
// run a handful at a time. What waits in all sidechains is bounded as what waits
// in one conversation is.
const maxLanes = 64

// close gives away what waits in the sidechain that was not used for longest,
// and forgets it; not the one to keep. If it goes on after all, calls and results
// that are apart by then count as unpaired. It reports whether there was one.
func (b *builder) close(keep *lane) bool {
	old := -1
	for i, l := range b.order {
		if l != keep && l.side() && (old < 0 || l.used < b.order[old].used) {
			old = i
		}
	}
	if old < 0 {
		return false
	}
	l := b.order[old]
	b.orphans += len(l.early)
	b.flush(l, true)
	delete(b.lanes, l.name)
	b.order = slices.Delete(b.order, old, old+1)
	return true
}

// side reports whether a lane is a sidechain's.
func (l *lane) side() bool { return strings.HasPrefix(l.name, sidePrefix) }

// sidePrefix begins the names of the lanes of sidechains.
const sidePrefix = "side "

// usage records what the provider reported for the newest answer of the
// current conversation.
func (b *builder) usage(u Usage) {
	l := b.lane()
	for i := len(l.queue) - 1; i >= 0; i-- {
		if l.queue[i].Kind == Answer {
			l.queue[i].Usage = &u
			return
		}
	}
}

// add takes one message, or one part of an answer. Kind decides what becomes of
// it; Role, Spans, Sent and Side are set here. Empty text is dropped, and so is
// a message that holds nothing.
func (b *builder) add(m Message) {
	b.seen(m.Time)
	m.Blocks = slices.DeleteFunc(m.Blocks, func(x Block) bool {
		switch x.Type {
		case Text:
			return strings.TrimSpace(x.Text) == ""
		case Thinking:
			return x.Opaque == 0 && strings.TrimSpace(x.Text) == ""
		}
		return false
	})
	m.Role = User
	if m.Kind == Answer {
		m.Role = Assistant
	}
	m.Spans = []Span{b.rec.span}
	m.Sent = b.sent && b.chain == ""
	m.Side = b.chain != ""
	m.Kept = m.Sent && b.kept
	l := b.lane()
	switch m.Kind {
	case Answer:
		b.answer(l, &m)
	case Results:
		for i := range m.Blocks {
			b.result(l, &m, &m.Blocks[i])
		}
	default:
		if len(m.Blocks) > 0 {
			l.queue = append(l.queue, &openMessage{Message: &m, first: b.first})
			l.bytes += heft(m.Blocks)
		}
	}
	b.flush(l, false)
	for m.Side && b.aside() > maxWaitingBytes && b.close(l) {
	}
}

// aside is about how many bytes wait in sidechains.
func (b *builder) aside() (n int) {
	for _, l := range b.order {
		if l.side() {
			n += l.bytes + l.earlyBytes
		}
	}
	return n
}

// answer appends m to the queue, or to the answer that it goes on.
func (b *builder) answer(l *lane, m *Message) {
	w := l.same(m, b.join)
	if w == nil {
		if len(m.Blocks) == 0 {
			return
		}
		w = &openMessage{Message: m, first: b.first}
		blocks := m.Blocks
		m.Blocks = nil
		l.queue = append(l.queue, w)
		b.extend(l, w, blocks)
		return
	}
	if m.Usage != nil {
		w.Usage = m.Usage
	}
	if m.Model != "" {
		w.Model = m.Model
	}
	w.span(b.rec.span)
	b.extend(l, w, m.Blocks)
}

// same finds the answer in the queue that m goes on.
func (l *lane) same(m *Message, join bool) *openMessage {
	for i := len(l.queue) - 1; i >= 0; i-- {
		w := l.queue[i]
		switch {
		case w.Kind == Prompt || w.Kind == Summary:
			return nil
		case w.Kind != Answer:
			continue
		case m.ID != "" && w.ID == m.ID:
			return w
		case m.ID == "" && w.ID == "" && join && i == len(l.queue)-1 && w.results == nil:
			return w
		}
		if m.ID == "" {
			return nil
		}
	}
	return nil
}

func (m *Message) span(s Span) {
	if n := len(m.Spans); n == 0 || m.Spans[n-1] != s {
		m.Spans = append(m.Spans, s)
	}
}

// extend appends blocks to an answer and opens its calls.
func (b *builder) extend(l *lane, w *openMessage, blocks []Block) {
	l.bytes += heft(blocks)
	for _, x := range blocks {
		if x.Type == Call {
			if x.Input == nil {
				x.Input = []byte("{}")
			}
			x.Native = x.ID
			x.ID = b.unique(l, x.ID)
			if x.ID == x.Native {
				x.Native = ""
			}
			w.open = append(w.open, len(w.Blocks))
		}
		w.Blocks = append(w.Blocks, x)
	}
	for i := 0; i < len(l.early); i++ {
		e := &l.early[i]
		for k, at := range w.open {
			if c := &w.Blocks[at]; c.ID == e.result.ID || c.Native != "" && c.Native == e.result.ID {
				b.attach(l, w, k, &e.from, &e.result, e.span)
				l.forget(i)
				i--
				break
			}
		}
	}
}

// unique returns an id that no call of the lane has had.
func (b *builder) unique(l *lane, id string) string {
	if l.ids == nil {
		l.ids = make(map[uint64]int)
	}
	h := hash(id)
	n := l.ids[h]
	l.ids[h] = n + 1
	if n == 0 && id != "" {
		return id
	}
	b.renamed++
	for ; ; n++ {
		name := cmp.Or(id, "call") + "_" + strconv.Itoa(n+1)
		if own := hash(name); l.ids[own] == 0 {
			l.ids[own] = 1
			l.ids[h] = max(l.ids[h], n+1) // the next search goes on from here
			return name
		}
	}
}

// hash is FNV-1a: the same on every machine.
func hash(s string) uint64 { return mix(14695981039346656037, s) }

// mix goes on with a hash.
func mix[T string | []byte](h uint64, s T) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// result puts one result behind its call: the oldest open call of that id. If
// there is none, one of the two ids is lost (empty, or redacted), and position
// decides: a result belongs to the oldest open call whose id is lost, and one
// that lost its own id else to the newest answer's oldest open call.
func (b *builder) result(l *lane, m *Message, x *Block) {
	w, k := l.call(func(id string) bool { return id == x.ID })
	if w == nil {
		w, k = l.call(lost)
	}
	if w == nil && lost(x.ID) {
		w = l.anyCall()
	}
	if w == nil {
		l.early = append(l.early, early{*m, *x, b.rec.span})
		l.earlyBytes += len(x.Text) + len(x.Raw)
		for len(l.early) > maxWaiting || l.earlyBytes > maxWaitingBytes && len(l.early) > 1 {
			l.forget(0)
			b.orphans++
		}
		return
	}
	b.attach(l, w, k, m, x, b.rec.span)
}

// attach answers the k-th open call of w with the result x, read from m.
func (b *builder) attach(l *lane, w *openMessage, k int, m *Message, x *Block, span Span) {
	call := &w.Blocks[w.open[k]]
	w.open = slices.Delete(w.open, k, k+1)
	if x.ID != call.ID {
		x.Native = x.ID
	}
	x.ID = call.ID
	x.Failed = x.Failed || x.Text == noResult // written back in a format that cannot say so
	x.Name = cmp.Or(x.Name, call.Name)
	if w.results == nil {
		r := *m
		r.Blocks = nil
		w.results = &r
	} else {
		w.results.span(span)
	}
	w.results.Blocks = append(w.results.Blocks, *x)
	l.bytes += len(x.Text) + len(x.Raw)
}

// heft is about how many bytes blocks take.
func heft(blocks []Block) (n int) {
	for i := range blocks {
		n += len(blocks[i].Text) + len(blocks[i].Input) + len(blocks[i].Raw)
	}
	return n
}

// call returns the oldest open call with an id, its own or the recorded one, that is
// wanted.
func (l *lane) call(want func(id string) bool) (*openMessage, int) {
	for _, w := range l.queue {
		for k, i := range w.open {
			if c := &w.Blocks[i]; want(c.ID) || c.Native != "" && want(c.Native) {
				return w, k
			}
		}
	}
	return nil, 0
}

func (l *lane) anyCall() *openMessage {
	for _, w := range slices.Backward(l.queue) {
		if len(w.open) > 0 {
			return w
		}
	}
	return nil
}

// lost reports whether an id says nothing: redaction tools put the same word in
// the place of every id.
func lost(id string) bool {
	return id == "" || strings.Contains(strings.ToUpper(id), "REDACTED") || strings.Trim(id, "*xX[]<>-") == ""
}

// addOne adds a message that holds one block.
func (b *builder) addOne(m Message, kind Kind, x Block) {
	m.Kind, m.Blocks = kind, []Block{x}
	b.add(m)
}

// addText adds a message that holds a text.
func (b *builder) addText(m Message, kind Kind, text string) {
	b.addOne(m, kind, Block{Type: Text, Text: text})
}

// flush gives away what waits for nothing any more: everything before the
// newest answer, as far as its calls have their results.
func (b *builder) flush(l *lane, all bool) {
	last := len(l.queue)
	if !all {
		for last--; last >= 0 && l.queue[last].Kind != Answer; last-- {
		}
		if last < 0 {
			last = len(l.queue) // no answer waits
		}
	}
	n := 0
	for n < len(l.queue) {
		full := len(l.queue)-n > maxWaiting || l.bytes > maxWaitingBytes && n+1 < len(l.queue)
		if !all && !full && (n >= last || len(l.queue[n].open) > 0) {
			break
		}
		w := l.queue[n]
		l.bytes -= heft(w.Blocks)
		if w.results != nil {
			l.bytes -= heft(w.results.Blocks)
		}
		b.give(w)
		n++
	}
	l.queue = slices.Delete(l.queue, 0, n)
}

func (b *builder) give(w *openMessage) {
	for _, i := range w.open {
		b.dangling++
		if w.results == nil {
			w.results = &Message{Role: User, Kind: Results, Parent: w.Parent, Time: w.Time, Sent: w.Sent, Side: w.Side, Kept: w.Kept}
		}
		c := &w.Blocks[i]
		w.results.Blocks = append(w.results.Blocks, Block{Type: Result, ID: c.ID, Name: c.Name, Text: noResult, Failed: true})
	}
	b.out(w.Message, w.first)
	if w.results != nil {
		b.out(w.results, w.first)
	}
}

func (b *builder) out(m *Message, first bool) {
	if b.err == nil {
		b.err = b.emit(m, first)
	}
}

// finish gives away all that waits and tells what was mended.
func (b *builder) finish() {
	for _, l := range b.order {
		b.orphans += len(l.early)
		b.flush(l, true)
	}
	for _, x := range []struct {
		n         int
		one, text string
	}{
		{b.damaged, "damaged line left out, except for whole records in it", "damaged lines left out, except for whole records in them"},
		{b.sess.Skipped - b.damaged, "malformed record skipped", "malformed records skipped"},
		{b.cut, "record too large to hold: its long strings are cut", "records too large to hold: their long strings are cut"},
		{b.orphans, "tool result without a call left out", "tool results without a call left out"},
		{b.dangling, "tool call without a recorded result", "tool calls without a recorded result"},
		{b.renamed, "tool call with an id that is not its own: paired by position", "tool calls with an id that is not their own: paired by position"},
	} {
		if x.n > 0 {
			b.diagnose("%s", counted(x.n, x.one, x.text))
		}
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
