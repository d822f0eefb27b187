package transcript

import (
	"bytes"
	"io"
	"slices"
)

// A probe is what a layout may see of a file in order to recognise it. A file
// that is one document of one line has both lines and keys.
type probe struct {
	lines [][]byte // the first records, if the lines are some: whole, objects, at most probeLines
	array bool     // the document is an array, elems its first elements
	keys  []string // members of the document, in order
	vals  map[string][]byte
	elems map[string][][]byte // first elements of the members that are arrays; "" for the document itself
}

const (
	probeLines = 64
	probeElems = 32
	probeTries = 512     // lines that are read in the hope of well-formed ones
	probeBytes = 4 << 10 // of the value of a member
)

// has reports whether the document has all these members.
func (p *probe) has(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool {
		_, ok := p.vals[k]
		return !ok
	})
}

// any reports whether f holds for one of the first lines.
func (p *probe) any(f func(line []byte) bool) bool {
	return slices.ContainsFunc(p.lines, f)
}

// look reads the beginning of a file, and, if it is one document, the names of
// all its members.
func look(r io.ReaderAt, size int64) (*probe, error) {
	p := &probe{vals: map[string][]byte{}, elems: map[string][][]byte{}}
	s := newSource(r, size)
	begun := false // with a line that is the beginning of something
	for tries := 0; tries < probeTries && len(p.lines) < probeLines; tries++ {
		rec, ok := s.line()
		if !ok {
			break
		}
		if c := first(rec.raw); tries == 0 && (c == '{' || c == '[') {
			_, _, begun = rec.next()
		}
		for whole := range Records(rec.raw) {
			p.lines = append(p.lines, bytes.Clone(whole))
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	if len(p.lines) > 1 && !begun {
		return p, nil // lines; a document has no second object
	}
	s = newSource(r, size)
	if p.document(s) {
		if e := p.elems[""]; begun && (len(p.keys) > 0 || len(e) > 0 && isObject(e[0])) {
			p.lines = nil // objects within it
		}
	} else {
		p.array, p.keys = false, nil
		clear(p.vals)
		clear(p.elems)
	}
	return p, s.err
}

func first(b []byte) byte {
	if i := space(b, 0); i < len(b) {
		return b[i]
	}
	return 0
}

// document reads the members of a document. It reports false if the file is
// none; one that is torn is one still.
func (p *probe) document(s *source) bool {
	d := &document{s: s}
	b := d.peek()
	if b != '{' && b != '[' {
		return false
	}
	s.pos++
	if b == '[' {
		p.array = true
		p.sample(d, "")
		return true
	}
	for n := 0; ; n++ {
		b := d.peek()
		if b == '}' {
			return true
		}
		if n > 0 {
			if b != ',' {
				return len(p.keys) > 0 && b == 0
			}
			s.pos++
			b = d.peek()
		}
		if b != '"' {
			return len(p.keys) > 0 && b == 0
		}
		key, ok := s.value()
		if !ok {
			return len(p.keys) > 0
		}
		name := str(key.raw)
		if d.peek() != ':' {
			return false
		}
		s.pos++
		b = d.peek()
		p.keys = append(p.keys, name)
		p.vals[name] = nil
		if b == '[' {
			s.pos++
			if !p.sample(d, name) {
				return true
			}
			continue
		}
		val, ok := s.pass(probeBytes)
		p.vals[name] = val
		if !ok {
			return true
		}
	}
}

// sample keeps the first elements of the array that was just entered and passes
// over the others. It reports whether the array ended.
func (p *probe) sample(d *document, key string) bool {
	for n := 0; ; n++ {
		b := d.peek()
		if b == ']' {
			d.s.pos++
			return true
		}
		if n > 0 {
			if b != ',' {
				return false
			}
			d.s.pos++
			b = d.peek()
		}
		if b == 0 {
			return false
		}
		if n < probeElems {
			rec, ok := d.s.value()
			if !ok {
				return false
			}
			p.elems[key] = append(p.elems[key], append([]byte(nil), rec.raw...))
			continue
		}
		if p.array {
			return true // no other member follows
		}
		if _, ok := d.s.pass(0); !ok {
			return false
		}
	}
}

// pass consumes a value and returns its first bytes.
func (s *source) pass(keep int) (val []byte, ok bool) {
	var v scanner
	for {
		b := s.buf[s.pos:]
		end := v.feed(b)
		n := end
		if end < 0 {
			n = len(b)
		}
		val = append(val, b[:min(n, keep-len(val))]...)
		s.pos += n
		if end >= 0 {
			return val, v.begun
		}
		if !s.more() {
			return val, false
		}
	}
}
