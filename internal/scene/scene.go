// Package scene holds what the Sources of a request look at: a [Scene] is one
// repository at one revision, the task taken apart, the ranking, what is remembered
// and what was claimed. A [Source] offers candidates for it; package source has ours,
// and package engine asks them in order.
//
// Each part of a Scene is made once. No promise is made about this package but what
// package engine names of it.
package scene

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/licence"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A Source offers what may be worth showing of a scene. It knows nothing of
// budgets but what the request says, and it never renders.
//
// Sources are asked one after the other, in the order of a plan. What one offers
// of a file it claims, so that no other offers it again.
type Source interface {
	Offer(ctx context.Context, sc *Scene) (Offer, error)
}

// An Offer is what a Source has for a scene.
type Offer struct {
	Candidates  []satchel.Candidate
	Musts       []Must // pinned, in addition to the candidates
	Omitted     []satchel.Omission
	Diagnostics []satchel.Diagnostic
}

// A Scene is what the Sources of one request look at: a repository at a revision,
// the task taken apart, what is remembered. It is made for one request and is not
// safe for concurrent use.
type Scene struct {
	Project  *project.Project
	Req      satchel.Request
	Format   render.Format
	View     *index.View
	Scope    *project.Scope         // nil means all
	never    func(path string) bool // paths that nothing brings back; nil means none
	Reader   *ranking.Reader
	Encoding *tokens.Encoding

	Query   rank.Query
	Ranking *ranking.Ranking // nil without a task
	Order   []int32          // files within the request's paths, best first
	verdict                  // of the ranking

	Memory    *project.Recalled // what is remembered
	Meaning   *Meaning          // nil without an Embedder
	Manifest  manifest          // the files to edit, and what they are about
	Change    *changeset.Run    // of a request with Changes
	Changed   []string          // paths of its parts, once they are offered
	Belongs   changeset.Belongs // to the change, or to the files to edit
	Accounted []bool            // files that are candidates, or whose chunks are

	Diags []satchel.Diagnostic // noticed before any Source was asked
	Names map[string]int       // tokens of names, as source.TokensOf counts them
}

// New returns the scene of a request that looks at a view.
func New(w *project.Project, req satchel.Request, format render.Format, v *index.View) *Scene {
	reader := ranking.NewReader(v)
	reader.Bare = req.Budget > 0 && !licence.Meant(req.Task)
	return &Scene{
		Project: w, Req: req, Format: format, View: v, never: w.Index.Never, Reader: reader,
		Encoding: tokens.O200k(), Accounted: make([]bool, len(v.Files())), Memory: new(project.Recalled),
	}
}

// Look makes the scene of a request: of the repository, or of a change and its
// surroundings. m, which may be nil, is for all scenes of one pack.
func Look(ctx context.Context, w *project.Project, req satchel.Request, m *Meaning) (*Scene, error) {
	format, err := render.ParseFormat(cmp.Or(req.Format, string(render.Markdown)))
	if err != nil {
		return nil, err
	}
	if err := begin(&req); err != nil {
		return nil, err
	}
	if req.Changes != "" {
		if len(req.Edit) > 0 {
			return nil, errors.New("files to edit and a change contradict each other")
		}
		return lookAtChange(ctx, w, req, format)
	}

	var v *index.View
	if Everything(&req) {
		v, err = w.Index.ViewFiles(ctx, w.Tree, req.Rev)
	} else {
		v, err = w.Index.ViewWith(ctx, w.Tree, req.Rev, slices.Concat(req.Pinned, req.Edit), outputs(req.Task))
	}
	if err != nil {
		return nil, err
	}
	sc := New(w, req, format, v)
	sc.Meaning = m
	if sc.Scope, sc.Diags, err = w.Limit(v, req.Rev, req.Paths, req.Include); err != nil {
		return nil, err
	}
	if err := sc.editable(ctx); err != nil {
		return nil, err
	}
	sc.Memory = w.Recall(ctx, req.Now)
	sc.Rank(ctx)
	sc.relate()
	sc.settle()
	return sc, nil
}

