// Package snapshot says what an agent was shown, so that it can be checked,
// compared and shown again.
//
// A [Record] lists the items of a pack with the ids of their bytes, what was
// left out and why, the request and the budget. Its [Record.ID] is a hash of
// what it says and of no time, so that equal packs are one snapshot. The bytes
// themselves are blobs in an object store; this package computes their ids and
// hands them over, and never reads or writes a store itself.
//
// Start with [New] to make a Record, [Decode] to read one, [Compare] and
// [Record.Why] to ask it something.
//
// Everything is plain data. Lines are counted from 1, sizes are bytes, ids are
// lower-case hex.
package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
)

// version is the version of Record's JSON form. Version 1, which is read as well,
// has the Diagnostics under the key notes: its records keep their texts and ids.
const version = 2

// A Kind says what an [Item] is. KindOther stands for a kind that only another
// program knows; its name is in Item.Other.
type Kind string

const (
	KindFile    Kind = "file"    // a file of the repository, or a part of one
	KindURL     Kind = "url"     // a page, as somebody fetched it
	KindSnippet Kind = "snippet" // a text without a place
	KindCommand Kind = "command" // what a command printed
	KindImage   Kind = "image"
	KindOther   Kind = "other"
)

// A Strategy says how the items were selected.
type Strategy string

const (
	Explicit  Strategy = "explicit"  // a person or program named them
	Heuristic Strategy = "heuristic" // satchel chose them
)

// A Record is one snapshot. It holds no time: when it was taken is a fact about
// the store.
type Record struct {
	Version     int                  `json:"version"`
	Strategy    Strategy             `json:"strategy"`
	Commit      string               `json:"commit,omitempty"` // that the files are of, if any
	Request     *Request             `json:"request,omitempty"`
	Budget      int                  `json:"budget,omitempty"` // 0 means no limit
	Used        int                  `json:"used,omitempty"`
	Method      string               `json:"method,omitempty"` // how tokens were counted
	Sections    []satchel.Section    `json:"sections,omitempty"`
	Output      *Output              `json:"output,omitempty"` // the text as it was written; nil for items taken by hand
	Items       []Item               `json:"items"`
	Omitted     []satchel.Omission   `json:"omitted,omitempty"`
	Notes       []satchel.Diagnostic `json:"notes,omitempty"` // the Diagnostics of version 1; see [Record.Said]
	Diagnostics []satchel.Diagnostic `json:"diagnostics,omitempty"`
	Summary     string               `json:"summary,omitempty"`
}

// A Request is what was asked for.
type Request struct {
	Task    string   `json:"task,omitempty"`
	Rev     string   `json:"rev,omitempty"`
	Pinned  []string `json:"pinned,omitempty"`
	Paths   []string `json:"paths,omitempty"`
	Include []string `json:"include,omitempty"`
	Detail  string   `json:"detail,omitempty"`
}

// An Output is the rendered text of a pack.
type Output struct {
	Format string `json:"format"` // md, xml, json or plain
	Blob   string `json:"blob"`
	Size   int64  `json:"size"`
}

// A role says why an item is there.
type role string

const (
	Context role = "context" // it was chosen
	Pinned  role = "pinned"  // it was asked for by name
)

// An Item is one thing that the agent was shown.
type Item struct {
	Kind   Kind            `json:"kind"`
	Other  string          `json:"other,omitempty"` // of KindOther
	Path   string          `json:"path"`            // path, URL, command line or label
	From   int             `json:"from,omitempty"`  // first line of the item; 0 means the whole
	To     int             `json:"to,omitempty"`
	Role   role            `json:"role"`
	Title  string          `json:"title,omitempty"`
	Lang   string          `json:"lang,omitempty"`
	Detail satchel.Detail  `json:"detail"`
	Lines  []satchel.Range `json:"lines,omitempty"` // of the file whose text was shown
	Tokens int             `json:"tokens"`
	Score  satchel.Score   `json:"score,omitempty"` // the reasons; their sum is the score

	Blob     string `json:"blob"` // of the whole file, or of the item's text; "" in a draft only
	Size     int64  `json:"size"` // of the blob
	Mime     string `json:"mime"`
	Commit   string `json:"commit,omitempty"`   // in which Blob stands at Path
	Dirty    bool   `json:"dirty,omitempty"`    // the file was changed since, or is not tracked
	Redacted int    `json:"redacted,omitempty"` // secrets that were taken out before anything was stored
	Preview  string `json:"preview,omitempty"`  // the beginning, under 500 characters
}

// Ref names the item in messages: its path, with its lines if it is a part.
func (it *Item) Ref() string {
	return satchel.Ref{Path: it.Path, From: it.From, To: it.To}.String()
}

// Said returns what was met on the way, whatever the version.
func (r *Record) Said() []satchel.Diagnostic {
	if r.Version == 1 {
		return r.Notes
	}
	return r.Diagnostics
}

