// Package gitinternal exchanges snapshots with git-internal (0.4 to 0.8) and with
// Libra, which keeps git-internal's JSON in a history of its own.
//
// It is the exact form of that reference and nothing else: [FromRecord] and
// [ContextSnapshot.Encode] write it, [Decode] and [ContextSnapshot.Record] read
// it. What a snapshot is, package snapshot says.
package gitinternal

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/snapshot"
)

// A ContextSnapshot is the record of git-internal 0.7 and 0.8, which knows less
// than ours: no lines, no score, no tokens, nothing about what was left out.
//
// Its JSON follows serde's: fields in this order, no field that it does not
// know (its readers refuse them), blob ids as {"Sha1":[138,…]}, times with 0, 3,
// 6 or 9 digits.
type ContextSnapshot struct {
	ObjectID  string // UUID version 7
	CreatedAt time.Time
	CreatedBy actor
	Strategy  snapshot.Strategy
	Items     []contextItem
	Summary   string

	BaseCommit string // read from version 0.4; never written
}

// An actor is who made a ContextSnapshot.
type actor struct {
	Kind        string `json:"kind"` // human, agent, system, mcp_client or any other word
	ID          string `json:"id"`
	DisplayName string `json:"display_name,omitempty"`
}

// A contextItem is one item of a [ContextSnapshot].
type contextItem struct {
	Kind    snapshot.Kind
	Other   string // of snapshot.KindOther
	Path    string
	Preview string
	Blob    string // hex; may be empty

	ContentID string // SHA-256 of the contents, read from version 0.4; never written
}

// FromRecord returns a record as git-internal's readers take it. Parts of one
// file become one item, the file. taken is when the record was taken; it goes
// into the object's id, together with the record's own.
func FromRecord(r *snapshot.Record, taken time.Time) (*ContextSnapshot, error) {
	text, err := r.Canonical()
	if err != nil {
		return nil, err
	}
	s := &ContextSnapshot{
		ObjectID: uuid7(taken, snapshot.IDOf(text)), CreatedAt: taken, CreatedBy: actor{Kind: "agent", ID: "satchel"},
		Strategy: r.Strategy, Summary: r.Summary,
	}
	type file struct{ kind, other, path, blob string }
	seen := make(map[file]bool)
	for i := range r.Items {
		it := &r.Items[i]
		f := file{string(it.Kind), it.Other, it.Path, it.Blob}
		if seen[f] {
			continue
		}
		seen[f] = true
		s.Items = append(s.Items, contextItem{Kind: it.Kind, Other: it.Other, Path: it.Path, Preview: it.Preview, Blob: it.Blob})
	}
	return s, nil
}

// uuid7 makes a UUID of version 7 (RFC 9562) from a time and the first digits
// of a hash in the place of its random bits.
func uuid7(t time.Time, id string) string {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) < 10 {
		raw = make([]byte, 10)
	}
	var u [16]byte
	ms := uint64(t.UnixMilli())
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	copy(u[6:], raw[:10])
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// The wire forms. Pointers and omitempty follow git-internal's skip rules.
type (
	wireSnapshot struct {
		ObjectID   string            `json:"object_id"`
		ObjectType string            `json:"object_type"`
		Version    int               `json:"version"`
		CreatedAt  string            `json:"created_at"`
		CreatedBy  actor             `json:"created_by"`
		Strategy   snapshot.Strategy `json:"selection_strategy"`
		Items      []wireItem        `json:"items,omitempty"`
		Summary    string            `json:"summary,omitempty"`
	}
	wireItem struct {
		Kind    wireKind  `json:"kind"`
		Path    string    `json:"path"`
		Preview string    `json:"preview,omitempty"`
		Blob    *wireBlob `json:"blob,omitempty"`
	}
	wireKind struct {
		kind  snapshot.Kind
		other string
	}
	wireBlob struct{ hex string }
)

const objectType = "context_snapshot"

// maxPreview is the most characters of a preview: git-internal advises fewer
// than 500.
const maxPreview = 499

