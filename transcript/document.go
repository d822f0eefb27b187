package transcript

import "bytes"

// A scanner finds the end of one JSON value that arrives in pieces.
type scanner struct {
	depth  int
	inside bool // of a string
	escape bool // the next byte is escaped
	begun  bool
}

// feed takes the next bytes of the value. It returns the index after the
// value's last byte, or -1 if the value goes on.
func (v *scanner) feed(b []byte) int {
	for i := 0; i < len(b); {
		if v.inside {
			if v.escape {
				v.escape = false
				i++
				continue
			}
			q := bytes.IndexByte(b[i:], '"')
			part := b[i:]
			if q >= 0 {
				part = b[i : i+q]
			}
			slashes := 0
			for slashes < len(part) && part[len(part)-1-slashes] == '\\' {
				slashes++
			}
			odd := slashes%2 == 1
			if q < 0 {
				v.escape = odd
				return -1
			}
			if i += q + 1; odd {
				continue
			}
			v.inside = false
			if v.depth == 0 {
				return i
			}
			continue
		}
		switch b[i] {
		case '"':
			if v.begun && v.depth == 0 {
				return i
			}
			v.inside, v.begun = true, true
		case '{', '[':
			if v.begun && v.depth == 0 {
				return i
			}
			v.depth++
			v.begun = true
		case '}', ']':
			if v.depth == 0 {
				return i
			}
			if v.depth--; v.depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\r', '\t', ':':
			if v.depth == 0 && v.begun {
				return i
			}
		default:
			v.begun = true
		}
		i++
	}
	return -1
}

// A document walks a file that is one JSON value, member by member, in bounded
// memory: the elements of the array named records one at a time, everything
// else whole.
type document struct {
	s       *source
	records string

	object bool // the document is an object
	within bool // the array of records
	first  bool // nothing of the object or array was read yet
	torn   bool // the document ended too early, or is malformed
	done   bool
}

// An item is one member of a document, or one of its records.
type item struct {
	key  string // of the member; empty for a record
	elem bool   // rec is a record
	rec  record
}

// newDocument begins a walk. The file must begin with a brace or bracket, as
// [look] has made sure; if not, the document is torn.
func newDocument(s *source, records string) *document {
	d := &document{s: s, records: records, first: true}
	switch d.peek() {
	case '{':
		d.object = true
	case '[':
		d.within = true
	default:
		d.torn, d.done = true, true
		return d
	}
	s.pos++
	return d
}

// peek returns the next byte that is not white space, or 0 at the end.
func (d *document) peek() byte {
	for {
		d.s.pos = space(d.s.buf, d.s.pos)
		if d.s.pos < len(d.s.buf) {
			if d.s.here() != 0 || !bytes.HasPrefix(d.s.buf, []byte("\uFEFF")) {
				return d.s.buf[d.s.pos]
			}
			d.s.pos += 3 // a byte order mark
			continue
		}
		if !d.s.more() {
			return 0
		}
	}
}

// next returns the next item. After the last, torn says whether the document
// was whole.
func (d *document) next() (it item, ok bool) {
	for !d.done {
		b := d.peek()
		switch {
		case d.within && b == ']':
			d.s.pos++
			d.within, d.first = false, false
			if !d.object {
				return d.finish()
			}
			continue
		case !d.within && d.object && b == '}':
			d.s.pos++
			return d.finish()
		}
		if !d.first {
			if b != ',' {
				return d.fail()
			}
			d.s.pos++
			b = d.peek()
		}
		d.first = false
		if b == 0 {
			return d.fail()
		}
		if d.within {
			rec, ok := d.s.value()
			if !ok {
				return d.fail()
			}
			return item{elem: true, rec: rec}, true
		}
		if b != '"' {
			return d.fail()
		}
		key, ok := d.s.value()
		if !ok {
			return d.fail()
		}
		name := str(key.raw)
		if d.peek() != ':' {
			return d.fail()
		}
		d.s.pos++
		if b = d.peek(); name == d.records && b == '[' {
			d.s.pos++
			d.within, d.first = true, true
			continue
		}
		rec, ok := d.s.value()
		if !ok {
			return d.fail()
		}
		return item{key: name, rec: rec}, true
	}
	return item{}, false
}

func (d *document) finish() (item, bool) {
	d.done = true
	d.torn = d.peek() != 0
	return item{}, false
}

func (d *document) fail() (item, bool) {
	d.done, d.torn = true, true
	return item{}, false
}

// value returns the JSON value that begins at the next byte.
func (s *source) value() (rec record, ok bool) {
	var v scanner
	from := 0
	for {
		rest := s.buf[s.pos:]
		if i := v.feed(rest[from:]); i >= 0 {
			n := from + i
			if n == 0 { // no value begins with this byte
				return rec, false
			}
			rec = record{raw: rest[:n], span: Span{s.here(), int64(n)}}
			s.pos += n
			return rec, true
		}
		if from = len(rest); from > maxRecord {
			rec = s.long(&v)
			return rec, v.depth == 0
		}
		if !s.more() {
			return rec, false
		}
	}
}
