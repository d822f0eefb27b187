package finding

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

// Limits of what is kept.
const (
	mostKept     = 500
	mostMatched  = 10 // findings that one id may mean, as they are listed
	leastPrefix  = 4
	mostCounted  = 1_000_000
	mostAdjusted = 10.0
	prior        = 20.0 // verdicts that a category has before anybody said anything
	longReason   = 300
	storeVersion = 1
)

// Dismissals are what people said of findings. The zero value holds none; a nil one
// has nothing to say.
//
// It is data of a file that may have come with a copied repository: [ReadDismissals]
// believes nothing of it but what is within bounds.
type Dismissals struct {
	Version   int               `json:"version"`
	Recent    []Known           `json:"recent"`    // findings of the last reviews, oldest first
	Dismissed []Dismissal       `json:"dismissed"` // oldest first
	Counts    map[string]Counts `json:"counts"`    // by category
}

// A Known is a finding of an earlier review, without its words but the title.
type Known struct {
	Fingerprint string `json:"fingerprint"`
	Category    string `json:"category"`
	Path        string `json:"path"`
	Definition  string `json:"definition,omitempty"`
	Hash        string `json:"definition_hash"`
	Title       string `json:"title"`
	Said        string `json:"said,omitempty"` // useful or dismissed, once somebody said so
}

// A Dismissal is a finding that nobody wants to see again, until the definition that
// it is about changes.
type Dismissal struct {
	Known
	Reason string    `json:"reason,omitempty"`
	Taken  time.Time `json:"taken,omitzero"`
}

// Counts are how often the findings of a category were useful, and how often not.
type Counts struct {
	Useful    int `json:"useful"`
	Dismissed int `json:"dismissed"`
}

// What people say of a finding.
const (
	SaidUseful    = "useful"
	SaidDismissed = "dismissed"
)

// ReadDismissals reads what [Dismissals.Bytes] wrote; no bytes are none.
func ReadDismissals(b []byte) (*Dismissals, error) {
	d := &Dismissals{Version: storeVersion}
	if len(b) > 0 {
		if err := json.Unmarshal(b, d); err != nil {
			return nil, fmt.Errorf("it is damaged: %w", err)
		}
		if d.Version != storeVersion {
			return nil, fmt.Errorf("it has version %d, and this satchel knows %d", d.Version, storeVersion)
		}
	}
	if len(d.Recent) > mostKept || len(d.Dismissed) > mostKept {
		return nil, fmt.Errorf("it is damaged: %d findings, and %d is the most", max(len(d.Recent), len(d.Dismissed)), mostKept)
	}
	for c, n := range d.Counts {
		if !slices.Contains(Categories, c) || n.Useful < 0 || n.Useful > mostCounted || n.Dismissed < 0 || n.Dismissed > mostCounted {
			return nil, fmt.Errorf("it is damaged: category %.40q", c)
		}
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

// Record remembers the findings of a review, so that people may say something of
// them by their ids. What was said of a finding before stays said.
func (d *Dismissals) Record(list []Finding) {
	for i := range list {
		f := &list[i]
		if f.Fingerprint == "" || f.State == Duplicate || f.Anchor == Unverified {
			continue
		}
		k := Known{Fingerprint: f.Fingerprint, Category: f.Category, Path: f.Path, Definition: f.Definition, Hash: f.Hash, Title: f.Title}
		k.bound()
		if at := d.recent(f.Fingerprint); at >= 0 {
			if d.Recent[at].Hash == k.Hash {
				k.Said = d.Recent[at].Said
			}
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
		return fmt.Sprintf("id %s means several findings: %s", clean.Inline(e.ID), strings.Join(e.Any, ", "))
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

// Dismiss remembers that nobody wants to see findings again, for a reason that may be
// empty. If an id means none or several, nothing is remembered.
func (d *Dismissals) Dismiss(ids []string, reason string, now time.Time) ([]Known, error) {
	return d.say(ids, SaidDismissed, func(k *Known) {
		if at := d.dismissal(k.Fingerprint); at >= 0 {
			d.Dismissed = slices.Delete(d.Dismissed, at, at+1)
		}
		d.Dismissed = newest(append(d.Dismissed, Dismissal{*k, short(reason, longReason), now.UTC().Truncate(time.Second)}))
	})
}

// Useful remembers that findings were worth showing, also those that were dismissed.
func (d *Dismissals) Useful(ids []string) ([]Known, error) {
	return d.say(ids, SaidUseful, func(k *Known) {
		if at := d.dismissal(k.Fingerprint); at >= 0 {
			d.Dismissed = slices.Delete(d.Dismissed, at, at+1)
		}
	})
}

func (d *Dismissals) say(ids []string, said string, also func(*Known)) (out []Known, err error) {
	var at []int
	for _, id := range ids {
		i, err := one(d.Recent, id, func(k *Known) *Known { return k })
		if err != nil {
			return nil, err
		}
		if !slices.Contains(at, i) {
			at = append(at, i)
		}
	}
	for _, i := range at {
		k := &d.Recent[i]
		d.count(k.Category, k.Said, -1)
		d.count(k.Category, said, 1)
		k.Said = said
		also(k)
		out = append(out, *k)
	}
	return out, nil
}

func (d *Dismissals) count(category, said string, by int) {
	if said == "" {
		return
	}
	if d.Counts == nil {
		d.Counts = map[string]Counts{}
	}
	n := d.Counts[category]
	if said == SaidUseful {
		n.Useful = min(max(0, n.Useful+by), mostCounted)
	} else {
		n.Dismissed = min(max(0, n.Dismissed+by), mostCounted)
	}
	if d.Counts[category] = n; n == (Counts{}) {
		delete(d.Counts, category)
	}
}

// Forget takes a dismissal back.
func (d *Dismissals) Forget(id string) (Dismissal, error) {
	i, err := one(d.Dismissed, id, func(k *Dismissal) *Known { return &k.Known })
	if err != nil {
		return Dismissal{}, err
	}
	k := d.Dismissed[i]
	d.Dismissed = slices.Delete(d.Dismissed, i, i+1)
	d.count(k.Category, SaidDismissed, -1)
	if at := d.recent(k.Fingerprint); at >= 0 {
		d.Recent[at].Said = ""
	}
	return k, nil
}

// About reports whether a finding was dismissed, or was until the definition changed
// that it is about.
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

// Adjust returns by how many percent more confidence findings of a category need to
// be shown, or less if it is negative: at most 10, and the nearer to it the more
// people agree.
func (d *Dismissals) Adjust(category string) int {
	if d == nil {
		return 0
	}
	n := d.Counts[category]
	all := float64(n.Useful + n.Dismissed)
	return int(math.Round(mostAdjusted * float64(n.Dismissed-n.Useful) / (all + prior)))
}
