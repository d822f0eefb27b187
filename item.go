package satchel

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A Ref names a piece of context. Two Items with equal Refs are the same piece.
type Ref struct {
	Kind Kind   `json:"kind"`
	Path string `json:"path"`           // slash-separated path, URL, command line or label
	From int    `json:"from,omitempty"` // first line, 1-based; 0 means the whole
	To   int    `json:"to,omitempty"`   // last line, inclusive
	Old  bool   `json:"old,omitempty"`  // the lines are those of the old file, of a part of a change that only removes
}

// Compare orders Refs by kind, path and lines. Every sort of the engine ends
// with it, so that output never depends on input order.
func (r Ref) Compare(s Ref) int {
	return cmp.Or(
		strings.Compare(string(r.Kind), string(s.Kind)),
		strings.Compare(r.Path, s.Path),
		cmp.Compare(r.From, s.From),
		cmp.Compare(r.To, s.To),
		compareBool(r.Old, s.Old),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// String returns the Ref as path or path:from-to, which `satchel show` accepts.
func (r Ref) String() string {
	if r.From == 0 {
		return r.Path
	}
	return fmt.Sprintf("%s:%d-%d", r.Path, r.From, r.To)
}

// A Range is a range of lines, 1-based, both ends included.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// String returns the range as 7 or 7-9.
func (r Range) String() string {
	if r.To <= r.From {
		return strconv.Itoa(r.From)
	}
	return fmt.Sprintf("%d-%d", r.From, r.To)
}

// A Detail is how much of an Item is shown.
type Detail int

const (
	Omitted Detail = iota
	Mention        // one line: it exists
	Outline        // signatures, headings
	Trimmed        // the lines that matter, with marks where lines are left out
	Full           // everything
)

var detailNames = [...]string{"omitted", "mention", "outline", "trimmed", "full"}

func (d Detail) String() string {
	if d < 0 || int(d) >= len(detailNames) {
		return fmt.Sprintf("Detail(%d)", int(d))
	}
	return detailNames[d]
}

// ParseDetail is the inverse of [Detail.String].
func ParseDetail(s string) (Detail, error) {
	for i, n := range detailNames {
		if n == s && i > 0 {
			return Detail(i), nil
		}
	}
	return 0, fmt.Errorf("%q: want full, trimmed, outline or mention", s)
}

// MarshalText writes the name of the detail.
func (d Detail) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the name of a detail.
func (d *Detail) UnmarshalText(b []byte) (err error) {
	*d, err = ParseDetail(string(b))
	return err
}

// A Form is an Item's text at one level of detail.
type Form struct {
	Detail Detail
	Text   Text
	Tokens int     // tokens of Text, without the heading it is rendered under
	Lines  []Range // lines of the file whose text is shown, ascending; none for names and outlines

	// Worth is the share of the worth of all of the text that this form keeps; zero
	// means what is usual at its detail.
	Worth float64
}

// A Signal is something a source measured about an Item: a BM25 score, the
// number of changed lines, the age in days. Sources measure; only package rank
// judges.
type Signal struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// An Item is one candidate piece of context.
type Item struct {
	Ref     Ref
	Title   Text     // such as the name of the function; may be empty
	Lang    string   // language of the text, as internal/code/outline names it; may be empty
	Blob    string   // object id of the file's bytes; may be empty
	Dirty   bool     // the bytes are not in the commit
	Forms   []Form   // most detailed first
	Signals []Signal // what its source measured
	Group   string   // items of one non-empty Group are kept or left out together; for a call and its result, which sessions will offer
	Note    Text     // a sentence shown with it, such as a warning; may be empty
	Pinned  bool     // never left out
	Hunk    *Hunk    // of an Item of KindDiff: where in the change it stands
}

// A Hunk says where in a change an [Item] of [KindDiff] stands: a hunk of a changed
// file, a part of a long one, or a whole file.
type Hunk struct {
	File        int // place of the file among those that changed
	Number      int // of the hunk in its file, from 1; 0 stands for a file without hunks, or told in one line
	Part, Parts int // 1 and 1 if the hunk is in one piece

	OldFrom, OldLines int // as git writes them: OldFrom is the line before if OldLines is 0
	NewFrom, NewLines int
	Added, Removed    int // lines

	// CutBefore and CutAfter mean that a long run of changed lines goes on in
	// the part before, or after. Such a part is not a patch by itself.
	CutBefore, CutAfter bool

	Exact     bool   // its full text is byte for byte what git has: nothing redacted, clipped or cleaned
	Section   string // what stands after the ranges: what git takes for the enclosing definition
	Signature Text   // of the definition around it, or else Section
}

// Compare orders hunks of one file as they stand in it; hunks that are nil are equal
// to all.
func (h *Hunk) Compare(other *Hunk) int {
	if h == nil || other == nil {
		return 0
	}
	return cmp.Or(cmp.Compare(h.Number, other.Number), cmp.Compare(h.Part, other.Part))
}

// Lines returns the lines that the hunk is about: of the new file, or of the old
// one if it has none of the new.
func (h *Hunk) Lines() Range {
	from, lines := h.NewFrom, h.NewLines
	if lines == 0 {
		from, lines = h.OldFrom, h.OldLines
	}
	return Range{From: from, To: from + max(lines, 1) - 1}
}

// Ranges returns what git writes between hunks, without the section and the end of
// the line.
func (h *Hunk) Ranges() string {
	span := func(from, lines int) string {
		if lines == 1 {
			return strconv.Itoa(from)
		}
		return fmt.Sprintf("%d,%d", from, lines)
	}
	return "@@ -" + span(h.OldFrom, h.OldLines) + " +" + span(h.NewFrom, h.NewLines) + " @@"
}

// Signal returns the value of the named signal, if the source measured it.
func (it *Item) Signal(name string) (value float64, ok bool) {
	for _, s := range it.Signals {
		if s.Name == name {
			return s.Value, true
		}
	}
	return 0, false
}

// A Reason is one contribution to a [Score].
type Reason struct {
	Why string  `json:"why"`
	Add float64 `json:"add"`
}

// A Score is the list of reasons why an Item matters. Its value is computed
// from the reasons, so an explanation can never disagree with the number.
type Score []Reason

// Add appends a reason. A zero contribution is not recorded.
func (s *Score) Add(why string, add float64) {
	if add != 0 {
		*s = append(*s, Reason{why, add})
	}
}

// Value returns the plain sum of the contributions.
func (s Score) Value() float64 {
	var v float64
	for _, r := range s {
		v += r.Add
	}
	return v
}

// A Candidate is an Item that has been ranked.
type Candidate struct {
	Item
	Score Score
}

// A Symbol is a definition in a file.
type Symbol struct {
	Kind      string `json:"kind"` // func, method, type, class, interface, enum, const, var, field, module, macro, …
	Name      string `json:"name"`
	Parent    string `json:"parent,omitempty"` // dotted names of the enclosing definitions
	Signature string `json:"signature"`        // one line, without the body
	Doc       string `json:"doc,omitempty"`    // first sentence or line of its documentation
	From      int    `json:"from"`             // first line, doc comment and decorators included
	To        int    `json:"to"`               // last line
	NameLine  int    `json:"name_line"`        // line that holds the name
}
