package transcript

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// A layout is how one agent lays out its sessions. Each stands in a file of its
// own and in the table [layouts].
type layout struct {
	format Format

	// sniff reports whether a file is of this layout. Layouts are asked in the
	// order of the table, so the particular come before the general.
	sniff func(p *probe) bool

	// records names the member of the document whose elements are the records:
	// "messages" for {"info":…,"messages":[…]}. Empty means that each line is a
	// record. A document that is an array itself needs no name: its elements
	// are the records of any layout with a name here.
	records string

	// open returns what decodes the records, in the order of the file.
	open func(b *builder) decoder

	// plan, if not nil, sees every record before any is decoded, and says which
	// the model would be sent. Without it all are.
	plan func() planner

	// family names a model of the family that the agent's own provider makes; "" if
	// it makes none.
	family string

	// naming, if not nil, says where a session names itself. See [Rename].
	naming *naming

	// write, if not nil, writes a session back. See [Write].
	write func(x *rewriter) error
}

// A naming says which members of a record hold the session's id.
type naming struct {
	members []string
	wrapped string // the member that may hold a record
	kind    string // the only type of record that has them; "" if all may
	always  bool   // they hold the id of every record, also of those from another session
}

// A decoder turns native records into messages, which it gives to its builder.
type decoder interface {
	// record takes one record, a JSON object. It must not keep raw, nor any
	// slice of it.
	record(raw []byte)

	// head takes a member of the document beside its records: never called for
	// a layout of lines. Members may follow the records.
	head(key string, raw []byte)
}

// A follower is a decoder that needs what its layout's planner found out, such
// as the text of records that are not sent. It is told before the first record.
type follower interface{ follow(p planner) }

// A finisher is a decoder that knows some messages only after the last record:
// where a later record may replace an earlier one.
type finisher interface{ finish() }

// A planner decides what the model would be sent, in a pass of its own over
// the file: which branch is active, and what the last compaction left.
type planner interface {
	skim(n int, raw []byte) // the n-th record of the file, from 0; must not keep raw
	plan() plan
}

// A plan is a planner's answer.
type plan struct {
	sent        func(n int) bool // whether record n is sent; nil means that all are
	skip        func(n int) bool // whether record n is a copy of an earlier one and no message; nil means none
	first       []int            // records whose messages are sent before all others, in this order
	bound       int              // number of the last compaction's record; what is sent and stands before it was kept
	compactions int              // compaction records on the active branch
	notes       []string
}

// layouts is the table of all formats, the particular before the general.
var layouts = []layout{
	qwenLayout, // before Claude Code, whose records are like its own
	claudeLayout,
	codexLayout,
	piLayout,
	openCodeLayout,
	copilotLayout,
	geminiLayout,
	geminiDocumentLayout,
	sweLayout,
	openHandsLayout,
	clineLayout,
	clineDocumentLayout,
	messagesLayout,
	responsesLayout,
	chatLayout,
	anthropicLayout,
}

// ErrFormat says that a file is no session of any agent we know.
var ErrFormat = errors.New("not a session of any known agent")

// Formats lists the formats of sessions that agents write, without those of arrays.
func Formats() (list []Format) {
	for i := range layouts {
		f := layouts[i].format
		if !slices.Contains(list, f) && f != Messages && f != Anthropic && f != Chat && f != Responses {
			list = append(list, f)
		}
	}
	return list
}

// Sniff returns the format of a file of size bytes, by its content. The error
// is [ErrFormat] or one of reading.
func Sniff(r io.ReaderAt, size int64) (Format, error) {
	l, err := find(r, size)
	if err != nil {
		return "", err
	}
	return l.format, nil
}

func find(r io.ReaderAt, size int64) (*layout, error) {
	if size <= 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrFormat)
	}
	p, err := look(r, size)
	if err != nil {
		return nil, err
	}
	for i := range layouts {
		if layouts[i].sniff(p) {
			return &layouts[i], nil
		}
	}
	return nil, ErrFormat
}
