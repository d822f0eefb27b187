package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Records larger than maxRecord (a tool result of hundreds of megabytes on one
// line was seen) are not held: their strings are cut to cutString while they
// stream past, so that ids, pairs and the beginning of the text survive. 8 MiB
// holds an answer with an image of the 5 MB that providers allow.
const (
	maxRecord = 8 << 20
	cutString = 64 << 10
	chunk     = 256 << 10
)

// A record is one native unit of a file: a line, or an element of the
// document's array.
type record struct {
	raw  []byte // valid until the next record; shortened if cut
	span Span
	cut  bool
}

// A source reads the records of one file, in order, in bounded memory.
type source struct {
	r    io.ReaderAt
	size int64
	off  int64 // of buf[0] in the file
	buf  []byte
	pos  int // next unread byte of buf
	eof  bool
	err  error // of reading

	big []byte // room for a record that is cut
}

func newSource(r io.ReaderAt, size int64) *source {
	return &source{r: r, size: size, buf: make([]byte, 0, min(chunk, size+1))}
}

// more reads on. It first drops what was consumed, and reports whether buf
// grew.
func (s *source) more() bool {
	if s.eof {
		return false
	}
	if s.pos > 0 {
		n := copy(s.buf, s.buf[s.pos:])
		s.off += int64(s.pos)
		s.buf, s.pos = s.buf[:n], 0
	}
	if room := min(chunk, s.size-s.off); len(s.buf) == cap(s.buf) || int64(cap(s.buf)) < room {
		grown := make([]byte, len(s.buf), 2*cap(s.buf)+chunk)
		copy(grown, s.buf)
		s.buf = grown
	}
	at := s.off + int64(len(s.buf))
	want := min(int64(cap(s.buf)-len(s.buf)), s.size-at)
	if want <= 0 {
		s.eof = true
		return false
	}
	n, err := s.r.ReadAt(s.buf[len(s.buf):len(s.buf)+int(want)], at)
	s.buf = s.buf[:len(s.buf)+n]
	if err != nil {
		s.eof = true
		if !errors.Is(err, io.EOF) {
			s.err = fmt.Errorf("read session at byte %d: %w", at+int64(n), err)
		}
	}
	return n > 0
}

// here is the offset of the next unread byte.
func (s *source) here() int64 { return s.off + int64(s.pos) }

// line returns the next line that is not blank, without its newline. A line at
// the end of the file needs none.
func (s *source) line() (rec record, ok bool) {
	for {
		from := 0
		for {
			rest := s.buf[s.pos:]
			if i := bytes.IndexByte(rest[from:], '\n'); i >= 0 {
				rec = record{raw: rest[:from+i], span: Span{s.here(), int64(from + i)}}
				s.pos += from + i + 1
				break
			}
			if from = len(rest); from > maxRecord {
				rec = s.long(nil)
				break
			}
			if !s.more() {
				rec = record{raw: s.buf[s.pos:], span: Span{s.here(), int64(len(s.buf) - s.pos)}}
				s.pos = len(s.buf)
				if len(rec.raw) == 0 {
					return rec, false
				}
				break
			}
		}
		if s.off == 0 && rec.span.Offset == 0 {
			rec = withoutMark(rec)
		}
		if n := len(rec.raw); n > 0 && rec.raw[n-1] == '\r' {
			rec.raw = rec.raw[:n-1]
			rec.span.Length--
		}
		if space(rec.raw, 0) < len(rec.raw) {
			return rec, true
		}
	}
}

// withoutMark takes a byte order mark off the first line.
func withoutMark(rec record) record {
	if bytes.HasPrefix(rec.raw, []byte("\uFEFF")) {
		rec.raw = rec.raw[3:]
		rec.span.Offset += 3
		rec.span.Length -= 3
	}
	return rec
}

// long consumes a record that is too large to hold and returns it with its
// strings cut. Without a scanner it is a line and ends with a newline; with one
// it is a value and ends where the scanner says, which has already seen the
// bytes of buf after pos.
func (s *source) long(v *scanner) record {
	c := cutter{out: s.big[:0]}
	start := s.here()
	fresh := false // whether the scanner is still to see the bytes of buf
	for done := false; !done; {
		b := s.buf[s.pos:]
		end := len(b)
		if v == nil {
			if i := bytes.IndexByte(b, '\n'); i >= 0 {
				end, done = i, true
			}
		} else if fresh {
			if i := v.feed(b); i >= 0 {
				end, done = i, true
			}
		}
		c.write(b[:end])
		s.pos += end
		fresh = true
		if !done && !s.more() {
			done = true
		}
	}
	rec := record{raw: c.out, span: Span{start, s.here() - start}, cut: true}
	if v == nil && s.pos < len(s.buf) {
		s.pos++ // the newline
	}
	s.big = c.out
	return rec
}

// A cutter copies JSON and shortens every string to cutString bytes.
type cutter struct {
	out    []byte
	inside bool  // of a string
	esc    int   // bytes of an escape that are to come; -1 if its length is not known yet
	length int   // of the string so far
	lost   int64 // bytes of it that were left out
}

// part is how much of the string is of the word that was cut, which may be a token
// that nothing can tell any more; 0 if there is no end to it, as in an image.
func (c *cutter) part() int {
	const longest = 4 << 10
	for n := range min(c.length, longest) {
		if x := c.out[len(c.out)-1-n]; x <= ' ' || x >= utf8.RuneSelf {
			return n
		}
	}
	return 0
}

func (c *cutter) write(b []byte) {
	for _, x := range b {
		if !c.inside {
			if x == '"' {
				c.inside, c.length, c.lost = true, 0, 0
			}
			// What is not a string is kept, up to a record's worth: past that
			// nothing can be saved, and being unbalanced it counts as malformed.
			if len(c.out) < maxRecord {
				c.out = append(c.out, x)
			}
			continue
		}
		begins := c.esc == 0 && x&0xC0 != 0x80 // neither within an escape nor within a rune
		switch {
		case c.esc < 0:
			if c.esc = 0; x == 'u' {
				c.esc = 4
			}
		case c.esc > 0:
			c.esc--
		case x == '\\':
			c.esc = -1
		case x == '"':
			c.inside = false
			if c.lost > 0 {
				c.out = c.out[:len(c.out)-c.part()]
				c.out = fmt.Appendf(c.out, "\\n[… %d bytes left out …]", c.lost)
			}
			c.out = append(c.out, x)
			continue
		}
		if c.lost > 0 || begins && (c.length >= cutString || len(c.out) >= maxRecord) {
			c.lost++
			continue
		}
		c.length++
		c.out = append(c.out, x)
	}
}
