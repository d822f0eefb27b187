package ask

import (
	"cmp"
	"slices"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/pack"
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

// beside adds a file that is not part of the change.
func (a *Ask) beside(path string, how How) {
	if !slices.ContainsFunc(a.Receipt.Files, func(s Shown) bool { return s.Path == path }) {
		a.Receipt.Beside = Join(a.Receipt.Beside, Shown{Path: path, How: how})
	}
}

// Join adds files to a list. Of a file that is already there it keeps what shows more.
func Join(list []Shown, more ...Shown) []Shown {
	rank := []How{Full, Folded, Part, Listed}
	at := make(map[string]int, len(list))
	for i := range list {
		at[list[i].Path] = i
	}
	for _, s := range more {
		i, ok := at[s.Path]
		if !ok {
			at[s.Path] = len(list)
			list = append(list, s)
		} else if slices.Index(rank, s.How) < slices.Index(rank, list[i].How) {
			list[i] = s
		}
	}
	return list
}

// countOf counts tokens.
func countOf(text string) int { return tokens.O200k().Count(text) }

// fit returns the text of the highest limit that fits a number of tokens, or
// false if no limit fits.
func fit(room int, r pack.Range, write func(limit int) string) (string, bool) {
	s, ok, _ := pack.Within(room, r, func(limit int) (pack.Layout[string], error) {
		s := write(limit)
		return pack.Layout[string]{Shown: s, Size: countOf(s)}, nil
	})
	return s, ok
}

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
