// Package pack chooses which candidates an agent gets to see, and in how much
// detail, so that they fit a token limit.
//
// It never reads a file, never calls a model and never judges relevance: the
// candidates come with their scores, and their forms with their tokens. [Fit]
// is the whole algorithm; its laws are listed there and checked by FuzzFit.
//
// All quantities are tokens. A Fit uses only its own memory, so any number may
// run at once.
package pack

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
)

// Options say how much room there is and what is worth showing. The zero value
// shows everything.
type Options struct {
	// Limit is the number of tokens that the entries, overhead included, may
	// take. Zero means no limit: every candidate at its most detail.
	Limit int

	// Detail is the most detail that any entry may have. Zero means Full.
	Detail satchel.Detail

	// Value says what showing a candidate in one of its forms is worth. Only
	// ratios matter. A form worth nothing (zero, negative, NaN) is shown only
	// if the candidate is pinned. Nil means [Value].
	Value func(c *satchel.Candidate, f *satchel.Form) float64

	// Length is the power of the tokens by which a step's gain in value is
	// divided to get its priority: 1 is value per token, and near 0 is value
	// whatever it costs. Zero means 1.
	//
	// Plain density is what a knapsack asks for if values are true. With
	// scores that only order well, it drowns the best functions in short
	// ones; dividing by tokens^0.3 gave the best recall of changed lines in
	// the first measurements.
	Length float64

	// Overhead is what rendering adds to the tokens of the forms.
	Overhead Overhead

	// File and Gap are what a further file and a further block of text cost a
	// reader, in tokens. They weigh when steps are compared and take no room: so
	// that a few files are shown well rather than scraps of many.
	File, Gap int
}

// Overhead is what rendering adds to the tokens of the forms, in tokens. The
// zero value means nothing.
//
// Text (full and trimmed forms) stands in blocks: candidates of one path that
// touch share a block. Outlines, mentions and notes of one path share a list.
type Overhead struct {
	File  func(path string) int                           // heading, once for each path shown; nil means none
	Block int                                             // line numbers and fence of a block
	List  int                                             // fence of a list
	Entry func(c *satchel.Candidate, f *satchel.Form) int // title and line numbers of one entry; nil means none
}

// IsText reports whether a form of this detail stands in a block of text,
// rather than as lines of a list. Notes are short, and stand in a list; so does
// most of what providers tell.
func IsText(k satchel.Kind, d satchel.Detail) bool {
	return d >= satchel.Trimmed && !k.List()
}

// Touch reports whether b starts on the line after a ends, so that their texts
// are shown as one block.
func Touch(a, b satchel.Ref) bool {
	return a.Path == b.Path && a.Kind == b.Kind && a.Old == b.Old && a.From > 0 && b.From > 0 && a.To+1 == b.From
}

// A Result is what [Fit] chose. It accounts for every candidate.
type Result struct {
	Entries []satchel.Entry    // by path and lines (hunks as they stand in their file), then by Ref.Compare
	Omitted []satchel.Omission // best score first, then by Ref.Compare
	Used    int                // tokens of the entries, overhead included
}

// WhyDetail is the reason of an Omission whose candidate, or a member of whose
// group, has no form within [Options.Detail].
const WhyDetail = "beyond the detail asked for"

// Factors by which showing less of a candidate is worth less than showing all
// of it; see [Value]. They are judgement: the lines that matter carry most of
// the worth, a signature saves a look-up, a name only says where to look. Of
// the trimmed one, 0.65 showed 73.9 % of the lines that tasks changed in packs of
// 8,000 tokens, where 0.8 showed 72.3.
var factors = [...]float64{
	satchel.Omitted: 0,
	satchel.Mention: 0.05,
	satchel.Outline: 0.2,
	satchel.Trimmed: 0.65,
	satchel.Full:    1,
}

// Value is the default of [Options.Value]: the exponential of the score, so
// that scores are the logarithms of odds, times 1 for a full form, 0.65 for a
// trimmed one, 0.2 for an outline and 0.05 for a mention; or times what the form
// itself says it is worth.
func Value(c *satchel.Candidate, f *satchel.Form) float64 {
	return math.Exp(c.Score.Value()) * factor(f)
}

func factor(f *satchel.Form) float64 {
	switch d := f.Detail; {
	case f.Worth > 0:
		return f.Worth
	case d < 0 || int(d) >= len(factors):
		return 0
	default:
		return factors[d]
	}
}

