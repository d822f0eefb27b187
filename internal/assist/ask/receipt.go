package ask

import (
	"cmp"
	"slices"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/tokens"
)

// receipt says what of the files stands in an Ask.
func (a *Ask) receipt(files []*change.Scored, sheets []*sheet, masks []mask) {
	place := map[*change.Scored]int{}
	for i, f := range files {
		place[f] = i
	}
	a.Receipt.Files = make([]Shown, len(files))
	for i, s := range sheets {
		var m mask
		if i < len(masks) {
			m = masks[i]
		}
		a.Receipt.Files[place[s.Scored]] = s.account(m)
		a.Receipt.Redacted += s.secrets
	}
	a.Receipt.Tokens = countOf(a.Shared) + countOf(a.Question)
}

// beside adds a file that is not part of the change, once.
func (a *Ask) beside(path string, how How) {
	same := func(s Shown) bool { return s.Path == path }
	if !slices.ContainsFunc(a.Receipt.Beside, same) && !slices.ContainsFunc(a.Receipt.Files, same) {
		a.Receipt.Beside = append(a.Receipt.Beside, Shown{Path: path, How: how})
	}
}

// countOf counts tokens.
func countOf(text string) int { return tokens.O200k().Count(text) }

// filesOf returns the files of a report that are wanted: all if none is named.
func filesOf(r *change.Report, names []string) []*change.Scored {
	var list []*change.Scored
	for i := range r.Files {
		if f := &r.Files[i]; len(names) == 0 || slices.Contains(names, f.Path) {
			list = append(list, f)
		}
	}
	return list
}

// budgetOr returns the tokens that an Ask may take.
func budgetOr(n int) int { return cmp.Or(max(n, 0), DefaultBudget) }

// DefaultBudget is how many tokens the first messages of an Ask take if nothing
// else is said.
const DefaultBudget = 24_000