// MarshalJSON writes the object as git-internal 0.8 does, byte for byte, except
// that encoding/json escapes what it must; [ContextSnapshot.Encode] does not.
func (s *ContextSnapshot) MarshalJSON() ([]byte, error) { return s.Encode() }

// Encode returns the JSON of the object. It fails for what git-internal's
// readers refuse: a blank path, a preview that is too long, a bad blob id.
func (s *ContextSnapshot) Encode() ([]byte, error) {
	w := wireSnapshot{
		ObjectID: s.ObjectID, ObjectType: objectType, Version: 1, CreatedAt: serdeTime(s.CreatedAt),
		CreatedBy: s.CreatedBy, Strategy: s.Strategy, Summary: s.Summary,
	}
	if s.Strategy != snapshot.Explicit && s.Strategy != snapshot.Heuristic {
		return nil, fmt.Errorf("selection strategy %q: want explicit or heuristic", s.Strategy)
	}
	if strings.TrimSpace(s.CreatedBy.ID) == "" {
		return nil, errors.New("the creator has no id")
	}
	for i, it := range s.Items {
		if strings.TrimSpace(it.Path) == "" {
			return nil, fmt.Errorf("item %d has no path", i+1)
		}
		wi := wireItem{Kind: wireKind{it.Kind, it.Other}, Path: it.Path, Preview: clip.First(it.Preview, maxPreview)}
		if it.Blob != "" {
			if !snapshot.IsID(it.Blob) {
				return nil, fmt.Errorf("item %d, %s: blob id %q is not valid", i+1, it.Path, it.Blob)
			}
			wi.Blob = &wireBlob{it.Blob}
		}
		w.Items = append(w.Items, wi)
	}
	return snapshot.JSON(w)
}

// serdeTime writes a time as chrono's serde support does: in UTC, with the
// fewest of 0, 3, 6 and 9 digits that lose nothing.
func serdeTime(t time.Time) string {
	t = t.UTC()
	layout := "2006-01-02T15:04:05Z"
	switch ns := t.Nanosecond(); {
	case ns == 0:
	case ns%1e6 == 0:
		layout = "2006-01-02T15:04:05.000Z"
	case ns%1e3 == 0:
		layout = "2006-01-02T15:04:05.000000Z"
	default:
		layout = "2006-01-02T15:04:05.000000000Z"
	}
	return t.Format(layout)
}

func (k wireKind) MarshalJSON() ([]byte, error) {
	if k.kind == snapshot.KindOther {
		return snapshot.JSON(map[string]string{"other": k.other})
	}
	return snapshot.JSON(string(k.kind))
}

func (k *wireKind) UnmarshalJSON(b []byte) error {
	var name string
	if json.Unmarshal(b, &name) == nil {
		switch k.kind = snapshot.Kind(name); k.kind {
		case snapshot.KindFile, snapshot.KindURL, snapshot.KindSnippet, snapshot.KindCommand, snapshot.KindImage:
			return nil
		}
		k.kind, k.other = snapshot.KindOther, name
		return nil
	}
	var o struct {
		Other *string `json:"other"`
	}
	if err := json.Unmarshal(b, &o); err != nil || o.Other == nil {
		return fmt.Errorf("item kind %s: want a word or {\"other\": name}", clip.First(string(b), 60))
	}
	k.kind, k.other = snapshot.KindOther, *o.Other
	return nil
}

func (h *wireBlob) MarshalJSON() ([]byte, error) {
	raw, err := hex.DecodeString(h.hex)
	if err != nil {
		return nil, err
	}
	name := "Sha1"
	if len(raw) == 32 {
		name = "Sha256"
	}
	numbers := make([]int, len(raw))
	for i, b := range raw {
		numbers[i] = int(b)
	}
	return snapshot.JSON(map[string][]int{name: numbers})
}

