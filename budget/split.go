package budget

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Section is a part of a context window and what it asks for, in tokens.
type Section struct {
	Name string `json:"name"`

	// Min is what it needs; less would be of no use.
	Min int `json:"min"`

	// Want is what it is given before any section is given more than it wants.
	// Less than Min means Min.
	Want int `json:"want"`

	// Max is the most that an elastic section is given; 0 means no bound. Others
	// are given no more than they want.
	Max int `json:"max,omitempty"`

	// Weight is its part of what is divided, relative to the others'. 0 means 1.
	Weight float64 `json:"weight,omitempty"`

	// Elastic sections share what is left when all have what they want.
	Elastic bool `json:"elastic,omitempty"`

	// Drop says when the section may go if the minimums do not fit: 1 first,
	// then 2 and so on. 0 means never.
	Drop int `json:"drop,omitempty"`
}

// A Part is what a section is given.
type Part struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"` // never negative

	// Short is how much of its minimum is missing: all of it if the section was
	// dropped. It is 0 in every plan without an error.
	Short   int  `json:"short,omitempty"`
	Dropped bool `json:"dropped,omitempty"`
}

// A Division is a window divided. The tokens of the parts and Free add up to
// Window, always.
type Division struct {
	Window int    `json:"window"`
	Parts  []Part `json:"parts"` // in the order of the sections
	Free   int    `json:"free"`  // that no section takes
}

// Tokens returns what a section is given; 0 for an unknown name.
func (d *Division) Tokens(name string) int {
	for _, p := range d.Parts {
		if p.Name == name {
			return p.Tokens
		}
	}
	return 0
}

// A DeficitError says that the minimums do not fit into the window. Deficit is
// Need - Window.
type DeficitError struct {
	Need, Window, Deficit int
	Dropped               []string // the sections that the degraded plan leaves out, first to go first
	Short                 []string // those that still get less than their minimum
}

func (e *DeficitError) Error() string {
	return fmt.Sprintf("the sections need %d tokens, and the window has %d: %d are missing", e.Need, e.Window, e.Deficit)
}

// maxSections bounds the sections of a window, so that their sums stay small.
const maxSections = 1_000

// Split divides a window between sections.
//
// Every section first gets its minimum. What is left fills them, as water fills
// vessels of different width, up to what they want; and what is left then, the
// elastic ones up to their maximum. A section takes part in proportion to its
// weight until it is full, and what it cannot take goes to the others. Shares
// are whole tokens: the largest remainders get those that rounding leaves, the
// earlier section of two.
//
// If the minimums do not fit, the error is a [*DeficitError], and the division
// is a degraded plan, ready for use: optional sections are dropped in the order
// of Drop until the rest fits; if that is not enough, the rest share the window
// in proportion to their minimums. Any other error means that the sections make
// no sense.
func Split(window int, sections []Section) (Division, error) {
	if window < 0 || window > MostTokens {
		return Division{}, fmt.Errorf("split a window of %d tokens: want 0 to %d", window, MostTokens)
	}
	if len(sections) > maxSections {
		return Division{}, fmt.Errorf("split a window: %d sections, and %d is the most", len(sections), maxSections)
	}
	d := Division{Window: window, Parts: make([]Part, len(sections))}
	need := 0
	for i, s := range sections {
		if err := s.check(); err != nil {
			return Division{}, fmt.Errorf("split a window: section %q: %v", s.Name, err)
		}
		d.Parts[i].Name = s.Name
		need += s.Min
	}
	var deficit *DeficitError
	if need > window {
		deficit = &DeficitError{Need: need, Window: window, Deficit: need - window}
		d.drop(sections, need, deficit)
	} else {
		for i, s := range sections {
			d.Parts[i].Tokens = s.Min
		}
	}
	left := window
	for _, p := range d.Parts {
		left -= p.Tokens
	}
	room := make([]int, len(sections))
	for _, elastic := range []bool{false, true} {
		for i, s := range sections {
			room[i] = 0
			switch {
			case d.Parts[i].Dropped:
			case !elastic:
				room[i] = max(0, s.Want-d.Parts[i].Tokens)
			case s.Elastic:
				room[i] = max(0, cmp.Or(s.Max, MostTokens)-d.Parts[i].Tokens)
			}
		}
		for i, n := range fill(left, sections, room) {
			d.Parts[i].Tokens += n
			left -= n
		}
	}
	d.Free = left
	if deficit != nil {
		return d, deficit
	}
	return d, nil
}

