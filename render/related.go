package render

import (
	"slices"
	"strconv"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// relatedRows is how many files of a list a person reads.
const relatedRows = 5

// A RelatedList names files that belong to a change in one way.
type RelatedList struct {
	Kind  string // tests or related
	Title string
	Paths []string // of the files that are listed
	Lines []string // where each mentions the change, cleaned
	Why   []string // the two strongest reasons of each, in parentheses
	More  int      // likely files that are not listed
}

// RelatedLists returns the lists of what is likely to belong to a change, without those
// that are empty.
func RelatedLists(tests, others []satchel.Related) []RelatedList {
	return relatedLists(tests, others, relatedRows)
}

// relatedLists is RelatedLists with that many rows, or with rows below 0, all files.
func relatedLists(tests, others []satchel.Related, rows int) (lists []RelatedList) {
	for i, files := range [][]satchel.Related{tests, others} {
		l := RelatedList{Kind: "tests", Title: "Tests"}
		if i == 1 {
			l = RelatedList{Kind: "related", Title: "Probably changes too"}
		}
		for k := range files {
			f := &files[k]
			switch {
			case rows < 0:
			case !f.Likely():
				continue
			case k >= rows:
				l.More++
				continue
			}
			l.Paths = append(l.Paths, f.Path)
			l.Lines = append(l.Lines, relatedLine(f))
			l.Why = append(l.Why, "("+clean.Inline(f.Why())+")")
		}
		if len(l.Paths) > 0 {
			lists = append(lists, l)
		}
	}
	return lists
}

// longestRelated is how many bytes of a signature a line shows.
const longestRelated = 80

func relatedLine(r *satchel.Related) string {
	s := quotePath(r.Path)
	if r.Line > 0 {
		s += ":" + strconv.Itoa(r.Line)
	}
	if def := r.Definition.Inline().Shorten(longestRelated).String(); def != "" {
		s += " " + def
	}
	return s
}

// tokensPerRelated is the budget for each file of a list. A line takes about 25 tokens, in
// JSON about 60.
const tokensPerRelated = 800

// RelatedWithin returns the files of a list that a budget has room for; 0 or less is no
// limit.
func RelatedWithin(list []satchel.Related, budget int) []satchel.Related {
	if budget <= 0 {
		return list
	}
	return list[:min(len(list), budget/tokensPerRelated)]
}

func cleanRelated(list []satchel.Related) []satchel.Related {
	out := slices.Clone(list)
	for i := range out {
		out[i].Path, out[i].Reasons = clean.Inline(out[i].Path), cleanAll(out[i].Reasons)
	}
	return out
}
