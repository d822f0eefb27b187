package hunks

import (
	"math"
	"slices"
	"strings"

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
	LineWorth       = 0.05 // of a file that is told in one line
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

// Weigh sets the weights of all parts: the worth of the file, times what the
// part's changed lines say, times what is edited there. The second best part of
// a file is worth less than the best, so that no file takes all the room.
func (s *Layout) Weigh() {
	for i := range s.Files {
		f := &s.Files[i]
		scored := &s.Report.Files[i]
		worth := RelevanceWorth(scored)
		parts := s.Parts[f.From:f.To]
		order := make([]int, len(parts))
		for k := range parts {
			parts[k].Weight = worth * (0.3 + math.Log2(1+telling(parts[k].body))) * editGain(scored, &parts[k])
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int {
			switch {
			case parts[a].Weight > parts[b].Weight:
				return -1
			case parts[a].Weight < parts[b].Weight:
				return 1
			}
			return a - b
		})
		for k, at := range order {
			parts[at].Weight /= 1 + nextHunk*float64(k)
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
func editGain(f *change.Scored, p *Part) float64 {
	gain := 1.0
	for i := range f.Edits {
		e := &f.Edits[i]
		if !e.Exported || e.Lines.From == 0 {
			continue
		}
		from, to := int(p.NewFrom), int(p.NewFrom+p.NewLines)
		if e.OldSide {
			from, to = int(p.OldFrom), int(p.OldFrom+p.OldLines)
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
