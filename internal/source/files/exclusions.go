package files

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/store/index"
)

// An Exclusion is a path that no pack shows, unless it is asked for by name, and
// the rule that leaves it out.
type Exclusion struct {
	Path  string `json:"path"` // a folder that is left out as a whole has a final slash
	Why   string `json:"why"`  // a Why constant of package satchel
	Rule  string `json:"rule"` // the pattern, or what a built-in rule says
	From  string `json:"from"` // file:line of the rule, setting:NAME, or built in
	Bytes int64  `json:"bytes"`
	Files int    `json:"files"` // -1, as Bytes, if they were too many to count
}

// Exclusions lists all that is left out of a revision, or of the work tree with
// what git ignores, within the paths of the request and what it includes, sorted by path. A file of an ignore rule
// is named as git names it; one outside of the repository with its full path. A
// path of the request that is not there is an *index.PathError.
func (f Files) Exclusions(ctx context.Context, rev string, paths, include []string) ([]Exclusion, []satchel.Diagnostic, error) {
	list, diags, err := f.project.Index.Explain(ctx, f.project.Tree, rev)
	if err != nil {
		return nil, nil, err
	}
	if err := f.areThere(ctx, rev, paths, list); err != nil {
		return nil, nil, err
	}
	only, err := project.NewScope(nil, include)
	if err != nil {
		return nil, nil, err
	}
	var out []Exclusion
	for _, x := range list {
		if !asked(x.Path, &only, paths, include) {
			continue
		}
		from := x.From
		switch from {
		case "":
			from = "built in"
		case index.SettingExclude, index.SettingMaxBytes:
			from = "setting:" + from
		}
		out = append(out, Exclusion{x.Path, x.Why, x.Rule, filepath.ToSlash(from), x.Bytes, x.Files})
	}
	return out, diags, nil
}

// areThere returns an error if a path is neither left out, nor a file or folder of
// those that are not.
func (f Files) areThere(ctx context.Context, rev string, paths []string, list []index.Exclusion) error {
	var sc *scene.Scene
	for _, p := range paths {
		if p == "." || slices.ContainsFunc(list, func(x index.Exclusion) bool { return concerns(x.Path, []string{p}) }) {
			continue
		}
		if sc == nil {
			v, err := f.project.Index.View(ctx, f.project.Tree, rev)
			if err != nil {
				return err
			}
			sc = &scene.Scene{View: v}
		}
		if !index.IsPattern(p) {
			p, _ = index.Plain(p)
		} else if set, err := project.NewNameSet([]string{p}); err != nil {
			return err
		} else if slices.ContainsFunc(sc.View.Files(), func(f index.File) bool { ok, _ := set.Match([]string{f.Path}); return ok }) {
			continue
		}
		if _, ok := sc.View.File(p); !ok && sc.WhyNot(p) == scene.NoSuchFile {
			return &index.PathError{Path: p, Why: "no such file or folder"}
		}
	}
	return nil
}

// asked reports whether a path that is left out may be of what a request is limited
// to; only is the scope of its patterns.
func asked(path string, only *project.Scope, paths, include []string) bool {
	ok, _ := only.Has(strings.TrimSuffix(path, "/"))
	return (ok || mayHold(path, include)) && concerns(path, paths)
}

// LeftOutOf returns what a view leaves out of what a request is limited to.
func LeftOutOf(v *index.View, req *satchel.Request) []satchel.Omission {
	only, err := project.NewScope(nil, req.Include)
	if err != nil || len(req.Paths)+len(req.Include) == 0 { // a bad pattern was told
		return v.Excluded()
	}
	return slices.DeleteFunc(slices.Clone(v.Excluded()), func(o satchel.Omission) bool {
		return !asked(o.Ref.Path, &only, req.Paths, req.Include)
	})
}

// mayHold reports whether a path is a folder, with a final slash, in which a pattern
// may match something: nobody has looked into a folder that is left out as a whole.
func mayHold(folder string, patterns []string) bool {
	return strings.HasSuffix(folder, "/") && slices.ContainsFunc(patterns, func(p string) bool {
		if !strings.Contains(strings.TrimSuffix(p, "/"), "/") {
			return true // at any depth
		}
		begin := strings.TrimPrefix(p, "/")
		if i := strings.IndexAny(begin, `*?[\`); i >= 0 {
			begin = begin[:i]
		}
		return strings.HasPrefix(begin, folder) || strings.HasPrefix(folder, begin)
	})
}

// concerns reports whether a path, or folder with a final slash, is within any of the
// paths, or holds one of them; no paths mean all.
func concerns(name string, paths []string) bool {
	for _, p := range paths {
		if set, err := project.NewNameSet([]string{p}); err == nil {
			if ok, _ := set.Match([]string{strings.TrimSuffix(name, "/")}); ok {
				return true
			}
		}
		p, _ = index.Plain(strings.TrimSuffix(p, "/"))
		if p == "." || strings.TrimSuffix(name, "/") == p || strings.HasPrefix(name, p+"/") || strings.HasSuffix(name, "/") && strings.HasPrefix(p, name) {
			return true
		}
	}
	return len(paths) == 0
}
