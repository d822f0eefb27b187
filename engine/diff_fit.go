package engine

import (
	"cmp"
	"errors"
	"math"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/outline"
	"github.com/satchel-dev/satchel/pack"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A showing decides what is shown of a report: everything, what fits a budget,
// or what comes after that.
type showing struct {
	req    *DiffRequest
	report *change.Report
	files  []shownFile // of report.Files
	parts  []hunkPart  // in reading order: by file, most relevant first, then by hunk
	count  *tokens.Encoding
	breaks []render.DiffBreak
	digest string // see cursor
}

// A shownFile is what a showing knows of a changed file besides what is reported.
type shownFile struct {
	line       string // why it is told in one line; "" if its hunks are worth reading
	from, to   int    // its parts
	olds, news []satchel.Symbol
}

// newShowing divides the hunks of the files that are worth reading.
func newShowing(req *DiffRequest, r *change.Report, files []shownFile) *showing {
	s := &showing{req: req, report: r, files: files, count: tokens.O200k()}
	for i := range r.Files {
		f := &s.files[i]
		f.from = len(s.parts)
		if f.line == "" {
			for k := range r.Files[i].Hunks {
				s.parts = divide(s.parts, int32(i), k+1, &r.Files[i].Hunks[k])
			}
			if len(r.Files[i].Hunks) == 0 {
				s.parts = append(s.parts, hunkPart{file: int32(i), part: 1, parts: 1})
			}
		}
		f.to = len(s.parts)
		for k := f.from; k < f.to; k++ {
			s.parts[k].ord = int32(k - f.from + 1)
		}
	}
	s.breaks = s.broken()
	return s
}

// broken returns what the changes break, in the order of the report. Nobody
// outside relies on tests, and generated or vendored code is not ours to break.
// What files deleted from one folder exported stands together.
func (s *showing) broken() []render.DiffBreak {
	deleted := map[string]int{}
	for i := range s.report.Files {
		if f := &s.report.Files[i]; f.Status == change.Deleted {
			deleted[path.Dir(f.Path)]++
		}
	}
	folders := map[string]int{} // place in out
	var out []render.DiffBreak
	for i := range s.report.Files {
		f := &s.report.Files[i]
		if f.Class == string(outline.Test) || s.files[i].line != "" && f.Class != string(outline.Source) {
			continue
		}
		var edits []change.Edit
		for k := range f.Edits {
			if f.Edits[k].Breaks() {
				edits = append(edits, f.Edits[k])
			}
		}
		if len(edits) == 0 {
			continue
		}
		dir := path.Dir(f.Path)
		if f.Status != change.Deleted || deleted[dir] < 2 {
			out = append(out, render.DiffBreak{Path: f.Path, Edits: edits})
			continue
		}
		at, ok := folders[dir]
		if !ok {
			at = len(out)
			folders[dir] = at
			out = append(out, render.DiffBreak{Path: dir + "/"})
		}
		out[at].Edits = append(out[at].Edits, edits...)
		out[at].Deleted++
	}
	return out
}

// show decides.
func (s *showing) show() (*render.Diff, error) {
	switch {
	case s.req.Cursor != "":
		return s.continued()
	case s.req.Budget <= 0:
		return s.everything(), nil
	case s.req.Detail == DiffStandard:
		return s.fit(s.req.Budget)
	}
	return s.list()
}

// everything shows all that is there.
func (s *showing) everything() *render.Diff {
	all := newChoice(s)
	for i := range s.files {
		all.line[i] = true
	}
	for i := range s.parts {
		all.detail[i] = satchel.Full
	}
	d := s.diff(all)
	for i := range d.Files {
		d.Files[i].Whole = true
	}
	d.Listed = len(s.report.Files)
	d.Named = math.MaxInt
	return d
}

// list fits a summary: as many files as there is room for, most relevant first.
func (s *showing) list() (*render.Diff, error) {
	try := func(n int) (*render.Diff, error) {
		d := s.frame()
		d.Listed = n
		for i := n; i < len(s.report.Files); i++ {
			d.Omitted = append(d.Omitted, s.omittedFile(i, satchel.WhyNoRoom, satchel.Omitted))
		}
		d.Named = 0
		return d, s.settle(d)
	}
	best, err := try(0)
	if err != nil {
		return nil, err
	}
	if best.Used > s.req.Budget {
		_, err := smallest(s.req.Budget, func(budget int) (int, error) {
			best.Budget = budget
			err := s.settle(best)
			return best.Used, err
		})
		return nil, err
	}
	low, high := 0, len(s.report.Files)+1 // low fits, high does not
	for step := 1; low+1 < high; step *= 2 {
		n := low + (high-low)/2
		if high > len(s.report.Files) {
			n = min(low+step*16, high-1)
		}
		d, err := try(n)
		if err != nil {
			return nil, err
		}
		if d.Used <= s.req.Budget {
			low, best = n, d
		} else {
			high = n
		}
	}
	return best, nil
}

// A choice is how much is shown of each part, and which files have their line.
type choice struct {
	detail []satchel.Detail // of each part
	line   []bool           // of each file that is told in one line
}

func newChoice(s *showing) *choice {
	return &choice{make([]satchel.Detail, len(s.parts)), make([]bool, len(s.files))}
}

// frame returns a Diff that shows nothing.
func (s *showing) frame() *render.Diff {
	return &render.Diff{
		Report: s.report, Breaks: s.breaks, Standard: s.req.Detail == DiffStandard, Debug: s.req.Debug,
		Budget: max(s.req.Budget, 0), Listed: s.listed(), Named: s.named(),
	}
}

// listed is how many files the list of the profile iris-v2 has, which other
// profiles have in a summary only: it may take some tenth of the budget.
func (s *showing) listed() int {
	if s.report.Profile != rank.IrisV2.Name || s.req.Cursor != "" {
		return 0
	}
	return min(len(s.report.Files), s.req.Budget/400)
}

// named is how many files the list of what is left out names: it may take some
// twentieth of the budget.
func (s *showing) named() int { return min(40, max(3, s.req.Budget/500)) }

// diff returns what is shown if the choice is c.
func (s *showing) diff(c *choice) *render.Diff {
	d := s.frame()
	for i := range s.files {
		f := &s.files[i]
		scored := &s.report.Files[i]
		if f.line != "" {
			shown := satchel.Omitted
			if c.line[i] {
				shown = satchel.Mention
				d.Files = append(d.Files, render.DiffFile{Scored: scored, Line: f.line})
			}
			d.Omitted = append(d.Omitted, s.omittedFile(i, f.line, shown))
			continue
		}
		var out []render.DiffHunk
		for k := f.from; k < f.to; k++ {
			p := &s.parts[k]
			if c.detail[k] > satchel.Omitted {
				out = append(out, s.hunk(p, c.detail[k]))
			}
			if o, ok := s.omission(p, c.detail[k]); ok {
				d.Omitted = append(d.Omitted, o)
			}
		}
		if len(out) > 0 {
			d.Files = append(d.Files, render.DiffFile{Scored: scored, Hunks: out})
		}
	}
	return d
}

// hunk returns a part at some level of detail.
func (s *showing) hunk(p *hunkPart, detail satchel.Detail) render.DiffHunk {
	h := render.DiffHunk{
		Number: int(p.number), Part: int(p.part), Parts: int(p.parts),
		OldFrom: int(p.oldFrom), OldLines: int(p.oldLines), NewFrom: int(p.newFrom), NewLines: int(p.newLines),
		Added: int(p.added), Removed: int(p.removed),
		Detail: detail, CutBefore: p.cutBefore, CutAfter: p.cutAfter,
	}
	t := p.text(s.report.Files[p.file].Path)
	switch detail {
	case satchel.Full:
		h.Text, h.Exact, h.Section = t.text, t.exact, s.clean(p, p.section)
		if p.part > 1 {
			h.Section = s.signature(p)
		}
		if p.number == 0 {
			h.Exact = true
		}
	case satchel.Trimmed:
		kept, _ := trim(t.text)
		h.Text = kept.text
		h.Section = s.signature(p)
	case satchel.Outline:
		h.Text = s.signature(p)
	}
	return h
}

// signature returns that of the definition around the part, or what git takes
// for it, with secrets redacted.
func (s *showing) signature(p *hunkPart) string {
	f := &s.files[p.file]
	return cutText(s.clean(p, cmp.Or(p.enclosing(f.olds, f.news), p.section)), longestSignature)
}

// clean redacts the secrets in a line of a part's file.
func (s *showing) clean(p *hunkPart, line string) string {
	if line == "" {
		return ""
	}
	return redactPatch(s.report.Files[p.file].Path, " "+line)[1:]
}

// longestSignature is how many bytes of a signature are shown.
const longestSignature = 160

func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// omission says what is missing of a part that is shown in this detail.
func (s *showing) omission(p *hunkPart, detail satchel.Detail) (render.DiffOmission, bool) {
	f := &s.report.Files[p.file]
	o := render.DiffOmission{
		Path: f.Path, Hunk: int(p.number), Added: int(p.added), Removed: int(p.removed),
		From: int(p.newFrom), To: int(p.newFrom + max(p.newLines, 1) - 1),
		Lines: strings.Count(p.body, "\n"), Bytes: len(p.body), Why: satchel.WhyNoRoom, Shown: detail,
	}
	if p.newLines == 0 {
		o.From, o.To = int(p.oldFrom), int(p.oldFrom+max(p.oldLines, 1)-1)
	}
	if p.parts > 1 {
		o.Part = int(p.part)
	}
	switch {
	case detail == satchel.Full:
		if p.number == 0 || p.text(f.Path).clipped == 0 {
			return o, false
		}
		o.Lines, o.Bytes, o.Added, o.Removed, o.Why, o.Shown = 0, p.shown.clipped, 0, 0, whyLongLine, satchel.Trimmed
	case detail == satchel.Trimmed:
		kept, _ := trim(p.text(f.Path).text)
		o.Lines, o.Bytes = max(0, o.Lines-kept.lines), max(0, o.Bytes-kept.bytes)
		o.Added, o.Removed = o.Added-kept.added, o.Removed-kept.removed
	case p.number == 0:
		o.Bytes = len(f.Header)
	}
	return o, true
}

// whyLongLine is the reason of what is left out of lines that are too long.
const whyLongLine = "long lines"

// omittedFile says that the hunks of a file are not shown.
func (s *showing) omittedFile(i int, why string, shown satchel.Detail) render.DiffOmission {
	f := &s.report.Files[i]
	o := render.DiffOmission{Path: f.Path, Added: f.Added, Removed: f.Removed, Why: why, Shown: shown, Bytes: int(f.Elided)}
	for k := range f.Hunks {
		o.Lines += strings.Count(f.Hunks[k].Body, "\n")
		o.Bytes += len(f.Hunks[k].Body)
	}
	if len(f.Hunks) == 0 {
		o.Lines = f.Added + f.Removed
	}
	return o
}

// settle counts the text of d, which states its count if it is JSON.
func (s *showing) settle(d *render.Diff) error {
	d.Method = s.count.Name() + " exact"
	if !s.req.JSON {
		d.Used = s.count.Count(render.DiffText(d))
		return nil
	}
	// As render.Settle does: numbers settle after a round or two, and if not,
	// the larger one is stated.
	d.Used = 0
	for range 6 {
		_, counted, err := render.DiffJSON(d)
		if err != nil {
			return err
		}
		n := s.count.Count(counted)
		if n <= d.Used {
			break
		}
		d.Used = n
	}
	return nil
}

// fit shows what fits a budget, in the detail that fits.
//
// It is [pack.Fit] with hunks as Items, tried until the rendered text, whose
// headings and lists depend on what is shown, fits and fills the budget.
func (s *showing) fit(budget int) (*render.Diff, error) {
	_, d, err := s.choose(budget)
	return d, err
}

// choose is fit, and the choice that it made.
func (s *showing) choose(budget int) (*choice, *render.Diff, error) {
	least, err := s.least(budget)
	if err != nil {
		return nil, nil, err
	}
	cands := s.candidates(budget)
	over := s.overhead()
	var best *render.Diff
	var chosen *choice
	limit := budget - least
	low, high := 0, math.MaxInt // limits known to fit, and not to
	for round := 0; round < fitRounds || best == nil && round < mostRounds; round++ {
		c := newChoice(s)
		omitted := len(cands)
		if limit > 0 {
			r, err := pack.Fit(cands, pack.Options{Limit: limit, Length: lengthExponent, Value: hunkValue, Overhead: over})
			if err != nil {
				return nil, nil, err
			}
			s.take(c, r.Entries)
			omitted = len(r.Omitted)
		}
		d := s.diff(c)
		s.mark(d, c, budget)
		if err := s.settle(d); err != nil {
			return nil, nil, err
		}
		if d.Used <= budget {
			if best == nil || d.Used > best.Used {
				best, chosen = d, c
			}
			low = max(low, limit)
			if float64(d.Used) >= fullEnough*float64(budget) || omitted == 0 && s.all(c) {
				break
			}
			limit += (budget - d.Used) * 9 / 10
		} else {
			high = min(high, limit)
			limit -= d.Used - budget + 8
		}
		if limit <= low || limit >= high {
			if limit = low + (high-low)/2; high == math.MaxInt || limit <= low {
				break
			}
		}
	}
	if best == nil { // nothing beside the least
		c := newChoice(s)
		d := s.diff(c)
		s.mark(d, c, budget)
		return c, d, s.settle(d)
	}
	return chosen, best, nil
}

// all reports whether everything is shown in full.
func (s *showing) all(c *choice) bool {
	for i := range s.files {
		if s.files[i].line != "" && !c.line[i] {
			return false
		}
	}
	return !slices.ContainsFunc(c.detail, func(d satchel.Detail) bool { return d != satchel.Full })
}

// least returns the tokens of what is said in any case: the head, what breaks,
// and what is left out. If that does not fit, the error tells the smallest
// budget that works.
func (s *showing) least(budget int) (int, error) {
	return smallest(budget, func(budget int) (int, error) {
		t := s.within(budget)
		c := newChoice(t)
		d := t.diff(c)
		t.mark(d, c, budget)
		err := t.settle(d)
		return d.Used, err
	})
}

// within returns the showing with another budget.
func (s *showing) within(budget int) *showing {
	req := *s.req
	req.Budget = budget
	t := *s
	t.req = &req
	return &t
}

// smallest returns what used says of the budget if that is within it, and
// otherwise an error with the smallest budget that holds itself. What is used
// may grow with the budget, as more is named, but not faster.
func smallest(budget int, used func(budget int) (int, error)) (int, error) {
	n, err := used(budget)
	if err != nil || n <= budget {
		return n, err
	}
	need := budget + 1
	for n, err = used(need); err == nil && n > need; n, err = used(need) {
		need = n
	}
	for err == nil && need > budget+1 {
		if n, err = used(need - 1); n > need-1 {
			break
		}
		need--
	}
	return 0, cmp.Or(err, error(&pack.OverflowError{Need: need, Limit: budget}))
}

// candidates makes items of the parts and of the lines of files. The parts that
// are worth most for their length have forms with exact counts; the others are
// there with an estimate of all of their text, since they hardly have a chance.
func (s *showing) candidates(budget int) []satchel.Candidate {
	s.weigh()
	order := make([]int, len(s.parts))
	for i := range order {
		order[i] = i
	}
	density := func(i int) float64 {
		p := &s.parts[i]
		return p.weight / math.Pow(float64(len(p.body)+partHeading), lengthExponent)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(density(b), density(a)), cmp.Compare(a, b)) })
	cands := make([]satchel.Candidate, len(order), len(order)+len(s.files))
	room, exact := budget*bytesPerToken*exactShare, 0
	for k, i := range order {
		p := &s.parts[i]
		c := satchel.Candidate{Item: satchel.Item{Ref: partRef(p)}}
		c.Score.Add("worth", p.weight)
		if room -= len(p.body); room >= 0 && k == exact {
			exact++
		} else {
			c.Forms = []satchel.Form{{Detail: satchel.Full, Tokens: len(p.body)/3 + 16}}
		}
		cands[k] = c
	}
	onAllCores(exact, func(k int) { cands[k].Forms = s.forms(&s.parts[order[k]]) })
	for i := range s.files {
		if s.files[i].line == "" {
			continue
		}
		c := satchel.Candidate{Item: satchel.Item{Ref: satchel.Ref{Kind: satchel.KindDiff, Path: fileKey(i)}}}
		c.Score.Add("worth", lineWorth*relevanceWorth(&s.report.Files[i]))
		c.Forms = []satchel.Form{{Detail: satchel.Mention, Tokens: 4}}
		cands = append(cands, c)
	}
	return cands
}

