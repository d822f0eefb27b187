// Package changeset measures a change: its files with their semantic edits, signals
// and scores, and the repository around them. It also divides a changeset into tasks.
//
// Start with [Measure]; package hunks decides what to show of its report.
package changeset

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// Details of a diff.
const (
	DiffSummary  = "summary"  // the files, by relevance
	DiffStandard = "standard" // with their hunks
)

// A Request asks what changed. At most one of Range, Commit, From with To, Base,
// Source and Patch is set; if none is, it is what is staged, else the work tree.
type Request struct {
	// Range is as git diff means it: A..B, A...B, A^! for a commit's own change, A
	// for the files on disk against A; or stash@{0}, or a Source.
	Range    string
	Commit   string    // a commit's own change: since its first parent
	From, To string    // two trees; an empty To is HEAD
	Base     string    // a branch: what HEAD did since it left that
	Source   string    // staged, unstaged, worktree or untracked
	Patch    io.Reader // a patch, as git diff writes it

	// Files restricts the shown files to these paths and patterns, as in .gitignore;
	// a folder includes its files. Include restricts them further to these patterns.
	// The whole changeset is scored in any case. If some names match nothing, a
	// Diagnostic lists them.
	Files, Include []string

	Detail  string   // DiffSummary or DiffStandard; empty means standard with a Budget, else summary
	Profile *Profile // nil means our own
	Task    string   // adds relevance to it, in our own profile
	Names   []string // expected beside the Task, as in satchel.Request
	Debug   bool     // shows the addition of every score

	Words change.Words // how the reader asks for more; its zero value is change.Flags

	// Budget is the number of tokens that the text may have, but for the list of
	// omissions in JSON, which is never cut. Zero or less means no limit.
	Budget int
	JSON   bool // it will be written as JSON, since the budget covers what is written

	// Binds lets what the base of the change leaves out hold for all that the project
	// shows from then on, for a model that asks further.
	Binds bool

	// Cursor continues a diff of standard detail after what was shown before.
	// Everything else must be as it was, but for Budget and JSON.
	Cursor string
}

// A FilterError says that no changed file matches what was asked for.
type FilterError struct {
	Pattern string // the first path or pattern
	More    int    // others
}

func (e *FilterError) Error() string {
	s := noChanged + clean.Inline(e.Pattern)
	if e.More > 0 {
		s += fmt.Sprintf(", nor %d more", e.More)
	}
	return s
}

const noChanged = "no changed file matches "

// A Run is one Diff on its way.
type Run struct {
	*project.Project
	Req         *Request
	profile     *rank.Profile
	repo        *git.Repo            // nil outside git
	multipliers map[string]float64   // of signals, by their names
	diags       []satchel.Diagnostic // in addition to the diagnostics of the set

	set     *change.Set
	View    *index.View // nil if nothing of it is needed
	Report  change.Report
	Belongs Belongs              // to the change
	known   map[string]symbolsOf // definitions of the files that were looked at, see sideKey
	rules   *index.Rules         // what the user leaves out, as the base of the change says
	asked   []bool               // files of the report that a filter names in full
	unused  []string             // names of the filter that match nothing
}

// symbolsOf are the definitions of both sides of a file.
type symbolsOf struct{ Olds, News []satchel.Symbol }

// deepFiles is how many files, best first by their lines, have the definitions of
// both sides compared. The others keep what their lines tell.
const deepFiles = 200

// Measure says what changed: its files with their edits, signals and scores, most
// relevant first, those that were asked for.
func Measure(ctx context.Context, w *project.Project, req *Request) (*Run, error) {
	x, err := newRun(w, req)
	if err != nil {
		return nil, err
	}
	if err := x.look(ctx); err != nil { // git: what changed; index: what is around
		return nil, err
	}
	if err := x.rank(ctx); err != nil { // edits, signals, scores
		return nil, err
	}
	var asked func(string) bool
	if scope, err := project.NewScope(x.Req.Files, x.Req.Include); err == nil && !scope.All() {
		asked = func(path string) bool { ok, _ := scope.Has(path); return ok }
	}
	if !x.foreign() {
		x.Belongs = x.Related(asked)
		x.Report.Tests, x.Report.Related = x.Belongs.Tests, x.Belongs.Others
	}
	return x, x.filter() // to what was asked for
}

