package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Records returns the records in a line of a session. There is one, unless two writers
// wrote at once. A crash may leave NUL bytes or the beginning of a record before it.
func Records(line []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for rec := (record{raw: line}); len(rec.raw) > 0; {
			one, rest, _ := rec.next()
			if one.raw == nil || !yield(one.raw) {
				return
			}
			rec = rest
		}
	}
}

// next returns the first whole record in a line, and the rest of the line behind it.
// The record is empty if the line has no record. damaged reports whether anything else was
// found before it.
func (rec record) next() (one, rest record, damaged bool) {
	b := rec.raw
	from := space(b, 0)
	end := -1
	if from < len(b) && b[from] == '{' {
		end = skip(b, from)
	}
	if end < 0 {
		if from, end = wholeObject(b, from); end < 0 {
			return record{}, record{}, true
		}
		damaged = true
	}

	// In a cut record, only strings are shorter than in the file.
	at := rec.span.Offset
	one = record{raw: b[from:end], cut: rec.cut, span: Span{at + int64(from), rec.span.Length - int64(from+len(b)-end)}}
	if next := space(b, end); next < len(b) && !rec.cut {
		rest = record{raw: b[next:], span: Span{at + int64(next), rec.span.Length - int64(next)}}
	}
	return one, rest, damaged
}

// maxFragments is how many beginnings of records are tried in a damaged line.
const maxFragments = 64

// wholeObject returns where the first whole record of a damaged line begins and ends,
// from an index on; end is -1 if the line has no whole record. A fragment is JSON up to
// the byte where the next record interrupts it.
func wholeObject(b []byte, from int) (start, end int) {
	b = append(bytes.Clone(b), 0) // a syntax error, also where a value is unfinished
	for range maxFragments {
		i := bytes.Index(b[from:], []byte(`{"`))
		var bad *json.SyntaxError
		if i < 0 || !errors.As(json.Unmarshal(b[from+i:], &struct{}{}), &bad) {
			break
		}
		from += i
		to := from + int(bad.Offset) - 1

		// An object before a comma or a bracket is a part of something.
		if b[to] == 0 || b[to] == '{' {
			if start := lastRecord(b[from:to]); start >= 0 {
				return from + start, to
			}
		}
		from = max(from+1, to-len(`{"`)) // a string ended at the quote of the next record
	}
	return 0, -1
}

// lastRecord returns where the record that ends a text begins, or -1. A fragment that
// waits for a value may have the record for it, but also an object of its own: a record
// has a time, and its first member has the name of the fragment's.
func lastRecord(b []byte) int {
	head, _, _ := bytes.Cut(b, []byte{':'})
	at := 0
	for range maxFragments {
		if json.Valid(b[at:]) && (at == 0 || field(b[at:], "timestamp") != nil) {
			return at
		}
		i := bytes.Index(b[at+1:], head)
		if i < 0 {
			break
		}
		at += 1 + i
	}
	return -1
}
