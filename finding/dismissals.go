package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

// Limits of what is kept.
const (
	mostKept     = 500
	mostMatched  = 10 // findings that an ambiguous id lists
	leastPrefix  = 4
	longReason   = 300
	storeVersion = 1
)

// Dismissals are the findings of the last reviews and those that were dismissed. The
// zero value is empty, and methods that only read accept nil.
//
// The file may have come with a copied repository: [ReadDismissals] refuses values
// out of bounds.
type Dismissals struct {
	Version   int         `json:"version"`
	Recent    []Known     `json:"recent"`    // findings of the last reviews, oldest first
	Dismissed []Dismissal `json:"dismissed"` // oldest first
}

// A Known is a finding of an earlier review: its title and place, without its text.
type Known struct {
	Fingerprint string `json:"fingerprint"`
	Category    string `json:"category"`
	Path        string `json:"path"`
	Definition  string `json:"definition,omitempty"`
	Hash        string `json:"definition_hash"`
	Title       string `json:"title"`
}

// A Dismissal is a finding that reviews hide until the definition changes that it is
// about.
type Dismissal struct {
	Known
	Reason string    `json:"reason,omitempty"`
	Taken  time.Time `json:"taken,omitzero"`
}

// ReadDismissals reads what [Dismissals.Bytes] wrote. An empty file has no dismissals.
func ReadDismissals(b []byte) (*Dismissals, error) {
	d := &Dismissals{Version: storeVersion}
	if len(b) > 0 {
		if err := json.Unmarshal(b, d); err != nil {
			return nil, fmt.Errorf("it is damaged: %w", err)
		}
		if d.Version != storeVersion {
			return nil, fmt.Errorf("it has version %d; this satchel knows %d", d.Version, storeVersion)
		}
	}
	if len(d.Recent) > mostKept || len(d.Dismissed) > mostKept {
		return nil, fmt.Errorf("it is damaged: %d findings, want at most %d", max(len(d.Recent), len(d.Dismissed)), mostKept)
	}
	for i := range d.Recent {
		d.Recent[i].bound()
	}
	for i := range d.Dismissed {
		d.Dismissed[i].bound()
		d.Dismissed[i].Reason = short(d.Dismissed[i].Reason, longReason)
	}
	d.Recent, d.Dismissed = slices.Clip(d.Recent), slices.Clip(d.Dismissed)
	return d, nil
}

func (k *Known) bound() {
	k.Category, k.Path, k.Title = category(k.Category), short(k.Path, longPath), short(k.Title, longTitle)
	k.Definition = short(k.Definition, longPath)
}

func short(s string, n int) string { return clip.Cut(clean.Line(s).String(), n) }

// Bytes returns what a file keeps.
func (d *Dismissals) Bytes() ([]byte, error) {
	d.Version = storeVersion
	b, err := json.MarshalIndent(d, "", " ")
	return append(b, '\n'), err
}

// Record remembers the findings of a review, so that people can dismiss them by id.
func (d *Dismissals) Record(list []Finding) {
	for i := range list {
		f := &list[i]
		if f.Fingerprint == "" || f.State == Duplicate || f.Anchor == Unverified {
			continue
		}
		k := Known{Fingerprint: f.Fingerprint, Category: f.Category, Path: f.Path, Definition: f.Definition, Hash: f.Hash, Title: f.Title}
		k.bound()
		if at := d.recent(f.Fingerprint); at >= 0 {
			d.Recent = slices.Delete(d.Recent, at, at+1)
		}
		d.Recent = append(d.Recent, k)
	}
	d.Recent = newest(d.Recent)
}

func newest[T any](list []T) []T { return slices.Clone(list[max(0, len(list)-mostKept):]) }

func (d *Dismissals) recent(fingerprint string) int {
	return slices.IndexFunc(d.Recent, func(k Known) bool { return k.Fingerprint == fingerprint })
}

func (d *Dismissals) dismissal(fingerprint string) int {
	return slices.IndexFunc(d.Dismissed, func(k Dismissal) bool { return k.Fingerprint == fingerprint })
}

// An UnknownIDError says that an id means no finding, or several.
type UnknownIDError struct {
	ID  string
	Any []string // what it may mean
}

func (e *UnknownIDError) Error() string {
	if len(e.Any) > 0 {
		return fmt.Sprintf("id %s matches several findings: %s", clean.Inline(e.ID), strings.Join(e.Any, ", "))
	}
	return fmt.Sprintf("no finding of the last reviews has the id %s", clean.Inline(e.ID))
}

// one returns the only member of a list whose fingerprint begins with an id.
func one[T any](list []T, id string, known func(*T) *Known) (int, error) {
	e := &UnknownIDError{ID: clip.Cut(id, 80)}
	at := -1
	if len(id) >= leastPrefix {
		for i := range list {
			if k := known(&list[i]); strings.HasPrefix(k.Fingerprint, strings.ToLower(id)) {
				at = i
				e.Any = append(e.Any, k.Fingerprint[:min(len(k.Fingerprint), max(len(id)+4, 8))])
			}
		}
	}
	if len(e.Any) == 1 {
		return at, nil
	}
	e.Any = e.Any[:min(len(e.Any), mostMatched)]
	return -1, e
}

// Dismiss hides findings from later reviews. The reason may be empty. If an id is
// unknown or ambiguous, nothing is dismissed.
func (d *Dismissals) Dismiss(ids []string, reason string, now time.Time) (out []Known, err error) {
	for _, id := range ids {
		i, err := one(d.Recent, id, func(k *Known) *Known { return k })
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, d.Recent[i]) {
			out = append(out, d.Recent[i])
		}
	}
	for _, k := range out {
		if at := d.dismissal(k.Fingerprint); at >= 0 {
			d.Dismissed = slices.Delete(d.Dismissed, at, at+1)
		}
		d.Dismissed = append(d.Dismissed, Dismissal{k, short(reason, longReason), now.UTC().Truncate(time.Second)})
	}
	d.Dismissed = newest(d.Dismissed)
	return out, nil
}

// Forget takes a dismissal back.
func (d *Dismissals) Forget(id string) (Dismissal, error) {
	i, err := one(d.Dismissed, id, func(k *Dismissal) *Known { return &k.Known })
	if err != nil {
		return Dismissal{}, err
	}
	k := d.Dismissed[i]
	d.Dismissed = slices.Delete(d.Dismissed, i, i+1)
	return k, nil
}

// About reports whether a finding was dismissed, or was dismissed before the definition
// changed that it is about.
func (d *Dismissals) About(f *Finding) (dismissed, lapsed bool) {
	if d == nil {
		return false, false
	}
	i := d.dismissal(f.Fingerprint)
	if i < 0 {
		return false, false
	}
	same := d.Dismissed[i].Hash == f.Hash
	return same, !same
}
