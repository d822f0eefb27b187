// Package files tells about the files of a project what no request for context does:
// what is left out and why, how many tokens they take, which documents no longer hold.
package files

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// Files are those of a project.
type Files struct{ project *project.Project }

// New returns the files of a project.
func New(p *project.Project) Files { return Files{p} }

// Sections returns all sections of documents of the work tree and of the vault,
// each text once, as an [Embedder] will get them: secrets are redacted.
func (f Files) Sections(ctx context.Context) ([]project.DocText, []satchel.Diagnostic, error) {
	view, err := f.project.Index.View(ctx, f.project.Tree, "")
	if err != nil {
		return nil, nil, err
	}
	diags := view.Diagnostics()
	vault, err := f.project.ReadVault(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	if vault != nil {
		diags = append(diags, vault.Diagnostics...)
	}
	sections, err := ranking.NewReader(view).DocTexts(ctx, vault)
	return sections, diags, err
}

// A CountedFile is a file and how many tokens its whole text takes.
type CountedFile struct {
	Path   string
	Tokens int
	Bytes  int
}

// Count counts the files of the work tree within the paths, sorted by path;
// no paths mean all. What packs leave out is not counted, and returned beside
// them.
func (f Files) Count(ctx context.Context, paths []string, count func(text []byte) int) ([]CountedFile, []satchel.Omission, []satchel.Diagnostic, error) {
	v, err := f.project.Index.ViewFiles(ctx, f.project.Tree, "")
	if err != nil {
		return nil, nil, nil, err
	}
	var which []int
	for i := range v.Files() {
		if concerns(v.Files()[i].Path, paths) {
			which = append(which, i)
		}
	}
	diags := v.Diagnostics()
	var out []CountedFile
	err = v.ReadTexts(ctx, which, func(i int, text []byte, err error) error {
		name := v.Files()[i].Path
		if err != nil {
			diags = append(diags[:len(diags):len(diags)], satchel.Diagnostic{Path: name, Text: "cannot be read, so it is not counted: " + err.Error()})
			return nil
		}
		out = append(out, CountedFile{Path: name, Tokens: count(text), Bytes: len(text)})
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, nil, err
	}
	var excluded []satchel.Omission
	for _, o := range v.Excluded() {
		if concerns(o.Ref.Path, paths) {
			excluded = append(excluded, o)
		}
	}
	return out, excluded, diags, nil
}

// Limits of [Nearest]: the files it compares, and the paths it returns.
const (
	mostCompared = 20_000
	mostNearest  = 3
	mostBase     = 100 // bytes of a name that are compared
)

// Nearest returns the files and folders whose paths are most like a name that does not
// exist, joined by "or", or "". The last part of a path counts first. If no path is
// similar, it returns what else is in the folder of the name.
func Nearest(files []string, name string) string {
	name = path.Clean(name)
	base := path.Base(name)
	far := map[string]int{}
	for _, p := range files[:min(len(files), mostCompared)] {
		for ; p != "." && p != "/"; p = path.Dir(p) {
			if _, known := far[p]; known {
				break
			}
			far[p] = 1000*terms.Distance(base, path.Base(p)) + terms.Distance(name, p)
		}
	}
	near := slices.SortedFunc(maps.Keys(far), func(x, y string) int { return cmp.Or(cmp.Compare(far[x], far[y]), cmp.Compare(x, y)) })
	if most := 1000 * (1 + min(len(base), mostBase)/3); len(near) > 0 && far[near[0]] < most {
		near = slices.DeleteFunc(near, func(p string) bool { return far[p] >= most })
	} else {
		near = slices.DeleteFunc(near, func(p string) bool { return path.Dir(p) != path.Dir(name) || path.Dir(p) == "." })
	}
	return clean.Inline(strings.Join(near[:min(len(near), mostNearest)], " or "))
}

// Nearest is [Nearest] among the files of a revision.
func (f Files) Nearest(ctx context.Context, rev, name string) string {
	v, err := f.project.Index.ViewFiles(ctx, f.project.Tree, rev)
	if err != nil {
		return ""
	}
	return Nearest(Paths(v), name)
}

// Paths returns the paths of the files of a view.
func Paths(v *index.View) []string {
	paths := make([]string, len(v.Files()))
	for i, f := range v.Files() {
		paths[i] = f.Path
	}
	return paths
}