// onAllCores calls fn for 0 to n-1.
func onAllCores(n int, fn func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	wg.Wait()
}

const (
	partHeading = 80 // bytes of the line above a hunk, and its part of a heading
	exactShare  = 6  // how many budgets of hunks are counted exactly
)

// forms returns the forms of a part, most detailed first.
func (s *showing) forms(p *hunkPart) []satchel.Form {
	var forms []satchel.Form
	for d := satchel.Full; d > satchel.Omitted; d-- {
		if d == satchel.Trimmed {
			if _, ok := trim(p.text(s.report.Files[p.file].Path).text); !ok {
				continue
			}
		}
		h := s.hunk(p, d)
		if d == satchel.Outline && h.Text == "" {
			continue
		}
		text := h.String()
		f := satchel.Form{Detail: d, Tokens: s.count.Count(text)}
		if n := len(forms); n > 0 && f.Tokens >= forms[n-1].Tokens {
			continue
		}
		forms = append(forms, f)
		if p.number == 0 {
			break
		}
	}
	return forms
}

// partRef names a part for pack.Fit: neighbouring parts touch, so that they
// share the cost of their file's heading.
func partRef(p *hunkPart) satchel.Ref {
	return satchel.Ref{Kind: satchel.KindDiff, Path: fileKey(int(p.file)), From: int(p.ord), To: int(p.ord)}
}

// fileKey names a file for pack.Fit by its place in the report, which keeps two
// changes of one path apart.
func fileKey(i int) string { return strconv.Itoa(i) }

// take reads what pack.Fit chose.
func (s *showing) take(c *choice, entries []satchel.Entry) {
	for i := range entries {
		e := &entries[i]
		file, _ := strconv.Atoi(e.Ref.Path)
		if e.Ref.From == 0 {
			c.line[file] = true
			continue
		}
		c.detail[s.files[file].from+e.Ref.From-1] = e.Detail
	}
}

// overhead is what headings add: a line for each file, and for those of which
// text is shown a heading with rules and the header of the patch. The latter is
// charged for each run of neighbouring hunks, which is a little too much.
func (s *showing) overhead() pack.Overhead {
	lines := map[string]int{}
	block := 0
	if n := min(len(s.report.Files), 20); n > 0 {
		for i := range n {
			f := &s.report.Files[i]
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
				n = s.count.Count(s.report.Files[i].Path) + 12
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

// isOverflow reports whether err is that of a budget that is too small.
func isOverflow(err error) bool { return errors.As(err, new(*pack.OverflowError)) }
