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
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// fitted makes the candidates as a diff shows them. The pieces that are worth most
// for their length have forms with exact counts; the others are there with an
// estimate of all of their text, since they hardly have a chance.
func (s *Layout) fitted(budget int) []satchel.Candidate {
	order := make([]int, len(s.pieces))
	for i := range order {
		order[i] = i
	}
	density := func(i int) float64 {
		p := &s.pieces[i]
		return p.weight / math.Pow(float64(len(p.Body)+partHeading), scene.LengthExponent)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(density(b), density(a)), cmp.Compare(a, b)) })

	cands := make([]satchel.Candidate, len(order))
	room := budget * tokens.CodeBytes * exactShare
	var exact []int // of cands
	for k, i := range order {
		p := &s.pieces[i]
		cands[k] = s.candidate(p)
		cands[k].Ref = s.fitRef(i)
		if !p.line {
			room -= len(p.Body)
		}
		if p.line || room >= 0 {
			exact = append(exact, k)
		} else {
			cands[k].Forms = []satchel.Form{{Detail: satchel.Full, Tokens: len(p.Body)/3 + 16}}
		}
	}
	changeset.OnAllCores(len(exact), func(n int) {
		k := exact[n]
		cands[k].Forms = s.forms(&s.pieces[order[k]], s.length)
	})
	return cands
}

const (
	partHeading = 80 // bytes of the line above a hunk, and its part of a heading
	exactShare  = 6  // how many budgets of hunks are counted exactly
	lineLength  = 4  // tokens of a file told in one line, beside its path
)

// length counts what an entry takes in the text of a diff.
func (s *Layout) length(e satchel.Entry) int {
	if e.Hunk.Parts == 0 {
		return lineLength
	}
	return s.count.Count(render.HunkText(&e))
}

// fitRef names a piece for pack.Fit by its place in the report, which keeps two
// changes of one path apart. Neighbouring pieces touch, so that they share the cost
// of their file's heading.
func (s *Layout) fitRef(i int) satchel.Ref {
	p := &s.pieces[i]
	ref := satchel.Ref{Kind: satchel.KindDiff, Path: strconv.Itoa(p.File)}
	if !p.line {
		ref.From = i - s.files[p.File].from + 1
		ref.To = ref.From
	}
	return ref
}

// take reads what pack.Fit chose.
func (s *Layout) take(entries []satchel.Entry) choice {
	c := s.nothing()
	for _, e := range entries {
		i := s.files[e.Hunk.File].from + max(e.Ref.From, 1) - 1
		p := &s.pieces[i]
		if e.Ref = s.ref(p); e.Text.IsZero() && e.Detail == satchel.Full { // of an estimate
			e, _ = s.entry(p, e.Detail)
		}
		c[i] = e
	}
	return c
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

// value is what showing a form of a part is worth.
func value(c *satchel.Candidate, f *satchel.Form) float64 {
	return math.Exp(c.Score.Value()) * factors[f.Detail]
}

// factors are judgement, as those of package pack: the changed lines carry
// most of the worth of a hunk, and the name of what was changed more than its
// place alone.
var factors = [...]float64{satchel.Mention: 0.1, satchel.Outline: 0.25, satchel.Trimmed: 0.8, satchel.Full: 1}
