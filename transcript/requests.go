package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/satchel-dev/satchel"
)

// A Request is what Claude Code sent to its model in one call, put together from
// what its transcript records for that purpose. Every part but Params is proven by
// a hash of the transcript; what cannot be proven is missing, and a Diagnostic says so.
//
// A hash is the SHA-256 of the JSON of a part without white space, its keys
// sorted, its strings and numbers as they are recorded. JSON is in that form.
type Request struct {
	ID    string
	Time  time.Time
	Model string

	Params []byte // model, limits and switches, as recorded
	Shape  string // the hash of {"system":…,"tools":…}
	System []byte // the system prompt, an array of blocks; nil if it is missing
	Tools  []byte // an array; nil if it is missing

	Messages    []RequestMessage
	Diagnostics []satchel.Diagnostic
}

// A RequestMessage is one message of a Request.
type RequestMessage struct {
	Hash string // hex
	Role string // "" if it is missing
	JSON []byte // nil if it is missing
}

// ErrNoRequests says that a file records no requests: another agent wrote it, or
// a Claude Code that is older than 2.1.
var ErrNoRequests = errors.New("no requests are recorded")

// Bounds of what is put together: a session of a thousand requests of a thousand
// messages is below them.
const (
	maxRequests      = 100_000
	maxRequestRefs   = 20 << 20 // messages of all requests
	maxCanonicalNest = 200
	maxRequestNotes  = 100
)

// unrecordedSystem is said of every request whose system prompt is known.
const unrecordedSystem = "Claude Code sends one short block of version and entry point before the system prompt, which it does not record"

// Requests reads the requests that the first size bytes of a transcript of Claude
// Code record, in the order of the file. Diagnostics are about records that cannot be
// used. The error is [ErrNoRequests] or one of reading.
func Requests(r io.ReaderAt, size int64) ([]Request, []satchel.Diagnostic, error) {
	b := &requestReader{blobs: make(map[string][]byte), shapes: make(map[string][]byte), answers: make(map[string]*answerParts), at: make(map[string]int)}
	src := newSource(r, size)
	for {
		rec, ok := src.line()
		if !ok {
			break
		}
		b.record(&rec)
	}
	if src.err != nil {
		return nil, nil, src.err
	}
	if len(b.requests) == 0 {
		return nil, b.diags, ErrNoRequests
	}
	b.hashAnswers()
	out := make([]Request, len(b.requests))
	for i := range b.requests {
		out[i] = b.build(&b.requests[i])
	}
	return out, b.diags, nil
}

// A requestReader collects the records of which requests consist.
type requestReader struct {
	blobs   map[string][]byte // messages, canonical, by hash
	shapes  map[string][]byte
	answers map[string]*answerParts // by message id

	requests []requestRecord
	at       map[string]int // request by id
	refs     int
	diags    []satchel.Diagnostic
}

// A requestRecord is one request as it is recorded: what it keeps of another one,
// and what follows.
type requestRecord struct {
	req    Request
	hashes []string
	why    string // why messages are missing
}

// answerParts are the blocks of one answer, each of which has a record.
type answerParts struct{ blocks [][]byte }

func (b *requestReader) diagnose(at Span, format string, args ...any) {
	if len(b.diags) < maxRequestNotes {
		b.diags = append(b.diags, satchel.Diagnostic{Text: fmt.Sprintf("byte %d: ", at.Offset) + fmt.Sprintf(format, args...)})
	}
}

func (b *requestReader) record(rec *record) {
	kind := field(rec.raw, "type")
	switch {
	case is(kind, "api-request-blob"):
		b.keep(rec, b.blobs, str(field(rec.raw, "hash")), field(rec.raw, "message"), "message")
	case is(kind, "api-request-shape"):
		b.keep(rec, b.shapes, str(field(rec.raw, "shapeHash")), field(rec.raw, "shape"), "system prompt and tools")
	case is(kind, "assistant"):
		m := field(rec.raw, "message")
		id := str(field(m, "id"))
		if id == "" || rec.cut {
			return
		}
		a := b.answers[id]
		if a == nil {
			a = new(answerParts)
			b.answers[id] = a
		}
		for it := walk(field(m, "content")); it.next(); {
			if c, ok := canonicalJSON(nil, it.val, 0); ok {
				a.blocks = append(a.blocks, c)
			}
		}
	case is(kind, "api-request"):
		b.request(rec)
	}
}

