package engine

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
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// Details of a diff.
const (
	DiffSummary  = "summary"  // the files, by relevance
	DiffStandard = "standard" // with their hunks
)

// A DiffRequest asks what changed. At most one of Range, Commit, From with To, Base,
// Source and Patch is set; if none is, it is what is staged, else the work tree.
type DiffRequest struct {
	// Range is as git diff means it: A..B, A...B, A^! for a commit's own change, A
	// for the files on disk against A; or stash@{0}, or a Source.
	Range    string
	Commit   string    // a commit's own change: since its first parent
	From, To string    // two trees; an empty To is HEAD
	Base     string    // a branch: what HEAD did since it left that
	Source   string    // staged, unstaged, worktree or untracked
	Patch    io.Reader // a patch, as git diff writes it

	// Files restricts what is shown to these paths and patterns, as in
	// .gitignore; a folder stands for what is in it. Include restricts it further to
	// what these patterns match. What is scored is the whole changeset all the same.
	// A name that matches nothing is told in a Diagnostic, if others match.
	Files, Include []string

	Detail  string       // DiffSummary or DiffStandard; empty means summary
	Profile *DiffProfile // nil means our own
	Task    string       // adds relevance to it, in our own profile
	Debug   bool         // shows the addition of every score

	// Budget is the number of tokens that the text may have, but for the list of
	// omissions in JSON, which is never cut. Zero or less means no limit.
	Budget int
	JSON   bool // it will be written as JSON, since the budget covers what is written

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
	s := noChanged + render.Clean(e.Pattern)
	if e.More > 0 {
		s += fmt.Sprintf(", nor %d more", e.More)
	}
	return s
}

const noChanged = "no changed file matches "

// Diff says what changed, most relevant first, and shows as much of it as the
// request has room for.
//
// The errors are *git.UnknownRevisionError, *git.NoMergeBaseError,
// git.ErrToWithoutFrom, *git.PatchError, *[FilterError], *[pack.CursorError], and a
// [*satchel.OverflowError] if not even the head, and the names of what was exported
// and is gone, fit the budget.
func (e *Engine) Diff(ctx context.Context, req DiffRequest) (*render.Diff, error) {
	x, err := e.newDiffRun(ctx, &req)
	if err != nil {
		return nil, err
	}
	if err := x.look(ctx); err != nil { // git: what changed; index: what is around
		return nil, err
	}
	if err := x.rank(ctx); err != nil { // edits, signals, scores
		return nil, err
	}
	if err := x.filter(); err != nil { // to what was asked for
		return nil, err
	}
	return newLayout(&req, &x.report, x.shown()).show() // fit
}

// A diffRun is one Diff on its way.
type diffRun struct {
	*world
	req         *DiffRequest
	profile     *rank.Profile
	repo        *git.Repo // nil outside git
	multipliers []map[string]float64
	diags       []satchel.Diagnostic // beside those of the set

	set    *change.Set
	view   *index.View // nil if nothing of it is needed
	report change.Report
	known  map[string]symbolsOf // definitions of the files that were looked at, see sideKey
	asked  []bool               // files of the report that a filter names in full
	unused []string             // names of the filter that match nothing
}

// symbolsOf are the definitions of both sides of a file.
type symbolsOf struct{ olds, news []satchel.Symbol }

// deepFiles is how many files, best first by their lines, have the definitions of
// both sides compared. The others keep what their lines tell.
const deepFiles = 200

func (e *world) newDiffRun(_ context.Context, req *DiffRequest) (*diffRun, error) {
	x := &diffRun{world: e, req: req, profile: &rank.Changes, known: map[string]symbolsOf{}}
	if req.Profile != nil {
		x.profile = req.Profile.Weights
	}
	switch req.Detail {
	case "":
		req.Detail = DiffSummary
	case DiffSummary, DiffStandard:
	default:
		return nil, fmt.Errorf("detail %q: want summary or standard", req.Detail)
	}
	if req.Cursor != "" {
		req.Detail = DiffStandard
	}
	x.repo, _ = e.tree.(*git.Repo)
	if !x.foreign() { // another program's is what it is
		x.multipliers = append(x.multipliers, e.weights)
		x.applyFeedback()
	}
	if x.repo == nil && req.Patch == nil {
		return nil, git.ErrNotRepository
	}
	return x, nil
}