// UnmarshalJSON takes {"Sha1":[…]} and, leniently, a hex string.
func (h *wireBlob) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		if text = strings.ToLower(text); !snapshot.IsID(text) {
			return fmt.Errorf("blob %q: want 40 or 64 hex digits", clip.First(text, 70))
		}
		h.hex = text
		return nil
	}
	var o map[string][]int
	if err := json.Unmarshal(b, &o); err != nil || len(o) != 1 {
		return fmt.Errorf("blob %s: want {\"Sha1\":[20 numbers]} or {\"Sha256\":[32 numbers]}", clip.First(string(b), 60))
	}
	for name, numbers := range o {
		if want := map[string]int{"Sha1": 20, "Sha256": 32}[name]; want == 0 || len(numbers) != want {
			return fmt.Errorf("blob: %s with %d numbers", clip.First(name, 20), len(numbers))
		}
		raw := make([]byte, len(numbers))
		for i, n := range numbers {
			if n < 0 || n > 255 {
				return fmt.Errorf("blob: %d is not a byte", n)
			}
			raw[i] = byte(n)
		}
		h.hex = hex.EncodeToString(raw)
	}
	return nil
}

// Decode reads a ContextSnapshot of git-internal 0.4, 0.6 or 0.7 and
// later. It is lenient where theirs are strict: fields that it does not know
// are passed over, blob ids may be hex, and the object's type may have any of
// the names that those versions and Libra use.
func Decode(text []byte) (*ContextSnapshot, error) {
	var w struct {
		wireSnapshot
		Items []struct {
			wireItem
			ContentID string `json:"content_id"`
		} `json:"items"`
		CreatedAt  time.Time `json:"created_at"`
		BaseCommit string    `json:"base_commit_sha"`
		Type       string    `json:"type"` // of 0.4
	}
	if err := json.Unmarshal(text, &w); err != nil {
		return nil, fmt.Errorf("read a git-internal snapshot: %w", err)
	}
	switch kind := w.ObjectType + w.Type; kind {
	case objectType, "snapshot", "":
	default:
		return nil, fmt.Errorf("read a git-internal snapshot: it is a %s", clip.First(kind, 60))
	}
	s := &ContextSnapshot{
		ObjectID: w.ObjectID, CreatedAt: w.CreatedAt, CreatedBy: w.CreatedBy, Strategy: w.Strategy,
		Summary: w.Summary, BaseCommit: strings.TrimRight(w.BaseCommit, "0"),
	}
	if len(w.BaseCommit) != 64 || len(s.BaseCommit) > 40 {
		s.BaseCommit = w.BaseCommit // not a SHA-1 that was filled up with zeros
	} else {
		s.BaseCommit = w.BaseCommit[:40]
	}
	if s.BaseCommit != "" && !snapshot.IsID(s.BaseCommit) {
		return nil, fmt.Errorf("read a git-internal snapshot: its base commit %q is not a commit id", clip.First(s.BaseCommit, 70))
	}
	s.Strategy = cmp.Or(s.Strategy, snapshot.Explicit)
	for i, it := range w.Items {
		if strings.TrimSpace(it.Path) == "" {
			return nil, fmt.Errorf("read a git-internal snapshot: item %d has no path", i+1)
		}
		ci := contextItem{Kind: it.Kind.kind, Other: it.Kind.other, Path: it.Path, Preview: it.Preview, ContentID: it.ContentID}
		ci.Kind = cmp.Or(ci.Kind, snapshot.KindFile)
		if it.Blob != nil {
			ci.Blob = it.Blob.hex
		}
		s.Items = append(s.Items, ci)
	}
	return s, nil
}

// Record returns what a record of ours can hold of the snapshot: its items
// without the bytes that their blobs name, its words, and the commit that the
// files without a blob are of.
func (s *ContextSnapshot) Record() *snapshot.Record {
	r := &snapshot.Record{Strategy: s.Strategy, Commit: s.BaseCommit, Summary: s.Summary}
	for _, it := range s.Items {
		r.Items = append(r.Items, snapshot.Item{Kind: it.Kind, Other: it.Other, Path: it.Path, Preview: it.Preview, Blob: it.Blob})
	}
	return r
}
