package files

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

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