// relate finds what belongs to the files to edit.
func (sc *Scene) relate() {
	var files []change.Scored
	for _, p := range sc.Req.Edit {
		if i, ok := sc.View.File(p); ok {
			f := change.Scored{File: change.File{Path: p, Status: change.Modified}}
			f.Class, f.Lang = string(sc.View.Files()[i].Class), sc.View.Files()[i].Lang
			files = append(files, f)
		}
	}
	sc.Belongs = changeset.Related(sc.View, files, sc.View.History().Commits, nil, sc.never)
}

// outputs returns the paths below folders called dist and build that a task names.
func outputs(task string) (paths []string) {
	for word := range strings.FieldsFuncSeq(task, func(r rune) bool { return r <= ' ' || strings.ContainsRune("`'\"()[]<>,;:", r) }) {
		p := strings.TrimRight(word, ".?!")
		if in := "/" + p; strings.Contains(in, "/dist/") || strings.Contains(in, "/build/") {
			paths = append(paths, p)
		}
	}
	return paths
}

// Rank splits the task into words and orders the files by it. Without a task, there
// is no ranking.
func (sc *Scene) Rank(ctx context.Context) {
	if strings.TrimSpace(sc.Req.Task) == "" {
		return
	}
	var notes []satchel.Diagnostic
	sc.Query, notes = ranking.AnalyzeWith(ctx, sc.View, sc.Req.Task, sc.Req.Names)
	sc.Diags = append(sc.Diags, notes...)
	sc.Query.Now = Now(&sc.Req)
	sc.Query.Used = sc.Memory.Gains(&sc.Req)
	sc.Ranking = ranking.Rank(sc.View, sc.Query, sc.Project.Models)
	sc.Order = sc.Within(sc.Ranking.Order)
	sc.verdict = Judge(sc.Ranking)
}

// Now is the request's time in unix seconds, or 0.
func Now(req *satchel.Request) int64 {
	if req.Now.IsZero() {
		return 0
	}
	return req.Now.Unix()
}

// WhyNot says why a path is not among the view's files.
func (sc *Scene) WhyNot(p string) string {
	p = strings.TrimSuffix(p, "/")
	if sc.never != nil && sc.never(p) {
		return "excluded by --exclude"
	}
	for _, f := range sc.View.Files() {
		if strings.HasPrefix(f.Path, p+"/") {
			return "a folder: name its files"
		}
	}
	for _, o := range sc.View.Excluded() {
		if o.Ref.Path == p || strings.HasSuffix(o.Ref.Path, "/") && strings.HasPrefix(p, o.Ref.Path) {
			return "excluded: " + o.Why
		}
	}
	return NoSuchFile
}

const NoSuchFile = "no such file"

// Within keeps the files within the request's scope.
func (sc *Scene) Within(order []int32) []int32 {
	if sc.Scope == nil || sc.Scope.All() {
		return order
	}
	files := sc.View.Files()
	kept := make([]int32, 0, len(order))
	for _, i := range order {
		if ok, _ := sc.Scope.Has(files[i].Path); ok {
			kept = append(kept, i)
		}
	}
	return kept
}

// Take claims a file of the view and reports whether it was free.
func (sc *Scene) Take(file int32) bool {
	was := sc.Accounted[file]
	sc.Accounted[file] = true
	return !was
}

// Unclaimed claims what is left of the ordered files, and returns it.
func (sc *Scene) Unclaimed() []int32 {
	var files []int32
	for _, i := range sc.Order {
		if sc.Take(i) {
			files = append(files, i)
		}
	}
	return files
}

// Everything reports whether a request leaves nothing to choose: no task,
// no limit, and every file in full.
func Everything(req *satchel.Request) bool {
	return strings.TrimSpace(req.Task) == "" && req.Changes == "" && req.Budget <= 0 && len(req.Pinned) == 0 && len(req.Edit) == 0 && (req.Detail == 0 || req.Detail == satchel.Full)
}

// Request returns what the scene was made for.
func (sc *Scene) Request() satchel.Request { return sc.Req }

// Count returns the tokens of a text, counted like Forms.
func (sc *Scene) Count(text string) int { return sc.Encoding.Count(text) }

// Claim claims a file of the repository by its path from the root, so that no later
// Source offers it. It reports whether the file exists and was free.
func (sc *Scene) Claim(path string) bool {
	i, ok := sc.View.File(path)
	return ok && sc.Take(int32(i))
}

