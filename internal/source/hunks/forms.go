package hunks

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/tokens"
)

// candidates makes items of the parts and of the lines of files. The parts that
// are worth most for their length have forms with exact counts; the others are
// there with an estimate of all of their text, since they hardly have a chance.
func (s *Layout) candidates(budget int) []satchel.Candidate {
	s.Weigh()
	order := make([]int, len(s.Parts))
	for i := range order {
		order[i] = i
	}
	density := func(i int) float64 {
		p := &s.Parts[i]
		return p.Weight / math.Pow(float64(len(p.body)+partHeading), scene.LengthExponent)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(density(b), density(a)), cmp.Compare(a, b)) })
	cands := make([]satchel.Candidate, len(order), len(order)+len(s.Files))
	room, exact := budget*tokens.CodeBytes*exactShare, 0
	for k, i := range order {
		p := &s.Parts[i]
		c := satchel.Candidate{Item: satchel.Item{Ref: partRef(p)}}
		c.Score.Add("worth", p.Weight)
		if room -= len(p.body); room >= 0 && k == exact {
			exact++
		} else {
			c.Forms = []satchel.Form{{Detail: satchel.Full, Tokens: len(p.body)/3 + 16}}
		}
		cands[k] = c
	}
	changeset.OnAllCores(exact, func(k int) { cands[k].Forms = s.forms(&s.Parts[order[k]]) })
	for i := range s.Files {
		if s.Files[i].Line == "" {
			continue
		}
		c := satchel.Candidate{Item: satchel.Item{Ref: satchel.Ref{Kind: satchel.KindDiff, Path: fileKey(i)}}}
		c.Score.Add("worth", LineWorth*RelevanceWorth(&s.Report.Files[i]))
		c.Forms = []satchel.Form{{Detail: satchel.Mention, Tokens: 4}}
		cands = append(cands, c)
	}
	return cands
}

const (
	partHeading = 80 // bytes of the line above a hunk, and its part of a heading
	exactShare  = 6  // how many budgets of hunks are counted exactly
)

// forms returns the forms of a part, most detailed first.
func (s *Layout) forms(p *Part) []satchel.Form {
	var forms []satchel.Form
	for d := satchel.Full; d > satchel.Omitted; d-- {
		if d == satchel.Trimmed {
			if _, ok := Trim(p.Text(s.Report.Files[p.File].Path).Text); !ok {
				continue
			}
		}
		h := s.Hunk(p, d)
		if d == satchel.Outline && h.Text == "" {
			continue
		}
		text := h.String()
		f := satchel.Form{Detail: d, Tokens: s.count.Count(text)}
		if n := len(forms); n > 0 && f.Tokens >= forms[n-1].Tokens {
			continue
		}
		forms = append(forms, f)
		if p.Number == 0 {
			break
		}
	}
	return forms
}

// partRef names a part for pack.Fit: neighbouring parts touch, so that they
// share the cost of their file's heading.
func partRef(p *Part) satchel.Ref {
	return satchel.Ref{Kind: satchel.KindDiff, Path: fileKey(int(p.File)), From: int(p.Ord), To: int(p.Ord)}
}

// fileKey names a file for pack.Fit by its place in the report, which keeps two
// changes of one path apart.
func fileKey(i int) string { return strconv.Itoa(i) }

// take reads what pack.Fit chose.
func (s *Layout) take(c *choice, entries []satchel.Entry) {
	for i := range entries {
		e := &entries[i]
		file, _ := strconv.Atoi(e.Ref.Path)
		if e.Ref.From == 0 {
			c.line[file] = true
			continue
		}
		c.detail[s.Files[file].From+e.Ref.From-1] = e.Detail
	}
}

// overhead is what headings add: a line for each file, and for those of which
// text is shown a heading with rules and the header of the patch. The latter is
// charged for each run of neighbouring hunks, which is a little too much.
func (s *Layout) overhead() pack.Overhead {
	lines := map[string]int{}
	block := 0
	if n := min(len(s.Report.Files), 20); n > 0 {
		for i := range n {
			f := &s.Report.Files[i]
			block += s.count.Count(strings.Repeat("━", 64))*2 + 30 + 3*s.count.Count(f.Path)
		}
		block /= n
	}
	if s.req.JSON {
		block += 60
	}
	return pack.Overhead{
		File: func(key string) int {
			n, ok := lines[key]
			if !ok {
				i, _ := strconv.Atoi(key)
				n = s.count.Count(s.Report.Files[i].Path) + 12
				lines[key] = n
			}
			return n
		},
		Block: block,
		List:  0,
	}
}

// hunkValue is what showing a form of a part is worth.
func hunkValue(c *satchel.Candidate, f *satchel.Form) float64 {
	return c.Score.Value() * hunkFactors[f.Detail]
}

// hunkFactors are judgement, as those of package pack: the changed lines carry
// most of the worth of a hunk, and the name of what was changed more than its
// place alone.
var hunkFactors = [...]float64{satchel.Mention: 0.1, satchel.Outline: 0.25, satchel.Trimmed: 0.8, satchel.Full: 1}
