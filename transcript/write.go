package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// A Rewrite says what a session is to become.
type Rewrite struct {
	// Messages is what the model is to be sent from now on. They must be
	// [Valid]. A message that equals one of the session's, Spans included, is
	// written as the file has it, with all that only its agent understands. A
	// leading message of Kind Summary, one text, becomes the agent's own record
	// of a compaction.
	Messages []Message

	TokensBefore int       // of the context so far; 0 if unknown
	Read         []string  // files that what is left out read, and
	Modified     []string  // files that it changed: pi remembers them
	Now          time.Time // the time of the new records; zero means that of the newest record
}

// ErrNoWriter says that a session cannot be rewritten natively, because of its
// format or because it is malformed: [Encode] makes an array of its messages.
var ErrNoWriter = errors.New("session cannot be written back")

// Write writes the session in the first size bytes of r to w, rewritten: agents
// that append get the same bytes and a compaction behind them, in their own
// records; arrays get their messages replaced and everything around them kept.
// The same input gives the same bytes: new ids are derived from it.
//
// [Read] reads from the written session the messages that were given: the same
// roles, kinds and blocks in the same order. There are these exceptions. A
// Summary's blocks become one text. Codex and the APIs of OpenAI have no place
// for [Block.Failed], requests of any API none for the kinds of user messages.
// Ids that were not unique may be replaced by ones that are.
//
// The error is [ErrFormat], [ErrNoWriter], one that says why the messages are
// not valid, or one of reading and writing.
func Write(w io.Writer, r io.ReaderAt, size int64, rw *Rewrite) error {
	if err := Valid(rw.Messages); err != nil {
		return fmt.Errorf("messages to write: %w", err)
	}
	l, err := find(r, size)
	if err != nil {
		return err
	}
	if l.write == nil {
		return fmt.Errorf("%w: %s", ErrNoWriter, l.format)
	}
	sess, err := Read(r, size)
	if err != nil {
		return err
	}
	x := &rewriter{Rewrite: *rw, w: w, r: r, size: size, layout: l, sess: sess}
	x.match()
	if x.Now.IsZero() {
		x.Now = sess.Ended
	}
	if x.unchanged() {
		_, err := x.copyAll()
		return err
	}
	return l.write(x)
}

// A rewriter is the state of one Write.
type rewriter struct {
	Rewrite
	w      io.Writer
	r      io.ReaderAt
	size   int64
	layout *layout
	sess   *Session // as it was read

	from  []int // for each of Messages, the index of the same one in sess.Messages, or -1
	solo  []bool
	ticks int
}

// match finds the messages that are the session's own.
func (x *rewriter) match() {
	type key struct {
		offset int64
		kind   Kind
	}
	at := map[key][]int{}
	uses := map[int64]int{} // messages that a record is part of
	for i := range x.sess.Messages {
		m := &x.sess.Messages[i]
		if len(m.Spans) > 0 {
			k := key{m.Spans[0].Offset, m.Kind}
			at[k] = append(at[k], i)
		}
		for _, s := range m.Spans {
			uses[s.Offset]++
		}
	}
	taken := make([]bool, len(x.sess.Messages))
	x.from = make([]int, len(x.Messages))
	x.solo = make([]bool, len(x.Messages))
	for i := range x.Messages {
		m := &x.Messages[i]
		x.from[i] = -1
		if len(m.Spans) == 0 { // a result that was made up follows its call
			if j := 1 + x.from[max(i-1, 0)]; j > 0 && j < len(x.sess.Messages) && same(m, &x.sess.Messages[j]) {
				x.from[i] = j
			}
			continue
		}
		for _, j := range at[key{m.Spans[0].Offset, m.Kind}] {
			// Two prompts that say the same may stand in one record.
			if !taken[j] && same(m, &x.sess.Messages[j]) {
				x.from[i], taken[j] = j, true
				break
			}
		}
		x.solo[i] = x.from[i] >= 0
		for _, s := range m.Spans {
			x.solo[i] = x.solo[i] && uses[s.Offset] == 1
		}
		for j := range m.Blocks {
			x.solo[i] = x.solo[i] && m.Blocks[j].Native == ""
		}
		if m.Kind == Results { // a result that was made up stands in no record
			for j := range m.Blocks {
				x.solo[i] = x.solo[i] && m.Blocks[j].Text != noResult
			}
		}
		x.solo[i] = x.solo[i] && x.sound(m)
	}
}

// sound reports whether the records of a message can be copied: not too large,
// and JSON all the way down, where the reader looked at what it needed only.
func (x *rewriter) sound(m *Message) bool {
	return !slices.ContainsFunc(m.Spans, func(s Span) bool {
		raw, err := x.native(s)
		return err != nil || !json.Valid(raw)
	})
}