// foreign reports whether the profile is one that looks at nothing but the lines
// of a patch.
func (x *diffRun) foreign() bool { return x.req.Profile != nil }

// look asks git what changed, and makes the view of the new side meanwhile.
func (x *diffRun) look(ctx context.Context) error {
	var wg sync.WaitGroup
	var viewErr error
	if !x.foreign() || x.req.JSON || x.req.Detail == DiffStandard {
		wg.Go(func() { x.view, viewErr = x.index.View(ctx, x.tree, x.req.newSide()) })
	}
	var err error
	if x.req.Patch != nil {
		x.set, err = git.ParsePatch(x.req.Patch, git.Keep{})
	} else {
		spec := x.req.spec()
		if s, err := newScope(x.req.Files, x.req.Include); err == nil && !s.all() { // a bad one is told later
			spec.Prefer = func(path string) bool { ok, _ := s.has(path); return ok }
		}
		x.set, err = x.repo.Diff(ctx, spec)
	}
	wg.Wait()
	if err != nil {
		return err
	}
	if viewErr != nil {
		// The diff can do without it.
		x.set.Diagnostics = append(x.set.Diagnostics, satchel.Diagnostic{Text: "files around the change are not known: " + viewErr.Error()})
		x.view = nil
	}
	return ctx.Err()
}

// spec returns what to ask of git.
func (r *DiffRequest) spec() git.DiffSpec {
	if r.Range != "" {
		return git.ParseDiffSpec(r.Range)
	}
	return git.DiffSpec{Source: git.DiffSource(r.Source), Commit: r.Commit, From: r.From, To: r.To, Base: r.Base}
}

