package pack

import (
	"errors"
	"math"

	"github.com/satchel-dev/satchel"
)

// mostLayouts is how many layouts [Within] asks for.
const mostLayouts = 24

// guesses is how many of them follow from what the last one took; after that,
// the range that is left is halved.
const guesses = 8

// A Range is what [Within] looks for the limit of a layout in.
type Range struct {
	// First is tried first: the best guess, such as the room that is left.
	First int

	// Most is a limit that shows everything. Zero means that none is known.
	Most int

	// Each is how much a layout grows when its limit grows by one, about: 1 for a
	// limit in the unit of the budget. Zero means what the last layout took for
	// each.
	Each float64
}

// A Layout is what a limit comes to.
type Layout[T any] struct {
	Shown T
	Size  int  // in the unit of the budget
	Done  bool // a larger limit shows nothing more, or nothing worth another layout
}

// Within returns what is shown with the largest limit whose layout fits a
// budget. It is the one loop that fits a text whose headings, lists and receipt
// depend on what is shown: such a text has to be laid out before its size is
// known. Limits begin at 1 and are asked for at most 24 times, each once.
//
//   - What it returns is never larger than the budget.
//   - If nothing fits, ok is false; the smallest limit that was asked for is
//     then 1, if sizes grow with limits.
//   - If sizes grow with limits and no layout is Done, the next larger limit does
//     not fit, as long as 24 layouts are enough to find that out.
//
// An error of lay ends the search and is returned, but for an [*satchel.OverflowError]
// after something fitted.
func Within[T any](budget int, r Range, lay func(limit int) (Layout[T], error)) (shown T, ok bool, err error) {
	size := 0
	low, high := 0, math.MaxInt // limits that fit, and that do not
	if r.Most > 0 {
		high = r.Most + 1
	}
	limit := min(max(r.First, 1), high-1)
	for n := 1; n <= mostLayouts && low < limit && limit < high; n++ {
		l, err := lay(limit)
		if ok && errors.As(err, new(*satchel.OverflowError)) {
			break
		}
		if err != nil {
			return shown, ok, err
		}

		each := r.Each
		if each <= 0 {
			each = max(float64(l.Size)/float64(limit), 1e-9)
		}
		at := limit
		if l.Size <= budget {
			if !ok || l.Size >= size {
				shown, size, ok = l.Shown, l.Size, true
			}
			if l.Done || limit == r.Most {
				break
			}
			low = limit
			limit += max(1, int(float64(budget-l.Size)*0.9/each))
		} else {
			high = limit
			limit -= int(math.Ceil(float64(l.Size-budget+8) / each))
		}
		limit = within(limit, at, low, high, n)
	}
	return shown, ok, nil
}

// within keeps the guess for the next limit between those known to fit and not to.
func within(guess, last, low, high, n int) int {
	unbounded := high == math.MaxInt
	switch {
	case unbounded && n >= guesses:
		return max(guess, 2*last)
	case guess <= low, guess >= high, n >= guesses:
		return low + (high-low)/2
	}
	return guess
}

// Least returns the smallest budget above one that does not work that works:
// the Need of an [satchel.OverflowError]. It was tried and works, and one less was tried
// and does not. A guess that is right, or a little less, saves work; works(n) is
// taken to hold for all that is larger than one for which it holds, and 2^30 is
// more than any budget: ok is then false.
func Least(budget, guess int, works func(budget int) (bool, error)) (need int, ok bool, err error) {
	low, high := budget, max(guess, budget+1)
	for step := 1; ; step *= 2 {
		fits, err := works(high)
		if err != nil {
			return 0, false, err
		}
		if fits {
			break
		}
		if high > mostBudget {
			return 0, false, nil
		}
		low, high = high, high+step
	}

	// The first guess is right or a little off, so look near it first.
	for step := 1; low+1 < high; step *= 2 {
		n := max(low+(high-low)/2, high-step)
		fits, err := works(n)
		if err != nil {
			return 0, false, err
		}
		if fits {
			high = n
		} else {
			low = n
		}
	}
	return high, true, nil
}

// mostBudget is more than any window holds, and than any pinned files take.
const mostBudget = 1 << 30

// MostLayouts is how many layouts of one pack or diff are tried once one fits: the
// second is usually within a percent of the budget.
const MostLayouts = 8

// Filled reports whether a layout fills its budget well enough: what is left is
// less than most of what could be added takes.
func Filled(used, budget int) bool { return used <= budget && float64(used) >= 0.985*float64(budget) }