// Blobs returns the ids of all blobs of the record, each once, in the order in
// which they first occur.
func (r *Record) Blobs() []string {
	seen := make(map[string]bool)
	var ids []string
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	if r.Output != nil {
		add(r.Output.Blob)
	}
	for i := range r.Items {
		add(r.Items[i].Blob)
	}
	return ids
}

// A DraftError says that a record is not final: an item has no blob.
type DraftError struct {
	Item int
	Path string
}

func (e *DraftError) Error() string {
	return fmt.Sprintf("item %d, %s, has no blob: the snapshot is not final", e.Item+1, e.Path)
}

// check reports what is wrong with a record: a *[DraftError] if it is not final,
// or why it says something impossible.
func (r *Record) check() error {
	if r.Version > version {
		return fmt.Errorf("a newer satchel took the snapshot: its version is %d, and this one knows versions up to %d", r.Version, version)
	}
	if r.Version < 1 {
		return fmt.Errorf("snapshot version %d: want 1 to %d", r.Version, version)
	}
	if r.Strategy != Explicit && r.Strategy != Heuristic {
		return fmt.Errorf("selection strategy %q: want explicit or heuristic", r.Strategy)
	}
	if r.Output != nil && !IsID(r.Output.Blob) {
		return errors.New("the output has no blob: the snapshot is not final")
	}
	for i := range r.Items {
		if err := r.Items[i].check(i); err != nil {
			return err
		}
	}
	return nil
}

func (it *Item) check(i int) error {
	switch {
	case it.Blob == "":
		return &DraftError{i, it.Path}
	case !IsID(it.Blob):
		return fmt.Errorf("item %d, %s: blob id %q is not valid", i+1, it.Path, it.Blob)
	case strings.TrimSpace(it.Path) == "":
		return fmt.Errorf("item %d has no path", i+1)
	case it.Kind == KindOther && it.Other == "":
		return fmt.Errorf("item %d, %s: kind %q needs a name in other", i+1, it.Path, it.Kind)
	case it.Kind != KindOther && it.Other != "":
		return fmt.Errorf("item %d, %s: other is %q, which only kind %q may set, not %q", i+1, it.Path, it.Other, KindOther, it.Kind)
	case it.From < 0 || it.To < it.From || it.From == 0 && it.To != 0:
		return fmt.Errorf("item %d, %s: lines %d-%d", i+1, it.Path, it.From, it.To)
	}
	switch it.Kind {
	case KindFile, KindURL, KindSnippet, KindCommand, KindImage, KindOther:
		return nil
	}
	return fmt.Errorf("item %d, %s: unknown kind %q", i+1, it.Path, it.Kind)
}

// IsID reports whether s is a full object id, SHA-1 or SHA-256.
func IsID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Canonical returns the one JSON text of a record: its fields in the order of
// their declaration, without white space, and with no character escaped that
// JSON allows to stand. A byte that is no part of UTF-8, as in the name of an old
// file, is U+FFFD.
func (r *Record) Canonical() ([]byte, error) {
	if r.Items == nil {
		c := *r
		c.Items = []Item{}
		r = &c
	}
	return JSON(r)
}

// JSON writes a value as serde_json does: compact, without HTML's escapes, and
// with U+2028, U+2029 and U+FFFD as they are.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return unescape(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// unescape undoes the three escapes that encoding/json cannot be told to leave
// alone: two separators, and what it writes for a byte that is not UTF-8. Read
// back, that byte is U+FFFD and stands as itself; with the escape, a record that
// was read would have another text, and so another name, than when it was
// written. A backslash before the escape makes it text, so runs of backslashes
// are passed over in pairs.
func unescape(s []byte) []byte {
	if !bytes.Contains(s, []byte(`\u202`)) && !bytes.Contains(s, []byte(`\ufffd`)) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		switch {
		case bytes.HasPrefix(s[i:], []byte(`\u2028`)):
			out, i = append(out, "\u2028"...), i+5
		case bytes.HasPrefix(s[i:], []byte(`\u2029`)):
			out, i = append(out, "\u2029"...), i+5
		case bytes.HasPrefix(s[i:], []byte(`\ufffd`)):
			out, i = append(out, "\uFFFD"...), i+5
		default:
			out, i = append(out, s[i], s[i+1]), i+1
		}
	}
	return out
}

// IDOf returns the name of the record with this canonical JSON.
func IDOf(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Decode reads the canonical JSON of a record and checks it. Text that says the
// same in other bytes is refused: its hash is not the record's name.
func Decode(text []byte) (*Record, error) {
	var r Record
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("read a snapshot: %w", err)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	again, err := r.Canonical()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, text) {
		return nil, errors.New("read a snapshot: its JSON is not canonical")
	}
	return &r, nil
}