// keep keeps a blob under the hash that its bytes have, if it is recorded under
// that.
func (b *requestReader) keep(rec *record, in map[string][]byte, hash string, value []byte, what string) {
	c, ok := canonicalJSON(nil, value, 0)
	switch {
	case rec.cut:
		b.diagnose(rec.span, "a %s of %d bytes is too large to be read", what, rec.span.Length)
	case !ok || !isObject(value):
		b.diagnose(rec.span, "a %s is malformed", what)
	case hashOf(c) != hash:
		b.diagnose(rec.span, "the hash of a %s is not that of its bytes", what)
	default:
		in[hash] = c
	}
}

func (b *requestReader) request(rec *record) {
	var r requestRecord
	var base string
	var keep int
	var tail []byte
	for it := walk(rec.raw); it.next(); {
		switch string(it.key) {
		case "id":
			r.req.ID = str(it.val)
		case "timestamp":
			r.req.Time = clock(it.val)
		case "params":
			r.req.Params, _ = canonicalJSON(nil, it.val, 0)
			r.req.Model = str(field(it.val, "model"))
		case "shapeHash":
			r.req.Shape = str(it.val)
		case "base":
			base = str(it.val)
		case "keep":
			keep = num(it.val)
		case "tail":
			tail = it.val
		}
	}
	if r.req.ID == "" || rec.cut || len(b.requests) >= maxRequests {
		b.diagnose(rec.span, "a request is malformed, or one too many")
		return
	}
	if keep > 0 {
		// Without a base it is the request before.
		i, ok := b.at[base]
		if base == "" {
			i, ok = len(b.requests)-1, len(b.requests) > 0
		}
		if !ok || keep > len(b.requests[i].hashes) {
			r.why = "the request that it builds on is not recorded"
		} else {
			r.hashes = slices.Clone(b.requests[i].hashes[:keep])
		}
	}
	for it := walk(tail); it.next(); {
		h := str(it.val)
		if isObject(it.val) {
			h = str(field(it.val, "hash"))
		}
		r.hashes = append(r.hashes, h)
	}
	if b.refs += len(r.hashes); b.refs > maxRequestRefs {
		r.hashes, r.why = nil, "the requests of this session have too many messages"
	}
	b.at[r.req.ID] = len(b.requests)
	b.requests = append(b.requests, r)
}

// hashAnswers makes messages of answers. Nothing but the hash by which a request
// asks for one says that it is right.
func (b *requestReader) hashAnswers() {
	for _, a := range b.answers {
		c := append([]byte(`{"content":[`), bytes.Join(a.blocks, []byte(","))...)
		c = append(c, `],"role":"assistant"}`...)
		b.blobs[hashOf(c)] = c
	}
}

func (b *requestReader) build(rec *requestRecord) Request {
	r := rec.req
	say := func(format string, args ...any) {
		r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf(format, args...)})
	}
	if shape, ok := b.shapes[r.Shape]; ok {
		r.System, r.Tools = field(shape, "system"), field(shape, "tools")
		say("%s", unrecordedSystem)
	} else {
		say("the system prompt and the tools are not recorded, or not as their hash says")
	}
	if rec.why != "" {
		say("earlier messages are missing: %s", rec.why)
	}
	missing := 0
	for _, h := range rec.hashes {
		m := RequestMessage{Hash: h}
		if c, ok := b.blobs[h]; ok {
			m.JSON, m.Role = c, str(field(c, "role"))
		} else {
			missing++
		}
		r.Messages = append(r.Messages, m)
	}
	if missing > 0 {
		say("%d of %d messages are not recorded with the bytes that their hashes say", missing, len(rec.hashes))
	}
	return r
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// canonicalJSON appends a value without white space and with the keys of objects
// in order. Strings and numbers stay as they are written, so that nothing is
// decoded that JavaScript would write otherwise. ok is false if the value is
// malformed.
func canonicalJSON(dst, value []byte, depth int) (out []byte, ok bool) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || depth > maxCanonicalNest {
		return dst, false
	}
	switch value[0] {
	case '[':
		dst = append(dst, '[')
		it := walk(value)
		for n := 0; it.next(); n++ {
			if n > 0 {
				dst = append(dst, ',')
			}
			if dst, ok = canonicalJSON(dst, it.val, depth+1); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), !it.bad
	case '{':
		type member struct{ key, val []byte }
		var members []member
		it := walk(value)
		for it.next() {
			members = append(members, member{it.key, it.val})
		}
		slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(a.key, b.key) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, m.key)
			dst = append(dst, ':')
			if dst, ok = canonicalJSON(dst, m.val, depth+1); !ok {
				return dst, false
			}
		}
		return append(dst, '}'), !it.bad
	}
	return append(dst, value...), true
}

// appendString appends a key as JSON.stringify writes it. Keys that hold a
// backslash were decoded by the walk.
func appendString(dst, s []byte) []byte {
	const hexDigits = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