func newRun(w *project.Project, req *Request) (*Run, error) {
	x := &Run{Project: w, Req: req, profile: &rank.Changes, known: map[string]symbolsOf{}}
	if req.Profile != nil {
		x.profile = req.Profile.Weights
	}
	switch {
	case req.Detail != "" && req.Detail != DiffSummary && req.Detail != DiffStandard:
		return nil, fmt.Errorf("detail %q: want summary or standard", req.Detail)
	case req.Cursor != "", req.Detail == "" && req.Budget > 0:
		req.Detail = DiffStandard
	case req.Detail == "":
		req.Detail = DiffSummary
	}
	x.repo, _ = w.Tree.(*git.Repo)
	if !x.foreign() { // another program's is what it is
		x.multipliers = w.Weights
	}
	if x.repo == nil && req.Patch == nil {
		return nil, git.ErrNotRepository
	}
	return x, nil
}

// foreign reports whether the profile is one that looks at nothing but the lines
// of a patch.
func (x *Run) foreign() bool { return x.Req.Profile != nil }

// look asks git what changed, and makes the view of the new side meanwhile. What the
// user leaves out is gone then.
func (x *Run) look(ctx context.Context) error {
	var wg sync.WaitGroup
	var viewErr error
	if !x.foreign() || x.Req.JSON || x.Req.Detail == DiffStandard {
		wg.Go(func() { x.View, viewErr = x.Index.View(ctx, x.Tree, x.Req.NewSide()) })
	}
	var err error
	if x.Req.Patch != nil {
		x.set, err = git.ParsePatch(x.Req.Patch, git.Keep{})
	} else {
		spec := x.Req.Spec()
		if s, err := project.NewScope(x.Req.Files, x.Req.Include); err == nil && !s.All() { // a bad one is reported later
			spec.Prefer = func(path string) bool { ok, _ := s.Has(path); return ok }
		}
		x.set, err = x.repo.Diff(ctx, spec)
	}
	wg.Wait()
	if err != nil {
		return err
	}
	if viewErr != nil {
		// The diff can do without it.
		x.set.Diagnostics = append(x.set.Diagnostics, satchel.Diagnostic{Text: "cannot read the files around the change: " + viewErr.Error()})
		x.View = nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return x.leaveOut(ctx)
}

// Spec returns what to ask of git.
func (r *Request) Spec() git.DiffSpec {
	if r.Range != "" {
		return git.ParseDiffSpec(r.Range)
	}
	return git.DiffSpec{Source: git.DiffSource(r.Source), Commit: r.Commit, From: r.From, To: r.To, Base: r.Base}
}

// NewSide returns the revision of the new side, "" for the work tree.
func (r *Request) NewSide() string {
	spec := r.Spec()
	switch {
	case spec.Commit != "":
		return spec.Commit
	case r.Base != "", r.From != "" && r.To == "":
		return "HEAD"
	case r.From != "":
		return r.To
	}
	if at := strings.LastIndex(spec.Rev, ".."); at >= 0 {
		return orHead(spec.Rev[at+2:])
	}
	return ""
}

func orHead(rev string) string {
	if rev == "" {
		return "HEAD"
	}
	return rev
}

// rank fills the report: class and edits of each file, signals, score.
func (x *Run) rank(ctx context.Context) error {
	r := &x.Report
	*r = change.Report{
		Source: x.set.Source, From: x.set.From, To: x.set.To, Profile: x.profile.Name, Task: x.Req.Task, Base: r.Base, Beyond: x.set.Beyond, LeftOut: r.LeftOut,
		Diagnostics: slices.Concat(x.diags, x.set.Diagnostics, x.rules.Diagnostics),
	}
	r.Files = make([]change.Scored, len(x.set.Files))
	for i := range r.Files {
		f := &r.Files[i]
		f.File = x.set.Files[i]
		if x.Index.Sealed(f.Path) || x.Index.Sealed(f.OldPath) {
			f.Unread, f.Hunks, f.Header = satchel.WhySealed, nil, ""
		}
		r.All.Add(&f.File)
		x.classify(f)
	}
	for i := range r.LeftOut {
		r.All.Add(&r.LeftOut[i].File)
	}
	r.Size = change.SizeOf(r.All)
	if x.foreign() {
		if err := x.describe(ctx, r.Files); err != nil {
			return err
		}
		x.Req.Profile.Measure(r.Files)
		x.score(r.Files)
		return nil
	}
	if len(r.Files) > deepFiles {
		slices.SortFunc(r.Files, compareLineScores)
		r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("definitions are compared in %d of %d files; the others are scored by changed lines", deepFiles, len(r.Files))})
	}
	if err := x.describe(ctx, r.Files); err != nil {
		return err
	}
	x.around(ctx)
	change.Measure(r.Files)
	x.score(r.Files)
	return nil
}