// A Weighing says how candidates are weighed against each other; see pack.Options.
type Weighing struct {
	Length          float64
	PerFile, PerGap int
	Value           func(*satchel.Candidate, *satchel.Form) float64
}

// LengthExponent is the usual Length of a Weighing: a text that is twice as long must be
// worth half as much again.
const LengthExponent = 0.6

// A manifest is the files that an agent is going to edit.
type manifest struct {
	Files []int32 // of the view, in the order asked
	Large []int32 // the files among them that are shown in part
	Texts []string
	Gains map[int32]satchel.Score // what chunks around them gain
	Names []string                // that the gains are about
}

// Holds reports whether a file is to be edited.
func (m *manifest) Holds(file int32) bool { return slices.Contains(m.Files, file) }

// lookAtChange makes the scene of a Request with Changes.
func lookAtChange(ctx context.Context, w *project.Project, req satchel.Request, format render.Format) (*Scene, error) {
	x, err := changeset.Measure(ctx, w, &changeset.Request{Range: req.Changes, Task: req.Task, Names: req.Names, Detail: changeset.DiffStandard, Budget: req.Budget})
	if err != nil {
		return nil, err
	}
	if x.View == nil { // its error is in the notes; without it, the change has no surroundings
		return nil, fmt.Errorf("pack %s: cannot read the files around the change", clean.Inline(req.Changes))
	}

	sc := New(w, req, format, x.View)
	sc.Change, sc.Belongs = x, x.Belongs
	for i := range x.View.Files() {
		sc.Accounted[i] = x.LeavesOut(x.View.Files()[i].Path)
	}
	var changed []string // some are not there any more
	for i := range x.Report.Files {
		changed = append(changed, x.Report.Files[i].Path)
	}
	if sc.Scope, sc.Diags, err = w.Limit(x.View, x.Req.NewSide(), req.Paths, req.Include, changed...); err != nil {
		return nil, err
	}
	if !sc.Scope.All() {
		sc.Belongs = x.Related(func(path string) bool { ok, _ := sc.Scope.Has(path); return ok })
	}
	sc.Diags = append(slices.Clone(x.Report.Diagnostics), sc.Diags...)
	sc.Memory = w.Recall(ctx, req.Now)
	sc.settle()
	return sc, nil
}

// A Meaning asks an Embedder once for all that is tried to make one pack: each
// answer may take as long as the endpoint's time limit, and so may each failure.
type Meaning struct {
	of       project.Embedder
	task     string
	sections []project.DocText
	alike    []float64
	err      error
}

// NewMeaning is for one call of Pack; nil without an Embedder.
func NewMeaning(e *project.Project) *Meaning {
	if e.Embedder == nil {
		return nil
	}
	return &Meaning{of: e.Embedder}
}

// Similarities is an [Embedder]'s. After an error nothing is asked any more.
func (m *Meaning) Similarities(ctx context.Context, task string, sections []project.DocText) ([]float64, error) {
	if m.err != nil || m.alike != nil && m.task == task && slices.Equal(m.sections, sections) {
		return m.alike, m.err
	}
	m.task, m.sections = task, sections
	m.alike, m.err = m.of.Similarities(ctx, task, sections)
	return m.alike, m.err
}

// A ProtectedError is a file to edit that is a read-only context file.
type ProtectedError struct{ readonly.Protection }

func (e *ProtectedError) Error() string {
	return "path to edit " + e.Path + ": protected, " + e.Why + ": " + e.File
}

// editable returns a *[ProtectedError] if a file to edit is protected. If that is
// unknown, it adds a Diagnostic: the memory may be lost, and packs are made without
// it.
func (sc *Scene) editable(ctx context.Context) error {
	if len(sc.Req.Edit) == 0 {
		return nil
	}
	list, _, err := sc.Project.ContextFiles().Protections(ctx, sc.Req.Edit) // recall reports the notes
	if err != nil && !errors.Is(err, git.ErrNoWorkTree) {
		sc.Diags = append(sc.Diags, satchel.Diagnostic{Text: "files to edit: " + sc.Project.Memory.Unplaced(err.Error())})
	}
	for _, p := range list {
		if p.Protected {
			return &ProtectedError{p}
		}
	}
	return ctx.Err()
}
