package render

import (
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// What a person reads of a list. Of the files with at least this score, two in five tests
// and one in four others changed in the same commit (lab/related).
const (
	relatedRows  = 5
	likelyBelong = 0.05
)

// A RelatedList names files that belong to a change in one way.
type RelatedList struct {
	Title string
	Paths []string // of the files that are listed
	Lines []string // where each mentions the change, cleaned
	Why   []string // the two strongest reasons of each, in parentheses
	More  int      // likely files that are not listed
}

// RelatedLists returns the lists of what is likely to belong to a change, without those
// that are empty.
func RelatedLists(tests, others []satchel.Related) (lists []RelatedList) {
	for i, files := range [][]satchel.Related{tests, others} {
		l := RelatedList{Title: []string{"Tests", "Probably changes too"}[i]}
		for k := range files {
			f := &files[k]
			if f.Score < likelyBelong {
				break
			}
			if k >= relatedRows {
				l.More++
				continue
			}
			l.Paths = append(l.Paths, f.Path)
			l.Lines = append(l.Lines, relatedLine(f))
			l.Why = append(l.Why, "("+strings.Join(cleanAll(f.Reasons[:min(len(f.Reasons), 2)]), ", ")+")")
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

func cleanRelated(list []satchel.Related) []satchel.Related {
	out := slices.Clone(list)
	for i := range out {
		out[i].Path, out[i].Reasons = clean.Inline(out[i].Path), cleanAll(out[i].Reasons)
	}
	return out
}