// compareLineScores orders files by what their path and number of changed lines
// promise, the best first, so that those are looked at more closely.
func compareLineScores(a, b change.Scored) int {
	return cmp.Or(cmp.Compare(lineScore(&b), lineScore(&a)), cmp.Compare(a.Path, b.Path), cmp.Compare(a.OldPath, b.OldPath))
}

func lineScore(f *change.Scored) float64 {
	score := math.Log1p(float64(f.File.Added + f.File.Removed))
	switch outline.Class(f.Class) {
	case outline.Source:
		score += 4 // as much as fifty times the lines
	case outline.Test:
		score += 2
	}
	if f.Secondary {
		score--
	}
	return score
}

// score scores and sorts files by their signals.
func (x *Run) score(files []change.Scored) {
	for i := range files {
		f := &files[i]
		f.Score = x.profile.Score(f.Signals, x.multipliers)
		f.Reasons = x.profile.Reasons(f.Signals)
		f.Relevance, f.Order = x.profile.Relevance(f.Score)
	}
	change.Sort(files)
}

// around measures what lies around the changeset: importers, users, history.
func (x *Run) around(ctx context.Context) {
	if x.View == nil {
		return
	}
	files := x.Report.Files
	signal.Changes(x.View, files, deepFiles)
	paths := make([]string, len(files)) // as the commits before knew them
	for i := range files {
		paths[i] = files[i].Path
		if files[i].Status == change.Renamed {
			paths[i] = files[i].OldPath
		}
	}
	usual, churn := change.Partners(x.history(), paths)
	for i := range files {
		files[i].Usual, files[i].Churn = usual[i], churn[i]
	}
	if strings.TrimSpace(x.Req.Task) != "" {
		x.taskRelevance(ctx)
	}
}

// Before returns the commits before the changeset, the newest first.
func (x *Run) Before() []index.Commit {
	commits := x.View.History().Commits
	if x.set.From != "" {
		if at := slices.IndexFunc(commits, func(c index.Commit) bool { return c.ID == x.set.From }); at > 0 {
			return commits[at:]
		}
	}
	return commits
}

// history returns the files of the commits before the changeset.
func (x *Run) history() *change.History {
	commits := x.Before()
	out := &change.History{Paths: x.View.History().Paths, Commits: make([][]int32, len(commits))}
	for i := range commits {
		out.Commits[i] = commits[i].Files
	}
	return out
}

