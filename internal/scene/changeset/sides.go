package changeset

import (
	"context"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// classify sets the class and language of a file: those that the view knows from
// its text and the repository's attributes, else what path and patch tell.
func (x *Run) classify(f *change.Scored) {
	head := patchHead(&f.File)
	f.Lang = outline.Language(f.Path, head)
	f.Secondary = outline.Secondary(f.Path)
	if f.Binary {
		f.Class = string(outline.Binary)
		return
	}
	if x.View != nil {
		if i, ok := x.View.File(f.Path); ok {
			v := &x.View.Files()[i]
			f.Class, f.Lang = string(v.Class), v.Lang
			return
		}
		if c := x.excludedClass(f.Path); c != "" {
			f.Class = string(c)
			return
		}
	}
	f.Class = string(outline.Classify(f.Path, f.Lang, head, nil))
}

// excludedClass returns the class of a path that the view excludes, if it is known.
func (x *Run) excludedClass(path string) outline.Class {
	for _, o := range x.View.Excluded() {
		if o.Ref.Path != path && !(strings.HasSuffix(o.Ref.Path, "/") && strings.HasPrefix(path, o.Ref.Path)) {
			continue
		}
		switch o.Why {
		case satchel.WhyVendored:
			return outline.Vendored
		case satchel.WhyGenerated:
			return outline.Generated
		case satchel.WhyLock:
			return outline.Lock
		case satchel.WhyMinified:
			return outline.Minified
		}
	}
	return ""
}

// headBytes is how much of a patch is looked at for what kind of file it is.
const headBytes = 8 << 10

// patchHead returns the beginning of a file as far as the patch has it: nil if
// it does not begin at line 1.
func patchHead(f *change.File) []byte {
	if len(f.Hunks) == 0 {
		return nil
	}
	h := &f.Hunks[0]
	from, mark := h.NewFrom, byte('-')
	if f.Status == change.Deleted {
		from, mark = h.OldFrom, '+'
	}
	if from > 1 {
		return nil
	}
	var b []byte
	for line := range strings.Lines(h.Body) {
		if line[0] != mark && line[0] != '\\' {
			b = append(b, line[1:]...)
		}
		if len(b) > headBytes {
			break
		}
	}
	return b
}

// describe finds the edits of the best files by the definitions of both sides,
// and of the others by their lines.
func (x *Run) describe(ctx context.Context, files []change.Scored) error {
	sides, err := x.outlines(ctx, files)
	if err != nil {
		return err
	}
	change.Describe(files, sides)
	for i := range sides {
		var s symbolsOf
		if sides[i].Old != nil {
			s.Olds = sides[i].Old.Symbols
		}
		if sides[i].New != nil {
			s.News = sides[i].New.Symbols
		}
		x.known[sideKey(&files[i].File)] = s
	}
	return nil
}

func sideKey(f *change.File) string { return f.Path + "\x00" + f.OldPath }

// A sideJob is one side of a file that is to be outlined.
type sideJob struct {
	file int
	old  bool
	path string
	blob string
	lang string
	side *change.Side
}

// longestSide is the size of the largest file whose definitions are compared.
const longestSide = 1 << 20

// outlines returns both sides of the first deepFiles files of code. A side that
// cannot be read leaves its file without any.
func (x *Run) outlines(ctx context.Context, files []change.Scored) ([]change.Sides, error) {
	sides := make([]change.Sides, min(deepFiles, len(files)))
	if x.repo == nil {
		return sides, nil
	}
	var jobs []sideJob
	for i := range sides {
		f := &files[i]
		if !outlined(f) {
			continue
		}
		if f.OldBlob != "" {
			path := f.Path
			if f.OldPath != "" {
				path = f.OldPath
			}
			jobs = append(jobs, sideJob{file: i, old: true, path: path, blob: f.OldBlob, lang: f.Lang})
		}
		if f.NewBlob != "" {
			jobs = append(jobs, sideJob{file: i, path: f.Path, blob: f.NewBlob, lang: f.Lang})
		}
	}
	if len(jobs) == 0 {
		return sides, nil
	}
	if err := x.readSides(ctx, jobs); err != nil {
		return nil, err
	}
	if err := x.outlineSides(ctx, jobs); err != nil {
		return nil, err
	}
	failed := make([]bool, len(sides))
	for i := range jobs {
		j := &jobs[i]
		switch {
		case j.side == nil:
			failed[j.file] = true
		case j.old:
			sides[j.file].Old = j.side
		default:
			sides[j.file].New = j.side
		}
	}
	for i := range failed {
		if failed[i] {
			sides[i] = change.Sides{}
		}
	}
	return sides, nil
}

// outlined reports whether the definitions of a file can be compared: it is
// code, and both sides that it should have are known.
func outlined(f *change.Scored) bool {
	switch outline.Class(f.Class) {
	case outline.Source, outline.Test:
	default:
		return false
	}
	old := f.Status != change.Added || f.OldBlob != ""
	now := f.Status != change.Deleted || f.NewBlob != ""
	return f.Lang != "" && f.Elided == 0 && len(f.Hunks) > 0 && regular(f.OldMode) && regular(f.NewMode) &&
		(!old || f.OldBlob != "") && (!now || f.NewBlob != "")
}

func regular(mode uint32) bool { return mode == 0 || git.Mode(mode).IsRegular() }

// readSides reads the texts, from git's objects or the work tree.
func (x *Run) readSides(ctx context.Context, jobs []sideJob) error {
	objects := x.repo.Objects(ctx)
	objects.Limit = longestSide
	defer objects.Close()
	ids := make([]string, len(jobs))
	for i := range jobs {
		ids[i] = jobs[i].blob
	}
	err := objects.ReadAll(ids, func(i int, data []byte, err error) {
		if err == nil {
			jobs[i].side = &change.Side{Text: data}
		}
	})
	if err != nil {
		return err
	}
	for i := range jobs {
		j := &jobs[i]
		if j.side != nil || j.old {
			continue
		}
		if text, err := x.repo.ReadFile(j.path, longestSide); err == nil && git.BlobID(x.repo.Format(), text) == j.blob {
			j.side = &change.Side{Text: text}
		}
	}
	return ctx.Err()
}

// outlineSides finds the definitions: those that the index knows, or those that
// the text has, on all cores.
func (x *Run) outlineSides(ctx context.Context, jobs []sideJob) error {
	OnAllCores(len(jobs), func(i int) {
		if ctx.Err() == nil {
			x.outlineSide(&jobs[i])
		}
	})
	return ctx.Err()
}

func (x *Run) outlineSide(j *sideJob) {
	s := j.side
	if s == nil {
		return
	}
	byPath := secrets.ByPath(j.path) // the index, which knows no paths, has the same bytes of another file perhaps
	var ok bool
	if s.Symbols, s.Imports, ok = x.Index.Outline(j.blob, j.lang); !ok || byPath {
		// As the index does: half of a secret is not known as such later.
		shown, _ := clean.File(j.path, s.Text)
		o := outline.Definitions(j.lang, []byte(shown.String()))
		s.Symbols, s.Imports = o.Symbols, o.Imports
	}
	// The index does not keep comments, and both sides must be looked at alike.
	s.Comments = outline.CommentLines(j.lang, s.Text)
}

// likelihood is how likely the task needs a file, relative to the best one.
func likelihood(r *ranking.Ranking, i int32) float64 {
	best := r.Scores[r.Order[0]]
	return math.Exp(float64(r.Scores[i] - best))
}

// OnAllCores calls fn for 0 to n-1.
func OnAllCores(n int, fn func(i int)) {
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
