package outline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/satchel-dev/satchel"
)

// What the parent and a worker say to each other, each message preceded by its
// length in four bytes, little endian:
//
//	worker: hello
//	parent: operation, length of language, language, text
//	worker: status, then an outline or the reason why there is none

const hello = "satchel outline 1\n"

// Operations. Those that misbehave are there for tests, and only the parent,
// which is the same program, can ask for them.
const (
	opParse = 'p'
	opExit  = 'x'
	opSpin  = 's'
	opHoard = 'm'
)

// Statuses of an answer.
const (
	answered = 'o'
	refused  = 'r'
)

// maxMessage bounds a message: a text of maxBytes, or the outline of one.
const maxMessage = 64 << 20

func writeMessage(w io.Writer, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	buf := make([]byte, 4, 4+n)
	binary.LittleEndian.PutUint32(buf, uint32(n))
	for _, p := range parts {
		buf = append(buf, p...)
	}
	_, err := w.Write(buf)
	return err
}

// readMessage reads into buf if it is large enough.
func readMessage(r io.Reader, buf []byte) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint32(head[:]))
	if n > maxMessage {
		return nil, fmt.Errorf("message of %d bytes", n)
	}
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	_, err := io.ReadFull(r, buf)
	return buf, err
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// appendOutline encodes an outline.
func appendOutline(b []byte, o *Outline) []byte {
	b = binary.AppendUvarint(b, uint64(len(o.Symbols)))
	for i := range o.Symbols {
		s := &o.Symbols[i]
		for _, t := range [...]string{s.Kind, s.Name, s.Parent, s.Signature, s.Doc} {
			b = appendString(b, t)
		}
		for _, n := range [...]int{s.From, s.To, s.NameLine} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(o.Imports)))
	for _, s := range o.Imports {
		b = appendString(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(o.Comments)))
	for _, r := range o.Comments {
		b = binary.AppendUvarint(b, uint64(r.From))
		b = binary.AppendUvarint(b, uint64(r.To))
	}
	partial := uint64(0)
	if o.Partial {
		partial = 1
	}
	b = binary.AppendUvarint(b, partial)
	return appendString(b, o.Why)
}

var errWire = errors.New("garbled answer")

// A decoder reads what appendOutline wrote. All strings share one.
type decoder struct {
	text string
	rest []byte
	bad  bool
}

func (d *decoder) number() int {
	n, k := binary.Uvarint(d.rest)
	if k <= 0 || n > maxMessage {
		d.bad = true
		return 0
	}
	d.rest = d.rest[k:]
	return int(n)
}

func (d *decoder) string() string {
	n := d.number()
	if d.bad || n > len(d.rest) {
		d.bad = true
		return ""
	}
	at := len(d.text) - len(d.rest)
	d.rest = d.rest[n:]
	return d.text[at : at+n]
}

// count reads the number of elements of at least size bytes each.
func (d *decoder) count(size int) int {
	n := d.number()
	if n*size > len(d.rest) {
		d.bad = true
		return 0
	}
	return n
}

func decodeOutline(b []byte) (o Outline, err error) {
	d := &decoder{text: string(b), rest: b}
	if n := d.count(8); n > 0 {
		o.Symbols = make([]satchel.Symbol, n)
		for i := range o.Symbols {
			o.Symbols[i] = satchel.Symbol{
				Kind: d.string(), Name: d.string(), Parent: d.string(), Signature: d.string(), Doc: d.string(),
				From: d.number(), To: d.number(), NameLine: d.number(),
			}
		}
	}
	if n := d.count(1); n > 0 {
		o.Imports = make([]string, n)
		for i := range o.Imports {
			o.Imports[i] = d.string()
		}
	}
	if n := d.count(2); n > 0 {
		o.Comments = make([]satchel.Range, n)
		for i := range o.Comments {
			o.Comments[i] = satchel.Range{From: d.number(), To: d.number()}
		}
	}
	o.Partial = d.number() == 1
	o.Why = d.string()
	if d.bad || len(d.rest) > 0 {
		return Outline{}, errWire
	}
	return o, nil
}
