package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Limits of what is one finding, and of what identifies it.
const (
	closeBy     = 3   // lines between ranges
	sameTitle   = 0.6 // how alike titles are, at one place
	sameElse    = 0.8 // in different files
	shortID     = 4   // characters
	mostPlaces  = 20
	mostMembers = 2000 // findings; more are not compared with all others
)

// Merge marks what is told twice as a [Duplicate] of the best telling of it, gives
// every finding its id, and sorts them: shown first by severity, confidence, path and
// line. It says the same whatever the order of the list, and the second time nothing
// more.
//
// Two findings are one if they stand at one place, or at most 3 lines apart, and are
// of one category or have titles that are much alike; or if they are of one category
// in several files and have titles that are almost the same, which makes them one
// finding with several places. The best telling is the one that a second look thinks
// most of, then the one with more confidence, then with more evidence.
func Merge(list []Finding) []Finding {
	out := slices.Clone(list)
	for i := range out {
		if out[i].State == Duplicate {
			out[i].State = Visible
		}
		out[i].Of, out[i].Places = "", nil
	}
	identifyAll(out)
	slices.SortFunc(out, better)
	var kept []int
	for i := range out {
		f := &out[i]
		if f.Anchor == Unverified || len(kept) > mostMembers {
			kept = append(kept, i)
			continue
		}
		at := slices.IndexFunc(kept, func(k int) bool { return same(&out[k], f) })
		if at < 0 {
			kept = append(kept, i)
			continue
		}
		best := &out[kept[at]]
		f.State, f.Of = Duplicate, best.ID
		p := Place{f.Path, f.From, f.To}
		if p != (Place{best.Path, best.From, best.To}) && len(best.Places) < mostPlaces && !slices.Contains(best.Places, p) && !together(best, f) {
			best.Places = append(best.Places, p)
		}
	}
	for i := range out {
		slices.SortFunc(out[i].Places, func(a, b Place) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
	}
	Sort(out)
	return out
}

// together reports whether two findings stand at one place.
func together(a, b *Finding) bool {
	return a.Path == b.Path && a.Side == b.Side && a.From > 0 && b.From > 0 && a.From-b.To <= closeBy && b.From-a.To <= closeBy
}

// same reports whether two findings are about one thing.
func same(a, b *Finding) bool {
	if b.Anchor == Unverified || a.Anchor == Unverified {
		return false
	}
	if a.Fingerprint == b.Fingerprint && a.Fingerprint != "" {
		return true
	}
	if together(a, b) {
		return a.Category == b.Category || alike(a.Title, b.Title) >= sameTitle
	}
	return a.Path != b.Path && a.Category == b.Category && alike(a.Title, b.Title) >= sameElse
}

// identifyAll makes ids as long as it takes to tell the findings apart.
func identifyAll(list []Finding) {
	prints := map[string]bool{}
	for i := range list {
		prints[list[i].Fingerprint] = true
	}
	n := shortID
	for ; n < 64; n++ {
		short := map[string]bool{}
		for p := range prints {
			short[p[:min(n, len(p))]] = true
		}
		if len(short) == len(prints) {
			break
		}
	}
	for i := range list {
		list[i].ID = list[i].Fingerprint[:min(n, len(list[i].Fingerprint))]
	}
}

// better orders tellings of one thing, the best first; equal are only equal ones.
func better(a, b Finding) int {
	order := cmp.Or(
		cmp.Compare(anchorRank(b.Anchor), anchorRank(a.Anchor)),
		cmp.Compare(verdictRank(b.Check), verdictRank(a.Check)),
		cmp.Compare(b.Confidence, a.Confidence),
		cmp.Compare(weight(&b), weight(&a)),
		cmp.Compare(severityRank(b.Severity), severityRank(a.Severity)),
		strings.Compare(a.Path, b.Path), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), strings.Compare(string(a.Side), string(b.Side)),
		strings.Compare(a.Fingerprint, b.Fingerprint), strings.Compare(a.Title, b.Title), strings.Compare(a.Trigger, b.Trigger),
		strings.Compare(a.Consequence, b.Consequence), strings.Compare(a.Body, b.Body), strings.Compare(a.Fix, b.Fix),
		strings.Compare(a.Why, b.Why), cmp.Compare(a.Part, b.Part),
	)
	if order == 0 { // all that is left to tell them apart
		order = strings.Compare(fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
	}
	return order
}

// anchorRank is 0 for what is verified nowhere: that is the best telling of nothing.
func anchorRank(a Anchor) int {
	if a == Unverified {
		return 0
	}
	return 1
}

func verdictRank(v Verdict) int {
	return slices.Index([]Verdict{Refuted, None, Unsure, Confirmed}, v)
}

func severityRank(s Severity) int { return slices.Index([]Severity{Low, Medium, High, Critical}, s) }

// AtLeast reports whether a severity is as bad as another, or worse.
func (s Severity) AtLeast(t Severity) bool { return severityRank(s) >= severityRank(t) }

// weight is how long the evidence is that stands.
func weight(f *Finding) (n int) {
	for _, e := range f.Evidence {
		if e.OK {
			n += len(e.Quote)
		}
	}
	return n
}

// Sort orders findings as they are shown: by severity, confidence, path and line.
func Sort(list []Finding) {
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(severityRank(b.Severity), severityRank(a.Severity)), cmp.Compare(b.Confidence, a.Confidence),
			strings.Compare(a.Path, b.Path), cmp.Compare(a.From, b.From), better(a, b),
		)
	})
}

// alike returns how much two texts have in common: of all rows of three characters
// that either has, the share that both have. Case, and what is no letter or digit,
// does not count.
func alike(a, b string) float64 {
	x, y := trigrams(a), trigrams(b)
	both := 0
	for t := range x {
		if y[t] {
			both++
		}
	}
	if len(x)+len(y) == 0 {
		return 0
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

func trigrams(s string) map[[3]rune]bool {
	set := map[[3]rune]bool{}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	row := [3]rune{' ', ' ', ' '}
	for _, w := range words {
		for _, r := range w + " " {
			row = [3]rune{row[1], row[2], r}
			set[row] = true
		}
	}
	return set
}
