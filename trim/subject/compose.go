package subject

import (
	"slices"
	"strings"
)

// An edit becomes one with the hunks whose text it changes: where its old text stands
// within what a hunk wrote, where it replaces all that a hunk wrote and more, and where
// the two overlap. Any other stands alone.
//
// It takes time to look for texts within texts. So that it stays linear, a file has
// few hunks, the newest, and only as many bytes are looked at as follow from the size
// of the conversation. Beyond that the hunks before an edit are forgotten: nobody
// knows whether what they wrote still stands.
const (
	leastCompose = 20      // bytes of the shortest text that is looked for: a shorter one may stand anywhere
	mostHunks    = 100     // of a file
	mostParts    = 64      // of a hunk, the newest
	mostPlaces   = 8       // at which two texts are tried for an overlap
	looksAt      = 64      // times the bytes of the conversation, and
	looksFreely  = 1 << 22 // bytes besides
)

// compose makes an edit one with the hunks that it changes.
func (o *opener) compose(f *File, e *Edit, d *deed) {
	made := &Hunk{Old: e.Old, New: e.New, Patch: e.Patch, Group: d.group, Parts: []int{d.call}}
	kept := f.Hunks[:f.barrier:f.barrier]
	var alone, changed []*Hunk // oldest last
	for _, h := range slices.Backward(f.Hunks[f.barrier:]) {
		if o.work -= 4*len(h.New) + len(e.Old) + leastCompose; o.work < 0 {
			kept, alone, f.barrier = nil, nil, 0
			break
		}
		n := 0
		if (len(changed) == 0 || e.All) && e.Old != "" && (!e.Patch || len(e.Old) >= leastCompose) {
			n = strings.Count(h.New, e.Old)
		}
		switch {
		case n == 1 || n > 1 && e.All:
			h.New = strings.ReplaceAll(h.New, e.Old, e.New)
			h.Group, h.Patch, h.Parts = d.group, e.Patch, bothParts(h.Parts, d.call)
			changed = append(changed, h)
		case !h.Whole && !e.All && len(changed) == 0 && made.takes(h, e):
		default:
			alone = append(alone, h)
		}
	}
	switch {
	case len(changed) == 0:
		changed = append(changed, made)
	case e.All && !slices.ContainsFunc(changed, func(h *Hunk) bool { return h.Whole }): // it may stand elsewhere, too
		changed = slices.Insert(changed, 0, made)
	}
	slices.Reverse(alone)
	slices.Reverse(changed)
	changed = slices.DeleteFunc(changed, func(h *Hunk) bool { return h.Old == h.New && !h.Whole }) // it was undone
	f.Hunks = slices.Concat(kept, alone, changed)                                                  // the newest stand last
	if more := len(f.Hunks) - mostHunks; more > 0 {
		f.Hunks, f.barrier = f.Hunks[more:], max(0, f.barrier-more)
	}
}

// takes makes an older hunk a part of one that an edit made, if the edit took out what
// the older one wrote, all of it or one end. It reports whether it did.
func (made *Hunk) takes(h *Hunk, e *Edit) bool {
	if len(h.New) < leastCompose || len(e.Old) < leastCompose {
		return false
	}
	if strings.Contains(e.Old, h.New) {
		made.Old = strings.Replace(made.Old, h.New, h.Old, 1)
	} else if n := overlap(h.New, e.Old); n > 0 && len(made.Old) >= n {
		made.Old, made.New = h.Old+made.Old[n:], h.New[:len(h.New)-n]+made.New
	} else if n := overlap(e.Old, h.New); n > 0 && len(made.Old) >= n {
		made.Old, made.New = made.Old[:len(made.Old)-n]+h.Old, made.New+h.New[n:]
	} else {
		return false
	}
	made.Parts = bothParts(h.Parts, made.Parts...)
	return true
}

// overlap returns how many bytes, of leastCompose or more, a text ends with that the
// next one begins with.
func overlap(text, next string) int {
	if len(next) < leastCompose {
		return 0
	}
	at := max(0, len(text)-len(next))
	for range mostPlaces {
		n := strings.Index(text[at:], next[:leastCompose])
		if n < 0 {
			return 0
		}
		if at += n; strings.HasPrefix(next, text[at:]) {
			return len(text) - at
		}
		at++
	}
	return 0
}

// bothParts returns the calls of a hunk and those that come after.
func bothParts(parts []int, more ...int) []int {
	parts = append(parts, more...)
	slices.Sort(parts)
	parts = slices.Compact(parts)
	return parts[max(0, len(parts)-mostParts):]
}
