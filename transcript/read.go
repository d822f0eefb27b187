package transcript

import "io"

// Read reads a session: what the model would be sent next, as
// [Session.Messages]. The file may grow meanwhile; only its first size bytes
// are looked at. Messages that the last compaction kept come without Usage: it
// is of a context that is no more.
//
// Bad records become Diagnostics. The error is [ErrFormat] or one of reading.
func Read(r io.ReaderAt, size int64) (*Session, error) {
	var front, rest []Message
	s, err := run(r, size, func(m *Message, first bool) error {
		if m.Kept {
			m.Usage = nil
		}
		switch {
		case !m.Sent:
		case first:
			front = append(front, *m)
		default:
			rest = append(rest, *m)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.Messages = append(front, rest...)
	return s, nil
}

// Scan gives every message of a session to fn, those before a compaction, on
// other branches and of sidechains too, and returns the session without its
// messages. It holds a few messages at a time, whatever the size of the file;
// fn may keep what it gets.
//
// Messages of one conversation come in the order of the file. Those with Sent
// set are the ones that [Read] returns; Read puts a summary first that stands
// in the file behind what it left standing. An error of fn ends the scan and is
// returned.
func Scan(r io.ReaderAt, size int64, fn func(*Message) error) (*Session, error) {
	return run(r, size, func(m *Message, _ bool) error { return fn(m) })
}

// run decodes a file. It gives each message to fn, with whether it is of one of
// the records that a plan puts first.
func run(r io.ReaderAt, size int64, fn func(m *Message, first bool) error) (*Session, error) {
	l, err := find(r, size)
	if err != nil {
		return nil, err
	}
	p := plan{}
	var pl planner
	if l.plan != nil {
		pl = l.plan()
		if _, err := each(r, size, l, nil, func(n int, rec record) error {
			pl.skim(n, rec.raw)
			return nil
		}); err != nil {
			return nil, err
		}
		p = pl.plan()
	}

	sess := &Session{Format: l.format, Bytes: size, Compactions: p.compactions}
	firsts := map[int]bool{}
	for _, n := range p.first {
		firsts[n] = true
	}
	largest := map[string]int{} // by model
	b := newBuilder(sess, func(m *Message, first bool) error {
		if m.Usage != nil && !m.Side {
			largest[m.Model] = max(largest[m.Model], m.Usage.Context())
		}
		if !m.Sent {
			sess.Earlier++
		} else if m.Model != "" {
			sess.Model = m.Model
		}
		return fn(m, first)
	})
	d := l.open(b)
	if f, ok := d.(follower); ok {
		f.follow(pl)
	}
	for _, text := range p.notes {
		b.diagnose("%s", text)
	}
	torn, err := each(r, size, l, d.head, func(n int, rec record) error {
		sess.Records++
		if rec.cut {
			b.cut++
		}
		b.rec, b.chain, b.first = rec, "", firsts[n]
		b.sent = p.sent == nil || p.sent(n)
		b.kept = n < p.bound
		if p.skip != nil && p.skip(n) {
			return nil
		}
		d.record(rec.raw)
		return b.err
	})
	b.damaged = torn.damaged
	sess.Skipped += torn.damaged
	if f, ok := d.(finisher); ok && err == nil {
		f.finish()
	}
	b.finish()
	if torn.document {
		b.diagnose("the document ends early: what comes after byte %d could not be read", torn.at)
	}
	if torn.line {
		b.diagnose("the last line is torn: the session is being written, or its writer died")
	}
	if err == nil {
		err = b.err
	}
	if err != nil {
		return nil, err
	}
	sess.Largest = largest[sess.Model]
	return sess, nil
}

// torn says what of a file could not be read.
type torn struct {
	damaged  int  // lines with anything but whole records
	line     bool // the last of them ends the file
	document bool
	at       int64
}

// each calls fn for every well-formed record of a file, numbered from 0, and
// head, if not nil, for the members of a document beside them.
func each(r io.ReaderAt, size int64, l *layout, head func(string, []byte), fn func(int, record) error) (t torn, err error) {
	s := newSource(r, size)
	n := 0
	if l.records != "" {
		d := newDocument(s, l.records)
		for {
			it, ok := d.next()
			if !ok {
				break
			}
			if !it.elem {
				if head != nil {
					head(it.key, it.rec.raw)
				}
				continue
			}
			if err := fn(n, it.rec); err != nil {
				return t, err
			}
			n++
		}
		t.document, t.at = d.torn, s.here()
		return t, s.err
	}
	for {
		rec, ok := s.line()
		if !ok {
			return t, s.err
		}
		for damaged := false; len(rec.raw) > 0; {
			one, rest, bad := rec.next()
			if bad && !damaged {
				damaged = true
				t.damaged++
			}
			if one.raw == nil {
				t.line = rec.span.Offset+rec.span.Length >= size
				break
			}
			if err := fn(n, one); err != nil {
				return t, err
			}
			n++
			rec = rest
		}
	}
}
