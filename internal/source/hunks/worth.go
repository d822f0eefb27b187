package hunks

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
)

// What the parts of a diff are worth beside each other. The numbers are
// judgement; rank's profiles say what files are worth.
const (
	relevanceSpread = 2.5  // the most relevant file is worth e^2.5 times one of relevance 0
	testShare       = 0.4  // of a test, which says again what the code says
	quietShare      = 0.3  // of a change of comments or white space alone
	breakGain       = 2.0  // something exported is gone or changed
	exportGain      = 1.3  // something exported is new
	nextHunk        = 0.25 // how fast further hunks of one file lose worth
	lineWorth       = 0.05 // of a file that is told in one line
	plainLine       = 0.15 // of a changed line that is blank, a brace or an import
)

// RelevanceWorth turns the relevance of a file into worth.
func RelevanceWorth(f *change.Scored) float64 {
	w := math.Exp(relevanceSpread * (min(max(f.Relevance, 0), 1) - 1))
	if f.Class == "test" {
		w *= testShare
	}
	if f.Comments || f.Spaces {
		w *= quietShare
	}
	return w
}

// weigh sets the weights of all pieces: the worth of the file, times what the
// piece's changed lines say, times what is edited there. The second best piece of
// a file is worth less than the best, so that no file takes all the room.
func (s *Layout) weigh() {
	for i := range s.files {
		f := &s.files[i]
		scored := &s.Report.Files[i]
		worth := RelevanceWorth(scored)
		pieces := s.pieces[f.from:f.to]
		if f.line != "" {
			pieces[0].weight = lineWorth * worth
			continue
		}

		order := make([]int, len(pieces))
		for k := range pieces {
			pieces[k].weight = worth * (0.3 + math.Log2(1+telling(pieces[k].Body))) * editGain(scored, &pieces[k].Hunk)
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pieces[b].weight, pieces[a].weight) })
		for k, at := range order {
			pieces[at].weight /= 1 + nextHunk*float64(k)
		}
	}
}

// telling counts the changed lines of a hunk, those that say little as a part of
// a line.
func telling(body string) (n float64) {
	for line := range strings.Lines(body) {
		if line[0] != '+' && line[0] != '-' {
			continue
		}
		text := strings.TrimSpace(line[1:])
		switch {
		case len(text) <= 2, strings.HasPrefix(text, "import "), strings.HasPrefix(text, "use "), strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`):
			n += plainLine
		case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "#"), strings.HasPrefix(text, "*"), strings.HasPrefix(text, "/*"):
			n += 0.5
		default:
			n++
		}
	}
	return n
}

// editGain is by how much the edits that touch a part raise its worth.
func editGain(f *change.Scored, h *satchel.Hunk) float64 {
	gain := 1.0
	for i := range f.Edits {
		e := &f.Edits[i]
		if !e.Exported || e.Lines.From == 0 {
			continue
		}
		from, to := h.NewFrom, h.NewFrom+h.NewLines
		if e.OldSide {
			from, to = h.OldFrom, h.OldFrom+h.OldLines
		}
		if e.Lines.To < from || e.Lines.From >= to {
			continue
		}
		switch {
		case e.Breaks():
			return breakGain
		case e.Action == change.Adds:
			gain = exportGain
		}
	}
	return gain
}