// Fit chooses at most one form of each candidate.
//
// Laws:
//   - The entries take at most Limit tokens, overhead included.
//   - Every candidate is accounted for exactly once, as an Entry or as an
//     Omission with its reason.
//   - A pinned candidate is always an Entry, in its shortest form if need be,
//     and grows before others are taken. If the pinned candidates do not fit,
//     Fit returns an [*satchel.OverflowError].
//   - Candidates of one non-empty Group are all Entries, each in a form of its
//     own, or all Omissions. A group with a pinned member is pinned.
//   - Nothing that was left out would still fit, and no entry could still grow
//     (as long as more is worth more). So if there is enough to say in small
//     pieces, the room is used.
//   - The result does not depend on the order of the candidates.
//
// The problem is a knapsack with multiple choice. Fit is greedy: it repeatedly
// takes the step (a new candidate, or more detail of one that was taken) with
// the highest priority among those that still fit. From the form a candidate
// has now, its step leads to whichever form has the highest ratio of gain to
// cost, so that with Length 1 it climbs the efficient frontier and dominated
// forms are passed over. The price of a step counts headings exactly: the
// first candidate of a file pays for the file's heading, and one that touches
// a block of text pays for no block of its own.
//
// Candidates should have distinct Refs, and those of one file should not
// overlap; if they do, Used is an upper bound.
func Fit(cands []satchel.Candidate, o Options) (*Result, error) {
	p := newPacker(cands, &o)
	if o.Limit == 0 {
		for i := range p.items {
			if p.items[i].ok {
				p.set(i, 0)
			}
		}
		return p.result(), nil
	}
	if err := p.pin(); err != nil {
		return nil, err
	}
	if p.anyPinned {
		p.climb(true)
	}
	// A step that lowers the cost of others (a file's heading paid, two blocks
	// made one) can make room for what was passed over, so climb until nothing
	// moves. Almost always the second round finds nothing.
	for p.climb(false) && p.again {
		p.again = false
	}
	return p.result(), nil
}

// compare orders candidates without regard to where they stood in the input.
func compare(a, b *satchel.Candidate) int {
	if c := a.Ref.Compare(b.Ref); c != 0 {
		return c
	}
	if c := cmp.Or(a.Title.Compare(b.Title), strings.Compare(a.Group, b.Group), strings.Compare(a.Blob, b.Blob), cmp.Compare(len(a.Forms), len(b.Forms))); c != 0 {
		return c
	}
	for i := range a.Forms {
		f, g := &a.Forms[i], &b.Forms[i]
		if c := cmp.Or(cmp.Compare(f.Detail, g.Detail), cmp.Compare(f.Tokens, g.Tokens), f.Text.Compare(g.Text)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Score.Value(), b.Score.Value())
}

// result lists what was chosen and what was not.
func (p *packer) result() *Result {
	// The items of a file are in order already.
	files := make([]*file, len(p.files))
	shown := 0
	for i := range p.files {
		files[i] = &p.files[i]
		shown += p.files[i].shown
	}
	slices.SortFunc(files, func(a, b *file) int { return strings.Compare(a.path, b.path) })

	r := &Result{Used: p.used, Entries: make([]satchel.Entry, 0, shown)}
	type ranked struct {
		score float64
		it    *item
	}
	out := make([]ranked, 0, len(p.items)-shown)
	for _, f := range files {
		for _, i := range f.items {
			it := &p.items[i]
			if it.now < 0 {
				out = append(out, ranked{it.score, it})
				continue
			}
			c, f := it.c, &it.forms[it.now]
			r.Entries = append(r.Entries, satchel.Entry{
				Ref: c.Ref, Title: c.Title, Lang: c.Lang, Blob: c.Blob, Dirty: c.Dirty, Pinned: c.Pinned,
				Detail: f.Detail, Lines: f.Lines, Text: f.Text, Tokens: max(f.Tokens, 0), Note: c.Note, Score: c.Score, Hunk: c.Hunk,
			})
		}
	}
	slices.SortFunc(out, func(a, b ranked) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		case a.score != b.score: // not a number
			if c := cmp.Compare(b.score, a.score); c != 0 {
				return c
			}
		}
		return compare(a.it.c, b.it.c)
	})
	r.Omitted = make([]satchel.Omission, len(out))
	for i, o := range out {
		it := o.it
		why := satchel.WhyNoRoom
		if !it.ok {
			why = WhyDetail
		}
		tokens := 0
		if len(it.c.Forms) > 0 {
			tokens = max(it.c.Forms[0].Tokens, 0)
		}
		r.Omitted[i] = satchel.Omission{Ref: it.c.Ref, Why: why, Score: it.score, Tokens: tokens}
	}
	return r
}