// newSide returns the revision of the new side, "" for the work tree.
func (r *DiffRequest) newSide() string {
	spec := r.spec()
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
func (x *diffRun) rank(ctx context.Context) error {
	r := &x.report
	*r = change.Report{
		Source: x.set.Source, From: x.set.From, To: x.set.To, Profile: x.profile.Name, Task: x.req.Task, Diagnostics: append(x.diags, x.set.Diagnostics...),
	}
	r.Files = make([]change.Scored, len(x.set.Files))
	for i := range r.Files {
		f := &r.Files[i]
		f.File = x.set.Files[i]
		r.All.Add(&f.File)
		x.classify(f)
	}
	r.Size = change.SizeOf(r.All)
	if x.foreign() {
		if err := x.describe(ctx, r.Files); err != nil {
			return err
		}
		x.req.Profile.Measure(r.Files)
		x.score(r.Files)
		return nil
	}
	if len(r.Files) > deepFiles {
		slices.SortFunc(r.Files, compareLineScores)
		r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("definitions are compared in %d of %d files; of the others the changed lines alone tell", deepFiles, len(r.Files))})
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
func (x *diffRun) score(files []change.Scored) {
	for i := range files {
		f := &files[i]
		f.Score = x.profile.Score(f.Signals, x.multipliers...)
		f.Reasons = x.profile.Reasons(f.Signals)
		f.Relevance, f.Order = x.profile.Relevance(f.Score)
	}
	change.Sort(files)
}

// around measures what lies around the changeset: importers, users, history.
func (x *diffRun) around(ctx context.Context) {
	if x.view == nil {
		return
	}
	files := x.report.Files
	signal.Changes(x.view, files, deepFiles)
	paths := make([]string, len(files)) // as the commits before knew them
	names := map[string]string{}        // what they are called now
	for i := range files {
		paths[i] = files[i].Path
		if files[i].Status == change.Renamed {
			paths[i] = files[i].OldPath
			names[paths[i]] = files[i].Path
		}
	}
	usual, churn, missing := change.Partners(x.history(), paths, func(p string) bool { _, ok := x.view.File(p); return ok })
	for i := range missing {
		missing[i].With = cmp.Or(names[missing[i].With], missing[i].With)
	}
	for i := range files {
		files[i].Usual, files[i].Churn = usual[i], churn[i]
	}
	x.report.Missing = missing
	if strings.TrimSpace(x.req.Task) != "" {
		x.taskRelevance(ctx)
	}
}

// history returns the commits before the changeset.
func (x *diffRun) history() *change.History {
	h := x.view.History()
	commits := h.Commits
	if x.set.From != "" {
		if at := slices.IndexFunc(commits, func(c index.Commit) bool { return c.ID == x.set.From }); at > 0 {
			commits = commits[at:]
		}
	}
	out := &change.History{Paths: h.Paths, Commits: make([][]int32, len(commits))}
	for i := range commits {
		out.Commits[i] = commits[i].Files
	}
	return out
}

// taskRelevance sets how relevant the files are to the task, by the ranking of
// all files of the view.
func (x *diffRun) taskRelevance(ctx context.Context) {
	r := ranking.Rank(x.view, ranking.Analyze(ctx, x.view, x.req.Task), x.models)
	if r.Weight() == 0 {
		x.report.Diagnostics = append(x.report.Diagnostics, satchel.Diagnostic{Text: nothingMatches})
		return
	}
	best := 0.0
	files := x.report.Files
	for i := range files {
		if k, ok := x.view.File(files[i].Path); ok {
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
func (x *diffRun) filter() error {
	r := &x.report
	x.asked = make([]bool, len(r.Files))
	scope, err := newScope(x.req.Files, x.req.Include)
	if err != nil {
		return err
	}
	for i := range r.Files {
		scope.has(r.Files[i].Path, r.Files[i].OldPath)
	}
	scope.paths.settle()
	scope.include.settle()
	all, never := len(r.Files), 0
	kept, asked := r.Files[:0:0], x.asked[:0]
	for i := range r.Files {
		f := &r.Files[i]
		ok, exact := scope.has(f.Path, f.OldPath)
		switch {
		case ok && x.index.Never(f.Path):
			never++
		case ok:
			kept, asked = append(kept, *f), append(asked, exact)
		}
	}
	r.Files, x.asked = kept, asked
	x.unused = append(scope.paths.unused(), scope.include.unused()...)
	if never > 0 {
		r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: render.Plural(never, "changed file") + " left out, as --exclude says"})
	}
	switch n := len(x.unused); {
	case n > 0 && len(kept)+never == 0:
		return &FilterError{x.unused[0], n - 1}
	case n > 0:
		for _, name := range x.unused[:min(n, mostUnmatched)] {
			r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: noChanged + name})
		}
		if n > mostUnmatched {
			r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("%d more names match no changed file", n-mostUnmatched)})
		}
	case all > 0 && len(kept)+never == 0:
		return &FilterError{Pattern: x.req.Include[0], More: len(x.req.Include) - 1}
	}
	if !scope.all() || never > 0 {
		r.Size = change.SizeFiltered
	}
	for i := range r.Files {
		r.Shown.Add(&r.Files[i].File)
	}
	return nil
}

// shown says which files are told in one line.
func (x *diffRun) shown() []shownFile {
	files := make([]shownFile, len(x.report.Files))
	for i := range files {
		f := &x.report.Files[i]
		s := x.known[sideKey(&f.File)]
		files[i] = shownFile{olds: s.olds, news: s.news}
		if !x.asked[i] {
			files[i].line = x.oneLine(f)
		} else {
			files[i].line = unreadable(&f.File)
		}
	}
	return files
}

// oneLine says why a file is told in one line, or "".
func (x *diffRun) oneLine(f *change.Scored) string {
	if why := unreadable(&f.File); why != "" {
		return why
	}
	if x.req.layout().Flat && x.req.Budget <= 0 {
		return ""
	}
	if f.NoDiff {
		return "marked as not worth a diff"
	}
	switch outline.Class(f.Class) {
	case outline.Lock:
		return satchel.WhyLock
	case outline.Generated, outline.Minified, outline.Vendored, outline.Data:
		return f.Class
	}
	return ""
}

// unreadable says why a file has no hunks that could be shown, or "".
func unreadable(f *change.File) string {
	switch {
	case f.Binary:
		return satchel.WhyBinary
	case f.Status == change.Unmerged:
		return "in conflict"
	case f.Elided > 0:
		return satchel.WhyLarge
	}
	return ""
}

// nothingMatches is the Diagnostic on a question that says nothing about a change: what
// is shown then goes by habit, not by what was asked.
const nothingMatches = "no word of the task occurs in the repository"
