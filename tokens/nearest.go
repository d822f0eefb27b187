package tokens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/terms"
)

// mostNear is how many names an error lists.
const mostNear = 3

// An UnknownModelError is a name that no model has. [ModelByName] returns it.
type UnknownModelError struct {
	Name string   // at most 100 bytes of it
	Near []string // names that may have been meant, the most likely first
}

func (e *UnknownModelError) Error() string {
	s := fmt.Sprintf("unknown model %q", e.Name)
	if n := len(e.Near); n > 1 {
		return s + "; did you mean " + strings.Join(e.Near[:n-1], ", ") + " or " + e.Near[n-1] + "?"
	} else if n == 1 {
		return s + "; did you mean " + e.Near[0] + "?"
	}
	return s
}

// unknownModel is the error for a name that no model has.
func unknownModel(name string, models []Model) error {
	want := strings.ToLower(strings.TrimSpace(name))
	want = want[strings.LastIndexByte(want, '/')+1:]
	want = want[:min(len(want), longestName)]
	err := &UnknownModelError{Name: name[:min(len(name), longestName)]}
	err.Near = nearest(models, func(name string) (int, bool) {
		d := terms.Distance(want, name)
		return d, d <= max(len(want), len(name))/3
	})
	if len(err.Near) == 0 && want != "" { // a word of a name, such as sonnet
		err.Near = nearest(models, func(name string) (int, bool) {
			best := len(want)
			for _, word := range strings.Split(name, "-") {
				best = min(best, terms.Distance(want, word))
			}
			return best, best <= len(want)/3
		})
	}
	return err
}

// nearest returns the names of the models that are near by some measure, the
// nearest first, and of several those that come first in the table.
func nearest(models []Model, measure func(name string) (distance int, near bool)) (names []string) {
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, m := range models {
		if d, ok := measure(strings.ToLower(m.Name)); ok {
			found = append(found, near{m.Name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	for _, n := range found {
		if len(names) < mostNear && !slices.Contains(names, n.name) {
			names = append(names, n.name)
		}
	}
	return names
}

// longestName bounds the work, and the message, for a hostile name.
const longestName = 100
