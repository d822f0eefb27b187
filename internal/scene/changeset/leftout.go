package changeset

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
)

// leaveOut takes out of the change what the user leaves out. The repository's own
// files say so as they are in the base of the change, and a change to one of them is
// always shown, so that no change hides itself.
func (x *Run) leaveOut(ctx context.Context) error {
	base, err := x.base(ctx)
	if err != nil {
		return err
	}
	x.Report.Base = base
	var paths []string
	for i := range x.set.Files {
		paths = append(paths, x.set.Files[i].Path, x.set.Files[i].OldPath)
	}
	if x.rules, err = x.Index.RulesFor(ctx, x.Tree, base, false, paths...); err != nil {
		return err
	}
	x.set.Files = slices.DeleteFunc(x.set.Files, func(f change.File) bool {
		by := cmp.Or(x.rules.LeavesOut(f.Path), x.rules.LeavesOut(f.OldPath))
		if rules := index.IsRuleFile(f.Path) || index.IsRuleFile(f.OldPath); by == "" || rules && !x.Index.Never(f.Path) {
			return false
		}
		f.Header, f.Hunks = "", nil
		x.Report.LeftOut = append(x.Report.LeftOut, change.LeftOut{File: f, By: by})
		return true
	})
	if x.Req.Binds {
		x.Index.Also(x.rules)
	}
	return nil
}

// base returns the id of the tree that the change begins at, or of its commit; "" if
// it begins at nothing.
func (x *Run) base(ctx context.Context) (string, error) {
	spec := x.Req.Spec()
	var rev string
	switch side, _, isRange := strings.Cut(spec.Rev, ".."); {
	case x.repo == nil || x.set.From != "":
		return x.set.From, nil
	case x.Req.Patch != nil, x.set.Source == "unstaged", x.set.Source == "untracked":
		rev = "HEAD"
	case spec.From != "":
		rev = spec.From
	case isRange:
		rev = cmp.Or(side, "HEAD")
	default:
		rev = spec.Rev
	}
	if rev == "" {
		return "", nil // the first commit
	}
	_, tree, err := x.repo.Resolve(ctx, rev)
	if errors.Is(err, git.ErrUnborn) {
		return "", nil
	}
	return tree, err
}

// leftOut counts what is left out, by what leaves it out.
func leftOut(list []change.LeftOut) (diags []satchel.Diagnostic) {
	counts := map[string]int{}
	var by []string
	for i := range list {
		if counts[list[i].By]++; counts[list[i].By] == 1 {
			by = append(by, list[i].By)
		}
	}
	for _, b := range by {
		diags = append(diags, satchel.Diagnostic{Text: render.Plural(counts[b], "changed file") + " left out, as " + b + " says"})
	}
	return diags
}

// LeavesOut reports whether the user leaves a path out, as the base of the change says.
func (x *Run) LeavesOut(path string) bool { return x.rules.LeavesOut(path) != "" }