// taskRelevance sets how relevant the files are to the task, by the ranking of
// all files of the view.
func (x *Run) taskRelevance(ctx context.Context) {
	q, notes := ranking.AnalyzeWith(ctx, x.View, x.Req.Task, x.Req.Names)
	x.Report.Diagnostics = append(x.Report.Diagnostics, notes...)
	r := ranking.Rank(x.View, q, x.Models)
	if r.Weight() == 0 {
		x.Report.Diagnostics = append(x.Report.Diagnostics, satchel.Diagnostic{Text: nothingMatches})
		return
	}
	best := 0.0
	files := x.Report.Files
	for i := range files {
		if k, ok := x.View.File(files[i].Path); ok {
			files[i].Task = likelihood(r, int32(k))
			best = max(best, files[i].Task)
		}
	}
	for i := range files {
		if best > 0 {
			files[i].Task /= best
		}
	}
}

// filter keeps the files that were asked for.
func (x *Run) filter() error {
	r := &x.Report
	x.asked = make([]bool, len(r.Files))
	scope, err := project.NewScope(x.Req.Files, x.Req.Include)
	if err != nil {
		return err
	}
	for i := range r.Files {
		scope.Has(r.Files[i].Path, r.Files[i].OldPath)
	}
	scope.Paths.Settle()
	scope.Include.Settle()
	all := len(r.Files) + len(r.LeftOut)
	r.LeftOut = slices.DeleteFunc(r.LeftOut, func(f change.LeftOut) bool { ok, _ := scope.Has(f.Path, f.OldPath); return !ok })
	never := len(r.LeftOut)
	kept, asked := r.Files[:0:0], x.asked[:0]
	for i := range r.Files {
		f := &r.Files[i]
		ok, exact := scope.Has(f.Path, f.OldPath)
		if ok {
			kept, asked = append(kept, *f), append(asked, exact)
		}
	}
	r.Files, x.asked = kept, asked
	x.unused = append(scope.Paths.Unused(), scope.Include.Unused()...)
	r.Diagnostics = append(r.Diagnostics, leftOut(r.LeftOut)...)
	switch n := len(x.unused); {
	case n > 0 && len(kept)+never == 0:
		return &FilterError{x.unused[0], n - 1}
	case n > 0:
		for _, name := range x.unused[:min(n, project.MostUnmatched)] {
			r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: noChanged + name})
		}
		if n > project.MostUnmatched {
			r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("%d more names match no changed file", n-project.MostUnmatched)})
		}
	case all > 0 && len(kept)+never == 0:
		return &FilterError{Pattern: x.Req.Include[0], More: len(x.Req.Include) - 1}
	}
	if !scope.All() || never > 0 {
		r.Size = change.SizeFiltered
	}
	for i := range r.Files {
		r.Shown.Add(&r.Files[i].File)
	}
	return nil
}

// OneLine returns the reason to show a file in one line, or "".
func (x *Run) OneLine(f *change.Scored) string {
	if x.Req.Layout().Flat && x.Req.Budget <= 0 {
		return f.Unreadable()
	}
	return f.Folded()
}

// nothingMatches is the Diagnostic on a question that says nothing about a change: what
// is shown then goes by habit, not by what was asked.
const nothingMatches = "no word of the task occurs in the repository"

// Line returns the reason to show a file of the report in one line, or "".
func (x *Run) Line(i int) string {
	f := &x.Report.Files[i]
	if x.asked[i] {
		return f.Unreadable()
	}
	return x.OneLine(f)
}

// Definitions returns the definitions on both sides of a file of the report.
func (x *Run) Definitions(i int) symbolsOf { return x.known[sideKey(&x.Report.Files[i].File)] }

// A Profile is another program's way to score a change and to write it down.
// It ignores the repository and its history.
type Profile struct {
	Weights *rank.Profile
	Measure func(files []change.Scored) // fills the Signals, from path, status and patch
	Layout  render.DiffLayout
}

// Layout returns how the diff is written.
func (r *Request) Layout() (l render.DiffLayout) {
	if r.Profile != nil {
		l = r.Profile.Layout
	}
	l.Words = r.Words
	return l
}