func (s *Section) check() error {
	switch {
	case s.Min < 0 || s.Min > MostTokens:
		return fmt.Errorf("min %d: want 0 to %d tokens", s.Min, MostTokens)
	case s.Want < 0 || s.Want > MostTokens:
		return fmt.Errorf("want %d: want 0 to %d tokens", s.Want, MostTokens)
	case s.Max < 0 || s.Max > MostTokens || s.Max > 0 && s.Max < max(s.Min, s.Want):
		return fmt.Errorf("max %d: want 0, or what it needs and wants to %d tokens", s.Max, MostTokens)
	case !(s.Weight >= 0 && s.Weight <= maxWeight): // NaN too
		return fmt.Errorf("weight %v: want 0 to %g", s.Weight, float64(maxWeight))
	case s.Drop < 0:
		return fmt.Errorf("drop %d: want 0 or more", s.Drop)
	}
	return nil
}

// maxWeight keeps sums of weights exact enough to divide by.
const maxWeight = 1e6

// WeightOf is the weight of a section that shrinks in proportion to its tokens.
func WeightOf(n int) float64 { return float64(n) / MostTokens * maxWeight }

// drop leaves sections out until the minimums of the rest fit, and shortens
// those that cannot go.
func (d *Division) drop(sections []Section, need int, e *DeficitError) {
	var order []int
	for i := range sections {
		if sections[i].Drop > 0 {
			order = append(order, i)
		}
	}
	// Of the same rank, the later section goes first.
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(sections[a].Drop, sections[b].Drop), cmp.Compare(b, a))
	})
	for _, i := range order {
		if need <= d.Window {
			break
		}
		d.Parts[i].Dropped, d.Parts[i].Short = true, sections[i].Min
		need -= sections[i].Min
		e.Dropped = append(e.Dropped, sections[i].Name)
	}
	least := make([]float64, len(sections))
	for i, s := range sections {
		if !d.Parts[i].Dropped {
			d.Parts[i].Tokens = s.Min
			least[i] = float64(s.Min)
		}
	}
	if need <= d.Window {
		return
	}
	for i, n := range Apportion(d.Window, least) {
		d.Parts[i].Tokens = n
		if !d.Parts[i].Dropped && n < sections[i].Min {
			d.Parts[i].Short = sections[i].Min - n
			e.Short = append(e.Short, sections[i].Name)
		}
	}
}

// fill divides n by weight between sections that have room for so much.
func fill(n int, sections []Section, room []int) []int {
	given := make([]int, len(sections))
	weights := make([]float64, len(sections))
	for n > 0 {
		sum := 0.0
		for i := range sections {
			weights[i] = 0
			if room[i] > given[i] {
				weights[i] = cmp.Or(sections[i].Weight, 1)
				sum += weights[i]
			}
		}
		if sum == 0 {
			break
		}
		// Those that their part would fill are filled; what they leave is
		// divided anew. When none is left that would be filled, the rest is
		// divided to the token.
		full := false
		part := float64(n) / sum
		for i, w := range weights {
			if r := room[i] - given[i]; w > 0 && float64(r) <= part*w {
				r = min(r, n)
				given[i] += r
				n -= r
				full = true
			}
		}
		if full {
			continue
		}
		for i, k := range Apportion(n, weights) {
			k = min(k, room[i]-given[i])
			given[i] += k
			n -= k
		}
	}
	return given
}

// Apportion divides n into whole numbers in proportion to the weights, by
// largest remainder: each is at most 1 off its exact part, and they add up to
// n. Of equal remainders the earlier is served first. Weights that are not
// positive and finite get nothing; if all are such, so does everyone.
func Apportion(n int, weights []float64) []int {
	out := make([]int, len(weights))
	sum := 0.0
	for _, w := range weights {
		if usable(w) {
			sum += w
		}
	}
	if n <= 0 || !(sum > 0) || math.IsInf(sum, 0) {
		return out
	}
	type rest struct {
		i    int
		part float64
	}
	var rests []rest
	left := n
	for i, w := range weights {
		if !usable(w) {
			continue
		}
		exact := float64(n) * (w / sum)
		out[i] = min(int(exact), left) // rounding never gives away more than there is
		left -= out[i]
		rests = append(rests, rest{i, exact - math.Floor(exact)})
	}
	slices.SortStableFunc(rests, func(a, b rest) int { return cmp.Compare(b.part, a.part) })
	for k := 0; left > 0; k++ {
		out[rests[k%len(rests)].i]++
		left--
	}
	return out
}

func usable(w float64) bool { return w > 0 && !math.IsInf(w, 0) }
