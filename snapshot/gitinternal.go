package snapshot

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
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
	CreatedBy Actor
	Strategy  Strategy
	Items     []ContextItem
	Summary   string

	BaseCommit string // read from version 0.4; never written
}

// An Actor is who made a ContextSnapshot.
type Actor struct {
	Kind        string `json:"kind"` // human, agent, system, mcp_client or any other word
	ID          string `json:"id"`
	DisplayName string `json:"display_name,omitempty"`
}

// A ContextItem is one item of a [ContextSnapshot].
type ContextItem struct {
	Kind    Kind
	Other   string // of KindOther
	Path    string
	Preview string
	Blob    string // hex; may be empty

	ContentID string // SHA-256 of the contents, read from version 0.4; never written
}

// GitInternal returns a record as git-internal's readers take it. Parts of one
// file become one item, the file. taken is when the record was taken; it goes
// into the object's id, together with the record's own.
func GitInternal(r *Record, taken time.Time) (*ContextSnapshot, error) {
	id, err := r.ID()
	if err != nil {
		return nil, err
	}
	s := &ContextSnapshot{
		ObjectID: uuid7(taken, id), CreatedAt: taken, CreatedBy: Actor{Kind: "agent", ID: "satchel"},
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
		s.Items = append(s.Items, ContextItem{Kind: it.Kind, Other: it.Other, Path: it.Path, Preview: it.Preview, Blob: it.Blob})
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
		ObjectID   string     `json:"object_id"`
		ObjectType string     `json:"object_type"`
		Version    int        `json:"version"`
		CreatedAt  string     `json:"created_at"`
		CreatedBy  Actor      `json:"created_by"`
		Strategy   Strategy   `json:"selection_strategy"`
		Items      []wireItem `json:"items,omitempty"`
		Summary    string     `json:"summary,omitempty"`
	}
	wireItem struct {
		Kind    wireKind  `json:"kind"`
		Path    string    `json:"path"`
		Preview string    `json:"preview,omitempty"`
		Blob    *wireBlob `json:"blob,omitempty"`
	}
	wireKind struct {
		kind  Kind
		other string
	}
	wireBlob struct{ hex string }
)

const objectType = "context_snapshot"

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
	if s.Strategy != Explicit && s.Strategy != Heuristic {
		return nil, fmt.Errorf("selection strategy %q: want explicit or heuristic", s.Strategy)
	}
	if strings.TrimSpace(s.CreatedBy.ID) == "" {
		return nil, errors.New("the creator has no id")
	}
	for i, it := range s.Items {
		if strings.TrimSpace(it.Path) == "" {
			return nil, fmt.Errorf("item %d has no path", i+1)
		}
		wi := wireItem{Kind: wireKind{it.Kind, it.Other}, Path: it.Path, Preview: cut(it.Preview, maxPreview)}
		if it.Blob != "" {
			if !hexID(it.Blob) {
				return nil, fmt.Errorf("item %d, %s: blob id %q is not valid", i+1, it.Path, it.Blob)
			}
			wi.Blob = &wireBlob{it.Blob}
		}
		w.Items = append(w.Items, wi)
	}
	return encode(w)
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
	if k.kind == KindOther {
		return encode(map[string]string{"other": k.other})
	}
	return encode(string(k.kind))
}

func (k *wireKind) UnmarshalJSON(b []byte) error {
	var name string
	if json.Unmarshal(b, &name) == nil {
		switch k.kind = Kind(name); k.kind {
		case KindFile, KindURL, KindSnippet, KindCommand, KindImage:
			return nil
		}
		k.kind, k.other = KindOther, name
		return nil
	}
	var o struct {
		Other *string `json:"other"`
	}
	if err := json.Unmarshal(b, &o); err != nil || o.Other == nil {
		return fmt.Errorf("item kind %s: want a word or {\"other\": name}", cut(string(b), 60))
	}
	k.kind, k.other = KindOther, *o.Other
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
	return encode(map[string][]int{name: numbers})
}

// UnmarshalJSON takes {"Sha1":[…]} and, leniently, a hex string.
func (h *wireBlob) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		if text = strings.ToLower(text); !hexID(text) {
			return fmt.Errorf("blob %q: want 40 or 64 hex digits", cut(text, 70))
		}
		h.hex = text
		return nil
	}
	var o map[string][]int
	if err := json.Unmarshal(b, &o); err != nil || len(o) != 1 {
		return fmt.Errorf("blob %s: want {\"Sha1\":[20 numbers]} or {\"Sha256\":[32 numbers]}", cut(string(b), 60))
	}
	for name, numbers := range o {
		if want := map[string]int{"Sha1": 20, "Sha256": 32}[name]; want == 0 || len(numbers) != want {
			return fmt.Errorf("blob: %s with %d numbers", cut(name, 20), len(numbers))
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

// FromGitInternal reads a ContextSnapshot of git-internal 0.4, 0.6 or 0.7 and
// later. It is lenient where theirs are strict: fields that it does not know
// are passed over, blob ids may be hex, and the object's type may have any of
// the names that those versions and Libra use.
func FromGitInternal(text []byte) (*ContextSnapshot, error) {
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
		return nil, fmt.Errorf("read a git-internal snapshot: it is a %s", cut(kind, 60))
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
	if s.BaseCommit != "" && !hexID(s.BaseCommit) {
		return nil, fmt.Errorf("read a git-internal snapshot: its base commit %q is no commit id", cut(s.BaseCommit, 70))
	}
	if s.Strategy == "" {
		s.Strategy = Explicit
	}
	for i, it := range w.Items {
		if strings.TrimSpace(it.Path) == "" {
			return nil, fmt.Errorf("read a git-internal snapshot: item %d has no path", i+1)
		}
		ci := ContextItem{Kind: it.Kind.kind, Other: it.Kind.other, Path: it.Path, Preview: it.Preview, ContentID: it.ContentID}
		if ci.Kind == "" {
			ci.Kind = KindFile
		}
		if it.Blob != nil {
			ci.Blob = it.Blob.hex
		}
		s.Items = append(s.Items, ci)
	}
	return s, nil
}