// same reports whether two messages say the same, read from the same records.
func same(a, b *Message) bool {
	return a.Role == b.Role && a.Kind == b.Kind && slices.Equal(a.Spans, b.Spans) &&
		slices.EqualFunc(a.Blocks, b.Blocks, func(a, b Block) bool {
			return a.Type == b.Type && a.Text == b.Text && a.ID == b.ID && a.Name == b.Name && bytes.Equal(a.Input, b.Input) &&
				a.Failed == b.Failed && a.Opaque == b.Opaque && a.Images == b.Images && bytes.Equal(a.Raw, b.Raw)
		})
}

// unchanged reports whether the session says all of this already.
func (x *rewriter) unchanged() bool {
	if len(x.Messages) != len(x.sess.Messages) {
		return false
	}
	for i, j := range x.from {
		if i != j {
			return false
		}
	}
	return true
}

// tail returns the first record of the messages from the i-th on, if they are
// the last ones of the session and nothing else stands in or behind that
// record.
func (x *rewriter) tail(i int) (Span, bool) {
	n := len(x.Messages) - i
	from := len(x.sess.Messages) - n
	if n == 0 || from < 0 {
		return Span{}, false
	}
	first := Span{Offset: x.size}
	for k := i; k < len(x.Messages); k++ {
		if x.from[k] != from+k-i || x.Messages[k].Kind == Summary {
			return Span{}, false // a summary would go with what it stands in
		}
		for _, s := range x.Messages[k].Spans {
			if s.Offset < first.Offset {
				first = s
			}
		}
	}
	for k := range from {
		for _, s := range x.sess.Messages[k].Spans {
			if s.Offset >= first.Offset && x.sess.Messages[k].Kind != Summary {
				return Span{}, false
			}
		}
	}
	return first, true
}

// Copy writes the session in the first size bytes of r to w, as it is. Of damaged
// lines it writes only the whole records, each on a line of its own, since agents
// cannot load anything else.
//
// The error is [ErrFormat], or one of reading and writing.
func Copy(w io.Writer, r io.ReaderAt, size int64) error {
	l, err := find(r, size)
	if err != nil {
		return err
	}
	_, err = (&rewriter{w: w, r: r, size: size, layout: l}).copyAll()
	return err
}

// copyAll is [Copy]. It reports whether the last line lacks its newline.
func (x *rewriter) copyAll() (open bool, err error) {
	put := func(from, length int64) error {
		_, err := io.Copy(x.w, io.NewSectionReader(x.r, from, length))
		return err
	}
	if x.layout.records != "" {
		return false, put(0, x.size)
	}
	s := newSource(x.r, x.size)
	for err == nil {
		at := s.here()
		rec, ok := s.line()
		if !ok {
			return open, cmp.Or(s.err, put(at, x.size-at))
		}
		one, rest, damaged := rec.next()
		if !damaged && len(rest.raw) == 0 {
			open = rec.span.Offset+rec.span.Length == s.here()
			err = put(at, s.here()-at)
			continue
		}
		for open = false; one.raw != nil && err == nil; one, rest, _ = rest.next() {
			if err = put(one.span.Offset, one.span.Length); err == nil {
				_, err = x.w.Write([]byte{'\n'})
			}
		}
	}
	return open, err
}

// copyLines is [Copy] with a newline behind the last line.
func (x *rewriter) copyLines() error {
	open, err := x.copyAll()
	if open && err == nil {
		_, err = x.w.Write([]byte{'\n'})
	}
	return err
}

func (x *rewriter) line(raw []byte) error {
	_, err := x.w.Write(append(bytes.ReplaceAll(raw, []byte{'\n'}, nil), '\n'))
	return err
}

// native reads a record.
func (x *rewriter) native(s Span) ([]byte, error) {
	if s.Length > maxRecord {
		return nil, fmt.Errorf("record of %d bytes at byte %d is too large to copy", s.Length, s.Offset)
	}
	b := make([]byte, s.Length)
	if n, err := x.r.ReadAt(b, s.Offset); n < len(b) {
		return nil, fmt.Errorf("read record at byte %d: %w", s.Offset, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	return b, nil
}

// tick returns the time of the next new record: agents take the newest record
// for the end of a conversation, so each is a millisecond later.
func (x *rewriter) tick() time.Time {
	x.ticks++
	t := x.Now
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	return t.UTC().Add(time.Duration(x.ticks) * time.Millisecond)
}

const stamp = "2006-01-02T15:04:05.000Z"
