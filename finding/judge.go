package finding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Rules say which findings are shown.
type Rules struct {
	Confidence int      // the least, in percent; zero means 70
	Severity   Severity // the least; empty means low

	Dismissals *Dismissals     // nil hides nothing
	Baseline   map[string]bool // fingerprints of known findings; see [ReadBaseline]
}

// DefaultConfidence is the least that a finding needs to be shown.
const DefaultConfidence = 70

// Judge sets the State of each finding, and notes the reason where it is not plain.
// [Merge] has marked the duplicates before.
func Judge(list []Finding, r *Rules) {
	r = cmp.Or(r, &Rules{})
	least := cmp.Or(r.Confidence, DefaultConfidence)
	for i := range list {
		f := &list[i]
		if f.State == Duplicate {
			continue
		}
		f.State = r.state(f, least)
	}
}

func (r *Rules) state(f *Finding, least int) State {
	if f.Anchor == Unverified || f.Anchor == "" {
		return Unfounded
	}
	if f.Check == Refuted {
		return Disproved
	}
	dismissed, lapsed := r.Dismissals.About(f)
	switch {
	case lapsed:
		f.mark(markLapsed)
	case dismissed && f.Severity == Critical:
		f.mark(markCritical)
	case dismissed:
		return Dismissed
	}
	switch {
	case r.Baseline[f.Fingerprint]:
		return AlreadyKnew
	case f.Confidence < least, r.Severity != "" && !f.Severity.AtLeast(r.Severity):
		return TooLow
	}
	return Visible
}

// Notes on dismissed findings that are shown nevertheless.
const (
	markLapsed   = "dismissed before a change"
	markCritical = "dismissed earlier, but too severe to hide"
)

// mark is note, once.
func (f *Finding) mark(why string) {
	if f.Why != why && !strings.HasSuffix(f.Why, "; "+why) {
		f.note(why)
	}
}

// A Count is how many findings have a state.
type Count struct {
	State State `json:"state"`
	Count int   `json:"count"`
}

// Hidden counts the findings that are not shown, by why.
func Hidden(list []Finding) (out []Count) {
	for _, s := range []State{TooLow, Disproved, Unfounded, Dismissed, AlreadyKnew, Duplicate} {
		n := 0
		for i := range list {
			if list[i].State == s {
				n++
			}
		}
		if n > 0 {
			out = append(out, Count{s, n})
		}
	}
	return out
}

// Shown returns the findings that are shown.
func Shown(list []Finding) (out []Finding) {
	for i := range list {
		if list[i].State == Visible {
			out = append(out, list[i])
		}
	}
	return out
}

// ReadBaseline returns the fingerprints of the findings of an earlier review, in the
// JSON that satchel review writes.
func ReadBaseline(text []byte) (map[string]bool, error) {
	var doc struct {
		Version  int `json:"version"`
		Findings []struct {
			Fingerprint string `json:"fingerprint"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	if doc.Version != 1 {
		return nil, fmt.Errorf("baseline: it has version %d, want 1, as satchel review --json writes it", doc.Version)
	}
	known := map[string]bool{}
	for _, f := range doc.Findings {
		if f.Fingerprint != "" {
			known[f.Fingerprint] = true
		}
	}
	return known, nil
}
